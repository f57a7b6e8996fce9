"""Arrays out of pickles of protocol 5. Behaviour: numpy/_core/numeric.py."""
from torch import _bytes

from numpy._array import ndarray


def _frombuffer(buf, dtype, shape, order, axis_order=None):
    data = bytes(buf)
    made = ndarray._of(_bytes.from_bytes(data, dtype.torch, 0, len(data) // dtype.itemsize), dtype)
    if order == "K" and axis_order is not None:
        made = made.reshape([shape[one] for one in axis_order])
        return made.transpose([axis_order.index(d) for d in range(len(shape))])
    return made.reshape(shape, order=order)
