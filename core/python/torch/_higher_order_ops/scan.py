"""A loop over slices that carries a state. Behaviour: torch/_higher_order_ops/scan.py."""
import torch
from torch._higher_order_ops._checks import dimension
from torch.utils import _pytree as pytree


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """(the last carry, what combine_fn(carry, slice) gave for each slice of `xs` along `dim`, stacked along the first dimension).
    combine_fn gives (the next carry, an output); `reverse`: the last slice comes first.
    Errors: RuntimeError  what is given is no tensor, or has no slices; the next carry is not as the carry was."""
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise RuntimeError("Dim must be an int, but got " + str(type(dim)))
    if not isinstance(reverse, bool):
        raise RuntimeError("Reverse must be a bool, but got " + str(type(reverse)))
    of_init, init_spec = pytree.tree_flatten(init)
    leaves, spec = pytree.tree_flatten(xs)
    if not leaves:
        return init, []
    if not of_init:
        raise RuntimeError("scan() operator requires init leaves.")
    for leaf in of_init:
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f"All init leaves must be a Tensor but got {leaf}")
    for leaf in leaves:
        if not isinstance(leaf, torch.Tensor):
            raise RuntimeError(f"All xs leaves must be a Tensor but got {leaf}")
    dim = dimension(dim, leaves[0].dim())
    if any(leaf.dim() <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    count = leaves[0].shape[dim]
    carry, outputs = init, []
    for at in reversed(range(count)) if reverse else range(count):
        carry, output = combine_fn(carry, pytree.tree_unflatten([leaf.select(dim, at) for leaf in leaves], spec))
        if pytree.tree_structure(carry) != init_spec:
            raise RuntimeError(f"scan: combine_fn gives a carry of the structure {pytree.tree_structure(carry)}, that of init is {init_spec}")
        outputs.append(output)
    if reverse:
        outputs.reverse()
    return carry, pytree.tree_map(lambda *parts: None if parts[0] is None else torch.stack(parts), *outputs)
