"""Different values, and sets of them. Behaviour: numpy/lib/_arraysetops_impl.py."""
import collections

import torch

from numpy import _complex
from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, INT64
from numpy._functions import concatenate, moveaxis
from numpy._searching import _sorted, searchsorted, sort
from numpy._ufunc import UFUNCS, wrap

_of = ndarray._of
UniqueAllResult = collections.namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = collections.namedtuple("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = collections.namedtuple("UniqueInverseResult", ["values", "inverse_indices"])


def _starts(values, equal_nan=False):
    """Where another value begins in sorted ones."""
    if not values.numel():
        return torch.zeros(0, dtype=torch.bool)
    is_new = values[1:] != values[:-1]
    if equal_nan and (values.dtype.is_floating_point or values.is_complex()):
        nans = _complex.isnan(values)
        is_new = is_new & ~(nans[1:] & nans[:-1])
    return torch.cat([torch.ones(1, dtype=torch.bool), is_new])


def _row_order(rows):
    """The places of rows in order, and where another row begins."""
    order = torch.arange(rows.shape[0])
    ranks = []
    for column in range(rows.shape[1]):
        values, places = _sorted(rows[:, column], 0)
        rank = torch.empty_like(places)
        rank[places] = torch.cumsum(_starts(values).to(torch.int64), 0)
        ranks.append(rank)
    for rank in reversed(ranks):
        order = order[torch.sort(rank[order], stable=True)[1]]
    is_new = torch.zeros(rows.shape[0], dtype=torch.bool)
    is_new[:1] = True
    for rank in ranks:
        is_new[1:] |= rank[order][1:] != rank[order][:-1]
    return order, is_new


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The different items, or parts along an axis, in order."""
    a = asarray(ar)
    if axis is None:
        flat = a.ravel() if a.ndim != 1 else a
        values, order = _sorted(flat, 0)
        is_new = _starts(values, equal_nan)
        made = [_of(values[is_new], a.dtype)]
    else:
        moved = moveaxis(a, axis, 0)
        order, is_new = _row_order(moved.reshape(moved.shape[0], -1))
        made = [moveaxis(_of(moved._t[order[is_new]], a.dtype), 0, axis)]
    if return_index:
        made.append(_of(order[is_new], INT64))
    if return_inverse:
        inverse = torch.empty(order.shape, dtype=torch.int64)
        inverse[order] = torch.cumsum(is_new.to(torch.int64), 0) - 1
        made.append(_of(inverse.reshape(a.shape) if axis is None else inverse, INT64))
    if return_counts:
        starts = torch.where(is_new)[0]
        made.append(_of(torch.diff(torch.cat([starts, torch.tensor([order.numel()])])), INT64))
    return made[0] if len(made) == 1 else tuple(made)


def unique_all(x):
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x):
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x):
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x):
    return unique(x, equal_nan=False)


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
    if not return_indices:
        a = unique(ar1)
        return a[isin(a, ar2)]
    a, first = unique(ar1, return_index=True)
    b, second = unique(ar2, return_index=True)
    in_both, back = isin(a, b), isin(b, a)
    return a[in_both], first[in_both], second[back]


def union1d(ar1, ar2):
    return unique(concatenate([asarray(ar1).ravel(), asarray(ar2).ravel()]))


def setdiff1d(ar1, ar2, assume_unique=False):
    a = asarray(ar1).ravel() if assume_unique else unique(ar1)
    return a[isin(a, ar2, invert=True)]


def setxor1d(ar1, ar2, assume_unique=False):
    return sort(concatenate([setdiff1d(ar1, ar2), setdiff1d(ar2, ar1)]))
