"""Names of torch.utils.hooks. Behaviour: torch/utils/hooks.py."""
import torch


def unserializable_hook(f):
    """Marks a hook of a tensor: it does not go into files, and nothing is said about that."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    from torch._tensor import _warn_if_has_hooks
    _warn_if_has_hooks(tensor)


def _handle_class():
    handle = torch.nn.Identity().register_forward_hook(lambda *given: None)
    handle.remove()
    return type(handle)


RemovableHandle = _handle_class()
