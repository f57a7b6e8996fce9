"""Counts in bins, covariances. Behaviour: numpy/lib/_histograms_impl.py, _function_base_impl.py."""
import math
import operator

import torch

from numpy import _reduce
from numpy._array import _cast, asarray, ndarray
from numpy._dtypes import BOOL, FLOAT64, INT64, absent, as_dtype, floating_for, promote
from numpy._calculus import diff
from numpy._functions import concatenate, linspace
from numpy._products import diag, dot
from numpy._quantiles import percentile
from numpy._searching import searchsorted
from numpy._ufunc import UFUNCS, _Operand, result_of, warn_at_caller

_of = ndarray._of
_range = range


def bincount(x, /, weights=None, minlength=0):
    x = asarray(x)
    if x.dtype.kind in "fc":
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to the rule 'safe'")
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if x.ndim == 0 else "object too deep for desired array")
    if x.size and bool((x._t < 0).any()):
        raise ValueError("'list' argument must have no negative elements")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    places = x._t.to(torch.int64)
    if weights is None:
        return _of(torch.bincount(places, minlength=minlength), INT64)
    weights = asarray(weights)
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    return _of(torch.bincount(places, weights=weights._t.double(), minlength=minlength), FLOAT64)


def digitize(x, bins, right=False):
    """The number of the bin that each item lies in. Errors: TypeError, ValueError."""
    x, bins = asarray(x), asarray(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    rises, falls = bool((bins[1:] >= bins[:-1]).all()), bool((bins[1:] <= bins[:-1]).all())
    if not rises and not falls:
        raise ValueError("bins must be monotonically increasing or decreasing")
    if not rises:
        return UFUNCS["subtract"](bins.size, searchsorted(bins[::-1], x, "right" if right else "left"))
    return searchsorted(bins, x, "left" if right else "right")


# Histograms.

def _width_by_sturges(x):
    return _reduce.ptp(x) / (math.log2(x.size) + 1.0)


def _width_by_doane(x):
    if x.size <= 2:
        return 0.0
    spread = x.std()
    if not spread > 0.0:
        return 0.0
    skew = (((x - x.mean()) / spread) ** 3.0).mean()
    error = math.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    return _reduce.ptp(x) / (1.0 + math.log2(x.size) + math.log2(1.0 + abs(skew) / error))


def _width_by_quartiles(x):
    high, low = percentile(x, [75, 25])
    return 2.0 * (high - low) * x.size ** (-1.0 / 3.0)


_WIDTHS = {
    "sqrt": lambda x: _reduce.ptp(x) / math.sqrt(x.size),
    "sturges": _width_by_sturges,
    "rice": lambda x: _reduce.ptp(x) / (2.0 * x.size ** (1.0 / 3)),
    "scott": lambda x: (24.0 * math.pi ** 0.5 / x.size) ** (1.0 / 3.0) * x.std(),
    "doane": _width_by_doane,
    "fd": _width_by_quartiles,
    "auto": lambda x: min(max(_width_by_quartiles(x), _reduce.ptp(x) / math.sqrt(x.size) / 2), _width_by_sturges(x)),
}


def _outer_edges(a, range):
    if range is not None:
        low, high = range
        if low > high:
            raise ValueError("max must be larger than min in range parameter.")
    elif a.size == 0:
        low, high = 0, 1
    else:
        low, high = a.min(), a.max()
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{'supplied' if range is not None else 'autodetected'} range of [{low}, {high}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _bins_by_name(a, name, range, weights):
    """How many bins an estimator wants. Errors: ValueError."""
    if name == "stone":
        raise absent("histogram(bins='stone')")
    if name not in _WIDTHS:
        raise ValueError(f"{name!r} is not a valid estimator for `bins`")
    if weights is not None:
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    low, high = _outer_edges(a, range)
    if range is not None:
        a = a[(a >= low) & (a <= high)]
    if a.size == 0:
        return 1
    width = float(_WIDTHS[name](a.astype(float) if a.dtype.kind != "f" else a))
    if a.dtype.kind in "iu" and width < 1:
        width = 1.0
    return math.ceil((float(high) - float(low)) / width) if width else 1


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a = asarray(a).ravel()
    if isinstance(bins, str):
        bins = _bins_by_name(a, bins, range, weights)
    if hasattr(bins, "__len__") and asarray(bins).ndim == 1:
        edges = asarray(bins)
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    try:
        count = operator.index(bins)
    except TypeError:
        raise TypeError("`bins` must be an integer, a string, or an array") from None
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
    low, high = _outer_edges(a, range)
    found = floating_for(result_of([_Operand(low, "linspace"), _Operand(high, "linspace"), _Operand(a, "linspace")]))
    return linspace(low, high, count + 1, dtype=found)


def _bins_of(values, borders):
    """The bin of each value, the last edge in the last one; -1 outside."""
    count = borders.numel() - 1
    at = torch.clamp(torch.searchsorted(borders.contiguous(), values.contiguous(), right=True) - 1, 0, count - 1)
    return torch.where((values >= borders[0]) & (values <= borders[-1]), at, torch.full_like(at, -1))


def _counted(places, count, weights):
    """How often each place occurs, or the sum of its weights in their type."""
    kept = places >= 0
    if weights is None:
        return _of(torch.bincount(places[kept], minlength=count), INT64)
    if weights.dtype.kind == "c":
        parts = [torch.bincount(places[kept], weights=part.double()[kept], minlength=count)
                 for part in (weights._t.real, weights._t.imag)]
        return _of(torch.complex(*parts).to(weights.dtype.torch), weights.dtype)
    return _of(_cast(torch.bincount(places[kept], weights=weights._t.double()[kept], minlength=count), FLOAT64, weights.dtype),
               weights.dtype)


def histogram(a, bins=10, range=None, density=None, weights=None):
    a = asarray(a)
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != a.shape:
            raise ValueError("weights should have the same shape as a.")
        weights = weights.ravel()
    a = a.ravel()
    if a.dtype is BOOL:
        warn_at_caller("Converting input from bool to <class 'numpy.uint8'> for compatibility.", RuntimeWarning)
        a = a.astype("uint8")
    edges = histogram_bin_edges(a, bins, range, weights)
    made = _counted(_bins_of(a._t.double(), edges._t.double()), edges.size - 1, weights)
    if density:
        width = diff(edges).astype(float)
        return made / width / made.sum(), edges
    return made, edges


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts of points, one a row, in boxes."""
    sample = sample if isinstance(sample, ndarray) else asarray(sample).T
    sample = sample.reshape(-1, 1) if sample.ndim == 1 else sample
    dims = sample.shape[1]
    bins = list(bins) if isinstance(bins, (list, tuple)) or getattr(bins, "ndim", 0) else [bins] * dims
    if len(bins) != dims:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = [None] * dims if range is None else list(range)
    if len(ranges) != dims:
        raise ValueError("range argument must have one entry per dimension")
    edges, places, inside = [], 0, True
    for d in _range(dims):
        column = sample[:, d]
        edge = asarray(histogram_bin_edges(column, bins[d], ranges[d]))
        at = _bins_of(column._t.double(), edge._t.double())
        inside = (at >= 0) & inside
        places = places * (edge.size - 1) + at
        edges.append(edge)
    shape = [one.size - 1 for one in edges]
    weights = None if weights is None else asarray(weights).astype(float)
    made = _counted(torch.where(inside, places, torch.full_like(places, -1)), math.prod(shape), weights)
    made = made.reshape(shape).astype(float)
    if density:
        total = made.sum()
        for d, edge in enumerate(edges):
            made = made / diff(edge).reshape([-1 if i == d else 1 for i in _range(dims)])
        made = made / total
    return made, tuple(edges)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    x, y = asarray(x), asarray(y)
    if x.size != y.size:
        raise ValueError("x and y must have the same length.")
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [asarray(bins)] * 2
    elif hasattr(bins, "__len__") and len(bins) == 1:
        bins = [bins[0]] * 2
    made, edges = histogramdd(concatenate([x.reshape(-1, 1), y.reshape(-1, 1)], 1), bins, range, density, weights)
    return made, edges[0], edges[1]


# Covariances.

def _frequencies(fweights, aweights, count):
    """The product of both weights, or None. Errors: TypeError, ValueError."""
    made = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        one = asarray(given).astype(float)
        if name == "fweights" and not bool((one == UFUNCS["rint"](one)).all()):
            raise TypeError("fweights must be integer")
        if one.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if one.shape[0] != count:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if bool((one < 0).any()):
            raise ValueError(f"{name} cannot be negative")
        made = one if made is None else made * one
    return made


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    if ddof is not None and ddof != operator.index(ddof):
        raise ValueError("ddof must be integer")
    m = asarray(m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    found = promote(m.dtype, FLOAT64)
    if y is not None:
        y = asarray(y)
        if y.ndim > 2:
            raise ValueError("y has more than 2 dimensions")
        found = promote(found, y.dtype)
    found = found if dtype is None else as_dtype(dtype)
    x = m.astype(found)
    x = x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T
    if x.shape[0] == 0:
        return asarray([]).reshape(0, 0)
    if y is not None:
        y = y.astype(found)
        y = y.reshape(1, -1) if y.ndim < 2 else y
        x = concatenate([x, y.T if not rowvar and y.shape[0] != 1 else y])
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _frequencies(fweights, aweights, x.shape[1])
    middle, total = _reduce.average(x, axis=1, weights=weights, returned=True)
    total = asarray(total).ravel()[0].real
    if weights is None:
        count = x.shape[1] - ddof
    elif ddof == 0:
        count = total
    elif aweights is None:
        count = total - ddof
    else:
        count = total - ddof * (weights * asarray(aweights)).sum() / total
    if count <= 0:
        warn_at_caller("Degrees of freedom <= 0 for slice", RuntimeWarning)
        count = 0.0
    x = x - middle[:, None]
    other = x.T if weights is None else (x * weights).T
    made = asarray(dot(x, other.conj()))
    made = asarray(UFUNCS["multiply"](made, UFUNCS["divide"](1, count)))
    return made.squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    spread = UFUNCS["sqrt"](diag(c).real)
    made = c / spread[:, None] / spread[None, :]
    made.real._write(torch.clamp(made._t.real if made.dtype.kind == "c" else made._t, -1, 1))
    if made.dtype.kind == "c":
        made.imag._write(torch.clamp(made._t.imag, -1, 1))
    return made


