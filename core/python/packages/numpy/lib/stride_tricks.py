"""Views with strides of their own. Behaviour: numpy/lib/_stride_tricks_impl.py."""
import torch

from numpy._array import array, asarray
from numpy._functions import broadcast_arrays, broadcast_shapes, broadcast_to
from numpy._shapes import normal_axis, shape_of


def as_strided(x, shape=None, strides=None, subok=False, writeable=True, *, check_bounds=None):
    """The bytes of an array from its first item on, at steps that are given in bytes."""
    x = asarray(x)
    shape = x.shape if shape is None else shape_of(shape)
    strides = x.strides if strides is None else tuple(int(one) for one in strides)
    if len(strides) != len(shape):
        raise ValueError("strides, if given, must be the same length as shape")
    if any(one % x.itemsize for one in strides):
        raise ValueError("strides must be compatible with the item size of the array")
    steps = [one // x.itemsize for one in strides]
    raw = x._raw
    # A dimension that is read backwards starts at its other end.
    first = raw.storage_offset() + sum((raw.shape[d] - 1) * raw.stride(d) for d in x._flips)
    flips = tuple(d for d, step in enumerate(steps) if step < 0)
    first -= sum((shape[d] - 1) * -steps[d] for d in flips)
    tensor = torch.as_strided(raw, shape, [abs(step) for step in steps], first)
    made = x._of(tensor, x.dtype, flips, base=x)
    if not writeable:
        made._writeable = False
    return made


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """All windows of a shape, as more dimensions behind."""
    window = shape_of(window_shape)
    x = array(x, copy=None)
    if any(one < 0 for one in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axes = tuple(range(x.ndim))
        if len(window) != len(axes):
            raise ValueError(f"Since axis is `None`, must provide window_shape for all dimensions of `x`; got {len(window)} "
                             f"window_shape elements and `x.ndim` is {x.ndim}.")
    else:
        axes = tuple(normal_axis(one, x.ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,)))
        if len(window) != len(axes):
            raise ValueError(f"Must provide matching length window_shape and axis; got {len(window)} window_shape elements and "
                             f"{len(axes)} axes elements.")
    shape = list(x.shape)
    for one, size in zip(axes, window):
        if shape[one] < size:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[one] -= size - 1
    return as_strided(x, tuple(shape) + window, x.strides + tuple(x.strides[one] for one in axes), writeable=writeable)
