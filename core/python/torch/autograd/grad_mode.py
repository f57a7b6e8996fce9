"""Modes of autograd, and how graphs enter and leave inference mode. Behaviour: torch/autograd/grad_mode.py."""
import functools

import torch
from torch import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled"]


class _Mode:
    """A context that also decorates functions: each call runs in one of its own."""

    def __call__(self, func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with self.clone():
                return func(*args, **kwargs)

        return wrapped


class set_multithreading_enabled(_Mode):
    """Whether backward may use other threads, from when it is made on. nnscope's runs on that of its caller; functions that
    PyTorch has only without threads ask for the mode."""

    def __init__(self, mode):
        self.prev = torch._C._is_multithreading_enabled()
        torch._C._set_multithreading_enabled(mode)
        self.mode = mode

    def __enter__(self):
        pass

    def __exit__(self, *given):
        torch._C._set_multithreading_enabled(self.prev)

    def __call__(self, func):
        torch._C._set_multithreading_enabled(self.prev)
        return super().__call__(func)

    def clone(self):
        return type(self)(self.mode)


class _unsafe_preserve_version_counter(_Mode):
    """Inside, writes to the tensors are not counted: who writes answers for what backward makes of it."""

    def __init__(self, tensors):
        self.tensors = (tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)
        self.prev_versions = tuple(one._version for one in self.tensors)

    def __enter__(self):
        pass

    def __exit__(self, *given):
        torch._C._autograd._unsafe_set_version_counter(self.tensors, self.prev_versions)


def _enter_inference_mode(mode):
    context = inference_mode(mode)
    context.__enter__()
    return context


def _exit_inference_mode(mode):
    mode.__exit__(None, None, None)
