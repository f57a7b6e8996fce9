"""Windows of M points. Behaviour: torch/signal/windows/windows.py. `sym=False` gives the periodic window.

Errors: ValueError  M is negative, or the layout or dtype is none of windows."""
import math

import torch

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
           "kaiser", "nuttall"]


def _checked(name, M, dtype, layout):
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not torch.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    return dtype


def _made(values, device, requires_grad):
    values = values if device is None else values.to(device)
    return values.requires_grad_() if requires_grad else values


def _points(start, step, M, dtype):
    return torch.linspace(start, start + (M - 1) * step, M, dtype=dtype)


def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = _checked("exponential", M, dtype, layout)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if center is None:
        center = (M if not sym and M > 1 else M - 1) / 2.0
    return _made(torch.exp(-torch.abs(_points(-center / tau, 1 / tau, M, dtype))), device, requires_grad)


def cosine(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = _checked("cosine", M, dtype, layout)
    step = math.pi / max(M + 1 if not sym and M > 1 else M, 1)
    return _made(torch.sin(_points(0.5 * step, step, M, dtype)), device, requires_grad)


def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = _checked("gaussian", M, dtype, layout)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    start = -(M if not sym and M > 1 else M - 1) / 2.0
    scale = 1 / (std * math.sqrt(2))
    return _made(torch.exp(-_points(start * scale, scale, M, dtype) ** 2), device, requires_grad)


def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = _checked("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 0:
        return _made(torch.empty(0, dtype=dtype), device, requires_grad)
    if M == 1:
        return _made(torch.ones(1, dtype=dtype), device, requires_grad)
    step = 2.0 * beta / (M if not sym else M - 1)
    k = _points(-beta, step, M, dtype)
    top = torch.i0(torch.sqrt((beta * beta - k * k).clamp(min=0)))
    return _made(top / torch.i0(torch.tensor(beta, dtype=dtype)), device, requires_grad)


def general_cosine(M, *, a, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    """Sum of a[k] * cos(k x) with alternating signs."""
    dtype = _checked("general_cosine", M, dtype, layout)
    if M == 0:
        return _made(torch.empty(0, dtype=dtype), device, requires_grad)
    if M == 1:
        return _made(torch.ones(1, dtype=dtype), device, requires_grad)
    if not hasattr(a, "__iter__"):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    k = _points(0, 2 * math.pi / (M if not sym else M - 1), M, dtype)
    factors = torch.tensor([(-1) ** i * one for i, one in enumerate(a)], dtype=dtype)
    i = torch.arange(factors.shape[0], dtype=dtype)
    return _made((factors.unsqueeze(-1) * torch.cos(i.unsqueeze(-1) * k)).sum(0), device, requires_grad)


def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def hamming(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def blackman(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device,
                          requires_grad=requires_grad)


def nuttall(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype, layout=layout,
                          device=device, requires_grad=requires_grad)


def bartlett(M, *, sym=True, dtype=None, layout=torch.strided, device=None, requires_grad=False):
    dtype = _checked("bartlett", M, dtype, layout)
    if M == 0:
        return _made(torch.empty(0, dtype=dtype), device, requires_grad)
    if M == 1:
        return _made(torch.ones(1, dtype=dtype), device, requires_grad)
    k = _points(-1, 2 / (M if not sym else M - 1), M, dtype)
    return _made(1 - torch.abs(k), device, requires_grad)
