"""Several arrays item by item. Behaviour: numpy/_core/src/multiarray/iterators.c, nditer_pywrap.c."""
import itertools

from numpy._array import asarray
from numpy._dtypes import absent
from numpy._functions import broadcast_arrays, broadcast_shapes


class broadcast:
    """The shape that arrays have together, and their items side by side."""

    def __init__(self, *args):
        self._arrays = [one for given in args for one in (given._arrays if isinstance(given, broadcast) else [asarray(given)])]
        try:
            self.shape = broadcast_shapes(*[one.shape for one in self._arrays])
        except RuntimeError:
            raise ValueError("shape mismatch: objects cannot be broadcast to a single shape.") from None
        self.ndim = self.nd = len(self.shape)
        self.numiter, self.index = len(self._arrays), 0
        self.size = 1
        for one in self.shape:
            self.size *= one
        self.reset()

    @property
    def iters(self):
        return tuple(one.flat for one in broadcast_arrays(*self._arrays))

    def reset(self):
        self.index = 0
        self._items = zip(*[one.reshape(-1) for one in broadcast_arrays(*self._arrays)])

    def __iter__(self):
        return self

    def __next__(self):
        made = next(self._items)
        self.index += 1
        return made


def _axis_order(order, arrays):
    """The axes from the slowest to the fastest: "K" is as the bytes lie."""
    axes = list(range(arrays[0].ndim))
    if order == "F":
        return axes[::-1]
    if order == "C" or (order == "A" and not all(one.flags.f_contiguous for one in arrays)):
        return axes
    return sorted(axes, key=lambda d: -max(abs(one.strides[d]) for one in arrays))


def _places(shape, axes):
    turned = itertools.product(*[range(shape[d]) for d in axes])
    back = [axes.index(d) for d in range(len(axes))]
    return [tuple(place[i] for i in back) for place in turned]


class nditer:
    """The items of arrays, each as an array without dimensions that writes into its own.

    Differs: the flags for blocks, casts and operands to make are not here.
    """

    def __init__(self, op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, itershape=None,
                 buffersize=0):
        operands = list(op) if isinstance(op, (list, tuple)) else [op]
        wrong = set(flags or ()) - {"multi_index", "c_index", "zerosize_ok", "refs_ok"}
        if wrong or any(one is None for one in operands) or op_dtypes or op_axes or itershape:
            raise absent(f"nditer with {', '.join(sorted(wrong)) or 'these options'}")
        arrays = [asarray(one) for one in operands]
        self.shape = broadcast_shapes(*[one.shape for one in arrays])
        per_array = op_flags if op_flags and isinstance(op_flags[0], (list, tuple)) else [op_flags or ["readonly"]] * len(arrays)
        shown = broadcast_arrays(*arrays)
        self.operands = tuple(one if set(how) & {"readwrite", "writeonly"} else view
                              for one, view, how in zip(arrays, shown, per_array))
        self._places = _places(self.shape, _axis_order(order, shown))
        self.itersize, self.ndim, self.nop, self.iterindex = len(self._places), len(self.shape), len(arrays), 0
        self.finished = not self._places
        self._has_places, self._has_index = "multi_index" in (flags or ()), "c_index" in (flags or ())

    @property
    def multi_index(self):
        if not self._has_places:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._places[self.iterindex]

    @property
    def index(self):
        if not self._has_index:
            raise ValueError("Iterator does not have an index")
        return self.iterindex

    @property
    def value(self):
        place = self._places[self.iterindex] + (Ellipsis,)
        made = tuple(one[place] for one in self.operands)
        return made[0] if self.nop == 1 else made

    def __getitem__(self, key):
        made = self.value if self.nop > 1 else (self.value,)
        return made[key]

    def __setitem__(self, key, value):
        self[key][...] = value

    def iternext(self):
        self.iterindex += 1
        self.finished = self.iterindex >= self.itersize
        return not self.finished

    def reset(self):
        self.iterindex, self.finished = 0, not self._places

    def __iter__(self):
        while not self.finished:
            yield self.value
            self.iternext()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.finished = True

    def close(self):
        self.finished = True

    def __len__(self):
        return self.itersize
