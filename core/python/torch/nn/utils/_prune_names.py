"""What methods of pruning that programs write ask of their amounts. Behaviour: torch/nn/utils/prune.py."""
import numbers

import torch


def _is_whole(amount):
    return isinstance(amount, numbers.Integral)


def _validate_pruning_amount_init(amount):
    """Errors: TypeError  no number; ValueError  a share outside of 0 to 1, or a negative count."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (_is_whole(amount) and amount < 0) or (not _is_whole(amount) and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount, tensor_size):
    """Errors: ValueError  more than there are."""
    if _is_whole(amount) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t):
    if t.dim() <= 1:
        raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                         f"{t.shape} with {t.dim()} dims")


def _compute_nparams_toprune(amount, tensor_size):
    """How many of `tensor_size` entries an amount is: a count, or a share of them."""
    return amount if _is_whole(amount) else round(amount * tensor_size)


def _validate_pruning_dim(t, dim):
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t, n, dim):
    """The n-norms of the slices of `t` along `dim`."""
    others = [axis for axis in range(t.dim()) if axis != dim % t.dim()]
    return torch.norm(t, p=n, dim=others)
