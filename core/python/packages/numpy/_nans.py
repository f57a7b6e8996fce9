"""Reductions that leave out what is no number. Behaviour: numpy/lib/_nanfunctions_impl.py."""
import math
import warnings

import torch

from numpy import _complex
from numpy._array import asarray, ndarray
from numpy._reduce import _finish, all, argmax, argmin, cumprod, cumsum, max, mean, min, prod, sum, var
from numpy._ufunc import UFUNCS, errstate, warn_at_caller, wrap


def _without_nans(a, instead):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return a
    x = a._t
    return ndarray._of(torch.where(_complex.isnan(x), torch.full((), instead, dtype=x.dtype), x), a.dtype)


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return sum(_without_nans(a, 0.0), axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    return prod(_without_nans(a, 1.0), axis, dtype, out, keepdims)


def nanmax(a, axis=None, out=None, keepdims=False):
    made = max(_without_nans(a, -math.inf), axis, out, keepdims)
    return _all_nan(a, made, axis, keepdims)


def nanmin(a, axis=None, out=None, keepdims=False):
    made = min(_without_nans(a, math.inf), axis, out, keepdims)
    return _all_nan(a, made, axis, keepdims)


def _all_nan(a, made, axis, keepdims):
    none = asarray(all(UFUNCS["isnan"](a), axis=axis, keepdims=keepdims))
    if not bool(none._t.any()):
        return made
    warn_at_caller("All-NaN slice encountered", RuntimeWarning)
    made = asarray(made)
    return wrap(torch.where(none._t, torch.full((), math.nan, dtype=made.dtype.torch), made._t), made.dtype)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis, dtype, out, keepdims)
    count = sum(UFUNCS["logical_not"](UFUNCS["isnan"](a)), axis=axis, keepdims=keepdims)
    total = nansum(a, axis, dtype, None, keepdims)
    if bool((count == 0).any()):
        warn_at_caller("Mean of empty slice", RuntimeWarning)
    with errstate(all="ignore"):
        made = asarray(UFUNCS["divide"](total, count))
    return _finish(made._t.to(asarray(total).dtype.torch), asarray(total).dtype, (), False, out, made.shape)


def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    a = asarray(a)
    if a.dtype.kind not in "fc":
        return var(a, axis, dtype, out, ddof, keepdims)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        middle = nanmean(a, axis, dtype, keepdims=True)
    apart = UFUNCS["subtract"](a, middle)
    squares = UFUNCS["multiply"](apart, UFUNCS["conjugate"](apart)) if a.dtype.kind == "c" else UFUNCS["multiply"](apart, apart)
    total = nansum(squares.real, axis, dtype, None, keepdims)
    count = sum(UFUNCS["logical_not"](UFUNCS["isnan"](a)), axis=axis, keepdims=keepdims)
    count = UFUNCS["subtract"](count, ddof)
    if bool((count <= 0).any()):
        warn_at_caller("Degrees of freedom <= 0 for slice.", RuntimeWarning)
    with errstate(all="ignore"):
        made = asarray(UFUNCS["divide"](total, count))
    none = torch.full((), math.nan, dtype=made.dtype.torch)
    made = ndarray._of(torch.where(asarray(count)._t <= 0, none, made._t), made.dtype)
    return _finish(made._t.to(asarray(total).dtype.torch), asarray(total).dtype, (), False, out, made.shape)


def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return UFUNCS["sqrt"](nanvar(a, axis, dtype, None, ddof, keepdims), out=out)


def nancumsum(a, axis=None, dtype=None, out=None):
    return cumsum(_without_nans(a, 0.0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    return cumprod(_without_nans(a, 1.0), axis, dtype, out)


def _place(pick, instead):
    def place(a, axis=None, out=None, *, keepdims=False):
        a = asarray(a)
        if a.dtype.kind in "fc" and bool(all(UFUNCS["isnan"](a), axis=axis).any()):
            raise ValueError("All-NaN slice encountered")
        return pick(_without_nans(a, instead), axis, out, keepdims=keepdims)

    place.__name__ = "nan" + pick.__name__
    return place


nanargmax, nanargmin = _place(argmax, -math.inf), _place(argmin, math.inf)
