"""Medians and quantiles. Behaviour: numpy/lib/_function_base_impl.py, _nanfunctions_impl.py.

R. J. Hyndman, Y. Fan: Sample quantiles in statistical packages, The American Statistician 50 (1996).
"""
import math

import torch

from numpy import _complex
from numpy._array import asarray, ndarray
from numpy._dtypes import FLOAT64
from numpy._reduce import _axes, _finish, _shared
from numpy._searching import _sorted
from numpy._ufunc import UFUNCS, warn_at_caller, wrap

# Where a quantile lies among the sorted items: the two parameters of Hyndman and Fan.
_BETWEEN = {"linear": (1.0, 1.0), "lower": (1.0, 1.0), "higher": (1.0, 1.0), "nearest": (1.0, 1.0), "midpoint": (1.0, 1.0),
            "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
            "median_unbiased": (1 / 3.0, 1 / 3.0), "normal_unbiased": (3 / 8.0, 3 / 8.0)}
_ITEMS = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")  # an item itself, in its type
_STEPS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")


def _place(q, n, method):
    """The place of a quantile among n sorted items: the lower one of two and the share of the upper one."""
    if method in _STEPS:
        at = n * q - 1 - (0.5 if method == "closest_observation" else 0.0)
        low = math.floor(at)
        if method == "inverted_cdf":
            share = 0.0 if at == low else 1.0
        elif method == "averaged_inverted_cdf":
            share = 0.5 if at == low else 1.0
        else:
            share = 0.0 if at == low and low % 2 == 1 else 1.0
    else:
        alpha, beta = _BETWEEN[method]
        at = (n - 1) * q if (alpha, beta) == (1.0, 1.0) else n * q + (alpha + q * (1 - alpha - beta)) - 1
        low = math.floor(at)
        share = at - low
        if method == "lower":
            share = 0.0
        elif method == "higher":
            share = 1.0 if share else 0.0
        elif method == "nearest":
            share = 1.0 if share > 0.5 or (share == 0.5 and low % 2 == 1) else 0.0
        elif method == "midpoint":
            share = 0.5 if share else 0.0
    if low < 0:
        return 0, 0.0
    return (n - 1, 0.0) if low >= n - 1 else (low, share)


def _row_of(x, q, method):
    """One quantile of the last dimension, which is sorted."""
    low, share = _place(q, x.shape[-1], method)
    low_item, high_item = x[..., low], x[..., min(low + 1, x.shape[-1] - 1)]
    if method in _ITEMS:
        return high_item if share else low_item
    apart = high_item - low_item
    return low_item + apart * share if share < 0.5 else high_item - apart * (1 - share)


def _weighted(x, weights, q):
    """Where the weights of sorted items first reach the share q of all of them."""
    order = torch.sort(x, dim=-1, stable=True)[1]
    x, weights = torch.gather(x, -1, order), torch.gather(weights, -1, order)
    sums = torch.cumsum(weights, -1)
    shares = sums / sums[..., -1:]
    # Items without a weight are below every quantile.
    shares = torch.where(sums == 0, torch.full_like(shares, -1.0), shares)
    places = torch.searchsorted(shares.contiguous(), torch.full(shares.shape[:-1] + (1,), q, dtype=shares.dtype), right=False)
    return torch.gather(x, -1, torch.clamp(places, max=x.shape[-1] - 1)).squeeze(-1)


def _rows(a, axes, found):
    kept = [d for d in range(a.ndim) if d not in axes]
    return a._t.to(found.torch).permute(kept + list(axes)).reshape([a.shape[d] for d in kept] + [-1])


def _quantile(a, q, axis, out, method, keepdims, weights, skips_nans=False):
    if method not in _BETWEEN and method not in _STEPS:
        raise ValueError(f"{method!r} is not a valid method. Use one of: {sorted([*_BETWEEN, *_STEPS])}")
    a = asarray(a)
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    axes = _axes(axis, a.ndim)
    found = a.dtype if a.dtype.kind == "f" or (method in _ITEMS and a.size) else FLOAT64
    x = _rows(a, axes, found)
    if weights is not None:
        if method != "inverted_cdf":
            raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
        weights = _weights_of(weights, a, axes)
    flat = [float(one) for one in q._t.reshape(-1).double().tolist()]
    nan = torch.full((), math.nan if found.kind == "f" else 0, dtype=found.torch)
    if x.shape[-1] == 0:
        rows = [nan.expand(x.shape[:-1])] * len(flat)
    elif skips_nans and found.kind == "f":
        rows = _without_nans(x, flat, method, weights)
    else:
        with_nan = torch.isnan(x).any(-1) if found.kind == "f" else torch.zeros((), dtype=torch.bool)
        ordered = _sorted(ndarray._of(x, found), -1)[0]
        rows = [torch.where(with_nan, nan, _row_of(ordered, one, method) if weights is None else _weighted(x, weights, one))
                for one in flat]
    made = torch.stack([*rows]).reshape(tuple(q.shape) + tuple(x.shape[:-1])) if rows else \
        torch.zeros((0,) + tuple(x.shape[:-1]), dtype=found.torch)
    if keepdims:
        made = made.reshape(tuple(q.shape) + tuple(1 if d in axes else size for d, size in enumerate(a.shape)))
    if out is not None:
        out._write(made.to(out.dtype.torch))
        return out
    return ndarray._of(made, found) if keepdims else wrap(made, found)


def _weights_of(weights, a, axes):
    weights = asarray(weights).astype(float)
    if weights.shape != a.shape:
        if len(axes) != 1 or weights.ndim != 1:
            raise TypeError("Axis must be specified when shapes of a and weights differ." if len(axes) != 1 else
                            "1D weights expected when shapes of a and weights differ.")
        if weights.shape[0] != a.shape[axes[0]]:
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = ndarray._of(weights._t.reshape([-1 if d == axes[0] else 1 for d in range(a.ndim)]).expand(a.shape), FLOAT64)
    if bool((weights < 0).any()):
        raise ValueError("Weights must be non-negative.")
    return _rows(weights, axes, FLOAT64)


def _without_nans(x, shares, method, weights):
    """Quantiles of what is a number in each row."""
    lead = x.shape[:-1]
    made = [[] for _ in shares]
    rows = x.reshape(-1, x.shape[-1])
    if bool(torch.isnan(rows).all(-1).any()):
        warn_at_caller("All-NaN slice encountered", RuntimeWarning)
    for i in range(rows.shape[0]):
        known = ~torch.isnan(rows[i])
        items = rows[i][known]
        ordered = torch.sort(items)[0]
        for one, share in zip(made, shares):
            one.append(torch.full((), math.nan, dtype=x.dtype) if items.numel() == 0 else _row_of(ordered, share, method)
                       if weights is None else _weighted(items, weights.reshape(rows.shape)[i][known], share))
    return [torch.stack(one).reshape(lead) if one else x.new_zeros(lead) for one in made]


def _shares(q, parts, text):
    """Quantiles as shares of 1. Errors: ValueError(text)  out of range."""
    q = asarray(q)
    if parts != 1:
        q = asarray(UFUNCS["divide"](q, parts if q.dtype.kind != "f" else q.dtype.type(parts)))
    q = q if q.dtype.kind == "f" else q.astype(float)
    if bool(((q._t < 0) | (q._t > 1)).any()):
        raise ValueError(text)
    return q


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
             interpolation=None):
    return _quantile(a, _shares(q, 1, "Quantiles must be in the range [0, 1]"), axis, out, interpolation or method, keepdims,
                     weights)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
               interpolation=None):
    return _quantile(a, _shares(q, 100, "Percentiles must be in the range [0, 100]"), axis, out, interpolation or method,
                     keepdims, weights)


def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                interpolation=None):
    return _quantile(a, _shares(q, 1, "Quantiles must be in the range [0, 1]"), axis, out, interpolation or method, keepdims,
                     weights, skips_nans=True)


def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None,
                  interpolation=None):
    return _quantile(a, _shares(q, 100, "Percentiles must be in the range [0, 100]"), axis, out, interpolation or method,
                     keepdims, weights, skips_nans=True)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a = asarray(a)
    axes = _axes(axis, a.ndim)
    found = a.dtype if a.dtype.kind in "fc" else FLOAT64
    kept = [d for d in range(a.ndim) if d not in axes]
    x = a._t.permute(kept + list(axes)).reshape([a.shape[d] for d in kept] + [-1])
    n = x.shape[-1]
    if n == 0:
        warn_at_caller("Mean of empty slice.", RuntimeWarning)
        return _finish(torch.full(x.shape[:-1], math.nan, dtype=found.torch), found, axes, keepdims, out, a.shape)
    x = _sorted(ndarray._of(x, a.dtype), -1)[0].to(found.torch)
    made = x[..., n // 2] if n % 2 else _shared(x[..., n // 2 - 1] + x[..., n // 2], 2)
    if a.dtype.kind in "fc":
        made = torch.where(_complex.isnan(x[..., -1]), torch.full((), math.nan, dtype=x.dtype), made)
    return _finish(made, found, axes, keepdims, out, a.shape)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of what is a number."""
    a = asarray(a)
    if a.dtype.kind not in "fc" or a.size == 0:
        return median(a, axis, out, overwrite_input, keepdims)
    axes = _axes(axis, a.ndim)
    x = _rows(a, axes, a.dtype)
    rows = x.reshape(-1, x.shape[-1])
    if bool(_complex.isnan(rows).all(-1).any()):
        warn_at_caller("All-NaN slice encountered", RuntimeWarning)
    made = []
    for row in rows:
        items = row[~_complex.isnan(row)]
        made.append(asarray(median(ndarray._of(items, a.dtype)))._t if items.numel() else
                    torch.full((), math.nan, dtype=a.dtype.torch))
    return _finish(torch.stack(made).reshape(x.shape[:-1]), a.dtype, axes, keepdims, out, a.shape)
