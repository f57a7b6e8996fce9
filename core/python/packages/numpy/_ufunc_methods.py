"""reduce, accumulate, reduceat and at of functions of two arrays. Behaviour: numpy/_core/src/umath/ufunc_object.c."""
import torch

from numpy import _reduce
from numpy._array import _cast, asarray, ndarray
from numpy._dtypes import INT64, KINDS
from numpy._functions import concatenate, moveaxis, stack
from numpy._shapes import normal_axis
from numpy._ufunc import UFuncTypeError, ufunc, wrap

_KNOWN = {"add": _reduce.sum, "multiply": _reduce.prod, "maximum": _reduce.max, "minimum": _reduce.min,
          "logical_and": _reduce.all, "logical_or": _reduce.any}


def _only_of_two(function, method):
    if function.nin != 2:
        raise ValueError(f"{method} only supported for binary functions")


def _finish(made, out):
    if out is None:
        return wrap(made._t, made.dtype) if made.ndim == 0 else made
    out = out[0] if isinstance(out, tuple) else out
    out._write(_cast(made._t, made.dtype, out.dtype).expand(out.shape))
    return out


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """One item of all along an axis: f(f(a, b), c)."""
    _only_of_two(self, "reduce")
    array = asarray(array)
    if self.__name__ in _KNOWN and where is True:
        known = _KNOWN[self.__name__]
        if self.__name__ in ("add", "multiply"):
            return known(array, axis=axis, dtype=dtype, out=out, keepdims=keepdims, initial=initial)
        if self.__name__ in ("maximum", "minimum"):
            return known(array, axis=axis, out=out, keepdims=keepdims, initial=initial)
        made = known(array, axis=axis, out=out, keepdims=keepdims)
        return made if initial is None else self(made, initial)
    array = array if dtype is None else array.astype(dtype)
    axes = _reduce._axes(axis, array.ndim)
    if where is not True:
        neutral = self.identity if initial is None else initial
        if neutral is None:
            raise ValueError(f"reduction operation '{self.__name__}' does not have an identity, so to use a where mask one has to "
                             "specify 'initial'")
        mask = asarray(where)._t.expand(array.shape)
        array = ndarray._of(torch.where(mask, array._t, torch.tensor(neutral, dtype=array.dtype.torch)), array.dtype)
    shape = array.shape
    for d in sorted(axes, reverse=True):
        key = (slice(None),) * d
        if array.shape[d] == 0:
            if self.identity is None and initial is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            rest = array.shape[:d] + array.shape[d + 1:]
            neutral = self.identity if initial is None else initial
            array = ndarray._of(torch.full(rest, neutral, dtype=array.dtype.torch), array.dtype)
            continue
        made = array[key + (0,)]
        for i in range(1, array.shape[d]):
            made = self(made, array[key + (i,)])
        array = asarray(made)
    if initial is not None:
        array = asarray(self(initial, array))
    if keepdims:
        array = array.reshape([1 if d in axes else size for d, size in enumerate(shape)])
        return _finish(array, out) if out is not None else array
    return _finish(array, out)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """What reduce() has at each item."""
    _only_of_two(self, "accumulate")
    array = asarray(array)
    if self.__name__ in ("add", "multiply"):
        return (_reduce.cumsum if self.__name__ == "add" else _reduce.cumprod)(array, axis=axis, dtype=dtype, out=out)
    array = array if dtype is None else array.astype(dtype)
    axis = normal_axis(axis, array.ndim)
    rows = moveaxis(array, axis, 0)
    made = [rows[0]] if rows.shape[0] else []
    for i in range(1, rows.shape[0]):
        made.append(self(made[-1], rows[i]))
    joined = moveaxis(stack([asarray(one) for one in made]), 0, axis) if made else array.copy()
    return _finish(joined, out)


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """reduce() of parts: from each place to the next one, or the one item where that is not behind."""
    _only_of_two(self, "reduceat")
    array, places = asarray(array), asarray(indices).tolist()
    axis = normal_axis(axis, array.ndim)
    size = array.shape[axis]
    key = (slice(None),) * axis
    made = []
    for i, place in enumerate(places):
        if not 0 <= place < size:
            raise IndexError(f"index {place} out-of-bounds in {self.__name__}.reduceat [0, {size})")
        end = places[i + 1] if i + 1 < len(places) else size
        part = array[key + (slice(place, max(end, place + 1)),)]
        made.append(asarray(reduce(self, part, axis, dtype, keepdims=True)))
    return _finish(concatenate(made, axis), out)


def at(self, a, indices, b=None):
    """a[indices] = f(a[indices], b), again for each time that a place occurs."""
    if not isinstance(a, ndarray):
        raise TypeError("first operand must be array")
    if (b is None) != (self.nin == 1):
        raise ValueError("second operand needed for ufunc" if b is None else "second operand provided when ufunc is unary")
    numbered = ndarray._of(torch.arange(a.size).reshape(a.shape), INT64)
    chosen = asarray(numbered[indices])
    places = chosen._t.reshape(-1)
    values = None
    if b is not None:
        values = asarray(b)
        values = ndarray._of(values._t.expand(chosen.shape).reshape(-1), values.dtype)
    order = torch.sort(places, stable=True)[1]
    ordered = places[order]
    starts = torch.searchsorted(ordered.contiguous(), ordered.contiguous())
    turn = torch.empty_like(order)
    turn[order] = torch.arange(order.numel()) - starts  # the how manieth time it is
    flat = ndarray._of(a._t.reshape(-1).clone(), a.dtype)
    for i in range(int(turn.max()) + 1 if turn.numel() else 0):
        now = torch.where(turn == i)[0]
        here = ndarray._of(places[now], INT64)
        made = asarray(self(flat[here]) if values is None else self(flat[here], values[ndarray._of(now, INT64)]))
        if KINDS.index(made.dtype.kind) > KINDS.index(a.dtype.kind):
            raise UFuncTypeError(f"Cannot cast ufunc '{self.__name__}' output from {made.dtype!r} to {a.dtype!r} with casting rule "
                                 "'same_kind'")
        flat[here] = made
    a._write(flat._t.reshape(a.shape))


ufunc.reduce, ufunc.accumulate, ufunc.reduceat, ufunc.at = reduce, accumulate, reduceat, at
