"""Choosing, sorting and searching. Behaviour: numpy/_core/fromnumeric.py, numpy/lib/_arraysetops_impl.py."""
import torch

from numpy._array import _cast, asarray, empty, ndarray, normal_axis
from numpy._dtypes import BOOL, INT64, absent, promote
from numpy._functions import stack
from numpy._ufunc import UFUNCS, _Operand, result_of, wrap

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
    if low is not None:
        made = torch.maximum(made, next(rest).as_tensor(found))
    if high is not None:
        made = torch.minimum(made, next(rest).as_tensor(found))
    made = made.clone()
    if out is not None:
        out._write(_cast(made, found, out.dtype))
        return out
    return wrap(made, found)


def round(a, decimals=0, out=None):
    a = asarray(a)
    if a.dtype.kind != "f":
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
    return a._t.to(torch.int64) if a.dtype.kind == "u" and 1 < a.dtype.itemsize < 8 else a._t


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return _of(torch.sort(_sortable(a), dim=normal_axis(axis, a.ndim), stable=True)[0].to(a.dtype.torch), a.dtype)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Differs: equal items keep their order with every `kind`, numpy promises that for "stable" only."""
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return _of(torch.sort(_sortable(a), dim=normal_axis(axis, a.ndim), stable=True)[1], INT64)


def partition(a, kth, axis=-1, kind="introselect", order=None):
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return argsort(a, axis)


def lexsort(keys, axis=-1):
    keys = [asarray(one) for one in keys]
    places = torch.arange(keys[0].shape[-1])
    for key in keys:
        places = places[torch.sort(_sortable(key)[places], stable=True)[1]]
    return _of(places, INT64)


def searchsorted(a, v, side="left", sorter=None):
    a = asarray(a)
    a = a if sorter is None else a[sorter]
    v = asarray(v)
    found = promote(a.dtype, v.dtype)
    made = torch.searchsorted(a._t.to(found.torch).contiguous(), v._t.to(found.torch).contiguous(), right=side == "right")
    return wrap(made, INT64)


def digitize(x, bins, right=False):
    bins = asarray(bins)
    if bins.size > 1 and bool((bins[1:] < bins[:-1]).any()):
        made = searchsorted(bins[::-1], x, "left" if not right else "right")
        return UFUNCS["subtract"](bins.size, made)
    return searchsorted(bins, x, "left" if right else "right")


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    if axis is not None:
        raise absent("unique(axis=...)")
    a = asarray(ar)
    flat = _sortable(a.ravel() if a.ndim != 1 else a)
    values, order = torch.sort(flat, dim=0, stable=True)
    if values.numel():
        is_new = torch.cat([torch.ones(1, dtype=torch.bool), values[1:] != values[:-1]])
        if a.dtype.kind == "f" and equal_nan:
            nans = torch.isnan(values)
            is_new = is_new & ~torch.cat([torch.zeros(1, dtype=torch.bool), nans[1:] & nans[:-1]])
    else:
        is_new = torch.zeros(0, dtype=torch.bool)
    made = [_of(values[is_new].to(a.dtype.torch), a.dtype)]
    if return_index:
        made.append(_of(order[is_new], INT64))
    if return_inverse:
        inverse = torch.empty(flat.shape, dtype=torch.int64)
        inverse[order] = torch.cumsum(is_new.to(torch.int64), 0) - 1
        made.append(_of(inverse.reshape(a.shape), INT64))
    if return_counts:
        starts = torch.where(is_new)[0]
        made.append(_of(torch.diff(torch.cat([starts, torch.tensor([values.numel()])])), INT64))
    return made[0] if len(made) == 1 else tuple(made)
