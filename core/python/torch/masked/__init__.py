"""Functions of the items that a mask lets through; masked tensors are refused by their names."""
from torch.masked._ops import (amax, amin, argmax, argmin, cumprod, cumsum, log_softmax, logaddexp, logsumexp, mean, median,
                               norm, normalize, prod, softmax, softmin, std, sum, var)


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.masked.{name}: nnscope has no masked tensors")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


masked_tensor, as_masked_tensor, MaskedTensor = map(_refuse, ("masked_tensor", "as_masked_tensor", "MaskedTensor"))


def is_masked_tensor(obj, /):
    return False
