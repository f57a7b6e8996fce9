"""Products, comparisons, histograms and sets. Behaviour: numpy/_core/numeric.py, numpy/lib/_function_base_impl.py."""
import math
import operator

import torch

from numpy import _reduce
from numpy._array import _cast, array, asarray, ndarray, normal_axis
from numpy._dtypes import BOOL, FLOAT64, INT64, absent, as_dtype, floating_for, promote
from numpy._functions import arange, concatenate, linspace, zeros
from numpy._scalars import generic
from numpy._searching import searchsorted, sort, unique, where
from numpy._ufunc import UFUNCS, _Operand, result_of, wrap

_of = ndarray._of


# Products.

def _product_pair(a, b):
    a, b = asarray(a), asarray(b)
    found = promote(a.dtype, b.dtype)
    return _cast(a._t, a.dtype, found), _cast(b._t, b.dtype, found), found


def matmul(x1, x2, /, out=None):
    a, b, found = _product_pair(x1, x2)
    if a.ndim == 0 or b.ndim == 0:
        which = 0 if a.ndim == 0 else 1
        raise ValueError(f"matmul: Input operand {which} does not have enough dimensions (has 0, gufunc core with signature "
                         "(n?,k),(k,m?)->(n?,m?) requires 1)")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                         f"(n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})")
    made = _matmul(a, b)
    if out is not None:
        out._write(made.to(out.dtype.torch))
        return out
    return wrap(made, found)


def _matmul(a, b):
    if a.dtype == torch.bool:
        return torch.matmul(a.to(torch.int64), b.to(torch.int64)) != 0
    return torch.matmul(a, b)


def dot(a, b, out=None):
    x, y, found = _product_pair(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return UFUNCS["multiply"](a, b, out=out)
    if x.ndim <= 2 and y.ndim <= 2:
        if x.shape[-1] != y.shape[0]:
            texts = [f"({','.join(map(str, one.shape))}{',' if one.ndim == 1 else ''})" for one in (x, y)]
            raise ValueError(f"shapes {texts[0]} and {texts[1]} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[0]} "
                             "(dim 0)")
        made = _matmul(x, y)
    else:
        made = torch.tensordot(x, y, ([x.ndim - 1], [max(y.ndim - 2, 0)]))
    if out is not None:
        out._write(made)
        return out
    return wrap(made, found)


def vdot(a, b, /):
    return dot(asarray(a).ravel(), asarray(b).ravel())


def inner(a, b, /):
    x, y, found = _product_pair(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return UFUNCS["multiply"](a, b)
    return wrap(torch.tensordot(x, y, ([x.ndim - 1], [y.ndim - 1])), found)


def outer(a, b, out=None):
    return UFUNCS["multiply"](asarray(a).ravel()[:, None], asarray(b).ravel()[None, :], out=out)


def kron(a, b):
    x, y, found = _product_pair(a, b)
    return wrap(torch.kron(x, y), found)


def tensordot(a, b, axes=2):
    x, y, found = _product_pair(a, b)
    if not isinstance(axes, int):
        axes = tuple([one] if isinstance(one, int) else list(one) for one in axes)
    return wrap(torch.tensordot(x, y, axes), found)


def einsum(subscripts, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    if not isinstance(subscripts, str):
        raise absent("einsum with lists of subscripts")
    arrays = [asarray(one) for one in operands]
    found = arrays[0].dtype
    for one in arrays[1:]:
        found = promote(found, one.dtype)
    made = torch.einsum(subscripts, *[_cast(one._t, one.dtype, found) for one in arrays])
    if out is not None:
        out._write(made)
        return out
    return wrap(made, found)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    x, y, found = _product_pair(a, b)
    return _of(torch.cross(x, y, dim=axis if axis is not None else -1), found)


# Parts of matrices.

def diag(v, k=0):
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    return _of(torch.diag(v._t, k).clone(), v.dtype)


def diagonal(a, offset=0, axis1=0, axis2=1):
    return asarray(a).diagonal(offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _reduce.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def tril(m, k=0):
    m = asarray(m)
    return _of(torch.tril(m._t, k), m.dtype)


def triu(m, k=0):
    m = asarray(m)
    return _of(torch.triu(m._t, k), m.dtype)


def _triangle(pick):
    def places(n, k=0, m=None):
        mask = pick(torch.ones((n, n if m is None else m), dtype=torch.uint8), k)
        return tuple(_of(one, INT64) for one in torch.where(mask != 0))

    return places


tril_indices, triu_indices = _triangle(torch.tril), _triangle(torch.triu)


def fill_diagonal(a, val, wrap=False):
    n = min(a.shape)
    a[tuple(arange(n) for _ in a.shape)] = val


# Comparing.

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = asarray(a), asarray(b)
    x, y = a._t.double(), b._t.double()
    near = (torch.abs(x - y) <= atol + rtol * torch.abs(y)) & torch.isfinite(y) | (x == y)
    if equal_nan:
        near = near | (torch.isnan(x) & torch.isnan(y))
    return wrap(near, BOOL)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_reduce.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = asarray(a == b)._t
    if equal_nan and a.dtype.kind == b.dtype.kind == "f":
        same = same | (torch.isnan(a._t) & torch.isnan(b._t))
    return bool(same.all())


def array_equiv(a1, a2):
    try:
        return bool(_reduce.all(asarray(a1) == asarray(a2)))
    except ValueError:
        return False


def isscalar(element):
    return isinstance(element, (generic, int, float, complex, str, bytes))


def shares_memory(a, b, max_work=None):
    raise absent("shares_memory")


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    a = asarray(x)
    if a.dtype.kind != "f":
        return wrap(a._t.clone() if copy else a._t, a.dtype)
    made = torch.nan_to_num(a._t, nan=float(nan), posinf=posinf, neginf=neginf)
    if not copy and isinstance(x, ndarray):
        x._write(made)
        return x
    return wrap(made, a.dtype)


# Choosing.

def take(a, indices, axis=None, out=None, mode="raise"):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    places = asarray(indices)
    size = a.shape[normal_axis(axis, a.ndim)]
    if mode == "clip":
        places = UFUNCS["minimum"](UFUNCS["maximum"](places, 0), size - 1)
    elif mode == "wrap":
        places = UFUNCS["remainder"](places, size)
    made = a[(slice(None),) * normal_axis(axis, a.ndim) + (places,)]
    if out is not None:
        out[...] = made
        return out
    return made


def take_along_axis(arr, indices, axis=-1):
    arr, places = asarray(arr), asarray(indices)
    if axis is None:
        return take(arr, places)
    size = arr.shape[normal_axis(axis, arr.ndim)]
    places = torch.where(places._t < 0, places._t + size, places._t)
    return _of(torch.gather(arr._t, normal_axis(axis, arr.ndim), places), arr.dtype)


def put_along_axis(arr, indices, values, axis):
    places = asarray(indices)._t
    size = arr.shape[normal_axis(axis, arr.ndim)]
    source = asarray(values).astype(arr.dtype)._t.expand(places.shape)
    arr._write(arr._t.scatter(normal_axis(axis, arr.ndim), torch.where(places < 0, places + size, places), source))


def compress(condition, a, axis=None, out=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return take(a, where(asarray(condition))[0], axis)


def delete(arr, obj, axis=None):
    a = asarray(arr)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    keep = _of(torch.ones(a.shape[axis], dtype=torch.bool), BOOL)
    if not isinstance(obj, slice):
        obj = asarray(obj)
        obj = obj.astype(int) if obj.size == 0 else obj
        if obj.dtype is not BOOL and bool(((obj._t < -a.shape[axis]) | (obj._t >= a.shape[axis])).any()):
            raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {a.shape[axis]}")
    keep[obj] = False
    return a[(slice(None),) * axis + (keep,)]


def insert(arr, obj, values, axis=None):
    a = asarray(arr)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    if not hasattr(obj, "__index__") or asarray(obj).ndim:
        raise absent("insert at several places")
    at = operator.index(obj)
    at += a.shape[axis] if at < 0 else 0
    values = asarray(values, dtype=a.dtype)
    shape = list(a.shape)
    if values.ndim == a.ndim:
        shape[axis] = values.shape[axis]
    elif values.ndim == 1 and a.ndim == 1:
        shape[0] = values.shape[0]
    else:
        shape[axis] = 1
        values = values[(slice(None),) * 0 + (None,)] if values.ndim == 0 else \
            values.reshape(values.shape[:axis] + (1,) + values.shape[axis:]) if values.ndim == a.ndim - 1 else values
    made = _of(values._t.expand(shape), a.dtype)
    key = (slice(None),) * axis
    return concatenate([a[key + (slice(None, at),)], made, a[key + (slice(at, None),)]], axis)


def extract(condition, arr):
    return asarray(arr).ravel()[asarray(condition).ravel().astype(bool)]


def ix_(*args):
    made = []
    for i, one in enumerate(args):
        one = asarray(one)
        one = where(one)[0] if one.dtype is BOOL else one
        made.append(one.reshape([-1 if d == i else 1 for d in range(len(args))]))
    return tuple(made)


def unravel_index(indices, shape, order="C"):
    rest = asarray(indices)
    made = []
    for size in reversed(shape):
        made.append(UFUNCS["remainder"](rest, size))
        rest = UFUNCS["floor_divide"](rest, size)
    return tuple(reversed(made))


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    made = 0
    for one, size in zip(multi_index, dims):
        made = UFUNCS["add"](UFUNCS["multiply"](made, size), one)
    return made


# Sets.

def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    a, known = asarray(element), unique(test_elements)
    if known.size == 0:
        found = torch.zeros(a.shape, dtype=torch.bool)
    else:
        places = asarray(searchsorted(known, a))
        places = torch.clamp(places._t, max=known.size - 1)
        found = asarray(UFUNCS["equal"](known[_of(places, INT64)], a))._t
    return wrap(~found if invert else found, BOOL)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        raise absent("intersect1d(return_indices=True)")
    a = unique(ar1)
    return a[isin(a, ar2)]


def union1d(ar1, ar2):
    return unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


def setdiff1d(ar1, ar2, assume_unique=False):
    a = asarray(ar1).ravel() if assume_unique else unique(ar1)
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    return sort(concatenate([setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)]))


# Of one variable and two.

def diff(a, n=1, axis=-1, prepend=None, append=None):
    a = asarray(a)
    if prepend is not None or append is not None:
        raise absent("diff(prepend=..., append=...)")
    key = (slice(None),) * normal_axis(axis, a.ndim)
    for _ in range(n):
        high, low = a[key + (slice(1, None),)], a[key + (slice(None, -1),)]
        a = UFUNCS["not_equal" if a.dtype is BOOL else "subtract"](high, low)
    return a


def ediff1d(ary, to_end=None, to_begin=None):
    return concatenate([asarray(one).ravel() for one in (to_begin, diff(asarray(ary).ravel()), to_end) if one is not None])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = asarray(y)
    key = (slice(None),) * normal_axis(axis, y.ndim)
    width = dx if x is None else diff(x)
    return _reduce.sum(UFUNCS["divide"](UFUNCS["multiply"](width, UFUNCS["add"](y[key + (slice(1, None),)],
                                                                               y[key + (slice(None, -1),)])), 2.0), axis)


def interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        raise absent("interp(period=...)")
    x, xp, fp = (asarray(one)._t.double() for one in (x, xp, fp))
    at = torch.clamp(torch.searchsorted(xp.contiguous(), x.contiguous(), right=True) - 1, 0, max(xp.numel() - 2, 0))
    after = torch.clamp(at + 1, max=xp.numel() - 1)
    slope = (fp[after] - fp[at]) / (xp[after] - xp[at])
    made = slope * (x - xp[at]) + fp[at]
    made = torch.where(x == xp[-1], fp[-1], made)
    made = torch.where(x < xp[0], fp[0] if left is None else torch.tensor(float(left), dtype=torch.float64), made)
    made = torch.where(x > xp[-1], fp[-1] if right is None else torch.tensor(float(right), dtype=torch.float64), made)
    return wrap(torch.where(torch.isnan(x), x, made), FLOAT64)


def convolve(a, v, mode="full"):
    a, v = asarray(a), asarray(v)
    if v.size > a.size:
        a, v = v, a
    found = promote(a.dtype, v.dtype)
    x, y = _cast(a._t, a.dtype, found), _cast(v._t, v.dtype, found)
    made = torch.zeros(a.size + v.size - 1, dtype=found.torch)
    for i in range(v.size):
        made[i:i + a.size] = made[i:i + a.size] + x * y[i]
    if mode == "same":
        start = (v.size - 1) // 2
        made = made[start:start + a.size]
    elif mode == "valid":
        made = made[v.size - 1:a.size]
    elif mode != "full":
        raise ValueError("mode must be one of 'valid', 'same', or 'full' (got '" + str(mode) + "')")
    return _of(made.clone(), found)


def bincount(x, /, weights=None, minlength=0):
    x = asarray(x)
    if x.dtype.kind == "f":
        raise TypeError("Cannot cast array data from dtype('float64') to dtype('int64') according to the rule 'safe'")
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if x.ndim == 0 else "object too deep for desired array")
    if x.size and bool((x._t < 0).any()):
        raise ValueError("'list' argument must have no negative elements")
    if weights is None:
        return _of(torch.bincount(x._t.to(torch.int64), minlength=minlength), INT64)
    return _of(torch.bincount(x._t.to(torch.int64), weights=asarray(weights)._t.double(), minlength=minlength), FLOAT64)


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a = asarray(a).ravel()
    if isinstance(bins, str):
        raise absent(f"histogram(bins={bins!r})")
    if hasattr(bins, "__len__") and asarray(bins).ndim == 1:
        edges = asarray(bins)
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError("`bins` must increase monotonically, when an array")
        return edges
    count = operator.index(bins)
    if count < 1:
        raise ValueError("`bins` must be positive, when an integer")
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
    if low == high:
        low, high = low - 0.5, high + 0.5
    found = floating_for(result_of([_Operand(low, "linspace"), _Operand(high, "linspace"), _Operand(a, "linspace")]))
    return linspace(low, high, count + 1, dtype=found)


def histogram(a, bins=10, range=None, density=None, weights=None):
    a = asarray(a).ravel()
    edges = histogram_bin_edges(a, bins, range)
    values = a._t if a.dtype.kind != "b" else a._t.to(torch.uint8)
    x, borders = values.double(), edges._t.double()
    inside = (x >= borders[0]) & (x <= borders[-1])
    count = edges.size - 1
    at = torch.searchsorted(borders.contiguous(), x[inside].contiguous(), right=True) - 1
    at = torch.clamp(at, 0, count - 1)
    if weights is None:
        made = _of(torch.bincount(at, minlength=count), INT64)
    else:
        made = _of(torch.bincount(at, weights=asarray(weights).ravel()._t.double()[inside], minlength=count), FLOAT64)
    if density:
        width = diff(edges).astype(float)
        return made / width / made.sum(), edges
    return made, edges


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    if fweights is not None or aweights is not None:
        raise absent("cov(fweights=..., aweights=...)")
    m = asarray(m).astype(float) if asarray(m).dtype.kind != "f" else asarray(m)
    x = m.reshape(1, -1) if m.ndim < 2 else m
    x = x.T if not rowvar and m.ndim == 2 else x
    if y is not None:
        other = asarray(y).astype(float)
        x = concatenate([x, other.reshape(1, -1) if other.ndim < 2 else other if rowvar else other.T])
    ddof = (0 if bias else 1) if ddof is None else ddof
    x = x - x.mean(axis=1, keepdims=True)
    made = dot(x, x.T) * (1 / (x.shape[1] - ddof))
    return made.squeeze() if made.size > 1 else made[0, 0].__array__()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = cov(x, y, rowvar)
    if c.ndim == 0:
        return c / c
    spread = UFUNCS["sqrt"](diag(c))
    made = c / spread[:, None] / spread[None, :]
    made._write(torch.clamp(made._t, -1, 1))
    return made


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = asarray(arr)
    axis = normal_axis(axis, arr.ndim)
    moved = arr.transpose([d for d in range(arr.ndim) if d != axis] + [axis])
    rows = moved.reshape(-1, arr.shape[axis])
    made = [asarray(func1d(rows[i], *args, **kwargs)) for i in range(rows.shape[0])]
    from numpy._functions import moveaxis, stack
    joined = stack(made).reshape(moved.shape[:-1] + made[0].shape)
    return joined if made[0].ndim == 0 else moveaxis(joined, -1, axis) if made[0].ndim == 1 else joined


class vectorize:
    """A function of numbers, called for each item."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if excluded is not None or signature is not None:
            raise absent("vectorize(excluded=..., signature=...)")
        self.pyfunc, self.otypes = pyfunc, otypes

    def __call__(self, *args):
        from numpy._functions import broadcast_arrays
        arrays = broadcast_arrays(*args)
        if arrays[0].size == 0 and self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        made = [self.pyfunc(*items) for items in zip(*[one.reshape(-1) for one in arrays])]
        if made and isinstance(made[0], tuple):
            return tuple(array(list(one)).reshape(arrays[0].shape) for one in zip(*made))
        joined = array(made) if self.otypes is None else array(made, dtype=self.otypes[0])
        return joined.reshape(arrays[0].shape)


def ndenumerate(arr):
    arr = asarray(arr)
    for place in ndindex(arr.shape):
        yield place, arr[place]


def ndindex(*shape):
    from itertools import product
    shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return product(*[range(size) for size in shape])


def result_type(*arrays_and_dtypes):
    operands = []
    found = None
    for one in arrays_and_dtypes:
        if isinstance(one, (ndarray, generic, bool, int, float)):
            operands.append(_Operand(one, "result_type"))
        else:
            found = as_dtype(one) if found is None else promote(found, as_dtype(one))
    if not operands:
        return found
    if found is not None:
        operands.append(_Operand(zeros(1, found), "result_type"))
    return result_of(operands)


def promote_types(type1, type2):
    return promote(as_dtype(type1), as_dtype(type2))


def shape(a):
    return asarray(a).shape


def ndim(a):
    return asarray(a).ndim


def size(a, axis=None):
    return asarray(a).size if axis is None else asarray(a).shape[axis]
