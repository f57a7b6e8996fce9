"""Names of torch.optim.optimizer and torch.optim.lr_scheduler that programs import. Behaviour: torch/optim/optimizer.py."""
from collections.abc import Iterable as _Iterable
from typing import Any as _Any, Union as _Union

import torch
from torch.optim.lr_scheduler import LRScheduler as _Scheduler


class _RequiredParameter:
    """In the place of an argument that an optimiser must be given."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()
ParamsT = _Union[_Iterable[torch.Tensor], _Iterable[dict[str, _Any]], _Iterable[tuple[str, torch.Tensor]]]
params_t = _params_t = ParamsT


class _LRScheduler(_Scheduler):
    """The name of LRScheduler in older programs."""


_LRScheduler.__module__ = "torch.optim.lr_scheduler"


def _use_grad_for_differentiable(func):
    """Lets step() record gradients where the optimiser is differentiable."""
    import functools

    @functools.wraps(func)
    def use_grad(*args, **kwargs):
        before = torch.is_grad_enabled()
        torch.set_grad_enabled(args[0].defaults.get("differentiable", False))
        try:
            return func(*args, **kwargs)
        finally:
            torch.set_grad_enabled(before)

    return use_grad


def _get_value(x):
    return x.item() if isinstance(x, torch.Tensor) else x


def _dispatch_sqrt(x):
    return x.sqrt() if isinstance(x, torch.Tensor) else x ** 0.5


def _stack_if_compiling(x):
    return x


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """(fused, foreach): neither on the CPU."""
    if differentiable:
        return False, False
    return False, bool(params) and all(param is None or param.is_cuda for param in params)


def _get_capturable_supported_devices(supports_xla=True):
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]


def _view_as_real(params, *state_and_grads):
    for i, param in enumerate(params):
        if torch.is_complex(param):
            params[i] = torch.view_as_real(param)
            for listed in state_and_grads:
                listed[i] = torch.view_as_real(listed[i])


def _add_to(hooks, hook):
    from torch.utils.hooks import RemovableHandle
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook):
    """hook(optimizer, args, kwargs) before the step of every optimiser."""
    return _add_to(torch.optim.optimizer._global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """The same behind it."""
    return _add_to(torch.optim.optimizer._global_optimizer_post_hooks, hook)
