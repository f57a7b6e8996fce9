"""Differences, integrals and folds. Behaviour: numpy/lib/_function_base_impl.py, numpy/_core/multiarraymodule.c."""
import math

import torch

from numpy import _reduce
from numpy._array import _cast, asarray, ndarray
from numpy._dtypes import BOOL, COMPLEX128, FLOAT64, promote
from numpy._functions import broadcast_to, concatenate
from numpy._shapes import normal_axis
from numpy._ufunc import UFUNCS, wrap

_of = ndarray._of


def diff(a, n=1, axis=-1, prepend=None, append=None):
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normal_axis(axis, a.ndim)
    joined = []
    for one in (prepend, a, append):
        if one is None:
            continue
        one = asarray(one)
        joined.append(broadcast_to(one, [1 if d == axis else size for d, size in enumerate(a.shape)]) if one.ndim == 0 else one)
    a = concatenate(joined, axis) if len(joined) > 1 else a
    key = (slice(None),) * axis
    for _ in range(n):
        high, low = a[key + (slice(1, None),)], a[key + (slice(None, -1),)]
        a = UFUNCS["not_equal" if a.dtype is BOOL else "subtract"](high, low)
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    return concatenate([asarray(one).ravel() for one in (to_begin, diff(asarray(ary).ravel()), to_end) if one is not None])


def _distances(given, f, axes):
    """For each axis how far its points are apart: a number, or an array where that varies."""
    if len(given) == 0:
        return [1.0] * len(axes)
    if len(given) == 1 and asarray(given[0]).ndim == 0:
        return list(given) * len(axes)
    if len(given) != len(axes):
        raise TypeError("invalid number of arguments")
    made = []
    for one, axis in zip(given, axes):
        places = asarray(one)
        if places.ndim == 0:
            made.append(one)
            continue
        if places.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if places.size != f.shape[axis]:
            raise ValueError("when 1d, distances must match the length of the corresponding dimension")
        apart = diff(places.astype(float) if places.dtype.kind in "iu" else places)
        made.append(apart[0] if bool((apart == apart[0]).all()) else apart)
    return made


def _edge(f, axis, apart, order, is_end):
    """The derivative at the first or the last point."""
    key = (slice(None),) * axis

    def at(i):
        place = -1 - i if is_end else i
        return f[key + (slice(place, place + 1 if place != -1 else None),)]

    sign = -1 if is_end else 1
    is_even = asarray(apart).ndim == 0
    if order == 1:
        width = apart if is_even else apart[-1 if is_end else 0]
        return (at(0) - at(1)) / width if is_end else (at(1) - at(0)) / width
    if is_even:
        a, b, c = -1.5 / apart, 2.0 / apart, -0.5 / apart
    else:
        near, far = (apart[-1], apart[-2]) if is_end else (apart[0], apart[1])
        a, b, c = -(2.0 * near + far) / (near * (near + far)), (near + far) / (near * far), -near / (far * (near + far))
    return sign * a * at(0) + sign * b * at(1) + sign * c * at(2)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Derivatives along the axes: by the points on both sides, at the edges by those on one."""
    f = asarray(f)
    axes = tuple(range(f.ndim)) if axis is None else tuple(
        normal_axis(one, f.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    apart = _distances(varargs, f, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    f = f.astype(float) if f.dtype.kind in "iu" else f
    made = []
    for d, width in zip(axes, apart):
        if f.shape[d] < edge_order + 1:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                             "required.")
        key = (slice(None),) * d
        before, here, after = (f[key + (part,)] for part in (slice(None, -2), slice(1, -1), slice(2, None)))
        if asarray(width).ndim == 0:
            inner = (after - before) / (2.0 * width)
        else:
            near = width[:-1].reshape([-1 if i == d else 1 for i in range(f.ndim)])
            far = width[1:].reshape([-1 if i == d else 1 for i in range(f.ndim)])
            both = near + far
            inner = -far / (near * both) * before + (far - near) / (near * far) * here + near / (far * both) * after
        parts = [_edge(f, d, width, edge_order, False), inner, _edge(f, d, width, edge_order, True)]
        joined = concatenate(parts, d)
        made.append(joined.astype(f.dtype) if f.dtype.kind in "fc" else joined)
    return made[0] if len(made) == 1 else tuple(made)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = asarray(y)
    axis = normal_axis(axis, y.ndim)
    key = (slice(None),) * axis
    width = dx
    if x is not None:
        x = asarray(x)
        width = diff(x, axis=axis) if x.ndim > 1 else diff(x).reshape([-1 if d == axis else 1 for d in range(y.ndim)])
    both = UFUNCS["add"](y[key + (slice(1, None),)], y[key + (slice(None, -1),)])
    return _reduce.sum(UFUNCS["divide"](UFUNCS["multiply"](width, both), 2.0), axis)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Values on the lines between points; `period` joins the last one to the first."""
    fp = asarray(fp)
    found = COMPLEX128 if fp.dtype.kind == "c" else FLOAT64
    x, xp = asarray(x)._t.double(), asarray(xp)._t.double()
    values = _cast(fp._t, fp.dtype, found)
    if xp.ndim != 1 or values.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.numel() == 0:
        raise ValueError("array of sample points is empty")
    if xp.numel() != values.numel():
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        x, xp = torch.remainder(x, period), torch.remainder(xp, period)
        order = torch.sort(xp, stable=True)[1]
        xp, values = xp[order], values[order]
        xp = torch.cat([xp[-1:] - period, xp, xp[:1] + period])
        values = torch.cat([values[-1:], values, values[:1]])
    at = torch.clamp(torch.searchsorted(xp.contiguous(), x.contiguous(), right=True) - 1, 0, max(xp.numel() - 2, 0))
    after = torch.clamp(at + 1, max=xp.numel() - 1)
    slope = (values[after] - values[at]) / (xp[after] - xp[at])
    made = slope * (x - xp[at]) + values[at]
    made = torch.where(x == xp[at], values[at], made)
    made = torch.where(x == xp[-1], values[-1], made)
    for outside, given, edge in ((x < xp[0], left, values[0]), (x > xp[-1], right, values[-1])):
        made = torch.where(outside, edge if given is None else torch.tensor(given, dtype=found.torch), made)
    return wrap(torch.where(torch.isnan(x), x.to(found.torch), made), found)


# Folds.

def _fold(x, y):
    """All sums of products of one array with the other one turned round and moved along it."""
    short, long = (x, y) if x.numel() <= y.numel() else (y, x)
    made = torch.zeros(x.numel() + y.numel() - 1, dtype=x.dtype)
    for i in range(short.numel()):
        part = made[i:i + long.numel()]
        part.copy_(part | (long & short[i]) if x.dtype == torch.bool else part + long * short[i])
    return made


def _part_of_fold(made, mode, start, sizes):
    mode = {0: "valid", 1: "same", 2: "full"}.get(mode, mode)
    if mode == "full":
        return made
    if mode == "same":
        return made[start:start + max(sizes)].clone()
    if mode == "valid":
        return made[min(sizes) - 1:max(sizes)].clone()
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")


def _two_vectors(a, v, name):
    a, v = asarray(a), asarray(v)
    a, v = a.reshape(1) if a.ndim == 0 else a, v.reshape(1) if v.ndim == 0 else v
    if a.size == 0:
        raise ValueError("a cannot be empty")
    if v.size == 0:
        raise ValueError("v cannot be empty")
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    found = promote(a.dtype, v.dtype)
    return _cast(a._t, a.dtype, found), _cast(v._t, v.dtype, found), found


def convolve(a, v, mode="full"):
    x, y, found = _two_vectors(a, v, "convolve")
    sizes = x.numel(), y.numel()
    return _of(_part_of_fold(_fold(x, y), mode, (min(sizes) - 1) // 2, sizes), found)


def correlate(a, v, mode="valid"):
    """Sums of products of one array with the conjugates of the other, moved along it."""
    x, y, found = _two_vectors(a, v, "correlate")
    sizes = x.numel(), y.numel()
    made = _fold(x, torch.flip(torch.conj(y).resolve_conj() if found.kind == "c" else y, [0]))
    return _of(_part_of_fold(made, mode, (sizes[1] - 1) // 2 if sizes[0] >= sizes[1] else sizes[0] // 2, sizes), found)


def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Angles without jumps of more than half a period."""
    p = asarray(p)
    axis = normal_axis(axis, p.ndim)
    apart = diff(p, axis=axis)
    is_whole = apart.dtype.kind in "iu" and isinstance(period, int)
    if is_whole:
        high, is_even = divmod(period, 2)
        is_even = is_even == 0
    else:
        high, is_even = period / 2, True
    low = -high
    discont = period / 2 if discont is None else discont
    within = UFUNCS["add"](UFUNCS["remainder"](UFUNCS["subtract"](apart, low), period), low)
    tensor = within._t
    if is_even:
        tensor = torch.where((tensor == low) & (apart._t > 0), torch.full_like(tensor, high), tensor)
    change = UFUNCS["subtract"](_of(tensor, within.dtype), apart)
    change = _of(torch.where(torch.abs(apart._t) < discont, torch.zeros_like(change._t), change._t), change.dtype)
    key = (slice(None),) * axis
    moved = UFUNCS["add"](p[key + (slice(1, None),)], _reduce.cumsum(change, axis))
    return concatenate([p[key + (slice(None, 1),)].astype(moved.dtype), moved], axis)
