"""Choosing, sorting and searching. Behaviour: numpy/_core/fromnumeric.py, numpy/lib/_arraysetops_impl.py."""
import torch
from torch import _bytes

from numpy import _complex
from numpy._array import _cast, asarray, empty, ndarray, normal_axis
from numpy._dtypes import BOOL, INT64, UINT64, promote
from numpy._functions import stack
from numpy._ufunc import _Operand, result_of, wrap

_of = ndarray._of


def where(condition, x=None, y=None, /):
    condition = asarray(condition)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    operands = [_Operand(x, "where"), _Operand(y, "where")]
    found = result_of(operands)
    mask = condition._t if condition.dtype is BOOL else condition._t != 0
    tensors = [one.as_tensor(found) for one in operands]
    try:
        made = torch.where(mask, *tensors)
    except RuntimeError:
        shapes = " ".join(str(tuple(one.shape)).replace(" ", "") for one in [mask, *tensors])
        raise ValueError(f"operands could not be broadcast together with shapes {shapes} ") from None
    return _of(made, found)


def nonzero(a):
    a = asarray(a)
    if a.ndim == 0:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead. If the "
                         "context of this error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`.")
    return tuple(_of(one, INT64) for one in torch.where(a._t if a.dtype is BOOL else a._t != 0))


def argwhere(a):
    return stack(nonzero(a), axis=1) if asarray(a).ndim else empty((int(bool(a)), 0), int)


def flatnonzero(a):
    return nonzero(asarray(a).ravel())[0]


def select(condlist, choicelist, default=0):
    made = asarray(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        made = where(condition, choice, made)
    return made


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **kwargs):
    low, high = a_min if min is None else min, a_max if max is None else max
    operands = [_Operand(one, "clip") for one in (a, low, high) if one is not None]
    made, found = operands[0].as_tensor(result_of(operands)), result_of(operands)
    rest = iter(operands[1:])
    high_of, low_of = (_complex.maximum, _complex.minimum) if found.kind == "c" else (torch.maximum, torch.minimum)
    if low is not None:
        made = high_of(made, next(rest).as_tensor(found))
    if high is not None:
        made = low_of(made, next(rest).as_tensor(found))
    made = made.clone()
    if out is not None:
        out._write(_cast(made, found, out.dtype))
        return out
    return wrap(made, found)


def round(a, decimals=0, out=None):
    a = asarray(a)
    if a.dtype.kind == "c":
        parts = [asarray(round(part, decimals)) for part in (a.real, a.imag)]
        made = torch.complex(parts[0]._t, parts[1]._t)
    elif a.dtype.kind != "f":
        if decimals >= 0:
            made = a._t.clone()
        else:
            scale = 10 ** -decimals
            made = (torch.round(a._t.double() / scale) * scale).to(a.dtype.torch)
    elif decimals == 0:
        made = torch.round(a._t)
    else:
        scale = 10.0 ** abs(decimals)
        made = torch.round(a._t * scale) / scale if decimals > 0 else torch.round(a._t / scale) * scale
    if out is not None:
        out._write(_cast(made, a.dtype, out.dtype))
        return out
    return wrap(made, a.dtype)


def _sortable(a):
    """What torch sorts in the same order."""
    if a.dtype is UINT64:
        return _bytes.reinterpret(a._t.contiguous(), torch.int64) ^ -2 ** 63
    return a._t.to(torch.int64) if a.dtype.kind == "u" and a.dtype.itemsize > 1 else a._t


def _sorted(a, axis):
    """The items in order, and their places."""
    axis = normal_axis(axis, a.ndim)
    if a.dtype.kind == "c":
        places = _complex.order_of(a._t, axis)
        return torch.gather(a._t, axis, places), places
    values, places = torch.sort(_sortable(a), dim=axis, stable=True)
    return torch.gather(a._t, axis, places) if a.dtype is UINT64 else values.to(a.dtype.torch), places


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return _of(_sorted(a, axis)[0], a.dtype)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Differs: equal items keep their order with every `kind`, numpy promises that for "stable" only."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return _of(_sorted(a, axis)[1], INT64)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return argsort(a, axis)


def lexsort(keys, axis=-1):
    """Places in the order of the last key, among equals of the one before."""
    keys = [asarray(one) for one in keys]
    axis = normal_axis(axis, keys[0].ndim)
    places = argsort(keys[0], axis)._t
    for key in keys[1:]:
        places = torch.gather(places, axis, _sorted(_of(torch.gather(key._t, axis, places), key.dtype), axis)[1])
    return _of(places, INT64)


def searchsorted(a, v, side="left", sorter=None):
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    a = asarray(a)
    a = a if sorter is None else a[sorter]
    v = asarray(v)
    found = promote(a.dtype, v.dtype)
    borders, values = (_sortable(_of(_cast(one._t, one.dtype, found), found)).contiguous() for one in (a, v))
    if found.kind == "c":
        ranks = _complex.ranks(torch.cat([borders, values.reshape(-1)]))
        borders, values = ranks[:borders.numel()].contiguous(), ranks[borders.numel():].reshape(values.shape)
    return wrap(torch.searchsorted(borders, values, right=side == "right"), INT64)
