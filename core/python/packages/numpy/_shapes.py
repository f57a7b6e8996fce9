"""Axes and shapes as programs give them. Behaviour: numpy/_core/src/multiarray/conversion_utils.c, shape.c."""
import operator

from numpy.exceptions import AxisError


def no_axis(axis, ndim):
    raise AxisError(axis, ndim)


def normal_axis(axis, ndim):
    """The axis counted from the front. Errors: AxisError."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return axis % ndim


def _listed(shape):
    return shape.tolist() if hasattr(shape, "tolist") and not isinstance(shape, (tuple, list)) else shape


def shape_of(shape):
    """A shape of an int or a sequence, as a tuple of ints."""
    shape = _listed(shape)
    if isinstance(shape, (tuple, list)):
        sizes = tuple(operator.index(one) for one in shape)
    else:
        try:
            sizes = (operator.index(shape),)
        except TypeError:
            sizes = tuple(operator.index(one) for one in shape)
    if any(one < 0 for one in sizes):
        raise ValueError("negative dimensions are not allowed")
    return sizes


def reshaped(size, shape):
    """The shape that `size` items get, with the size for -1 found."""
    shape = _listed(shape)
    sizes = [operator.index(one) for one in shape] if isinstance(shape, (tuple, list)) else [operator.index(shape)]
    known = 1
    for one in sizes:
        known *= one if one >= 0 else 1
    if sum(one < 0 for one in sizes) > 1:
        raise ValueError("can only specify one unknown dimension")
    text = f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})".replace(" ", "")
    if any(one < 0 for one in sizes):
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {text}")
        return tuple(size // known if one < 0 else one for one in sizes)
    if known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {text}")
    return tuple(sizes)
