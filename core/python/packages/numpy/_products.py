"""Products of arrays, and parts of matrices. Behaviour: numpy/_core/numeric.py, einsumfunc.py, numpy/lib/_twodim_base_impl.py."""
import math

import torch

from numpy import _reduce
from numpy._array import _cast, asarray, ndarray
from numpy._dtypes import INT64, as_dtype, promote
from numpy._functions import arange
from numpy._shapes import normal_axis
from numpy._ufunc import UFUNCS, wrap

_of = ndarray._of
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _product_pair(a, b):
    a, b = asarray(a), asarray(b)
    found = promote(a.dtype, b.dtype)
    return _cast(a._t, a.dtype, found), _cast(b._t, b.dtype, found), found


def matmul(x1, x2, /, out=None):
    a, b, found = _product_pair(x1, x2)
    if a.ndim == 0 or b.ndim == 0:
        which = 0 if a.ndim == 0 else 1
        raise ValueError(f"matmul: Input operand {which} does not have enough dimensions (has 0, gufunc core with signature "
                         "(n?,k),(k,m?)->(n?,m?) requires 1)")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                         f"(n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})")
    made = _matmul(a, b)
    if out is not None:
        out._write(made.to(out.dtype.torch))
        return out
    return wrap(made, found)


def _matmul(a, b):
    if a.dtype == torch.bool:
        return torch.matmul(a.to(torch.int64), b.to(torch.int64)) != 0
    return torch.matmul(a, b)


def dot(a, b, out=None):
    x, y, found = _product_pair(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return UFUNCS["multiply"](a, b, out=out)
    if x.ndim <= 2 and y.ndim <= 2:
        if x.shape[-1] != y.shape[0]:
            texts = [f"({','.join(map(str, one.shape))}{',' if one.ndim == 1 else ''})" for one in (x, y)]
            raise ValueError(f"shapes {texts[0]} and {texts[1]} not aligned: {x.shape[-1]} (dim {x.ndim - 1}) != {y.shape[0]} "
                             "(dim 0)")
        made = _matmul(x, y)
    else:
        made = torch.tensordot(x, y, ([x.ndim - 1], [max(y.ndim - 2, 0)]))
    if out is not None:
        out._write(made)
        return out
    return wrap(made, found)


def vdot(a, b, /):
    first = asarray(a).ravel()
    return dot(UFUNCS["conjugate"](first) if first.dtype.kind == "c" else first, asarray(b).ravel())


def inner(a, b, /):
    x, y, found = _product_pair(a, b)
    if x.ndim == 0 or y.ndim == 0:
        return UFUNCS["multiply"](a, b)
    return wrap(torch.tensordot(x, y, ([x.ndim - 1], [y.ndim - 1])), found)


def outer(a, b, out=None):
    return UFUNCS["multiply"](asarray(a).ravel()[:, None], asarray(b).ravel()[None, :], out=out)


def kron(a, b):
    x, y, found = _product_pair(a, b)
    return wrap(torch.kron(x, y), found)


def tensordot(a, b, axes=2):
    x, y, found = _product_pair(a, b)
    if not isinstance(axes, int):
        axes = tuple([one] if isinstance(one, int) else list(one) for one in axes)
    return wrap(torch.tensordot(x, y, axes), found)


def _subscripts(first, rest):
    """The letters and the arrays of einsum(array, places, ..., places of the result)."""
    given = [first, *rest]
    result = given.pop() if len(given) % 2 else None

    def letters(places):
        return "".join("..." if one is Ellipsis else (_LETTERS[one]) for one in places)

    text = ",".join(letters(one) for one in given[1::2])
    return text if result is None else f"{text}->{letters(result)}", given[::2]


def einsum(subscripts, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    if not isinstance(subscripts, str):
        subscripts, operands = _subscripts(subscripts, operands)
    arrays = [asarray(one) for one in operands]
    found = arrays[0].dtype
    for one in arrays[1:]:
        found = promote(found, one.dtype)
    made = torch.einsum(subscripts, *[_cast(one._t, one.dtype, found) for one in arrays])
    if out is not None:
        out._write(made)
        return out
    if dtype is not None:
        return wrap(made.to(as_dtype(dtype).torch), as_dtype(dtype))
    return wrap(made, found)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Products of vectors of three items that are at right angles to both."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y, found = _product_pair(a, b)
    x, y = torch.movedim(x, normal_axis(axisa, x.ndim), -1), torch.movedim(y, normal_axis(axisb, y.ndim), -1)
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
                         f"{x.shape[-1]} and {y.shape[-1]} dimensional instead.")
    x, y = torch.broadcast_tensors(x, y)
    made = torch.stack([x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1], x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
                        x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]], -1)
    return _of(torch.movedim(made, -1, normal_axis(axisc, made.ndim)), found)


def vecdot(x1, x2, /, *, axis=-1):
    """Sums of products of the items along an axis, the first ones conjugated."""
    x, y, found = _product_pair(x1, x2)
    x, y = torch.movedim(x, normal_axis(axis, x.ndim), -1), torch.movedim(y, normal_axis(axis, y.ndim), -1)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() "
                         f"(size {y.shape[-1]} is different from {x.shape[-1]})")
    x = torch.conj(x).resolve_conj() if x.is_complex() else x
    return wrap(_matmul(x.unsqueeze(-2), y.unsqueeze(-1)).squeeze(-1).squeeze(-1), found)


def matvec(x1, x2, /):
    x, y, found = _product_pair(x1, x2)
    return wrap(_matmul(x, y.unsqueeze(-1)).squeeze(-1), found)


def vecmat(x1, x2, /):
    x, y, found = _product_pair(x1, x2)
    x = torch.conj(x).resolve_conj() if x.is_complex() else x
    return wrap(_matmul(x.unsqueeze(-2), y).squeeze(-2), found)


# Parts of matrices.

def diag(v, k=0):
    v = asarray(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    return _of(torch.diag(v._t, k).clone(), v.dtype)


def diagonal(a, offset=0, axis1=0, axis2=1):
    return asarray(a).diagonal(offset, axis1, axis2)


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _reduce.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def tril(m, k=0):
    m = asarray(m)
    return _of(torch.tril(m._t, k), m.dtype)


def triu(m, k=0):
    m = asarray(m)
    return _of(torch.triu(m._t, k), m.dtype)


def _triangle(pick):
    def places(n, k=0, m=None):
        mask = pick(torch.ones((n, n if m is None else m), dtype=torch.uint8), k)
        return tuple(_of(one, INT64) for one in torch.where(mask != 0))

    return places


tril_indices, triu_indices = _triangle(torch.tril), _triangle(torch.triu)


def tril_indices_from(arr, k=0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr, k=0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag_indices(n, ndim=2):
    return (arange(n),) * ndim


def diag_indices_from(arr):
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return diag_indices(arr.shape[0], arr.ndim)


def diagflat(v, k=0):
    return diag(asarray(v).ravel(), k)


def fill_diagonal(a, val, wrap=False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = a.shape[1] + 1 if a.ndim == 2 else sum(math.prod(a.shape[d + 1:]) for d in range(a.ndim))
    end = a.shape[1] * a.shape[1] if a.ndim == 2 and not wrap else None
    places = arange(a.size)[:end:step]
    values = asarray(val).ravel()
    a.flat[places] = values if values.size == 1 else values[arange(places.size) % values.size]


def vander(x, N=None, increasing=False):
    """Powers of the items, each in a row."""
    x = asarray(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = x.size if N is None else N
    found = promote(x.dtype, INT64)
    column = _cast(x._t, x.dtype, found)
    powers = [torch.ones_like(column)]
    for _ in range(count - 1):
        powers.append(powers[-1] * column)
    powers = powers[:count] if increasing else powers[:count][::-1]
    return _of(torch.stack(powers, 1) if powers else column.new_zeros((x.size, 0)), found)
