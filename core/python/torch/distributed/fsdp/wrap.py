"""Which modules are sharded by themselves. Behaviour: torch/distributed/fsdp/wrap.py."""
import contextlib
import copy

import torch.nn as nn

__all__ = ["CustomPolicy", "ModuleWrapPolicy", "always_wrap_policy", "enable_wrap", "lambda_auto_wrap_policy",
           "size_based_auto_wrap_policy", "transformer_auto_wrap_policy", "wrap"]


def always_wrap_policy(*args, **kwargs):
    """Every module."""
    return True


def _module_wrap_policy(module, recurse, nonwrapped_numel, module_classes):
    return True if recurse else isinstance(module, tuple(module_classes))


def lambda_auto_wrap_policy(module, recurse, nonwrapped_numel, lambda_fn):
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls):
    """The modules of some classes."""
    return _module_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls)


def size_based_auto_wrap_policy(module, recurse, nonwrapped_numel, min_num_params=100_000_000, force_leaf_modules=None,
                                exclude_wrap_modules=None):
    """Modules with so many parameters that are not wrapped already."""
    leaves = size_based_auto_wrap_policy.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules
    excluded = size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES if exclude_wrap_modules is None else exclude_wrap_modules
    is_large = nonwrapped_numel >= min_num_params
    if recurse:
        return is_large and not isinstance(module, tuple(leaves))
    return is_large and not isinstance(module, tuple(excluded))


size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {nn.ModuleList, nn.ModuleDict}
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {nn.MultiheadAttention}


class _Policy:
    """What tells for each module whether it is wrapped, and with which settings."""

    def chosen(self, root, ignored, settings):
        """{module: settings}."""
        raise NotImplementedError


class ModuleWrapPolicy(_Policy):
    """The modules of some classes."""

    def __init__(self, module_classes):
        self._module_classes = set(module_classes)

    def chosen(self, root, ignored, settings):
        return {one: settings for one in root.modules() if one not in ignored and isinstance(one, tuple(self._module_classes))}

    def __call__(self, module, recurse, *args, **kwargs):
        return _module_wrap_policy(module, recurse, -1, self._module_classes)

    def __repr__(self):
        return super().__repr__() + f"({self._module_classes})"


class CustomPolicy(_Policy):
    """A function of the module that gives False, True or settings of its own."""

    def __init__(self, lambda_fn):
        self._lambda_fn = lambda_fn

    def chosen(self, root, ignored, settings):
        made = {}
        for one in root.modules():
            if one in ignored:
                continue
            found = self._lambda_fn(one)
            if not isinstance(found, (dict, bool)):
                raise ValueError("The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it returned "
                                 f"{found}")
            if found is not False:
                made[one] = {**copy.copy(settings), **(found if isinstance(found, dict) else {})}
        return made


def wrap_below(root, policy, wrapper, settings, ignored):
    """Puts modules below `root` for which the policy says so into `wrapper(module, **settings)`, innermost first."""
    if isinstance(policy, _Policy):
        chosen = policy.chosen(root, ignored, settings)
        chosen.pop(root, None)
        for parent in list(root.modules()):
            for name, child in list(parent.named_children()):
                if child in chosen and not isinstance(child, wrapper):
                    wrap_below(child, policy, wrapper, settings, ignored)
                    setattr(parent, name, wrapper(child, **chosen[child]))
        return
    _by_function(root, policy, wrapper, settings, ignored, True)


def _by_function(module, policy, wrapper, settings, ignored, is_root=False):
    """(the module, wrapped or not; how many parameters below it are wrapped)."""
    if module in ignored or isinstance(module, wrapper):
        return module, 0
    count = sum(one.numel() for one in module.parameters())
    if not policy(module=module, recurse=True, nonwrapped_numel=count):
        return module, 0
    wrapped = 0
    for name, child in list(module.named_children()):
        made, below = _by_function(child, policy, wrapper, settings, ignored)
        if made is not child:
            setattr(module, name, made)
        wrapped += below
    if not is_root and policy(module=module, recurse=False, nonwrapped_numel=count - wrapped):
        return wrapper(module, **settings), count
    return module, wrapped


_enabled = []  # (class, settings) of the enable_wrap() that runs


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls, **wrapper_kwargs):
    """Lets wrap() wrap."""
    _enabled.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _enabled.pop()


def wrap(module, **wrap_overrides):
    """The module, wrapped within enable_wrap(), as it is elsewhere."""
    if not _enabled:
        return module
    wrapper, settings = _enabled[-1]
    return wrapper(module, **{**settings, **wrap_overrides})
