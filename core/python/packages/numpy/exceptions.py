"""Errors and warnings of numpy. Behaviour: numpy/exceptions.py."""


class AxisError(ValueError, IndexError):
    """An axis that the array does not have."""

    def __init__(self, axis, ndim=None, msg_prefix=None):
        self.axis, self.ndim = axis, ndim
        text = axis if ndim is None else f"axis {axis} is out of bounds for array of dimension {ndim}"
        super().__init__(text if msg_prefix is None else f"{msg_prefix}: {text}")


class ComplexWarning(RuntimeWarning):
    """The imaginary part of a number was dropped."""


class VisibleDeprecationWarning(UserWarning):
    """What will change, said to users too."""


class RankWarning(RuntimeWarning):
    """A fit with too few points for its coefficients."""


class TooHardError(RuntimeError):
    """A search went on for too long."""


class DTypePromotionError(TypeError):
    """Types that have no common one."""


class ModuleDeprecationWarning(DeprecationWarning):
    """A module that will go."""
