"""Power series with the lowest power first. Behaviour: numpy/polynomial/polynomial.py, polyutils.py."""
import warnings

from numpy import _decompositions
from numpy._array import array, asarray
from numpy._calculus import convolve
from numpy._dtypes import absent
from numpy._functions import arange, concatenate, moveaxis, zeros
from numpy._more import result_type
from numpy._products import diag
from numpy._scalars import finfo
from numpy._searching import nonzero
from numpy._searching import sort as _sort
from numpy._ufunc import UFUNCS
from numpy.exceptions import RankWarning

polydomain, polyzero, polyone, polyx = array([-1.0, 1.0]), array([0]), array([1]), array([0, 1])


def _series(c, trims=True):
    """Coefficients as fractions, without zeros at the end. Errors: ValueError  none, or more than one dimension."""
    c = asarray(c)
    c = c.reshape(1) if c.ndim == 0 else c
    if c.size == 0:
        raise ValueError("Coefficient array is empty")
    if c.ndim != 1:
        raise ValueError("Coefficient array is not 1-d")
    c = c if c.dtype.kind in "fc" else c.astype(float)
    return polytrim(c) if trims else c


def polytrim(c, tol=0):
    if tol < 0:
        raise ValueError("tol must be non-negative")
    c = _series(c, trims=False)
    found = nonzero(UFUNCS["absolute"](c) > tol)[0]
    return c[:1] * 0 if found.size == 0 else c[:int(found[-1]) + 1].copy()


def polyline(off, scl):
    return array([off, scl]) if scl != 0 else array([off])


def polyfromroots(roots):
    """The polynomial with these roots."""
    if len(roots) == 0:
        return array([1.0])
    parts = [array([-one, 1]) for one in _sort(_series(roots, trims=False))]
    while len(parts) > 1:
        half, odd = divmod(len(parts), 2)
        joined = [polymul(parts[i], parts[i + half]) for i in range(half)]
        if odd:
            joined[0] = polymul(joined[0], parts[-1])
        parts = joined
    return parts[0]


def _sum_of(c1, c2, function):
    c1, c2 = _series(c1), _series(c2)
    size = max(c1.size, c2.size)
    c1, c2 = (concatenate([one, zeros(size - one.size, one.dtype)]) for one in (c1, c2))
    return polytrim(UFUNCS[function](c1, c2))


def polyadd(c1, c2):
    return _sum_of(c1, c2, "add")


def polysub(c1, c2):
    return _sum_of(c1, c2, "subtract")


def polymulx(c):
    c = _series(c)
    return c if c.size == 1 and c[0] == 0 else concatenate([c[:1] * 0, c])


def polymul(c1, c2):
    return polytrim(convolve(_series(c1), _series(c2)))


def polydiv(c1, c2):
    """The quotient and the remainder. Errors: ZeroDivisionError."""
    c1, c2 = _series(c1), _series(c2)
    if c2[-1] == 0:
        raise ZeroDivisionError
    if c1.size < c2.size:
        return c1[:1] * 0, c1
    if c2.size == 1:
        return c1 / c2[-1], c1[:1] * 0
    apart, last = c1.size - c2.size, c2[-1]
    scaled = c2[:-1] / last
    c1 = c1.astype(result_type(c1, c2))
    i, j = apart, c1.size - 1
    while i >= 0:
        c1[i:j] = c1[i:j] - scaled * c1[j]
        i, j = i - 1, j - 1
    return c1[j + 1:] / last, polytrim(c1[:j + 1])


def polypow(c, pow, maxpower=None):
    if pow != int(pow) or pow < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and pow > maxpower:
        raise ValueError("Power is too large")
    c = _series(c)
    made = array([1], dtype=c.dtype)
    for _ in range(int(pow)):
        made = convolve(made, c)
    return made


def polyder(c, m=1, scl=1, axis=0):
    c = asarray(c)
    c = c if c.dtype.kind in "fc" else c.astype(float)
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    c = moveaxis(c.reshape(1) if c.ndim == 0 else c, axis, 0)
    if m >= len(c):
        return moveaxis(c[:1] * 0, 0, axis)
    for _ in range(m):
        c = c[1:] * arange(1, len(c)).reshape([-1] + [1] * (c.ndim - 1)) * scl
    return moveaxis(c, 0, axis)


def polyint(c, m=1, k=(), lbnd=0, scl=1, axis=0):
    """The integral that is k at the bound."""
    c = asarray(c)
    c = c if c.dtype.kind in "fc" else c.astype(float)
    k = list(k) if hasattr(k, "__len__") else [k]
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    if len(k) > m:
        raise ValueError("Too many integration constants")
    k = k + [0] * (m - len(k))
    c = moveaxis(c.reshape(1) if c.ndim == 0 else c, axis, 0)
    for i in range(m):
        n = len(c)
        c = c * scl
        if n == 1 and bool((c[0] == 0).all()):
            c = c + k[i]
            continue
        made = concatenate([c[:1] * 0, c / arange(1, n + 1).reshape([-1] + [1] * (c.ndim - 1))])
        made[0] = made[0] + (k[i] - polyval(lbnd, made))
        c = made
    return moveaxis(c, 0, axis)


def polyval(x, c, tensor=True):
    c = asarray(c)
    c = c.reshape(1) if c.ndim == 0 else c
    c = c if c.dtype.kind in "fc" else c + 0.0
    if isinstance(x, (tuple, list)):
        x = asarray(x)
    if hasattr(x, "ndim") and tensor and x.ndim:
        c = c.reshape(c.shape + (1,) * x.ndim)
    made = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        made = c[-i] + made * x
    return made


def polyval2d(x, y, c):
    return polyval(y, polyval(x, c), tensor=False)


def polygrid2d(x, y, c):
    return polyval(y, polyval(x, c))


def polyvalfromroots(x, r, tensor=True):
    r = asarray(r)
    r = r.reshape(1) if r.ndim == 0 else r
    x = asarray(x)
    if tensor:
        r = r.reshape(r.shape + (1,) * x.ndim)
    elif x.ndim >= r.ndim:
        raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return (x - r).prod(axis=0)


def polyvander(x, deg):
    """The powers of x from 0 on, as a last dimension."""
    if deg < 0:
        raise ValueError("deg must be non-negative")
    x = asarray(x) + 0.0
    x = x.reshape(1) if x.ndim == 0 else x
    made = [x * 0 + 1]
    for _ in range(deg):
        made.append(made[-1] * x)
    return moveaxis(concatenate([one[None] for one in made]), 0, -1)


def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The polynomial of a degree, or of those powers, for which the sum of squares is smallest."""
    x, y, powers = asarray(x) + 0.0, asarray(y) + 0.0, asarray(deg)
    if powers.ndim > 1 or powers.dtype.kind not in "iu" or powers.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if int(powers.min()) < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    highest = int(powers.max())
    chosen = _sort(powers) if powers.ndim else arange(highest + 1)
    left = polyvander(x, highest)[:, chosen]
    right = y
    if w is not None:
        w = asarray(w) + 0.0
        if w.ndim != 1 or len(w) != len(x):
            raise TypeError("expected 1D vector for w" if w.ndim != 1 else "expected x and w to have same length")
        left, right = left * w[:, None], right * (w[:, None] if right.ndim == 2 else w)
    rcond = len(x) * finfo(x.dtype).eps if rcond is None else rcond
    squares = UFUNCS["absolute"](left) ** 2
    scale = UFUNCS["sqrt"](squares.sum(axis=0))
    scale[scale == 0] = 1
    made, residuals, rank, sizes = _decompositions.lstsq(left / scale, right, rcond)
    made = (made.T / scale).T
    if powers.ndim:
        whole = zeros((highest + 1,) + made.shape[1:], made.dtype)
        whole[chosen] = made
        made = whole
    if rank != chosen.size and not full:
        warnings.warn("The fit may be poorly conditioned", RankWarning, stacklevel=2)
    return (made, [residuals, rank, sizes, rcond]) if full else made


def polycompanion(c):
    c = _series(c)
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(c) - 1
    made = zeros((n, n), c.dtype)
    if n > 1:
        made = diag(zeros(n - 1, c.dtype) + 1, -1)
    made[:, -1] = made[:, -1] - c[:-1] / c[-1]
    return made


def polyroots(c):
    """The roots in order, as eigenvalues of the companion matrix."""
    c = _series(c)
    if len(c) < 2:
        return array([], dtype=c.dtype)
    if len(c) == 2:
        return array([-c[0] / c[1]])
    return _sort(_decompositions.eigvals(polycompanion(c)[::-1, ::-1].copy()))


def getdomain(x):
    """The interval that the points lie in; of complex ones the corners."""
    x = _series(x, trims=False)
    if x.dtype.kind == "c":
        return array([complex(x.real.min(), x.imag.min()), complex(x.real.max(), x.imag.max())])
    return array([x.min(), x.max()])


def mapparms(old, new):
    """The line that takes one interval to the other."""
    width, made = old[1] - old[0], new[1] - new[0]
    return (old[1] * new[0] - old[0] * new[1]) / width, made / width


def mapdomain(x, old, new):
    offset, scale = mapparms(old, new)
    return offset + scale * (asarray(x) if isinstance(x, (list, tuple)) else x)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.polynomial.polynomial' has no attribute {name!r}")
    raise absent(f"polynomial.polynomial.{name}")
