"""More of torch.special: incomplete gamma functions and orthogonal polynomials. Behaviour: aten/src/ATen/native/Math.h.

Polynomials follow from their recurrences; n is a number or a tensor of whole numbers, a negative one gives 0. They have no
gradients, as in PyTorch."""
import torch
from torch import _methods
from torch._outputs import takes_out as _takes_out, write as _write


@_takes_out
def gammainc(input, other):
    return _methods.igamma(input, other)


@_takes_out
def gammaincc(input, other):
    return _methods.igammac(input, other)


def modified_bessel_i0(input, *, out=None):
    return torch.special.i0(input, out=out)


def modified_bessel_i1(input, *, out=None):
    return torch.special.i1(input, out=out)


@_takes_out
def spherical_bessel_j0(input):
    """sin(x) / x, near 0 by its series."""
    x = input if input.is_floating_point() else input.to(torch.get_default_dtype())
    square = x * x
    near = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))
    return torch.where(x.abs() < 0.5, near, x.sin() / torch.where(x == 0, torch.ones_like(x), x))


def _polynomial(name, first, following):
    """`first(x)` is that of degree 1; `following(k, x, p, q)` that of degree k + 1 from those of k and k - 1."""
    def polynomial(input, n, *, out=None):
        if not isinstance(input, torch.Tensor) and not isinstance(n, torch.Tensor):
            raise TypeError(f"special_{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        given = n
        n = n if isinstance(n, torch.Tensor) else torch.tensor(n)
        x = input if isinstance(input, torch.Tensor) else torch.tensor(input, dtype=torch.get_default_dtype())
        dtype = torch.result_type(input, given)
        x = x.to(dtype if dtype.is_floating_point else torch.get_default_dtype())
        x, degrees = torch.broadcast_tensors(x.detach(), n)
        degrees = degrees.to(torch.int64)
        before, now = torch.ones_like(x), first(x)
        made = torch.where(degrees < 0, torch.zeros_like(x), torch.where(degrees == 0, before, now))
        for k in range(1, int(degrees.max()) if degrees.numel() else 0):
            before, now = now, following(k, x, now, before)
            made = torch.where(degrees == k + 1, now, made)
        return _write(made, out)

    polynomial.__name__ = polynomial.__qualname__ = name
    globals()[name] = polynomial


def _shifted(x):
    return x + x - 1


for _kind, _first in (("t", lambda x: x), ("u", lambda x: x + x), ("v", lambda x: x + x - 1), ("w", lambda x: x + x + 1)):
    _polynomial(f"chebyshev_polynomial_{_kind}", _first, lambda k, x, p, q: (x + x) * p - q)
    _polynomial(f"shifted_chebyshev_polynomial_{_kind}", lambda x, first=_first: first(_shifted(x)),
                lambda k, x, p, q: 2 * _shifted(x) * p - q)
_polynomial("hermite_polynomial_h", lambda x: x + x, lambda k, x, p, q: 2 * (x * p - k * q))
_polynomial("hermite_polynomial_he", lambda x: x, lambda k, x, p, q: x * p - k * q)
_polynomial("laguerre_polynomial_l", lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))
_polynomial("legendre_polynomial_p", lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))


from torch._bessel import (airy_ai, bessel_j0, bessel_j1, bessel_y0, bessel_y1, modified_bessel_k0, modified_bessel_k1,  # noqa: E402
                           scaled_modified_bessel_k0, scaled_modified_bessel_k1)
