"""Arithmetic of complex items over tensors. Behaviour: numpy/_core/src/umath/loops.c.src, funcs.inc.src, npysort_common.h.

R. L. Smith: Algorithm 116, complex division, CACM 5 (1962).
"""
import math

import torch


def isnan(a):
    return torch.isnan(a.real) | torch.isnan(a.imag) if a.is_complex() else torch.isnan(a)


def isinf(a):
    return torch.isinf(a.real) | torch.isinf(a.imag) if a.is_complex() else torch.isinf(a)


def isfinite(a):
    return torch.isfinite(a.real) & torch.isfinite(a.imag) if a.is_complex() else torch.isfinite(a)


def by_parts(function):
    """A function of real numbers on both parts."""
    return lambda a: torch.complex(function(a.real), function(a.imag))


# Arithmetic.

def divide(a, b):
    """The quotient, with the smaller part of the divisor measured in the larger one."""
    is_wide = torch.abs(b.real) >= torch.abs(b.imag)
    large, small = torch.where(is_wide, b.real, b.imag), torch.where(is_wide, b.imag, b.real)
    ratio = small / large
    scale = 1.0 / (large + small * ratio)
    real = torch.where(is_wide, a.real + a.imag * ratio, a.real * ratio + a.imag) * scale
    imag = torch.where(is_wide, a.imag - a.real * ratio, a.imag * ratio - a.real) * scale
    is_zero = (b.real == 0) & (b.imag == 0)
    size = torch.abs(b.real)
    return torch.complex(torch.where(is_zero, a.real / size, real), torch.where(is_zero, a.imag / size, imag))


def reciprocal(a):
    is_wide = torch.abs(a.imag) <= torch.abs(a.real)
    large, small = torch.where(is_wide, a.real, a.imag), torch.where(is_wide, a.imag, a.real)
    ratio = small / large
    size = large + small * ratio
    return torch.complex(torch.where(is_wide, 1.0 / size, ratio / size), torch.where(is_wide, -ratio / size, -1.0 / size))


def power(a, b):
    """Whole exponents below 100 by squaring, the others by logarithms."""
    a, b = torch.broadcast_tensors(a, b)
    made = torch.pow(a, b)
    whole = (b.imag == 0) & (b.real == torch.trunc(b.real)) & (torch.abs(b.real) < 100)
    if bool(whole.any()):
        count = torch.where(whole, torch.abs(b.real), torch.zeros_like(b.real)).to(torch.int64)
        product, factor = torch.ones_like(a), a
        for bit in range(int(count.max()).bit_length()):
            chosen = (count >> bit) & 1 == 1
            product = torch.where(chosen, product * factor, product)
            factor = factor * factor
        product = torch.where(b.real < 0, divide(torch.ones_like(product), product), product)
        made = torch.where(whole, product, made)
    none = torch.full_like(made, complex(math.nan, math.nan))
    of_zero = torch.where((b.real > 0) & (b.imag == 0), torch.zeros_like(made), none)
    made = torch.where((a.real == 0) & (a.imag == 0), of_zero, made)
    return torch.where((b.real == 0) & (b.imag == 0), torch.ones_like(made), made)


def sign(a):
    size = torch.abs(a)
    zero, none = torch.zeros_like(size), torch.full_like(size, math.nan)
    real, imag = a.real / size, a.imag / size
    far = torch.isinf(size)
    both = torch.isinf(a.real) & torch.isinf(a.imag)
    real = torch.where(far, torch.where(both, none, torch.where(torch.isinf(a.real), torch.sign(a.real), zero)), real)
    imag = torch.where(far, torch.where(both, none, torch.where(torch.isinf(a.imag), torch.sign(a.imag), zero)), imag)
    wrong = isnan(a)
    real, imag = (torch.where(size == 0, zero, torch.where(wrong, none, one)) for one in (real, imag))
    return torch.complex(real, imag)


# Exponentials and logarithms.

def exp2(a):
    return torch.exp(a * math.log(2.0))


def expm1(a):
    half = torch.sin(a.imag / 2)
    return torch.complex(torch.expm1(a.real) * torch.cos(a.imag) - 2 * half * half, torch.exp(a.real) * torch.sin(a.imag))


def log1p(a):
    return torch.complex(torch.log(torch.hypot(a.real + 1, a.imag)), torch.atan2(a.imag, a.real + 1))


def logarithm(base):
    """log to a base."""
    share = 1.0 / math.log(base)

    def log(a):
        made = torch.log(a)
        return torch.complex(made.real * share, made.imag * share)

    return log


# Order: by real parts, then by imaginary ones.

def less(a, b):
    known = ~(torch.isnan(a.imag) | torch.isnan(b.imag))
    return (a.real < b.real) & known | (a.real == b.real) & (a.imag < b.imag)


def less_equal(a, b):
    known = ~(torch.isnan(a.imag) | torch.isnan(b.imag))
    return (a.real < b.real) & known | (a.real == b.real) & (a.imag <= b.imag)


def greater(a, b):
    return less(b, a)


def greater_equal(a, b):
    return less_equal(b, a)


def maximum(a, b):
    return torch.where(isnan(a) | less_equal(b, a), a, b)


def minimum(a, b):
    return torch.where(isnan(a) | less_equal(a, b), a, b)


def fmax(a, b):
    return torch.where(isnan(b) | less_equal(b, a), a, b)


def fmin(a, b):
    return torch.where(isnan(b) | less_equal(a, b), a, b)


def order_of(a, dim):
    """The places of the items in order: numbers, a NaN beside a real part, a NaN there, both."""
    order = torch.sort(a.imag, dim=dim, stable=True)[1]
    order = torch.gather(order, dim, torch.sort(torch.gather(a.real, dim, order), dim=dim, stable=True)[1])
    rank = torch.isnan(a.real).to(torch.int64) * 2 + torch.isnan(a.imag).to(torch.int64)
    return torch.gather(order, dim, torch.sort(torch.gather(rank, dim, order), dim=dim, stable=True)[1])


def same(a, b):
    """Where items that were sorted stand for one number; each NaN for itself."""
    return (a.real == b.real) & (a.imag == b.imag)


def ranks(a):
    """The place of each item's value among the different values, in order; a NaN is no other's equal."""
    flat = a.reshape(-1)
    order = order_of(flat, 0)
    values = flat[order]
    made = torch.zeros(flat.shape, dtype=torch.int64)
    if flat.numel():
        is_new = torch.cat([torch.zeros(1, dtype=torch.int64), (~same(values[1:], values[:-1])).to(torch.int64)])
        made[order] = torch.cumsum(is_new, 0)
    return made.reshape(a.shape)
