"""Arrays with more around them. Behaviour: numpy/lib/_arraypad_impl.py."""
import torch

from numpy import _reduce
from numpy._array import _cast, asarray, ndarray
from numpy._functions import broadcast_to, linspace
from numpy._quantiles import median
from numpy._ufunc import UFUNCS

_of = ndarray._of
_OPTIONS = {"empty": (), "edge": (), "wrap": (), "constant": ("constant_values",), "linear_ramp": ("end_values",),
            "maximum": ("stat_length",), "mean": ("stat_length",), "median": ("stat_length",), "minimum": ("stat_length",),
            "reflect": ("reflect_type",), "symmetric": ("reflect_type",)}
_STATISTICS = {"maximum": _reduce.max, "minimum": _reduce.min, "mean": _reduce.mean, "median": median}


def _pairs(given, ndim):
    """A pair for each dimension."""
    return broadcast_to(asarray(given), (ndim, 2)).tolist()


def _widths(given, ndim):
    if isinstance(given, dict):
        made = [(0, 0)] * ndim
        for axis, one in given.items():
            made[axis] = (one, one) if not isinstance(one, (tuple, list)) else tuple(one)
        given = made
    widths = asarray(given)
    if widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = _pairs(widths, ndim)
    if any(one < 0 for pair in widths for one in pair):
        raise ValueError("index can't contain negative values")
    return widths


def _around(x, d, widths, sides):
    """The tensor between what is put on both sides of it."""
    parts = []
    for i, width in enumerate(widths):
        shape = list(x.shape)
        shape[d] = width
        parts.append(sides[i].to(x.dtype).expand(shape))
    return torch.cat([parts[0], x, parts[1]], d)


def _ramps(x, d, widths, ends, found):
    sides = []
    for i, width in enumerate(widths):
        edge = _of(x.select(d, 0 if i == 0 else x.shape[d] - 1), found)
        ramp = linspace(ends[i], edge, width, endpoint=False, dtype=found, axis=d)._t
        sides.append(torch.flip(ramp, [d]) if i else ramp)
    return torch.cat([sides[0], x, sides[1]], d)


def _statistic(x, d, widths, lengths, mode, found):
    sides = []
    for i in range(2):
        count = x.shape[d] if lengths[i] is None else min(lengths[i], x.shape[d])
        if count == 0 and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        chunk = _of(x.narrow(d, 0 if i == 0 else x.shape[d] - count, count), found)
        made = asarray(_STATISTICS[mode](chunk, axis=d, keepdims=True))
        made = asarray(UFUNCS["rint"](made)) if found.kind in "iu" and made.dtype.kind in "fc" else made
        sides.append(_cast(made._t, made.dtype, found))
    return _around(x, d, widths, sides)


def _mirrored(x, d, widths, with_edge, is_odd):
    size = x.shape[d]
    if size == 1 and not with_edge:
        return _around(x, d, widths, [x, x])
    step = size if with_edge else size - 1
    for i, width in enumerate(widths):
        while width > 0:
            count = min(width, step)
            first = 0 if with_edge else 1
            start = first if i == 0 else x.shape[d] - first - count
            chunk = torch.flip(x.narrow(d, start, count), [d])
            if is_odd:
                edge = x.narrow(d, 0 if i == 0 else x.shape[d] - 1, 1)
                chunk = 2 * edge - chunk
            x = torch.cat([chunk, x] if i == 0 else [x, chunk], d)
            width -= count
    return x


def _called(a, widths, function, kwargs):
    """Rows with zeros around them, filled by a function of the program."""
    x = a._t
    for d, pair in enumerate(widths):
        x = _around(x, d, pair, [torch.zeros((), dtype=x.dtype)] * 2)
    made = _of(x, a.dtype)
    for d, pair in enumerate(widths):
        moved = made.transpose([i for i in range(a.ndim) if i != d] + [d])
        rows = _of(moved._t.reshape(-1, moved.shape[-1]).clone(), a.dtype)
        for i in range(rows.shape[0]):
            function(rows[i], tuple(pair), d, kwargs)
        moved._write(rows._t.reshape(moved.shape))
    return made


def pad(array, pad_width, mode="constant", **kwargs):
    a = asarray(array)
    widths = _widths(pad_width, a.ndim)
    if callable(mode):
        return _called(a, widths, mode, kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    wrong = set(kwargs) - set(_OPTIONS[mode])
    if wrong:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {wrong}")
    is_odd = kwargs.get("reflect_type", "even") == "odd"
    x = a._t
    for d, pair in enumerate(widths):
        if mode in ("constant", "empty"):
            value = _pairs(kwargs.get("constant_values", 0), a.ndim)[d]
            x = _around(x, d, pair, [_cast(torch.tensor(one), asarray(one).dtype, a.dtype) for one in value])
            continue
        if pair == [0, 0]:
            continue
        if a.shape[d] == 0:
            raise ValueError(f"can't extend empty axis {d} using modes other than 'constant' or 'empty'")
        if mode == "edge":
            x = _around(x, d, pair, [x.narrow(d, 0, 1), x.narrow(d, x.shape[d] - 1, 1)])
        elif mode == "wrap":
            places = torch.arange(-pair[0], x.shape[d] + pair[1]) % x.shape[d]
            x = torch.index_select(x, d, places)
        elif mode == "linear_ramp":
            x = _ramps(x, d, pair, _pairs(kwargs.get("end_values", 0), a.ndim)[d], a.dtype)
        elif mode in _STATISTICS:
            length = kwargs.get("stat_length")
            lengths = [None, None] if length is None else _pairs(length, a.ndim)[d]
            x = _statistic(x, d, pair, lengths, mode, a.dtype)
        else:
            x = _mirrored(x, d, pair, mode == "symmetric", is_odd)
    return _of(x.clone() if x is a._t else x, a.dtype)
