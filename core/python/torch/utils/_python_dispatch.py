"""Modes that carry out ops of ATen, and what classes with __torch_dispatch__ have in common.

Behaviour: torch/utils/_python_dispatch.py."""
import contextlib

import torch
from torch import _dispatch

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing", "transform_subclass"]


class TorchDispatchMode:
    """While it is entered its __torch_dispatch__ carries out all ops, the innermost mode first."""

    def __init__(self, _dispatch_key=None):
        if _dispatch_key is not None:
            raise NotImplementedError("nnscope has no dispatch keys")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _push_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _pop_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode that is yet to be entered; an older way to write it."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls):
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """One that changes nothing."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **({} if kwargs is None else kwargs))


def _push_mode(mode):
    _dispatch.modes.append(mode)
    torch._C._count_dispatch_modes(1)


def _pop_mode(k=None):
    torch._C._count_dispatch_modes(-1)
    return _dispatch.modes.pop()


def _get_current_dispatch_mode():
    return _dispatch.modes[-1] if _dispatch.modes else None


def _get_current_dispatch_mode_stack():
    return list(_dispatch.modes)


def is_in_torch_dispatch_mode(include_infra_modes=True):
    """Whether a mode is entered."""
    return bool(_dispatch.modes)


def _len_torch_dispatch_stack():
    return len(_dispatch.modes)


@contextlib.contextmanager
def _pop_mode_temporarily(k=None):
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _disable_current_modes():
    taken = [_pop_mode() for _ in range(len(_dispatch.modes))]
    try:
        yield taken
    finally:
        for mode in reversed(taken):
            _push_mode(mode)


def is_traceable_wrapper_subclass(t):
    """Whether it says which tensors it is made of."""
    is_subclass = isinstance(t, torch.Tensor) and type(t) is not torch.Tensor
    return is_subclass and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass_type(t):
    is_subclass = issubclass(t, torch.Tensor) and t is not torch.Tensor
    return is_subclass and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """The same of the tensors that callback(name, inner) gives for those that it is made of."""
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(inner, context, outer_size, outer_stride)
    if made.shape != outer_size:
        raise AssertionError(f"Expected return value from {type(t)}__tensor_unflatten__() to have shape equal to {outer_size}, "
                             f"but got: {made.shape}")
    if tuple(made.stride()) != tuple(outer_stride):
        raise AssertionError(f"Expected return value from {type(t)}__tensor_unflatten__() to have stride equal to {outer_stride}, "
                             f"but got: {made.stride()}")
    return made


def return_and_correct_aliasing(func, args, kwargs, out):
    """What a class's __torch_dispatch__ is to return: of an op that writes in place the tensor that was written."""
    name = func._packet.__name__
    if name.endswith("_") and not name.startswith("__") and args:
        return args[0]
    return kwargs["out"] if kwargs and kwargs.get("out") is not None else out
