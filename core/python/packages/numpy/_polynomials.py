"""Polynomials with the highest power first. Behaviour: numpy/lib/_polynomial_impl.py."""
import re
import warnings

import torch

from numpy import _decompositions
from numpy._array import array, asarray, ndarray
from numpy._calculus import convolve
from numpy._changing import trim_zeros
from numpy._dtypes import FLOAT64
from numpy._functions import arange, atleast_1d, concatenate, zeros
from numpy._products import diag, dot, outer, vander
from numpy._scalars import finfo
from numpy._searching import nonzero
from numpy._ufunc import UFUNCS
from numpy.exceptions import RankWarning

_of = ndarray._of


def poly(seq_of_zeros):
    """The polynomial with these roots, or the characteristic one of a matrix."""
    roots_ = atleast_1d(seq_of_zeros)
    if roots_.ndim == 2 and roots_.shape[0] == roots_.shape[1] and roots_.shape[0] != 0:
        roots_ = _decompositions.eigvals(roots_)
    elif roots_.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if roots_.size == 0:
        return 1.0
    roots_ = roots_ if roots_.dtype.kind in "fc" else roots_.astype(float)
    made = array([1], dtype=roots_.dtype)
    for zero in roots_:
        made = convolve(made, array([1, -zero], dtype=roots_.dtype), mode="full")
    if made.dtype.kind == "c":
        values = sorted(roots_.tolist(), key=lambda one: (one.real, one.imag))
        turned = sorted([one.conjugate() for one in values], key=lambda one: (one.real, one.imag))
        if values == turned:
            made = made.real.copy()
    return made


def roots(p):
    """The roots, as eigenvalues of the companion matrix."""
    p = atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    found = nonzero(p)[0]
    if found.size == 0:
        return array([])
    behind = p.size - int(found[-1]) - 1
    p = p[int(found[0]):int(found[-1]) + 1]
    p = p if p.dtype.kind in "fc" else p.astype(float)
    n = p.size
    if n > 1:
        companion = diag(_of(torch.ones(n - 2, dtype=p.dtype.torch), p.dtype), -1)
        companion[0, :] = -p[1:] / p[0]
        made = _decompositions.eigvals(companion)
    else:
        made = array([])
    return concatenate([made, zeros(behind, made.dtype)])


def polyval(p, x):
    """Horner's rule at each item; at a poly1d the polynomial of a polynomial."""
    p = asarray(p)
    if isinstance(x, poly1d):
        made = 0
    else:
        x = asarray(x)
        made = _of(torch.zeros_like(x._t), x.dtype)
    for i in range(p.size):
        made = made * x + p[i]
    return made


def _with_same_type(like, made):
    return poly1d(made) if any(isinstance(one, poly1d) for one in like) else made


def polyadd(a1, a2):
    x, y = atleast_1d(a1), atleast_1d(a2)
    apart = y.size - x.size
    if apart > 0:
        x = concatenate([zeros(apart, x.dtype), x])
    elif apart < 0:
        y = concatenate([zeros(-apart, y.dtype), y])
    return _with_same_type((a1, a2), x + y)


def polysub(a1, a2):
    x, y = atleast_1d(a1), atleast_1d(a2)
    apart = y.size - x.size
    if apart > 0:
        x = concatenate([zeros(apart, x.dtype), x])
    elif apart < 0:
        y = concatenate([zeros(-apart, y.dtype), y])
    return _with_same_type((a1, a2), x - y)


def polymul(a1, a2):
    return _with_same_type((a1, a2), convolve(poly1d(a1).coeffs, poly1d(a2).coeffs))


def polydiv(u, v):
    """The quotient and the remainder."""
    is_object = isinstance(u, poly1d) or isinstance(v, poly1d)
    top, bottom = atleast_1d(u) + 0.0, atleast_1d(v) + 0.0
    w = top[0] + bottom[0]
    m, n = top.size - 1, bottom.size - 1
    scale = 1.0 / bottom[0]
    quotient = zeros((max(m - n + 1, 1),), w.dtype)
    rest = top.astype(w.dtype)
    for k in range(m - n + 1):
        share = scale * rest[k]
        quotient[k] = share
        rest[k:k + n + 1] = rest[k:k + n + 1] - share * bottom
    while abs(rest[0]) <= 1e-14 and rest.size > 1:
        rest = rest[1:]
    return (poly1d(quotient), poly1d(rest)) if is_object else (quotient, rest)


def polyder(p, m=1):
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    made = asarray(p)
    for _ in range(m):
        n = made.size - 1
        made = made[:-1] * arange(n, 0, -1)
    return _with_same_type((p,), made)


def polyint(p, m=1, k=None):
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = atleast_1d(0.0 if k is None else k)
    if constants.size == 1 and m > 1:
        constants = constants[0] * _of(torch.ones(m, dtype=torch.float64), FLOAT64)
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    made = asarray(p)
    for i in range(m):
        made = concatenate([made / arange(made.size, 0, -1), [constants[i]]])
    return _with_same_type((p,), made)


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree for which the sum of squares is smallest."""
    order = int(deg) + 1
    x, y = asarray(x) + 0.0, asarray(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    rcond = len(x) * finfo(x.dtype).eps if rcond is None else rcond
    left, right = vander(x, order), y
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        left = left * w[:, None]
        right = right * (w[:, None] if right.ndim == 2 else w)
    scale = UFUNCS["sqrt"]((left * left).sum(axis=0))
    left = left / scale
    made, residuals, rank, sizes = _decompositions.lstsq(left, right, rcond)
    made = (made.T / scale).T
    if rank != order and not full:
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        return made, residuals, rank, sizes, rcond
    if not cov:
        return made
    base = _decompositions.inv(dot(left.T, left)) / outer(scale, scale)
    if isinstance(cov, str) and cov == "unscaled":
        return made, base
    if len(x) <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    share = residuals / (len(x) - order)
    return made, base * share if y.ndim == 1 else base[:, :, None] * share


class poly1d:
    """A polynomial as an object."""

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self.variable, self.coeffs = c_or_r.variable if variable is None else variable, c_or_r.coeffs
            return
        coeffs = atleast_1d(poly(c_or_r) if r else c_or_r)
        if coeffs.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        coeffs = trim_zeros(coeffs, trim="f")
        self.coeffs = coeffs if coeffs.size else array([0], dtype=coeffs.dtype)
        self.variable = "x" if variable is None else variable

    @property
    def c(self):
        return self.coeffs

    coef = coefficients = c

    @property
    def order(self):
        return self.coeffs.size - 1

    o = order

    @property
    def roots(self):
        return roots(self.coeffs)

    r = roots

    def __array__(self, dtype=None, copy=None):
        return self.coeffs if dtype is None else self.coeffs.astype(dtype)

    def __repr__(self):
        return f"poly1d({repr(self.coeffs)[6:-1]})"

    def __len__(self):
        return self.order

    def __str__(self):
        """Powers in a line above the factors."""
        coeffs = self.coeffs[int(nonzero(self.coeffs)[0][0]):] if self.coeffs.any() else self.coeffs[-1:]
        highest, text = coeffs.size - 1, "0"
        for k in range(coeffs.size):
            number = _factor(coeffs[k])
            power = highest - k
            if power == 0:
                part = number if number != "0" or k == 0 else ""
            else:
                name = self.variable if power == 1 else f"{self.variable}**{power}"
                part = "" if number == "0" else f"{number} {name}"
            if k == 0:
                text = part
            elif part:
                text = f"{text} - {part[1:]}" if part.startswith("-") else f"{text} + {part}"
        return _raised(text)

    def __call__(self, val):
        return polyval(self.coeffs, val)

    def __neg__(self):
        return poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def __mul__(self, other):
        return poly1d(self.coeffs * other) if asarray(other).ndim == 0 else poly1d(polymul(self.coeffs, _coeffs(other)))

    __rmul__ = __mul__

    def __add__(self, other):
        return poly1d(polyadd(self.coeffs, _coeffs(other)))

    __radd__ = __add__

    def __pow__(self, val):
        if val != int(val) or val < 0:
            raise ValueError("Power to non-negative integers only.")
        made = poly1d([1])
        for _ in range(int(val)):
            made = poly1d(polymul(made.coeffs, self.coeffs))
        return made

    def __sub__(self, other):
        return poly1d(polysub(self.coeffs, _coeffs(other)))

    def __rsub__(self, other):
        return poly1d(polysub(_coeffs(other), self.coeffs))

    def __truediv__(self, other):
        if asarray(other).ndim == 0:
            return poly1d(self.coeffs / other)
        return polydiv(self, poly1d(_coeffs(other)))

    def __rtruediv__(self, other):
        return polydiv(poly1d(_coeffs(other)), self)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self.coeffs.shape == other.coeffs.shape and bool((self.coeffs == other.coeffs).all())

    def __ne__(self, other):
        return NotImplemented if not isinstance(other, poly1d) else not self == other

    def __getitem__(self, val):
        place = self.order - val
        return self.coeffs[place] if 0 <= val <= self.order else self.coeffs.dtype.type(0)

    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self.coeffs = concatenate([zeros(key - self.order, self.coeffs.dtype), self.coeffs])
        self.coeffs[self.order - key] = val

    def __iter__(self):
        return iter(self.coeffs)

    def integ(self, m=1, k=0):
        return poly1d(polyint(self.coeffs, m=m, k=k))

    def deriv(self, m=1):
        return poly1d(polyder(self.coeffs, m=m))


def _coeffs(other):
    return poly1d(other).coeffs


def _factor(number):
    """A factor in the text of a polynomial."""
    if isinstance(number, complex) or number.dtype.kind == "c":
        if number.imag == 0:
            return _short(number.real)
        if number.real == 0:
            return _short(number.imag) + "j"
        return f"({_short(number.real)} + {_short(number.imag)}j)"
    return _short(number)


def _short(number):
    text = f"{float(number):.4g}"
    return text[:-5] if text.endswith(".0000") else text


def _raised(text, width=70):
    """The powers "**2" as numbers in the line above; lines of up to `width`."""
    done, powers, line, place = " ", "", "", 0
    for match in re.finditer(r"\*\*([0-9]*)", text):
        before, power = text[place:match.start()], match.group(1)
        place = match.end()
        above, below = " " * (len(before) - 1) + power, before + " " * (len(power) - 1)
        if len(line) + len(below) > width or len(powers) + len(above) > width:
            done += powers + "\n" + line + "\n "
            powers, line = above, below
        else:
            powers += above
            line += below
    return done + powers + "\n" + line + text[place:]
