"""Comparing, choosing, types of several arrays. Behaviour: numpy/_core/numeric.py, numpy/lib/_function_base_impl.py."""
import math

import torch

from numpy import _complex, _reduce
from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, INT64, as_dtype, promote
from numpy._functions import zeros
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


def _spans(a):
    """Where the bytes of an array begin and end."""
    tensor = a._raw
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * a.itemsize


def may_share_memory(a, b, max_work=None):
    """Whether the spans of bytes of two arrays overlap."""
    a, b = asarray(a), asarray(b)
    if a.size == 0 or b.size == 0:
        return False
    (low, high), (other_low, other_high) = _spans(a), _spans(b)
    return low < other_high and other_low < high


def _starts(a):
    """The address of each item."""
    places = torch.zeros((), dtype=torch.int64)
    for size, stride in zip(a._raw.shape, a._raw.stride()):
        places = places.unsqueeze(-1) + torch.arange(size) * (stride * a.itemsize)
    return (places + a._raw.data_ptr()).reshape(-1)


def shares_memory(a, b, max_work=None):
    """Whether two arrays have a byte in common."""
    a, b = asarray(a), asarray(b)
    if not may_share_memory(a, b):
        return False
    starts = torch.sort(_starts(b))[0]
    own = _starts(a)
    # The last item of b that starts before the end of each item of a.
    at = torch.searchsorted(starts, own + a.itemsize) - 1
    return bool(((at >= 0) & (starts[torch.clamp(at, min=0)] + b.itemsize > own)).any())


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
    return _of(torch.take_along_dim(arr._t, places, normal_axis(axis, arr.ndim)), arr.dtype)


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
    """With values before places along an axis; a place, a slice or several of them."""
    a = asarray(arr)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    size = a.shape[axis]
    if isinstance(obj, slice):
        places = torch.arange(*obj.indices(size))
    else:
        given = asarray(obj)
        places = where(given)[0]._t if given.dtype is BOOL else given._t.to(torch.int64)
        if given.size == 0 and not isinstance(obj, ndarray):
            places = places.reshape(-1).to(torch.int64)
    values = asarray(values).astype(a.dtype)
    is_single = places.ndim == 0
    wrong = (places < -size) | (places > size)
    if bool(wrong.any()):
        first = int(places if is_single else places[wrong][0])
        raise IndexError(f"index {first} is out of bounds for axis {axis} with size {size}")
    places = torch.where(places < 0, places + size, places)
    if is_single and values.ndim:
        # A single place takes as many as there are along the axis of the values.
        values = values.reshape((1,) * (a.ndim - values.ndim) + values.shape)
        values = values.transpose([*range(1, axis + 1), 0, *range(axis + 1, a.ndim)]) if axis else values
        count = values.shape[axis]
    else:
        count = 1 if is_single else places.numel()
    places = places.reshape(-1).expand(count) if places.numel() == 1 else places
    count = places.numel()
    order = torch.sort(places, stable=True)[1]
    at = torch.empty_like(places)
    at[order] = places[order] + torch.arange(count)
    shape = list(a.shape)
    shape[axis] = size + count
    is_old = torch.ones(size + count, dtype=torch.bool)
    is_old[at] = False
    made = _of(torch.zeros(shape, dtype=a.dtype.torch), a.dtype)
    key = (slice(None),) * axis
    made[key + (_of(at, INT64),)] = values
    made[key + (_of(is_old, BOOL),)] = a
    return made


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
    """The places along each dimension of places in the whole. Errors: ValueError  out of range."""
    shape = (shape,) if not hasattr(shape, "__len__") else tuple(shape)
    given = asarray(indices)
    if given.size and given.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    size = math.prod(shape)
    wrong = (given._t < 0) | (given._t >= size)
    if bool(wrong.any()):
        first = int(given._t[wrong][0] if given.ndim else given._t)
        raise ValueError(f"index {first} is out of bounds for array with size {size}")
    rest, made = given._t.to(torch.int64), []
    for one in shape if order == "F" else reversed(shape):
        made.append(wrap(torch.remainder(rest, one), INT64))
        rest = torch.floor_divide(rest, one)
    return tuple(made if order == "F" else reversed(made))


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Places in the whole of places along each dimension. Errors: ValueError  out of range with mode "raise"."""
    dims = (dims,) if not hasattr(dims, "__len__") else tuple(dims)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    made, step = 0, 1
    pairs = list(zip(multi_index, dims, modes))
    for one, size, how in pairs if order == "F" else reversed(pairs):
        one = asarray(one)._t.to(torch.int64)
        if how == "wrap":
            one = torch.remainder(one, size)
        elif how == "clip":
            one = torch.clamp(one, 0, size - 1)
        elif bool(((one < 0) | (one >= size)).any()):
            raise ValueError("invalid entry in coordinates array")
        made = made + one * step
        step *= size
    return wrap(made, INT64)


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
