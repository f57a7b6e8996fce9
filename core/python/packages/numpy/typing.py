"""Names for annotations. Behaviour: numpy/typing/__init__.py."""
from typing import Any

from numpy import ndarray

DTypeLike = Any
ArrayLike = Any


class NDArray:
    """NDArray[np.float32] in annotations means an ndarray; nothing checks its items."""

    def __class_getitem__(cls, item):
        return ndarray
