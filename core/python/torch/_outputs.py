"""out= of functions that are written in Python. Behaviour: aten/src/ATen/native/Resize.cpp, resize_output."""
import functools

import torch


def write(made, out):
    """Writes a result, or each of several, into the tensors that were given for them, which take its shape."""
    if out is None:
        return made
    if isinstance(made, (tuple, list)):
        for value, target in zip(made, out):
            torch.clone(value, out=target)
        return out
    return torch.clone(made, out=out)


def takes_out(function):
    """The function with the keyword out=."""
    @functools.wraps(function)
    def call(*args, out=None, **kwargs):
        return write(function(*args, **kwargs), out)

    return call
