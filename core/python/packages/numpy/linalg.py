"""Linear algebra by torch.linalg. Behaviour: numpy/linalg/_linalg.py."""
import math

import torch

from numpy import _reduce
from numpy._array import asarray
from numpy._decompositions import (LinAlgError, cholesky, cond, det, eig, eigh, eigvals, eigvalsh, inv, lstsq, matrix_rank, pinv, qr,
                                   slogdet, solve, svd, svdvals)
from numpy._dtypes import no_attribute, real_for
from numpy._products import cross, diagonal, dot, matmul, outer, tensordot, trace, vecdot
from numpy._shapes import normal_axis
from numpy._ufunc import UFUNCS, wrap


def _squares(x):
    return UFUNCS["multiply"](UFUNCS["conjugate"](x), x).real if x.dtype.kind == "c" else UFUNCS["multiply"](x, x)


def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of vectors or matrices."""
    x = asarray(x)
    x = x if x.dtype.kind in "fc" else x.astype(float)
    if axis is None and (ord is None or (ord in ("f", "fro") and x.ndim == 2) or (ord == 2 and x.ndim == 1)):
        flat = x.ravel()
        parts = (flat.real, flat.imag) if x.dtype.kind == "c" else (flat,)
        made = UFUNCS["sqrt"](sum(dot(one, one) for one in parts))
        return made.__array__().reshape((1,) * x.ndim) if keepdims else made
    axes = tuple(range(x.ndim)) if axis is None else tuple(normal_axis(one, x.ndim) for one in (
        axis if isinstance(axis, (tuple, list)) else (axis,)))
    size = UFUNCS["absolute"](x)
    if len(axes) == 1:
        if ord is None or ord == 2:
            return UFUNCS["sqrt"](_reduce.sum(_squares(x), axis=axes, keepdims=keepdims))
        if ord == math.inf:
            return _reduce.max(size, axis=axes, keepdims=keepdims)
        if ord == -math.inf:
            return _reduce.min(size, axis=axes, keepdims=keepdims)
        if ord == 0:
            return _reduce.sum(UFUNCS["not_equal"](x, 0).astype(real_for(x.dtype)), axis=axes, keepdims=keepdims)
        if ord == 1:
            return _reduce.sum(size, axis=axes, keepdims=keepdims)
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return UFUNCS["power"](_reduce.sum(UFUNCS["power"](size, ord), axis=axes, keepdims=keepdims), 1.0 / ord)
    if len(axes) == 2:
        row, column = axes
        if ord in (None, "fro", "f"):
            return UFUNCS["sqrt"](_reduce.sum(_squares(x), axis=axes, keepdims=keepdims))
        if ord in (1, -1, math.inf, -math.inf):
            along, across = (row, column) if ord in (1, -1) else (column, row)
            sums = _reduce.sum(size, axis=along, keepdims=True)
            pick = _reduce.max if ord > 0 else _reduce.min
            made = pick(sums, axis=across, keepdims=True)
            return made if keepdims else made.squeeze((row, column) if row < column else (column, row))[()]
        if ord in (2, -2, "nuc"):
            made = torch.linalg.matrix_norm(x._t, ord, (row, column), keepdims)
            return wrap(made, real_for(x.dtype))
        raise ValueError("Invalid norm order for matrices.")
    raise ValueError("Improper number of dimensions to norm.")


def matrix_power(a, n):
    a = asarray(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if n < 0:
        return matrix_power(inv(a), -n)
    return wrap(torch.linalg.matrix_power(a._t, n), a.dtype)


def multi_dot(arrays, *, out=None):
    made = asarray(arrays[0])
    for one in arrays[1:]:
        made = dot(made, one)
    return made


def matrix_transpose(x, /):
    return asarray(x).mT


def tensorinv(a, ind=2):
    """What tensordot() of `ind` dimensions takes back."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)


def tensorsolve(a, b, axes=None):
    """The x for which tensordot(a, x) over all dimensions of x is b."""
    a, b = asarray(a), asarray(b)
    if axes is not None:
        axes = [normal_axis(one, a.ndim) for one in axes]
        a = a.transpose([d for d in range(a.ndim) if d not in axes] + axes)
    shape = a.shape[b.ndim - a.ndim:] if a.ndim > b.ndim else ()
    if a.size != math.prod(shape) ** 2:
        raise LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(-1, math.prod(shape)), b.ravel()).reshape(shape)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    x = asarray(x)
    return norm(x.ravel() if axis is None else x, ord, 0 if axis is None else axis, keepdims)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return norm(x, ord, (-2, -1), keepdims)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.linalg' has no attribute {name!r}")
    raise no_attribute("module 'numpy.linalg'", name)
