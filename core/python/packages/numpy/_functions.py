"""Making, joining and cutting arrays. Behaviour: numpy/_core/numeric.py, shape_base.py, numpy/lib/_shape_base_impl.py."""
import math
import operator

import torch
from torch import _bytes

from numpy import _reduce
from numpy._array import _cast, _stored_as, array, asarray, empty, ndarray
from numpy._dtypes import FLOAT64, INT64, absent, as_dtype, promote, with_weak
from numpy._shapes import normal_axis, shape_of
from numpy._ufunc import UFUNCS, _Operand, result_of, wrap

_of = ndarray._of


# Making.

def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    found = asarray(fill_value).dtype if dtype is None else as_dtype(dtype)
    return _of(_stored_as(fill_value, found).expand(shape_of(shape)).clone(), found)


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    return empty(shape, dtype)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    found = as_dtype(dtype)
    return _of(torch.ones(shape_of(shape), dtype=found.torch), found)


def _like(make_one):
    def like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        a = asarray(a)
        return make_one(a.shape if shape is None else shape, a.dtype if dtype is None else dtype)

    return like


zeros_like, ones_like, empty_like = _like(zeros), _like(ones), _like(empty)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    a = asarray(a)
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    found = as_dtype(dtype)
    rows, columns = torch.arange(N), torch.arange(N if M is None else M)
    return _of((rows.unsqueeze(1) + k == columns.unsqueeze(0)).to(found.torch), found)


def identity(n, dtype=None, *, like=None):
    return eye(n, dtype=dtype)


def tri(N, M=None, k=0, dtype=float, *, like=None):
    return _of(torch.tril(torch.ones((N, N if M is None else M), dtype=as_dtype(dtype).torch), k), as_dtype(dtype))


def arange(start, stop=None, step=None, dtype=None, *, device=None, like=None):
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise ZeroDivisionError("division by zero")
    found = result_of([_Operand(one, "arange") for one in (start, stop, step)]) if dtype is None else as_dtype(dtype)
    plain = [one.item() if hasattr(one, "item") else one for one in (start, stop, step)]
    start, stop, step = plain
    if any(isinstance(one, complex) for one in plain):
        many = complex((stop - start) / step)
        count = max(0, min(math.ceil(many.real), math.ceil(many.imag)))
    else:
        count = max(0, math.ceil((stop - start) / step))
    if found.kind == "b" and count > 2:
        raise TypeError("arange() is only supported for booleans when the result has at most length 2.")
    if found.kind == "f":
        # numpy's fill: the second item less the first, that many times.
        wide = torch.float64 if found is FLOAT64 else found.torch
        first = torch.tensor(float(start), dtype=wide)
        apart = torch.tensor(float(start) + float(step), dtype=wide) - first
        return _of((first + torch.arange(count, dtype=torch.int64).to(wide) * apart).to(found.torch), found)
    if found.kind == "c":
        first = torch.tensor(complex(start), dtype=found.torch)
        apart = torch.tensor(complex(start + step), dtype=found.torch) - first
        return _of(first + torch.arange(count, dtype=torch.int64).to(found.torch) * apart, found)
    first, apart = int(start), int(start + step) - int(start)
    return _of((torch.arange(count, dtype=torch.int64) * apart + first).to(found.torch), found)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    found = with_weak(result_of([_Operand(start, "linspace"), _Operand(stop, "linspace")]), "f")
    start, stop = (_stored_as(one, found) for one in (start, stop))
    start, stop = torch.broadcast_tensors(start, stop)
    apart = stop - start
    places = torch.arange(num, dtype=torch.int64).to(found.torch).reshape([-1] + [1] * start.ndim)
    if parts > 0:
        step = apart / parts
        made = places / parts * apart if bool((step == 0).any()) else places * step
    else:
        step = torch.full_like(apart, math.nan)
        made = places * apart
    made = made + start
    if endpoint and num > 1:
        made[-1] = stop
    if axis:
        made = torch.movedim(made, 0, axis)
    wanted = found if dtype is None else as_dtype(dtype)
    if wanted.kind in "iu":
        made = torch.floor(made)
    made = _of(_cast(made, found, wanted), wanted)
    return (made, wrap(step, found)) if retstep else made


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    made = UFUNCS["power"](base, linspace(start, stop, num, endpoint, axis=axis))
    return made if dtype is None else made.astype(dtype, copy=False)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    """Items of bytes. Differs: those of a bytearray or an array would be shared, so they are refused; a view of an ndarray shares."""
    found = as_dtype(dtype)
    if isinstance(buffer, bytearray) or (isinstance(buffer, memoryview) and isinstance(buffer.obj, bytearray)):
        raise absent("frombuffer of a bytearray, whose bytes it would share")
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not '{type(buffer).__name__}'") from None
    if not 0 <= offset <= view.nbytes:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({view.nbytes})")
    if count < 0:
        if (view.nbytes - offset) % found.itemsize:
            raise ValueError("buffer size must be a multiple of element size")
        count = (view.nbytes - offset) // found.itemsize
    elif count * found.itemsize > view.nbytes - offset:
        raise ValueError("buffer is smaller than requested size")
    if isinstance(view.obj, ndarray):
        if view.nbytes != view.obj.nbytes:
            raise absent("frombuffer of a part of an ndarray's view")
        items = view.obj.reshape(-1).view("uint8")[offset:offset + count * found.itemsize].view(found)
        items._writeable = not view.readonly
        return items
    if not isinstance(view.obj, bytes):
        raise absent(f"frombuffer of {type(view.obj).__name__}, whose bytes it would share")
    made = _of(_bytes.from_bytes(view.tobytes(), found.torch, offset, count), found)
    made._writeable = False
    return made


def fromiter(iter, dtype, count=-1, *, like=None):
    items = []
    for one in iter:
        if len(items) == count:
            break
        items.append(one)
    return array(items, dtype=dtype)


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    return function(*indices(shape, dtype=dtype), **kwargs)


def indices(dimensions, dtype=int, sparse=False):
    made = meshgrid(*[arange(size, dtype=dtype) for size in dimensions], indexing="ij", sparse=sparse)
    return tuple(made) if sparse else stack(made) if made else empty((0,), dtype)


def copy(a, order="K", subok=False):
    return array(a)


def ascontiguousarray(a, dtype=None, *, like=None):
    a = asarray(a, dtype)
    a = a if a._raw.is_contiguous() and not a._flips else a.copy()
    return a.reshape(1) if a.ndim == 0 else a


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    arrays = [asarray(one).ravel() for one in xi]
    n = len(arrays)
    tensors = [one._t.reshape([-1 if d == i else 1 for d in range(n)]) for i, one in enumerate(arrays)]
    if indexing == "xy" and n > 1:
        tensors = [one.transpose(0, 1) for one in tensors]
    if not sparse and n:
        shape = torch.broadcast_shapes(*[one.shape for one in tensors])
        tensors = [one.expand(shape) for one in tensors]
    return tuple(_of(one.clone() if copy else one, source.dtype) for one, source in zip(tensors, arrays))


# Joining and cutting.

def _together(arrays):
    """The tensors of arrays in their common type."""
    arrays = [asarray(one) for one in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    found = arrays[0].dtype
    for one in arrays[1:]:
        found = promote(found, one.dtype)
    return arrays, [_cast(one._t, one.dtype, found) for one in arrays], found


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays, tensors, found = _together(arrays)
    if axis is None:
        tensors, axis = [one.reshape(-1) for one in tensors], 0
    for one in tensors:
        if one.ndim == 0:
            raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normal_axis(axis, tensors[0].ndim)
    first = tensors[0]
    for i, one in enumerate(tensors):
        if one.ndim != first.ndim:
            raise ValueError("all the input arrays must have same number of dimensions, but the array at index 0 has "
                             f"{first.ndim} dimension(s) and the array at index {i} has {one.ndim} dimension(s)")
        for d in range(first.ndim):
            if d != axis and one.shape[d] != first.shape[d]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly, but "
                                 f"along dimension {d}, the array at index 0 has size {first.shape[d]} and the array at index "
                                 f"{i} has size {one.shape[d]}")
    made = _of(torch.cat(tensors, dim=axis), found)
    made = made if dtype is None else made.astype(dtype)
    if out is not None:
        out[...] = made
        return out
    return made


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = [asarray(one) for one in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({one.shape for one in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    axis = normal_axis(axis, arrays[0].ndim + 1)
    key = (slice(None),) * axis + (None,)
    return concatenate([one[key] if one.ndim else one.reshape(1) for one in arrays], axis, out, dtype=dtype)


def atleast_1d(*arys):
    made = [asarray(one) if asarray(one).ndim else asarray(one).reshape(1) for one in arys]
    return made[0] if len(made) == 1 else tuple(made)


def atleast_2d(*arys):
    made = []
    for one in map(asarray, arys):
        made.append(one if one.ndim >= 2 else one.reshape(1, -1))
    return made[0] if len(made) == 1 else tuple(made)


def atleast_3d(*arys):
    made = []
    for one in map(asarray, arys):
        made.append(one if one.ndim >= 3 else one[:, :, None] if one.ndim == 2 else one.reshape(1, -1, 1))
    return made[0] if len(made) == 1 else tuple(made)


def _parts(tup):
    if not isinstance(tup, (list, tuple, ndarray)):
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return list(tup)


def vstack(tup, *, dtype=None, casting="same_kind"):
    return concatenate([atleast_2d(one) for one in _parts(tup)], 0, dtype=dtype)


def hstack(tup, *, dtype=None, casting="same_kind"):
    parts = [atleast_1d(one) for one in _parts(tup)]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype)


def dstack(tup):
    return concatenate([atleast_3d(one) for one in _parts(tup)], 2)


def column_stack(tup):
    return concatenate([one if one.ndim > 1 else one.reshape(-1, 1) for one in map(asarray, _parts(tup))], 1)


def append(arr, values, axis=None):
    if axis is None:
        return concatenate([asarray(arr).ravel(), asarray(values).ravel()])
    return concatenate([arr, values], axis)


def array_split(ary, indices_or_sections, axis=0):
    ary = asarray(ary)
    size = ary.shape[normal_axis(axis, ary.ndim)]
    if isinstance(indices_or_sections, (list, tuple, ndarray)):
        ends = [0, *[int(one) for one in indices_or_sections], size]
    else:
        count = int(indices_or_sections)
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(size, count)
        ends = [0]
        for i in range(count):
            ends.append(ends[-1] + each + (i < more))
    key = (slice(None),) * normal_axis(axis, ary.ndim)
    return [ary[key + (slice(low, high),)] for low, high in zip(ends, ends[1:])]


def split(ary, indices_or_sections, axis=0):
    ary = asarray(ary)
    if not isinstance(indices_or_sections, (list, tuple, ndarray)):
        if ary.shape[normal_axis(axis, ary.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    return split(ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0)


def expand_dims(a, axis):
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    axes = {normal_axis(one, ndim) for one in axes}
    return a[tuple(None if d in axes else slice(None) for d in range(ndim)) + (Ellipsis,)]


def broadcast_to(array, shape, subok=False):
    a = asarray(array)
    shape = shape_of(shape)
    try:
        made = _of(a._t.expand(shape), a.dtype)
    except RuntimeError:
        raise ValueError("operands could not be broadcast together with remapped shapes [original->remapped]: "
                         f"{str(a.shape).replace(' ', '')}  and requested shape {str(shape).replace(' ', '')}") from None
    made._writeable = False
    return made


def broadcast_shapes(*args):
    return tuple(torch.broadcast_shapes(*[shape_of(one) for one in args]))


def broadcast_arrays(*args, subok=False):
    arrays = [asarray(one) for one in args]
    shape = broadcast_shapes(*[one.shape for one in arrays])
    return tuple(broadcast_to(one, shape) for one in arrays)


def tile(A, reps):
    A = asarray(A)
    reps = shape_of(reps)
    count = max(A.ndim, len(reps))
    reps = (1,) * (count - len(reps)) + reps
    return _of(A._t.reshape((1,) * (count - A.ndim) + A.shape).repeat(*reps), A.dtype)


def repeat(a, repeats, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normal_axis(axis, a.ndim)
    counts = asarray(repeats)
    size = a.shape[axis]
    if counts.ndim == 0 or counts.size == 1:
        counts = _of(counts._t.reshape(-1).to(torch.int64).expand(size), INT64)
    if counts.shape[0] != size:
        raise ValueError(f"operands could not be broadcast together with shape ({size},) ({counts.shape[0]},)")
    places = torch.repeat_interleave(torch.arange(size), counts._t.to(torch.int64))
    return _of(torch.index_select(a._t, axis, places), a.dtype)


def moveaxis(a, source, destination):
    a = asarray(a)
    from_ = [normal_axis(one, a.ndim) for one in (source if isinstance(source, (tuple, list)) else (source,))]
    to = [normal_axis(one, a.ndim) for one in (destination if isinstance(destination, (tuple, list)) else (destination,))]
    order = [d for d in range(a.ndim) if d not in from_]
    for place, one in sorted(zip(to, from_)):
        order.insert(place, one)
    return a.transpose(order)


def rollaxis(a, axis, start=0):
    a = asarray(a)
    axis = normal_axis(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    order = [d for d in range(a.ndim) if d != axis]
    order.insert(start - (axis < start), axis)
    return a.transpose(order)


def flip(m, axis=None):
    m = asarray(m)
    axes = _reduce._axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(m.ndim)) + (Ellipsis,)]


def flipud(m):
    return flip(m, 0)


def fliplr(m):
    return flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    m = asarray(m)
    return _of(torch.rot90(m._t, k, list(axes)), m.dtype)


def roll(a, shift, axis=None):
    a = asarray(a)
    if axis is None:
        return _of(torch.roll(a._t.reshape(-1), shift, 0).reshape(a.shape), a.dtype)
    return _of(torch.roll(a._t, shift, axis), a.dtype)
