"""A function over the rows of tensors. Behaviour: torch/_higher_order_ops/map.py."""
import torch
from torch.utils import _pytree as pytree


def map(f, xs, *args):
    """f(row, *args) for each row of the tensors in `xs` (of their first dimension), stacked.
    Errors: RuntimeError  `xs` holds something else than tensors, or they have no rows or not as many."""
    leaves, spec = pytree.tree_flatten(xs)
    if not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    shapes = [leaf.shape for leaf in leaves]
    if shapes[0][0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(shape[0] != shapes[0][0] for shape in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    given = [f(pytree.tree_unflatten(list(rows), spec), *args) for rows in zip(*leaves)]
    return pytree.tree_map(lambda *parts: torch.stack(parts), *given)
