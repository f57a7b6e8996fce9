"""Modules that compute their activations again in backward. Behaviour:
torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py. In states their parameters have the names without the wrapper."""
from enum import Enum, auto
from functools import partial

import torch.nn as nn
from torch.utils.checkpoint import checkpoint

__all__ = ["CheckpointImpl", "CheckpointWrapper", "apply_activation_checkpointing", "checkpoint_wrapper", "offload_wrapper"]
_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(Enum):
    REENTRANT = auto()
    NO_REENTRANT = auto()


class ActivationWrapper(nn.Module):
    """A module around another one, whose attributes it has, too."""

    def __init__(self, mod):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._without_prefix)
        self.register_load_state_dict_pre_hook(self._with_prefix)

    def forward(self, *args, **kwargs):
        raise ValueError("Subclasses should implement this")

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key):
        return self._checkpoint_wrapped_module.__getitem__(key)

    def named_parameters(self, *args, **kwargs):
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _without_prefix(module, state_dict, prefix, *args):
        _renamed(state_dict, f"{prefix}{_CHECKPOINT_PREFIX}", prefix)

    @staticmethod
    def _with_prefix(module, state_dict, prefix, *args):
        _renamed(state_dict, prefix, f"{prefix}{_CHECKPOINT_PREFIX}")


def _renamed(state_dict, old, new):
    for key in [key for key in state_dict if key.startswith(old)]:
        value = state_dict.pop(key)
        state_dict[new + key[len(old):]] = value


class CheckpointWrapper(ActivationWrapper):
    def __init__(self, mod, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        self.checkpoint_fn = partial(checkpoint_fn or checkpoint,
                                     **({} if checkpoint_fn else {"use_reentrant": checkpoint_impl is CheckpointImpl.REENTRANT}),
                                     **checkpoint_fn_kwargs)

    def forward(self, *args, **kwargs):
        if self.checkpoint_impl is CheckpointImpl.REENTRANT and kwargs:
            return self.checkpoint_fn(lambda *given: self._checkpoint_wrapped_module(*given, **kwargs), *args)
        return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)


def checkpoint_wrapper(module, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
    """A module that is as the given one and computes its activations again in backward."""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module):
    raise NotImplementedError("offload_wrapper is not in nnscope: activations stay where they are computed")


def apply_activation_checkpointing(model, checkpoint_wrapper_fn=checkpoint_wrapper, check_fn=lambda _: True, auto_wrap_policy=None):
    """Wraps those modules below `model` for which check_fn says so, the innermost first."""
    if auto_wrap_policy is not None:
        raise NotImplementedError("apply_activation_checkpointing: auto_wrap_policy")

    def visit(module):
        for name, child in list(module.named_children()):
            visit(child)
            if check_fn(child) and not isinstance(child, ActivationWrapper):
                setattr(module, name, checkpoint_wrapper_fn(child))

    visit(model)
