"""Arrays written as slices: mgrid, ogrid, r_, c_, s_. Behaviour: numpy/lib/_index_tricks_impl.py."""
import math

from numpy._array import array, asarray
from numpy._dtypes import absent
from numpy._functions import arange, concatenate, indices, linspace, moveaxis
from numpy._more import result_type
from numpy._scalars import generic
from numpy._ufunc import UFUNCS


class _Grid:
    """Places along each of several slices; a step such as 5j says how many there are, with the end."""

    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, step = key.start or 0, 1 if key.step is None else key.step
            if isinstance(step, complex):
                count = int(abs(step))
                apart = (key.stop - start) / float(count - 1) if count > 1 else step.imag
                return arange(0, count, 1, float) * apart + start
            return arange(start, key.stop, step)
        sizes, starts, steps, is_float = [], [], [], False
        for one in key:
            start, step = one.start or 0, 1 if one.step is None else one.step
            if isinstance(step, complex):
                count = int(abs(step))
                step = (one.stop - start) / float(count - 1) if count > 1 else abs(step)
                is_float = True
            else:
                count = max(math.ceil((one.stop - start) / (step * 1.0)), 0)
            is_float = is_float or any(isinstance(part, float) for part in (start, one.stop, step))
            sizes.append(count)
            starts.append(start)
            steps.append(step)
        made = indices(sizes, float if is_float else int, sparse=self.sparse)
        if self.sparse:
            return tuple(one * step + start for one, step, start in zip(made, steps, starts))
        for k in range(len(sizes)):
            made[k] = made[k] * steps[k] + starts[k]
        return made


mgrid, ogrid = _Grid(False), _Grid(True)


class _Joined:
    """What stands between brackets as one array, along an axis."""

    def __init__(self, axis=0, ndmin=1, trans1d=-1):
        self.axis, self.ndmin, self.trans1d = axis, ndmin, trans1d

    def __len__(self):
        return 0

    def __getitem__(self, key):
        axis, ndmin, trans1d = self.axis, self.ndmin, self.trans1d
        parts, kinds = [], []
        for i, one in enumerate(key if isinstance(key, tuple) else (key,)):
            if isinstance(one, str):
                if i:
                    raise ValueError("special directives must be the first entry.")
                if one in ("r", "c"):
                    raise absent(f"r_[{one!r}], which makes a matrix")
                numbers = [int(part) for part in one.split(",")]
                axis, ndmin, trans1d = numbers + [axis, ndmin, trans1d][len(numbers):]
                continue
            if isinstance(one, slice):
                start, step = one.start or 0, 1 if one.step is None else one.step
                made = linspace(start, one.stop, int(abs(step))) if isinstance(step, complex) else arange(start, one.stop, step)
                if ndmin > 1:
                    made = array(made, ndmin=ndmin)
                    made = made.swapaxes(-1, trans1d) if trans1d != -1 else made
            elif isinstance(one, (bool, int, float, complex, generic)):
                made = array(one, ndmin=ndmin)
                parts.append(made)
                kinds.append(one)
                continue
            else:
                given = asarray(one)
                made = array(given, ndmin=ndmin)
                if trans1d != -1 and given.ndim < ndmin:
                    more = ndmin - given.ndim
                    at = trans1d + more + 1 if trans1d < 0 else trans1d
                    order = list(range(ndmin))
                    made = made.transpose(order[:at] + order[more:] + order[at:more])
            parts.append(made)
            kinds.append(made)
        found = result_type(*kinds)
        return concatenate([one.astype(found, copy=False) for one in parts], axis)


r_, c_ = _Joined(0), _Joined(-1, 2, 0)


class _Key:
    """The key itself."""

    def __init__(self, maketuple):
        self.maketuple = maketuple

    def __getitem__(self, item):
        return (item,) if self.maketuple and not isinstance(item, tuple) else item


index_exp, s_ = _Key(True), _Key(False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers whose quotients are alike. Errors: ValueError  an end is 0."""
    start, stop = asarray(start), asarray(stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    found = result_type(start, stop, float(num))
    start, stop = start.astype(found), stop.astype(found)
    turn = UFUNCS["sign"](start)
    start, stop = asarray(UFUNCS["divide"](start, turn)), asarray(UFUNCS["divide"](stop, turn))
    made = UFUNCS["power"](10.0, linspace(UFUNCS["log10"](start), UFUNCS["log10"](stop), num, endpoint=endpoint))
    if num > 0:
        made[0] = start
        if num > 1 and endpoint:
            made[-1] = stop
    made = made * turn
    if axis:
        made = moveaxis(made, 0, axis)
    return made.astype(found if dtype is None else dtype, copy=False)
