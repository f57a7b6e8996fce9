"""Arrays and scalars out of pickles. Behaviour: numpy/_core/src/multiarray/methods.c, multiarraymodule.c."""
from torch import _bytes

from numpy._array import empty
from numpy._scalars import make
from numpy._ufunc import item_of


def _reconstruct(subtype, shape, dtype):
    """An array that __setstate__() fills."""
    return empty(shape, "uint8")


def scalar(dtype, obj=None):
    """The scalar of a type over its bytes."""
    data = obj.encode("latin1") if isinstance(obj, str) else b"\0" * dtype.itemsize if obj is None else obj
    if len(data) < dtype.itemsize:
        raise ValueError("initialization string is too small")
    return make(dtype, item_of(_bytes.from_bytes(data, dtype.torch, 0, 1)[0], dtype))
