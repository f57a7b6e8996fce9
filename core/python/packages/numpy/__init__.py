"""The part of numpy that PyTorch's model sources and training scripts use, over tensors. What is not here raises by name."""
import math as _math

import torch as _torch

from numpy import _scalars
from numpy._array import AxisError, array, asarray, empty, flatiter, ndarray
from numpy import _operators
from numpy._dtypes import can_cast, dtype
from numpy._dtypes import no_attribute as _no_attribute
from numpy._functions import (
    append, arange, array_split, ascontiguousarray, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_shapes,
    broadcast_to, column_stack, concatenate, copy, dstack, empty_like, expand_dims, eye, flip, fliplr, flipud, frombuffer,
    fromfunction, fromiter, full, full_like, hsplit, hstack, identity, indices, linspace, logspace, meshgrid, moveaxis, ones,
    ones_like, pad, repeat, roll, rollaxis, rot90, split, stack, tile, tri, vsplit, vstack, zeros, zeros_like,
)
from numpy._more import (
    allclose, apply_along_axis, array_equal, array_equiv, bincount, compress, convolve, corrcoef, cov, cross, delete, diag,
    diagonal, diff, dot, ediff1d, einsum, extract, fill_diagonal, histogram, histogram_bin_edges, inner, insert, interp,
    intersect1d, isclose, isin, isscalar, ix_, kron, matmul, nan_to_num, ndenumerate, ndim, ndindex, outer, promote_types,
    put_along_axis, ravel_multi_index, result_type, setdiff1d, setxor1d, shape, size, take, take_along_axis, tensordot, trace,
    trapezoid, tril, tril_indices, triu, triu_indices, union1d, unravel_index, vdot, vectorize,
)
from numpy._reduce import (
    all, amax, amin, any, argmax, argmin, average, count_nonzero, cumprod, cumsum, max, mean, median, min, nanmax, nanmean,
    nanmin, nanprod, nanstd, nansum, nanvar, percentile, prod, ptp, quantile, std, sum, var,
)
from numpy._scalars import (
    character, finfo, flexible, float64, floating, generic, iinfo, inexact, integer, number, signedinteger, unsignedinteger,
)
from numpy._searching import (
    argpartition, argsort, argwhere, clip, digitize, flatnonzero, lexsort, nonzero, partition, round, searchsorted, select,
    sort, unique, where,
)
from numpy._text import (
    array2string, array_repr, array_str, format_float_positional, get_printoptions, printoptions, set_printoptions,
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
short, ushort, byte, ubyte = (_scalars.CLASSES[_name] for _name in ("int16", "uint16", "int8", "uint8"))
globals().update({_name: _cls for _name, _cls in _scalars.CLASSES.items() if _name != "bool"})
globals().update(_UFUNCS)
row_stack, around, concat = vstack, round, concatenate
asanyarray = asarray


def _method(name):
    def call(a, *args, **kwargs):
        return getattr(asarray(a), name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


transpose, ravel, squeeze, swapaxes = (_method(_name) for _name in ("transpose", "ravel", "squeeze", "swapaxes"))


def permute_dims(a, axes=None):
    return asarray(a).transpose(axes)


def matrix_transpose(x, /):
    return asarray(x).mT


def reshape(a, /, shape, order="C", *, copy=None):
    return asarray(a).reshape(shape, order=order)


def copyto(dst, src, casting="same_kind", where=True):
    if where is True:
        dst[...] = src
    else:
        dst[asarray(where)] = broadcast_to(asarray(src), dst.shape)[asarray(where)] if asarray(src).ndim else src


def iscomplexobj(x):
    return False


def isrealobj(x):
    return True


def require(a, dtype=None, requirements=None):
    return asarray(a, dtype)


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
    nonzero, searchsorted, take, trace, compress, ptp)}
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
ndarray.conj = ndarray.conjugate = lambda self: self.copy()

from numpy import linalg, random  # noqa: E402  they need what is above


class exceptions:
    """numpy.exceptions as far as it is needed."""

    AxisError = AxisError


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'numpy' has no attribute {name!r}")
    removed = {"float": "float", "int": "int", "object": "object", "str": "str", "complex": "complex"}
    if name in removed:
        raise AttributeError(
            f"module 'numpy' has no attribute '{name}'.\n`np.{name}` was a deprecated alias for the builtin `{name}`. To avoid "
            f"this error in existing code, use `{name}` by itself. Doing this will not modify any behavior and is safe. ")
    raise _no_attribute("module 'numpy'", name)
