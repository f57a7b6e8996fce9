"""The part of numpy that PyTorch's model sources and training scripts use, over tensors. What is not here raises by name."""
import math as _math
import sys as _sys

import torch as _torch

from numpy import _scalars
from numpy._array import array, asarray, empty, flatiter, ndarray
from numpy import _operators, _ufunc_methods
from numpy._dtypes import can_cast, dtype
from numpy._dtypes import no_attribute as _no_attribute
from numpy._functions import (
    append, arange, array_split, ascontiguousarray, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_shapes,
    broadcast_to, column_stack, concatenate, copy, dstack, empty_like, expand_dims, eye, flip, fliplr, flipud, frombuffer,
    fromfunction, fromiter, full, full_like, hsplit, hstack, identity, indices, linspace, logspace, meshgrid, moveaxis, ones,
    ones_like, repeat, roll, rollaxis, rot90, split, stack, tile, tri, vsplit, vstack, zeros, zeros_like,
)
from numpy._calculus import convolve, correlate, diff, ediff1d, gradient, interp, trapezoid, unwrap
from numpy._changing import (
    block, choose, dsplit, mask_indices, packbits, place, put, putmask, resize, trim_zeros, unpackbits, unstack,
)
from numpy._floats import (
    bartlett, base_repr, binary_repr, blackman, divmod, fix, frexp, hamming, hanning, i0, isdtype, isneginf, isposinf, kaiser,
    ldexp, min_scalar_type, modf, sinc,
)
from numpy._grids import c_, geomspace, index_exp, mgrid, ogrid, r_, s_
from numpy._padding import pad
from numpy._calls import apply_along_axis, apply_over_axes, frompyfunc, iterable, piecewise, vectorize
from numpy._more import (
    allclose, array_equal, array_equiv, compress, delete, extract, insert, isclose, isscalar, ix_, nan_to_num, ndenumerate, ndim,
    may_share_memory, ndindex, promote_types, put_along_axis, ravel_multi_index, result_type, shape, shares_memory, size, take,
    take_along_axis, unravel_index,
)
from numpy._parts import angle, common_type, imag, iscomplex, iscomplexobj, isreal, isrealobj, real, real_if_close, sort_complex
from numpy._products import (
    cross, diag, diag_indices, diag_indices_from, diagflat, diagonal, dot, einsum, fill_diagonal, inner, kron, matmul, matvec,
    outer, tensordot, trace, tril, tril_indices, tril_indices_from, triu, triu_indices, triu_indices_from, vander, vdot, vecdot,
    vecmat,
)
from numpy._quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from numpy._nans import (
    nanargmax, nanargmin, nancumprod, nancumsum, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar,
)
from numpy._reduce import (
    all, amax, amin, any, argmax, argmin, average, count_nonzero, cumprod, cumsum, max, mean, min, prod, ptp, std, sum, var,
)
from numpy._scalars import (
    character, complexfloating, finfo, flexible, float64, floating, generic, iinfo, inexact, integer, number, signedinteger,
    unsignedinteger,
)
from numpy._searching import (
    argpartition, argsort, argwhere, clip, flatnonzero, lexsort, nonzero, partition, round, searchsorted, select, sort, where,
)
from numpy._sets import (
    intersect1d, isin, setdiff1d, setxor1d, union1d, unique, unique_all, unique_counts, unique_inverse, unique_values,
)
from numpy._statistics import bincount, corrcoef, cov, digitize, histogram, histogram2d, histogram_bin_edges, histogramdd
from numpy._text import (
    array2string, array_repr, array_str, format_float_positional, format_float_scientific, get_printoptions, printoptions,
    set_printoptions,
)
from numpy._ufunc import UFUNCS as _UFUNCS
from numpy._ufunc import errstate, geterr, seterr, ufunc

__version__ = "2.4.0"
pi, e, inf, nan, newaxis = _math.pi, _math.e, _math.inf, _math.nan, None
euler_gamma = 0.5772156649015329
little_endian = True
True_, False_ = _scalars.bool_(True), _scalars.bool_(False)
bool = bool_ = _scalars.bool_
double, single, half = float64, _scalars.CLASSES["float32"], _scalars.CLASSES["float16"]
intp = int_ = long = longlong = _scalars.CLASSES["int64"]
uintp = uint = ulong = ulonglong = _scalars.CLASSES["uint64"]
intc, uintc = _scalars.CLASSES["int32"], _scalars.CLASSES["uint32"]
csingle, cdouble = _scalars.CLASSES["complex64"], _scalars.CLASSES["complex128"]
short, ushort, byte, ubyte = (_scalars.CLASSES[_name] for _name in ("int16", "uint16", "int8", "uint8"))
globals().update({_name: _cls for _name, _cls in _scalars.CLASSES.items() if _name != "bool"})
globals().update(_UFUNCS)
row_stack, around, concat = vstack, round, concatenate
asanyarray = asarray
typecodes = {"Character": "c", "Integer": "bhilqnp", "UnsignedInteger": "BHILQNP", "Float": "efdg", "Complex": "FDG",
             "AllInteger": "bBhHiIlLqQnNpP", "AllFloat": "efdgFDG", "Datetime": "Mm", "All": "?bhilqnpBHILQNPefdgFDGSUVOMm"}


def _method(name):
    def call(a, *args, **kwargs):
        return getattr(asarray(a), name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


ravel, squeeze, swapaxes = (_method(_name) for _name in ("ravel", "squeeze", "swapaxes"))


def transpose(a, axes=None):
    """a with its dimensions in the order of `axes`; None: the other way round."""
    return asarray(a).transpose(axes)


permute_dims = transpose


def matrix_transpose(x, /):
    return asarray(x).mT


def reshape(a, /, shape, order="C", *, copy=None):
    return asarray(a).reshape(shape, order=order)


def copyto(dst, src, casting="same_kind", where=True):
    if where is True:
        dst[...] = src
    else:
        dst[asarray(where)] = broadcast_to(asarray(src), dst.shape)[asarray(where)] if asarray(src).ndim else src


def require(a, dtype=None, requirements=None):
    return asarray(a, dtype)


def astype(x, dtype, /, *, copy=True, device=None):
    return x.astype(dtype, copy=copy)


def asfortranarray(a, dtype=None, *, like=None):
    """The array in the order of Fortran."""
    a = asarray(a, dtype)
    return a if a.flags.f_contiguous else a.copy("F")


def isfortran(a):
    return a.flags.f_contiguous and not a.flags.c_contiguous


def asarray_chkfinite(a, dtype=None, order=None):
    a = asarray(a, dtype)
    if a.dtype.kind in "fc" and not all(_UFUNCS["isfinite"](a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative(cumsum, x, axis, dtype, out, include_initial, 0)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return _cumulative(cumprod, x, axis, dtype, out, include_initial, 1)


def _cumulative(scan, x, axis, dtype, out, include_initial, first):
    x = atleast_1d(asarray(x))
    if axis is None:
        if x.ndim >= 2:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    made = scan(x, axis, dtype, out if not include_initial else None)
    if not include_initial:
        return made
    shape = list(x.shape)
    shape[axis] = 1
    return concatenate([full(shape, first, made.dtype), made], axis, out)


def issubdtype(arg1, arg2):
    """Whether the type is of the class that `arg2` means."""
    from numpy._dtypes import as_dtype
    first = arg1 if isinstance(arg1, type) and issubclass(arg1, generic) else as_dtype(arg1).type
    second = arg2 if isinstance(arg2, type) and issubclass(arg2, generic) else as_dtype(arg2).type
    return issubclass(first, second)


def _no_max(name):
    def run(self, *args, **kwargs):
        return _made[name](self, *args, **kwargs)

    run.__name__ = name
    return run


_made = {_function.__name__: _function for _function in (
    sum, prod, mean, var, std, all, any, argmax, argmin, cumsum, cumprod, argsort, argpartition, clip, round, dot, repeat,
    nonzero, searchsorted, take, trace, compress, choose, ptp)}
_made.update(max=max, min=min)
for _name in _made:
    if _name != "ptp":
        setattr(ndarray, _name, _no_max(_name))


def _matmul(self, other):
    if isinstance(other, _torch.Tensor) or not _operators._takes_part(other):
        return NotImplemented
    return matmul(self, other)


def _rmatmul(self, other):
    if isinstance(other, _torch.Tensor):
        return _torch.from_numpy(asarray(matmul(other.numpy(), self)))
    return matmul(other, self) if _operators._takes_part(other) else NotImplemented


ndarray.__matmul__, ndarray.__rmatmul__ = _matmul, _rmatmul

from numpy import _core, exceptions, linalg, random  # noqa: E402  they need what is above


core = _core
for _name, _module in (("core", _core), ("core.multiarray", _core.multiarray), ("core.numeric", _core.numeric)):
    _sys.modules[f"numpy.{_name}"] = _module  # as pickles of numpy before 2.0 name them

# What is read when a program first asks for it.
_LATER = {_name: _name for _name in ("fft", "lib", "polynomial", "testing", "typing")} | {"emath": "lib.scimath"}
_LATER_NAMES = {_name: _module for _module, _names in {
    "_iteration": "broadcast nditer", "_files": "fromfile load save savez savez_compressed",
    "_polynomials": "poly poly1d polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "_tables": "fromstring genfromtxt loadtxt savetxt"}.items() for _name in _names.split()}


def __getattr__(name):
    if name in _LATER or name in _LATER_NAMES:
        from importlib import import_module
        found = import_module(f"numpy.{_LATER.get(name) or _LATER_NAMES[name]}")
        globals()[name] = found if name in _LATER else getattr(found, name)
        return globals()[name]
    if name.startswith("__"):
        raise AttributeError(f"module 'numpy' has no attribute {name!r}")
    removed = {"float": "float", "int": "int", "object": "object", "str": "str", "complex": "complex"}
    if name in removed:
        raise AttributeError(
            f"module 'numpy' has no attribute '{name}'.\n`np.{name}` was a deprecated alias for the builtin `{name}`. To avoid "
            f"this error in existing code, use `{name}` by itself. Doing this will not modify any behavior and is safe. ")
    raise _no_attribute("module 'numpy'", name)
