"""Writing into arrays, blocks, bits. Behaviour: numpy/_core/src/multiarray/item_selection.c, compiled_base.c."""
import torch

from numpy._array import asarray, ndarray
from numpy._dtypes import UINT8
from numpy._functions import broadcast_arrays, concatenate, full, moveaxis, split
from numpy._searching import nonzero
from numpy._shapes import normal_axis, shape_of
from numpy._ufunc import UFUNCS

_of = ndarray._of


def _places(indices, size, mode):
    """Indices from the front. Errors: IndexError  out of range with mode "raise"."""
    places = asarray(indices).ravel()._t.to(torch.int64)
    if mode == "wrap":
        return torch.remainder(places, size)
    if mode == "clip":
        return torch.clamp(places, 0, size - 1)
    if mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    wrong = (places < -size) | (places >= size)
    if bool(wrong.any()):
        raise IndexError(f"index {int(places[wrong][0])} is out of bounds for axis 0 with size {size}")
    return torch.where(places < 0, places + size, places)


def _written(a, places, values):
    """a.flat[places] = values, which start again where they end; the last of several wins."""
    if places.numel() == 0:
        return
    values = asarray(values).astype(a.dtype).ravel()._t
    if values.numel() == 0:
        return
    flat = a._t.reshape(-1).clone()
    turns = values[torch.arange(places.numel()) % values.numel()]
    last = torch.full((flat.numel(),), -1, dtype=torch.int64)
    last = last.scatter_reduce(0, places, torch.arange(places.numel()), "amax")
    chosen = torch.where(last >= 0)[0]
    flat[chosen] = turns[last[chosen]]
    a._write(flat.reshape(a.shape))


def put(a, ind, v, mode="raise"):
    if not isinstance(a, ndarray):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(a).__name__}")
    _written(a, _places(ind, a.size, mode), v)


def place(arr, mask, vals):
    if not isinstance(arr, ndarray):
        raise TypeError(f"argument 1 must be numpy.ndarray, not {type(arr).__name__}")
    if asarray(mask).size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    chosen = torch.where(asarray(mask).astype(bool).ravel()._t)[0]
    if chosen.numel() and asarray(vals).size == 0:
        raise ValueError("Cannot insert from an empty array!")
    _written(arr, chosen, vals)


def putmask(a, mask, values):
    """a.flat[n] = values[n] where the mask holds; values that are fewer start again."""
    mask = asarray(mask).astype(bool)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    values = asarray(values).astype(a.dtype).ravel()._t
    if values.numel():
        turns = values[torch.arange(a.size) % values.numel()].reshape(a.shape)
        a._write(torch.where(mask._t.reshape(a.shape), turns, a._t))


def choose(a, choices, out=None, mode="raise"):
    """Each item of the array that is numbered there."""
    arrays = broadcast_arrays(asarray(a), *[asarray(one) for one in choices])
    places = arrays[0]._t.to(torch.int64)
    count = len(arrays) - 1
    if mode == "raise":
        if bool(((places < 0) | (places >= count)).any()):
            raise ValueError("invalid entry in choice array")
    else:
        places = _places(arrays[0], count, mode).reshape(places.shape)
    stacked = concatenate([one[None] for one in arrays[1:]])
    made = _of(torch.gather(stacked._t, 0, places.unsqueeze(0)).squeeze(0), stacked.dtype)
    if out is not None:
        out[...] = made
        return out
    return made


def resize(a, new_shape):
    """The items, again and again, in another shape."""
    shape = shape_of(new_shape)
    flat = asarray(a).ravel()
    size = 1
    for one in shape:
        size *= one
    if flat.size == 0:
        return full(shape, 0, flat.dtype)
    return _of(flat._t[torch.arange(size) % flat.size].reshape(shape), flat.dtype)


def trim_zeros(filt, trim="fb", axis=None):
    """Without the zeros at the front ("f") and the back ("b")."""
    a = asarray(filt)
    axes = tuple(range(a.ndim)) if axis is None else tuple(
        normal_axis(one, a.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if not set(trim.lower()) <= set("fb"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    found = nonzero(a)
    key = [slice(None)] * a.ndim
    for d in axes:
        if found[d].size == 0:
            key[d] = slice(0, 0)
            continue
        first = int(found[d].min()) if "f" in trim.lower() else 0
        last = int(found[d].max()) if "b" in trim.lower() else a.shape[d] - 1
        key[d] = slice(first, last + 1)
    return filt[key[0]] if a.ndim == 1 else a[tuple(key)]


def _block_depth(arrays, place="arrays"):
    """How deep the lists are, and the first place at that depth. Errors: TypeError, ValueError  not as deep everywhere."""
    if isinstance(arrays, tuple):
        raise TypeError(f"{place} is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
                        "conversion from tuple to ndarray.")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError(f"List at {place} cannot be empty")
    first = _block_depth(arrays[0], f"{place}[0]")
    for i, one in enumerate(arrays):
        depth, level = _block_depth(one, f"{place}[{i}]"), place.count("[") + 1
        if depth != first:
            deep = f"{place}[{i}]" + "[0]" * depth
            raise ValueError(f"List depths are mismatched. First element was at depth {level + first}, but there is an element at "
                             f"depth {level + depth} ({deep})")
    return 1 + first


def block(arrays):
    """Arrays in nested lists, the innermost ones side by side along the last axis."""
    depth = _block_depth(arrays)

    def leaves(nested):
        return [leaf for one in nested for leaf in leaves(one)] if isinstance(nested, list) else [asarray(nested)]

    ndim = max([depth, *[one.ndim for one in leaves(arrays)]])

    def joined(nested, level):
        if level == 0:
            one = asarray(nested)
            return one.reshape((1,) * (ndim - one.ndim) + one.shape)
        return concatenate([joined(one, level - 1) for one in nested], -level)

    made = joined(arrays, depth)
    return made.copy() if depth == 0 else made


def unstack(x, /, *, axis=0):
    x = asarray(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(x, axis, 0)[i, ...] for i in range(x.shape[normal_axis(axis, x.ndim)]))


def dsplit(ary, indices_or_sections):
    if asarray(ary).ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def mask_indices(n, mask_func, k=0):
    return nonzero(asarray(UFUNCS["not_equal"](mask_func(full((n, n), 1), k), 0)))


# Bits.

_WEIGHTS = (128, 64, 32, 16, 8, 4, 2, 1)


def _weights(bitorder):
    if bitorder not in ("big", "little"):
        raise ValueError("'bitorder' must be either 'big' or 'little'")
    return torch.tensor(_WEIGHTS if bitorder == "big" else _WEIGHTS[::-1], dtype=torch.int64)


def packbits(a, /, axis=None, bitorder="big"):
    """Eight items a byte, with zeros at the end."""
    a = asarray(a)
    if a.dtype.kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    weights = _weights(bitorder)
    a = a.ravel() if axis is None else a
    x = torch.movedim((a._t != 0).to(torch.int64), 0 if axis is None else normal_axis(axis, a.ndim), -1)
    more = -x.shape[-1] % 8
    x = torch.cat([x, torch.zeros(x.shape[:-1] + (more,), dtype=torch.int64)], -1)
    made = (x.reshape(x.shape[:-1] + (-1, 8)) * weights).sum(-1).to(torch.uint8)
    return _of(torch.movedim(made, -1, 0 if axis is None else axis), UINT8)


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes, each an item; `count` of them, or without the last -count."""
    a = asarray(a)
    if a.dtype is not UINT8:
        raise TypeError("Expected an input array of unsigned byte data type")
    weights = _weights(bitorder)
    a = a.ravel() if axis is None else a
    x = torch.movedim(a._t.to(torch.int64), 0 if axis is None else normal_axis(axis, a.ndim), -1)
    bits = ((x.unsqueeze(-1) & weights) != 0).to(torch.uint8).reshape(x.shape[:-1] + (-1,))
    if count is not None:
        size = bits.shape[-1]
        if count < -size:
            raise ValueError(f"-count larger than number of elements ({size})")
        count = size + count if count < 0 else count
        bits = torch.cat([bits[..., :count], torch.zeros(bits.shape[:-1] + (max(count - size, 0),), dtype=torch.uint8)], -1)
    return _of(torch.movedim(bits, -1, 0 if axis is None else axis), UINT8)
