"""Comparing, choosing, types of several arrays. Behaviour: numpy/_core/numeric.py, numpy/lib/_function_base_impl.py."""
import operator

import torch

from numpy import _complex, _reduce
from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, absent, as_dtype, promote
from numpy._functions import concatenate, zeros
from numpy._scalars import generic
from numpy._searching import where
from numpy._shapes import normal_axis
from numpy._ufunc import UFUNCS, _Operand, result_of, wrap

_of = ndarray._of


# Comparing.

def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = asarray(a), asarray(b)
    wide = torch.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else torch.float64
    x, y = a._t.to(wide), b._t.to(wide)
    near = (torch.abs(x - y) <= atol + rtol * torch.abs(y)) & _complex.isfinite(y) | (x == y)
    if equal_nan:
        near = near | (_complex.isnan(x) & _complex.isnan(y))
    return wrap(near, BOOL)


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(_reduce.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = asarray(a == b)._t
    if equal_nan and a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = same | (_complex.isnan(a._t) & _complex.isnan(b._t))
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
    if a.dtype.kind == "c":
        made = torch.complex(*[torch.nan_to_num(part, nan=float(nan), posinf=posinf, neginf=neginf)
                               for part in (a._t.real, a._t.imag)])
        if not copy and isinstance(x, ndarray):
            x._write(made)
            return x
        return wrap(made, a.dtype)
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
        if isinstance(one, (ndarray, generic, bool, int, float, complex)):
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
