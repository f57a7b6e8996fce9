"""Sums and their like along axes. Behaviour: numpy/_core/_methods.py, fromnumeric.py, pairwise sums of loops_utils.h.src."""
import math

import torch

from numpy import _complex, _ufunc
from numpy._array import _cast, array, asarray, ndarray, normal_axis
from numpy._dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, UINT64, as_dtype, real_for
from numpy._ufunc import UFUNCS, wrap

_all, _any, _max, _min, _sum = all, any, max, min, sum


def _axes(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, (tuple, list)):
        axes = tuple(normal_axis(one, ndim) for one in axis)
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        return axes
    return (normal_axis(axis, ndim),)


def _finish(tensor, found, axes, keepdims, out, shape):
    if keepdims:
        tensor = tensor.reshape([1 if d in axes else size for d, size in enumerate(shape)])
    if out is not None:
        out._write(_cast(tensor, found, out.dtype).expand(out.shape))
        return out
    return wrap(tensor, found) if tensor.ndim == 0 and not keepdims else ndarray._of(tensor, found)


def _pairwise(x):
    """The sums of the last dimension in numpy's order: running sums in blocks of up to 128 numbers, halves added up.

    There are eight running sums of real numbers, four of complex ones.
    """
    n = x.shape[-1]
    lanes = 4 if x.is_complex() else 8
    if n < lanes:
        total = torch.zeros(x.shape[:-1], dtype=x.dtype)
        for i in range(n):
            total = total + x[..., i]
        return total
    if n <= 16 * lanes:
        whole = n - n % lanes
        blocks = x[..., :whole].reshape(*x.shape[:-1], whole // lanes, lanes)
        r = blocks[..., 0, :]
        for i in range(1, whole // lanes):
            r = r + blocks[..., i, :]
        while r.shape[-1] > 1:
            r = r[..., 0::2] + r[..., 1::2]
        total = r[..., 0]
        for i in range(whole, n):
            total = total + x[..., i]
        return total
    half = n // 2
    half -= half % lanes
    if half * 2 == n:
        both = _pairwise(x.reshape(*x.shape[:-1], 2, half))
        return both[..., 0] + both[..., 1]
    return _pairwise(x[..., :half]) + _pairwise(x[..., half:])


def _sum_of(x, axes):
    """Floats summed along axes: pairwise along the last ones, one after another along the others."""
    ndim = x.ndim
    if not axes:
        return x.clone()
    trailing = []
    for d in reversed(range(ndim)):
        if d not in axes:
            break
        trailing.append(d)
    first = [d for d in axes if d not in trailing]
    if trailing:
        x = _pairwise(x.reshape(*x.shape[:ndim - len(trailing)], -1))
    if not first:
        return x
    kept = [d for d in range(x.ndim) if d not in first]
    first.sort()
    x = x.permute(first + kept)
    rows = x.reshape(-1, *x.shape[len(first):])
    total = torch.zeros(rows.shape[1:], dtype=rows.dtype)
    for i in range(rows.shape[0]):
        total = total + rows[i]
    return total


def _float_sum(x, axes):
    """The same, of half floats in single precision."""
    return _sum_of(x.float(), axes).to(torch.float16) if x.dtype == torch.float16 else _sum_of(x, axes)


def _added(a, axes, found):
    """The sum in the type `found`."""
    x = _cast(a._t, a.dtype, found)
    if found.kind in "fc":
        return _float_sum(x, axes)
    return torch.sum(x, dim=axes, dtype=found.torch) if axes else x.clone()


def _chosen(a, where, instead):
    """The array with another number where the mask does not hold."""
    if where is True:
        return a
    mask = asarray(where)
    mask = mask._t if mask.dtype is BOOL else mask._t != 0
    return ndarray._of(torch.where(mask, a._t, torch.full((), instead, dtype=a.dtype.torch)), a.dtype)


def _whole(found):
    """The type in which ints are added and multiplied."""
    if found.kind in "fc":
        return found
    return UINT64 if found.kind == "u" else INT64


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _chosen(asarray(a), where, 0)
    axes = _axes(axis, a.ndim)
    found = _whole(a.dtype) if dtype is None else as_dtype(dtype)
    made = _finish(_added(a, axes, found), found, axes, keepdims, out, a.shape)
    return made if initial is None else UFUNCS["add"](made, initial)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _chosen(asarray(a), where, 1)
    axes = _axes(axis, a.ndim)
    found = _whole(a.dtype) if dtype is None else as_dtype(dtype)
    x = _cast(a._t, a.dtype, found)
    for d in sorted(axes, reverse=True):
        x = torch.prod(x, d, dtype=found.torch)
    made = _finish(x, found, axes, keepdims, out, a.shape)
    return made if initial is None else UFUNCS["multiply"](made, initial)


def _count(a, axes, where=True):
    """How many items go into each sum: an int, or a tensor where a mask says."""
    if where is True:
        return math.prod([a.shape[d] for d in axes])
    mask = asarray(where).astype(bool)._t.expand(a.shape)
    return torch.sum(mask, dim=axes, dtype=torch.int64) if axes else mask.to(torch.int64)


def _warn_of_few(count, least, text):
    if bool((count <= least).any()) if isinstance(count, torch.Tensor) else count <= least:
        _ufunc.warn_at_caller(text, RuntimeWarning)


def _mean_type(found, dtype):
    if dtype is not None:
        return as_dtype(dtype)
    return found if found.kind in "fc" else FLOAT64


def _shared(total, count):
    """A sum over how many there are; complex ones as a quotient of complex numbers."""
    if not total.is_complex():
        return total / count
    count = count.to(total.dtype) if isinstance(count, torch.Tensor) else torch.full((), count, dtype=total.dtype)
    return _complex.divide(total, count)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    a = _chosen(asarray(a), where, 0)
    axes = _axes(axis, a.ndim)
    count = _count(a, axes, where)
    _warn_of_few(count, 0, "Mean of empty slice.")
    found = _mean_type(a.dtype, dtype)
    total = _added(a, axes, FLOAT32 if found is FLOAT16 else found)
    return _finish(_shared(total, count).to(found.torch), found, axes, keepdims, out, a.shape)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    ddof = ddof if correction is None else correction
    a = _chosen(asarray(a), where, 0)
    axes = _axes(axis, a.ndim)
    count = _count(a, axes, where)
    _warn_of_few(count, ddof, "Degrees of freedom <= 0 for slice")
    found = _mean_type(a.dtype, dtype)
    x = _cast(a._t, a.dtype, found)
    shape = [1 if d in axes else size for d, size in enumerate(a.shape)]
    middle = _shared(_added(a, axes, found), count).reshape(shape) if mean is None else asarray(mean)._t.to(found.torch)
    x = _chosen(ndarray._of(x - middle, found), where, 0)._t
    squares = x.real * x.real + x.imag * x.imag if found.kind == "c" else x * x
    found = real_for(found)
    total = _float_sum(squares, axes) / (torch.clamp(count - ddof, min=0) if isinstance(count, torch.Tensor) else _max(count - ddof, 0))
    return _finish(total, found, axes, keepdims, out, a.shape)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    made = asarray(var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction))
    return _finish(torch.sqrt(made._t), made.dtype, (), False, out, made.shape)


def _ranked(x, name):
    """Integers in the order of complex numbers, with what is no number in front of all."""
    ranks = _complex.ranks(x)
    return torch.where(_complex.isnan(x), torch.full((), x.numel() if name == "max" else -1, dtype=torch.int64), ranks)


def _extreme_complex(x, axes, name):
    kept = [d for d in range(x.ndim) if d not in axes]
    rows = x.permute(kept + list(axes)).reshape([x.shape[d] for d in kept] + [-1])
    places = (torch.argmax if name == "max" else torch.argmin)(_ranked(rows, name), -1, keepdim=True)
    return torch.gather(rows, -1, places).squeeze(-1)


def _extreme(name, pick):
    def extreme(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        a = asarray(a)
        if where is not True:
            if initial is None:
                raise ValueError(f"reduction operation '{name}imum' does not have an identity, so to use a where mask one has to "
                                 "specify 'initial'")
            a = _chosen(a, where, initial)
        axes = _axes(axis, a.ndim)
        if _count(a, axes) == 0 and axes:
            if initial is None:
                raise ValueError(f"zero-size array to reduction operation {name}imum which has no identity")
            kept = [size for d, size in enumerate(a.shape) if d not in axes]
            made = array(initial, dtype=a.dtype)._t.expand(kept).clone()
            return _finish(made, a.dtype, axes, keepdims, out, a.shape)
        x = a._t
        if a.dtype.kind == "c":
            made = _finish(_extreme_complex(x, axes, name), a.dtype, axes, keepdims, out, a.shape)
            return made if initial is None else UFUNCS[f"{name}imum"](made, initial)
        is_bool = x.dtype == torch.bool
        x = x.to(torch.uint8) if is_bool else x
        x = pick(x, dim=axes) if axes else x.clone()
        made = _finish(x.to(torch.bool) if is_bool else x, a.dtype, axes, keepdims, out, a.shape)
        return made if initial is None else UFUNCS[f"{name}imum"](made, initial)

    return extreme


max = amax = _extreme("max", torch.amax)
min = amin = _extreme("min", torch.amin)
max.__name__, min.__name__ = "max", "min"


def ptp(a, axis=None, out=None, keepdims=False):
    return UFUNCS["subtract"](max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims), out=out)


def _logical(pick):
    def test(a, axis=None, out=None, keepdims=False, *, where=True):
        a = _chosen(asarray(a), where, pick is torch.all)
        axes = _axes(axis, a.ndim)
        x = a._t if a.dtype is BOOL else a._t != 0
        for d in sorted(axes, reverse=True):
            x = pick(x, d)
        return _finish(x, BOOL, axes, keepdims, out, a.shape)

    return test


all = _logical(torch.all)
any = _logical(torch.any)
all.__name__, any.__name__ = "all", "any"


def _place_of(name, pick):
    def place(a, axis=None, out=None, *, keepdims=False):
        a = asarray(a)
        if a.size == 0:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        x = a._t
        if x.dtype in (torch.bool, torch.uint16, torch.uint32):
            x = x.to(torch.int64)
        if a.dtype.kind == "c":
            x = _ranked(x, name[3:])
        if axis is None:
            made = pick(x.reshape(-1), 0)
            axes = tuple(range(a.ndim))
        else:
            axes = (normal_axis(axis, a.ndim),)
            made = pick(x, axes[0])
        return _finish(made, INT64, axes, keepdims, out, a.shape)

    place.__name__ = name
    return place


argmax = _place_of("argmax", torch.argmax)
argmin = _place_of("argmin", torch.argmin)


def _scan(pick):
    def scan(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        found = _whole(a.dtype) if dtype is None else as_dtype(dtype)
        x = _cast(a._t, a.dtype, found)
        made = pick(x.reshape(-1), 0) if axis is None else pick(x, normal_axis(axis, a.ndim))
        return _finish(made, found, (), False, out, made.shape)

    return scan


cumsum = _scan(torch.cumsum)
cumprod = _scan(torch.cumprod)
cumsum.__name__, cumprod.__name__ = "cumsum", "cumprod"


def count_nonzero(a, axis=None, *, keepdims=False):
    made = sum(UFUNCS["not_equal"](asarray(a), 0), axis=axis, keepdims=keepdims)
    return int(made) if axis is None and not keepdims else made


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    a = asarray(a)
    if weights is None:
        made = mean(a, axis, keepdims=keepdims)
        return (made, made.dtype.type(a.size / asarray(made).size)) if returned else made
    weights = asarray(weights)
    if a.shape != weights.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        if weights.ndim != 1:
            raise TypeError("1D weights expected when shapes of a and weights differ.")
        d = normal_axis(axis, a.ndim)
        if weights.shape[0] != a.shape[d]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = weights.reshape([-1 if i == d else 1 for i in range(a.ndim)])
        weights = ndarray._of(weights._t.expand(a.shape), weights.dtype)
    found = _ufunc.with_weak(_ufunc.promote(a.dtype, weights.dtype), "f") if a.dtype.kind not in "fc" else _ufunc.promote(
        a.dtype, weights.dtype)
    total = sum(weights, axis=axis, dtype=found, keepdims=keepdims)
    if bool(UFUNCS["equal"](total, 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    made = UFUNCS["divide"](sum(UFUNCS["multiply"](a, weights), axis=axis, dtype=found, keepdims=keepdims), total)
    return (made, total) if returned else made
