"""Draws of gamma, Dirichlet and Poisson numbers, one after another. Behaviour: aten/src/ATen/native/Distributions.{h,cpp}.

Marsaglia and Tsang: A simple method for generating gamma variables, ACM TOMS 26 (2000). Hoermann: The transformed rejection
method for generating Poisson random variables, Insurance: Mathematics and Economics 12 (1993).
"""
import math

import torch

_THIRD = torch.tensor(1.0 / 3.0).item()  # constants of single precision, as in the source
_EDGE = torch.tensor(0.0331).item()


def _uniform():
    return torch.empty(1, dtype=torch.float64).uniform_().item()


def _normal():
    return torch.empty(1, dtype=torch.float64).normal_().item()


def _gamma(alpha, rounded):
    """A gamma number; `rounded` brings a number to the precision of alpha."""
    scale = 1.0
    if alpha < 1.0:
        if alpha == 0.0:
            return 0.0
        scale *= math.pow(1 - _uniform(), rounded(1.0 / alpha))
        alpha = rounded(alpha + 1.0)
    d = rounded(alpha - _THIRD)
    c = 1.0 / math.sqrt(rounded(9.0 * d))
    while True:
        x = _normal()
        y = 1.0 + c * x
        while y <= 0:
            x = _normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1 - _uniform()
        xx = x * x
        if u < 1.0 - _EDGE * xx * xx:
            return scale * d * v
        if math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def _rounding(dtype):
    if dtype == torch.float64:
        return lambda x: x
    return lambda x: torch.tensor(x, dtype=dtype).item()


def standard_gamma(alpha):
    """torch._standard_gamma(alpha) without its gradient. Errors: NotImplementedError  a gradient is asked for."""
    if torch.is_grad_enabled() and alpha.requires_grad:
        raise NotImplementedError("the gradient of torch._standard_gamma, which rsample() needs, is not in nnscope; sample() "
                                  "draws without one")
    rounded = _rounding(alpha.dtype)
    least = torch.finfo(alpha.dtype).tiny
    drawn = [max(least, _gamma(one, rounded)) for one in alpha.detach().reshape(-1).tolist()]
    return torch.tensor(drawn, dtype=alpha.dtype, device=alpha.device).reshape(alpha.shape)


def sample_dirichlet(alpha):
    """torch._sample_dirichlet(alpha) without its gradient: shares of gamma numbers that are drawn as doubles."""
    if torch.is_grad_enabled() and alpha.requires_grad:
        raise NotImplementedError("the gradient of torch._sample_dirichlet, which rsample() needs, is not in nnscope; sample() "
                                  "draws without one")
    wide = standard_gamma(alpha.detach().double())
    shares = (wide / wide.sum(-1, keepdim=True)).to(alpha.dtype)
    info = torch.finfo(alpha.dtype)
    return shares.clamp(min=info.tiny, max=1 - info.eps / 2)


def _poisson(rate):
    if rate >= 10:
        root, log_rate = math.sqrt(rate), math.log(rate)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        accept = 0.9277 - 3.6224 / (b - 2)
        while True:
            u = _uniform() - 0.5
            v = _uniform()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + rate + 0.43)
            if us >= 0.07 and v <= accept:
                return k
            if k < 0 or (us < 0.013 and v > us):
                continue
            if math.log(v) + math.log(inverse) - math.log(a / (us * us) + b) <= -rate + k * log_rate - math.lgamma(k + 1):
                return k
    if rate == 0:
        return 0
    limit, product, count = math.exp(-rate), 1.0, 0
    while True:
        product *= _uniform()
        if product <= limit:
            return count
        count += 1


def poisson(rate):
    """torch.poisson(rate)."""
    drawn = [float(_poisson(one)) for one in rate.detach().reshape(-1).tolist()]
    return torch.tensor(drawn, dtype=rate.dtype, device=rate.device).reshape(rate.shape)
