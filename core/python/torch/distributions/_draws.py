"""Draws of gamma, Dirichlet and Poisson numbers, one after another. Behaviour: aten/src/ATen/native/Distributions.{h,cpp}.

Marsaglia and Tsang: A simple method for generating gamma variables, ACM TOMS 26 (2000). Hoermann: The transformed rejection
method for generating Poisson random variables, Insurance: Mathematics and Economics 12 (1993).
"""
import math

import torch

_THIRD = torch.tensor(1.0 / 3.0).item()  # constants of single precision, as in the source
_EDGE = torch.tensor(0.0331).item()


def _uniform(generator=None):
    return torch.empty(1, dtype=torch.float64).uniform_(generator=generator).item()


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
    """torch._standard_gamma(alpha)."""
    if torch.is_grad_enabled() and alpha.requires_grad:
        from torch.distributions._implicit import StandardGamma
        return StandardGamma.apply(alpha, _standard_gamma)
    return _standard_gamma(alpha)


def _standard_gamma(alpha):
    rounded = _rounding(alpha.dtype)
    least = torch.finfo(alpha.dtype).tiny
    drawn = [max(least, _gamma(one, rounded)) for one in alpha.detach().reshape(-1).tolist()]
    return torch.tensor(drawn, dtype=alpha.dtype, device=alpha.device).reshape(alpha.shape)


def sample_dirichlet(alpha):
    """torch._sample_dirichlet(alpha): shares of gamma numbers that are drawn as doubles."""
    if torch.is_grad_enabled() and alpha.requires_grad:
        from torch.distributions._implicit import _Dirichlet
        return _Dirichlet.apply(alpha, _sample_dirichlet)
    return _sample_dirichlet(alpha)


def _sample_dirichlet(alpha):
    wide = _standard_gamma(alpha.detach().double())
    shares = (wide / wide.sum(-1, keepdim=True)).to(alpha.dtype)
    info = torch.finfo(alpha.dtype)
    return shares.clamp(min=info.tiny, max=1 - info.eps / 2)


def _poisson(rate, generator=None):
    if rate >= 10:
        root, log_rate = math.sqrt(rate), math.log(rate)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        accept = 0.9277 - 3.6224 / (b - 2)
        while True:
            u = _uniform(generator) - 0.5
            v = _uniform(generator)
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
        product *= _uniform(generator)
        if product <= limit:
            return count
        count += 1


def poisson(rate, generator=None):
    """torch.poisson(rate)."""
    drawn = [float(_poisson(one, generator)) for one in rate.detach().reshape(-1).tolist()]
    return torch.tensor(drawn, dtype=rate.dtype, device=rate.device).reshape(rate.shape)


def _stirling(k):
    """log(k!) beside Stirling's formula: what that one lacks."""
    tail = (0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
            0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287)
    if k <= 9:
        return tail[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _binomial(count, p, generator=None):
    """Few successes are counted from one to the next, many are drawn by transformed rejection (Hoermann, BTRS)."""
    if count <= 0.0 or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return count
    if p > 0.5:
        return count - _binomial(count, 1.0 - p, generator)
    if not p <= 0.5:
        return math.nan
    if count * p < 10.0:
        total = done = 0.0
        while True:
            total += math.ceil(math.log(_uniform(generator)) / math.log1p(-p))
            if total > count:
                return done
            done += 1
    deviation = math.sqrt(count * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    c = count * p + 0.5
    accept = 0.92 - 4.2 / b
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    m = math.floor((count + 1) * p)
    while True:
        u = _uniform(generator) - 0.5
        v = _uniform(generator)
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= accept:
            return float(k)
        if k < 0 or k > count:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        limit = (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1))) + \
            (count + 1) * math.log((count - m + 1) / (count - k + 1)) + \
            (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1)) + \
            _stirling(m) + _stirling(count - m) - _stirling(k) - _stirling(count - k)
        if v <= limit:
            return float(k)


def binomial(count, prob, generator=None):
    """torch.binomial(count, prob)."""
    count, prob = torch.broadcast_tensors(count, prob)
    rows = zip(count.detach().reshape(-1).tolist(), prob.detach().reshape(-1).tolist())
    drawn = [_binomial(n, p, generator) for n, p in rows]
    return torch.tensor(drawn, dtype=count.dtype, device=count.device).reshape(count.shape)


def multigamma_log(a, p):
    """torch.mvlgamma(a, p): the logarithm of the gamma function of p dimensions."""
    halves = torch.arange(p, dtype=a.dtype, device=a.device) / 2
    return torch.lgamma(a.unsqueeze(-1) - halves).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)
