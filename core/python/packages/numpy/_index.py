"""a[key] and a[key] = value. Behaviour: numpy/_core/src/multiarray/mapping.c."""
import operator

import torch

from numpy._dtypes import BOOL
from numpy._scalars import generic

_array = None  # the module numpy._array, which needs this one

_WRONG = ("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
          "indices")


def _read(a, key):
    """The key's parts with the ellipsis written out, and whether arrays take part."""
    parts = list(key) if isinstance(key, tuple) else [key]
    read, is_advanced = [], False
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, slice):
            read.append(part)
            continue
        if isinstance(part, generic) and part.dtype is BOOL:
            part = bool(part)
        if isinstance(part, bool):
            part = _array.array(part)
        if isinstance(part, torch.Tensor):
            part = _array.asarray(part)
        if isinstance(part, (list, range)) or (isinstance(part, tuple)):
            part = _array.array(part) if len(part) else _array.empty((0,), dtype="int64")
        if isinstance(part, _array.ndarray):
            if part.dtype.kind in "fc":
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            if part.ndim == 0 and part.dtype.kind in "iu":
                read.append(int(part))
                continue
            is_advanced = True
            read.append(part)
            continue
        if isinstance(part, (float, complex, str)):
            raise IndexError(_WRONG)
        try:
            read.append(operator.index(part))
        except TypeError:
            raise IndexError(_WRONG) from None
    used = sum(_width(part) for part in read)
    if sum(part is Ellipsis for part in read) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if used > a.ndim:
        raise IndexError(f"too many indices for array: array is {a.ndim}-dimensional, but {used} were indexed")
    rest = [slice(None)] * (a.ndim - used)
    at = next((i for i, part in enumerate(read) if part is Ellipsis), None)
    read = read + rest if at is None else read[:at] + rest + read[at + 1:]
    return read, is_advanced


def _width(part):
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, _array.ndarray) and part.dtype is BOOL:
        return part.ndim
    return 1


def _view(a, parts):
    """Ints, slices and new axes: the tensor without flips, and which of its dimensions are read backwards."""
    tensor, flips, dim, axis = a._raw, [], 0, 0
    for part in parts:
        if part is None:
            tensor = tensor.unsqueeze(dim)
            dim += 1
            continue
        size = a.shape[axis]
        is_flipped = axis in a._flips
        if isinstance(part, slice):
            start, stop, step = part.indices(size)
            places = range(start, stop, step)
            if is_flipped:
                places = range(size - 1 - start, size - 1 - start - step * len(places), -step)
            if len(places) == 0:
                tensor = tensor.narrow(dim, 0, 0)
            elif places.step > 0:
                tensor = torch.narrow(tensor, dim, places[0], places[-1] + 1 - places[0])[_every(dim, places.step)]
            else:
                tensor = torch.narrow(tensor, dim, places[-1], places[0] + 1 - places[-1])[_every(dim, -places.step)]
                flips.append(dim)
            dim += 1
        else:
            if not -size <= part < size:
                raise IndexError(f"index {part} is out of bounds for axis {axis} with size {size}")
            place = part % size
            tensor = tensor.select(dim, size - 1 - place if is_flipped else place)
        axis += 1
    return tensor, tuple(flips)


def _every(dim, step):
    return (slice(None),) * dim + (slice(None, None, step),)


def _advanced(a, parts):
    """The key for a tensor of the same order without flips; what is out of range raises in numpy's words."""
    # 1. Slices with steps of their own and new axes first, as a view.
    first = [part if part is None or isinstance(part, slice) else slice(None) for part in _spread(parts)]
    tensor, flips = _view(a, first)
    if flips:
        tensor = torch.flip(tensor, flips)
    # 2. Then the arrays and ints, by the dimensions of the view.
    key, dim = [], 0
    for part in parts:
        if part is None or isinstance(part, slice):
            key.append(slice(None))
            dim += 1
        elif isinstance(part, _array.ndarray) and part.dtype is BOOL:
            for d in range(part.ndim):
                if part.shape[d] != tensor.shape[dim + d]:
                    raise IndexError(f"boolean index did not match indexed array along axis {_axis(parts, dim + d)}; size of "
                                     f"axis is {tensor.shape[dim + d]} but size of corresponding boolean axis is "
                                     f"{part.shape[d]}")
            key.append(part._t)
            dim += part.ndim
        else:
            size = tensor.shape[dim]
            places = part._t.to(torch.int64) if isinstance(part, _array.ndarray) else torch.tensor(part)
            wrong = (places < -size) | (places >= size)
            if bool(wrong.any()):
                raise IndexError(f"index {places[wrong][0].item() if places.ndim else places.item()} is out of bounds for "
                                 f"axis {_axis(parts, dim)} with size {size}")
            key.append(torch.where(places < 0, places + size, places))
            dim += 1
    shapes = [tuple(one.shape) for one in key if isinstance(one, torch.Tensor) and one.dtype != torch.bool]
    try:
        torch.broadcast_shapes(*shapes)
    except RuntimeError:
        texts = " ".join(str(shape).replace(" ", "") for shape in shapes)
        raise IndexError(f"shape mismatch: indexing arrays could not be broadcast together with shapes {texts} ") from None
    return tensor, tuple(key)


def _spread(parts):
    for part in parts:
        for _ in range(_width(part) if part is not None else 1):
            yield part


def _axis(parts, dim):
    return dim - sum(part is None for part in parts[:dim])


def get_item(a, key):
    if isinstance(key, str):
        raise IndexError(_WRONG)
    parts, is_advanced = _read(a, key)
    if not is_advanced:
        tensor, flips = _view(a, parts)
        has_ellipsis = key is Ellipsis or (isinstance(key, tuple) and any(part is Ellipsis for part in key))
        if tensor.ndim == 0 and not has_ellipsis:
            return _array.wrap(tensor, a.dtype)
        return _array.ndarray._of(tensor, a.dtype, flips, base=a)
    tensor, inner = _advanced(a, parts)
    inner = _with_ints_as_arrays(inner)
    return _array.wrap(tensor[inner], a.dtype) if tensor.ndim == 0 else _array.ndarray._of(tensor[inner], a.dtype)


def _with_ints_as_arrays(key):
    """Ints beside arrays count as arrays: they decide where the new dimensions go."""
    count = max((one.ndim for one in key if isinstance(one, torch.Tensor)), default=0)
    return tuple(one.reshape((1,) * count) if isinstance(one, torch.Tensor) and one.ndim == 0 and one.dtype != torch.bool
                 else one for one in key)


def set_item(a, key, value):
    if not a._writeable:
        raise ValueError("assignment destination is read-only")
    parts, is_advanced = _read(a, key)
    source = _array._stored_as(value, a.dtype)
    if not is_advanced:
        tensor, flips = _view(a, parts)
        if flips and source.ndim:
            source = _fitting(source, tensor.shape)
            source = torch.flip(source, flips)
        tensor.copy_(_fitting(source, tensor.shape))
        return
    tensor, inner = _advanced(a, parts)
    goes_back = any(isinstance(part, slice) and (part.step or 1) < 0 for part in parts)
    shares = tensor.numel() == 0 or not (a._flips or goes_back)
    inner = _with_ints_as_arrays(inner)
    whole = _fitting(source, tensor[inner].shape, is_mask=any(isinstance(p, _array.ndarray) and p.dtype is BOOL for p in parts))
    tensor[inner] = whole.clone()
    if not shares:
        # The flipped dimensions made a copy: it goes back by the places of all items.
        places = torch.arange(a.size).reshape(a.shape)
        numbered = _array.ndarray._of(places, _array.INT64)
        first = [part if part is None or isinstance(part, slice) else slice(None) for part in _spread(parts)]
        chosen = get_item(numbered, tuple(first))._t.reshape(-1)
        everything = a._t.reshape(-1).clone()
        everything[chosen] = tensor.reshape(-1)
        a._write(everything.reshape(a.shape))


def _fitting(source, shape, is_mask=False):
    shape = tuple(shape)
    while source.ndim > len(shape) and source.shape[0] == 1:
        source = source[0]
    try:
        return source.expand(shape)
    except RuntimeError:
        if is_mask and source.ndim == 1 and len(shape) == 1:
            raise ValueError(f"NumPy boolean array indexing assignment cannot assign {source.shape[0]} input values to the "
                             f"{shape[0]} output values where the mask is true") from None
        texts = [str(tuple(one)).replace(" ", "") for one in (source.shape, shape)]
        raise ValueError(f"could not broadcast input array from shape {texts[0]} into shape {texts[1]}") from None
