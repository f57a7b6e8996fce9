"""Dual numbers: a tensor with its tangent. Behaviour: torch/autograd/forward_ad.py.

Differs: PyTorch pushes tangents forward with each op; here unpack_dual() takes a gradient of a gradient, as torch.func.jvp
does. So an op needs a second derivative, a dual tensor is shown as one that requires gradients, and nothing may be computed
under no_grad() in between."""
from collections import namedtuple

import torch

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])
UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"
_levels = []


class _Level:
    def __init__(self):
        # Dual tensors and their tangents; whether what they were made of requires gradients.
        self.duals, self.is_watched = [], False


def enter_dual_level():
    if _levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _levels.append(_Level())
    return 0


def exit_dual_level(*, level=None):
    if not _levels:
        raise RuntimeError("Trying to exit a forward AD level but no level is entered. Make sure that each "
                           "`exit_dual_level` is matched with an `enter_dual_level`.")
    _levels.pop()


class dual_level:
    """Inside there are dual tensors."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, kind, value, trace):
        exit_dual_level()

    def __call__(self, func):
        import functools

        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            with dual_level():
                return func(*args, **kwargs)

        return wrapped


def make_dual(tensor, tangent, *, level=None):
    """The tensor with its tangent. Errors: RuntimeError  outside of a level, or the tangent has another shape;
    ValueError  a dtype is none of real or complex numbers."""
    if not _levels:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() "
                           "first.")
    for name, one in (("primal", tensor), ("tangent", tangent)):
        if not (one.is_floating_point() or one.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {one.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError("Expected tangent to have the same size as primal, but got tangent of size "
                           f"{list(tangent.shape)} and primal of size {list(tensor.shape)}")
    here = _levels[-1]
    if any(dual is tensor for dual, _ in here.duals):
        raise RuntimeError("the tensor has a tangent already")
    here.is_watched = here.is_watched or tensor.requires_grad or tangent.requires_grad
    dual = tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()
    here.duals.append((dual, tangent))
    return dual


def unpack_dual(tensor, *, level=None):
    """(primal, tangent); the tangent is None where no dual tensor led to it, and outside of a level."""
    if not _levels:
        return UnpackedDualTensor(tensor, None)
    here = _levels[-1]
    for dual, tangent in here.duals:
        if dual is tensor:
            return UnpackedDualTensor(tensor if here.is_watched else tensor.detach(), tangent)
    if tensor.grad_fn is None or not here.duals:
        return UnpackedDualTensor(tensor, None)
    with torch.enable_grad():
        weights = torch.zeros_like(tensor, requires_grad=True)
        pulled = torch.autograd.grad(tensor, [dual for dual, _ in here.duals], weights, create_graph=True, allow_unused=True)
        total = None
        for back, (_, tangent) in zip(pulled, here.duals):
            if back is not None and back.requires_grad:
                part = (back * tangent.conj()).sum()
                total = part if total is None else total + part
        if all(back is None for back in pulled):
            return UnpackedDualTensor(tensor, None)
        tangent = torch.zeros_like(tensor) if total is None or not total.requires_grad else torch.autograd.grad(
            total, weights, create_graph=here.is_watched, allow_unused=True)[0]
    if tangent is None:
        tangent = torch.zeros_like(tensor)
    if not here.is_watched:
        return UnpackedDualTensor(tensor.detach(), tangent.detach())
    return UnpackedDualTensor(tensor, tangent)
