"""Functions of Python on the parts of arrays. Behaviour: numpy/lib/_shape_base_impl.py, _function_base_impl.py."""
import itertools
import re

from numpy._array import array, asarray, empty
from numpy._dtypes import absent, as_dtype
from numpy._functions import broadcast_arrays, broadcast_shapes, broadcast_to, expand_dims, moveaxis, stack
from numpy._shapes import normal_axis
from numpy._ufunc import wrap


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = asarray(arr)
    axis = normal_axis(axis, arr.ndim)
    moved = arr.transpose([d for d in range(arr.ndim) if d != axis] + [axis])
    rows = moved.reshape(-1, arr.shape[axis])
    if rows.shape[0] == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = [asarray(func1d(rows[i], *args, **kwargs)) for i in range(rows.shape[0])]
    joined = stack(made).reshape(moved.shape[:-1] + made[0].shape)
    return moveaxis(joined, list(range(arr.ndim - 1, joined.ndim)), list(range(axis, axis + made[0].ndim)))


def apply_over_axes(func, a, axes):
    a = asarray(a)
    ndim = a.ndim
    for one in asarray(axes).ravel().tolist():
        axis = one + ndim if one < 0 else one
        made = asarray(func(a, axis))
        if made.ndim != a.ndim:
            made = expand_dims(made, axis)
            if made.ndim != a.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        a = made
    return a


def piecewise(x, condlist, funclist, *args, **kw):
    """The items for which each condition holds, by its function or number; one more is for all others."""
    x = asarray(x)
    shape = x.shape
    is_single = not hasattr(condlist, "__len__") or asarray(condlist[0]).ndim == 0 and x.ndim != 0
    conditions = [asarray(condlist).astype(bool)] if is_single else [asarray(one).astype(bool) for one in condlist]
    count = len(funclist)
    if count == len(conditions) + 1:
        taken = conditions[0]
        for one in conditions[1:]:
            taken = taken | one
        conditions.append(asarray(~taken))
    elif count != len(conditions):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} functions are "
                         "expected")
    made, flat = empty(x.size, x.dtype), x.reshape(-1)
    for condition, function in zip(conditions, funclist):
        chosen = condition.reshape(-1)
        if not callable(function):
            made[chosen] = function
        elif bool(chosen.any()):
            made[chosen] = function(flat[chosen], *args, **kw)
    return made.reshape(shape)


def _core_dimensions(text):
    """The names of dimensions on both sides of a signature such as "(n),(n)->()". Errors: ValueError."""
    dims = r"\((?:\w+(?:,\w+)*,?)?\)"
    if not re.match(rf"^(?:{dims}(?:,{dims})*)?->{dims}(?:,{dims})*$", text.replace(" ", "")):
        raise ValueError(f"not a valid gufunc signature: {text}")
    return [[[name for name in one[1:-1].split(",") if name] for one in re.findall(dims, side)]
            for side in text.replace(" ", "").split("->")]


class vectorize:
    """A function of numbers, called for each item; with a signature, of arrays with dimensions of their own."""

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        self.pyfunc, self.excluded, self.cache, self.signature = pyfunc, set(excluded or ()), cache, signature
        self.otypes = otypes if otypes is None else [as_dtype(one) for one in otypes]
        self._sides = None if signature is None else _core_dimensions(signature)
        if pyfunc is not None:
            self.__name__ = getattr(pyfunc, "__name__", type(pyfunc).__name__)
            self.__doc__ = doc if doc is not None else getattr(pyfunc, "__doc__", None)

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:  # a decorator with arguments
            self.__init__(args[0], self.otypes, None, self.excluded, self.cache, self.signature)
            return self
        names = [name for name in kwargs if name not in self.excluded]
        places = [i for i in range(len(args)) if i not in self.excluded]

        def call(*given):
            whole = list(args)
            for place, one in zip(places, given):
                whole[place] = one
            return self.pyfunc(*whole, **{**kwargs, **dict(zip(names, given[len(places):]))})

        arrays = [asarray(args[i]) for i in places] + [asarray(kwargs[name]) for name in names]
        return self._by_items(call, arrays) if self._sides is None else self._by_parts(call, arrays)

    def _joined(self, made, shape):
        """What the calls gave as arrays."""
        is_tuple = isinstance(made[0], tuple)
        columns = zip(*made) if is_tuple else [made]
        kinds = itertools.repeat(None) if self.otypes is None else self.otypes
        arrays = []
        for column, kind in zip(columns, kinds):
            joined = array(list(column), dtype=kind if kind is not None else asarray(column[0]).dtype)
            arrays.append(joined.reshape(tuple(shape) + joined.shape[1:]))
        arrays = [wrap(one._t, one.dtype) if one.ndim == 0 and self._sides is not None else one for one in arrays]
        return tuple(arrays) if is_tuple else arrays[0]

    def _by_items(self, call, arrays):
        if not arrays:
            return call()
        arrays = broadcast_arrays(*arrays)
        if arrays[0].size == 0:
            if self.otypes is None:
                raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
            empties = tuple(empty(arrays[0].shape, one) for one in self.otypes)
            return empties[0] if len(empties) == 1 else empties
        return self._joined([call(*items) for items in zip(*[one.reshape(-1) for one in arrays])], arrays[0].shape)

    def _by_parts(self, call, arrays):
        inputs, _ = self._sides
        if len(arrays) != len(inputs):
            raise TypeError(f"wrong number of positional arguments: expected {len(inputs)}, got {len(arrays)}")
        sizes, outer = {}, []
        for one, names in zip(arrays, inputs):
            if one.ndim < len(names):
                raise ValueError(f"{one.ndim}-dimensional argument does not have enough dimensions for all core dimensions "
                                 f"{tuple(names)!r}")
            for name, size in zip(names, one.shape[one.ndim - len(names):]):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}")
            outer.append(one.shape[:one.ndim - len(names)])
        shape = broadcast_shapes(*outer)
        arrays = [broadcast_to(one, shape + one.shape[one.ndim - len(names):]) for one, names in zip(arrays, inputs)]
        places = list(itertools.product(*[range(size) for size in shape]))
        if not places:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set" if self.otypes is None else
                             "cannot call `vectorize` with a signature including new output dimensions on size 0 inputs")
        return self._joined([call(*[one[place] for one in arrays]) for place in places], shape)


def frompyfunc(func, /, nin, nout, *, identity=None):
    raise absent("frompyfunc, whose results are arrays of objects")


def iterable(y):
    try:
        iter(y)
    except TypeError:
        return False
    return True
