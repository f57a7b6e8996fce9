"""TorchDispatchMode: a program sees each op of ATen that runs. Behaviour: torch/utils/_python_dispatch.py.

Differs: PyTorch asks a mode behind autograd and what composite ops are made of; here it is asked for ops as a program, or a
backward, calls them, and the tensors that it is given have their histories."""
import contextlib

import torch
from torch._aten.steps import NoOp, aten_call, taken

_modes = []


class TorchDispatchMode:
    """Inside, each op is __torch_dispatch__(func, types, args, kwargs), func an OpOverload. What that calls itself goes to the
    mode around it."""

    def __init__(self, _dispatch_key=None):
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        def dispatch(place, name, is_in_place, names, values, run):
            asks_gradient = dict(zip(names, values)).get("requires_grad")
            try:
                name, schema, args, kwargs = aten_call(place, name, is_in_place, names, values)
            except NoOp:
                return run()
            op = getattr(getattr(torch.ops.aten, name), schema.overload or "default")
            made = self.__torch_dispatch__(op, (), tuple(args), kwargs)
            # What makes a tensor does not ask for its gradients; that comes after.
            return made.requires_grad_() if asks_gradient else made

        torch._C._push_dispatcher(dispatch, taken())
        _modes.append(self)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        _modes.pop()
        torch._C._pop_dispatcher()

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


def _get_current_dispatch_mode():
    return _modes[-1] if _modes else None


def _get_current_dispatch_mode_stack():
    return list(_modes)


def is_in_torch_dispatch_mode(include_infra_modes=True):
    """Whether a mode is entered."""
    return bool(_modes)


@contextlib.contextmanager
def _disable_current_modes():
    before = _modes[:]
    for mode in reversed(before):
        mode.__exit__(None, None, None)
    try:
        yield before
    finally:
        for mode in before:
            mode.__enter__()


@contextlib.contextmanager
def _pop_mode_temporarily(k=None):
    mode = _modes[-1]
    mode.__exit__(None, None, None)
    try:
        yield mode
    finally:
        mode.__enter__()


def is_traceable_wrapper_subclass(t):
    """Whether a tensor is one around others that a compiler may take apart."""
    return isinstance(t, torch.Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")
