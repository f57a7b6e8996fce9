"""A loop that carries tensors. Behaviour: torch/_higher_order_ops/while_loop.py."""
import torch
from torch.utils import _pytree as pytree


def _check_predicate(value):
    is_truth = isinstance(value, torch.Tensor) and value.dim() == 0 and value.dtype is torch.bool
    if not is_truth and not isinstance(value, bool):
        raise RuntimeError(f"cond_fn must return a boolean scalar tensor or a boolean but got {value}")


def while_loop(cond_fn, body_fn, carried_inputs):
    """body_fn over and over, on what it gave, for as long as cond_fn holds of that; first on `carried_inputs`, tensors or ints in lists,
    tuples and dicts. Without a turn the inputs are copied.
    Errors: RuntimeError  what is given or what cond_fn gives is none of these. AssertionError  body_fn gives another number."""
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"carried_inputs must be a tuple or list, got {type(carried_inputs)}")
    if not pytree.tree_all(lambda leaf: isinstance(leaf, (torch.Tensor, int)), carried_inputs):
        raise RuntimeError("Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only"
                           f"consists of tensor or int leaves, but got {carried_inputs}.")
    carried, goes_on = tuple(carried_inputs), cond_fn(*carried_inputs)
    _check_predicate(goes_on)
    if not goes_on:
        return pytree.tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, carried)
    while goes_on:
        given = body_fn(*carried)
        if not isinstance(given, (tuple, list)):
            raise AssertionError(f"body_fn should return a tuple but got {type(given)}")
        if len(given) != len(carried):
            raise AssertionError(f"body_fn should return the same number of elements as carried_inputs, got {len(given)} vs {len(carried)}")
        carried = tuple(given)
        goes_on = cond_fn(*carried)
    return carried
