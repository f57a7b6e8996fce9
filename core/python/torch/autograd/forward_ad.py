"""Dual numbers: a tensor with its tangent, which each op carries along. Behaviour: torch/autograd/forward_ad.py."""
import functools
from collections import namedtuple

import torch
from torch._C import _is_fwd_grad_enabled
from torch._C._autograd import _make_dual, _unpack_dual

__all__ = ["UnpackedDualTensor", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual", "dual_level"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"
# The level of this module; those of torch.func.jvp lie inside of it.
_current_level = -1


def enter_dual_level():
    """Begins to carry tangents along. Errors: RuntimeError  one is entered already."""
    global _current_level
    level = torch._C._enter_dual_level()
    if level > 0:
        torch._C._exit_dual_level(level)
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _current_level = level
    return level


def exit_dual_level(*, level=None):
    """Ends it: all tangents are forgotten."""
    global _current_level
    if level is None:
        level = _current_level
    if level != _current_level:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
    if level < 0:
        raise RuntimeError("Trying to exit a forward AD level but no level is entered. Make sure that each "
                           "`exit_dual_level` is matched with an `enter_dual_level`.")
    torch._C._exit_dual_level(level)
    _current_level = level - 1


class dual_level:
    """Inside there are dual tensors."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, kind, value, trace):
        exit_dual_level()

    def __call__(self, func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with dual_level():
                return func(*args, **kwargs)

        return wrapped


def make_dual(tensor, tangent, *, level=None):
    """A tensor of the same items that has the tangent. Errors: RuntimeError  outside of a level, the tangent has another shape
    or is dual itself; ValueError  a dtype is none of real or complex numbers."""
    if level is None:
        level = _current_level
    if level < 0:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                           "first.")
    for name, one in (("primal", tensor), ("tangent", tangent)):
        if not (one.is_floating_point() or one.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {one.dtype}")
    return _make_dual(tensor, tangent, level)


def unpack_dual(tensor, *, level=None):
    """(primal, tangent); the tangent is None where no dual tensor led to it, and outside of a level."""
    if level is None:
        level = _current_level
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*_unpack_dual(tensor, level))


class _set_fwd_grad_enabled:
    """Whether ops carry tangents along, from when it is made on."""

    def __init__(self, mode):
        self.prev = _is_fwd_grad_enabled()
        torch._C._set_fwd_grad_enabled(mode)

    def __enter__(self):
        pass

    def __exit__(self, *given):
        torch._C._set_fwd_grad_enabled(self.prev)
