"""Prefixes of an associative function. Behaviour: torch/_higher_order_ops/associative_scan.py."""
import torch
from torch._higher_order_ops._checks import dimension
from torch.utils import _pytree as pytree


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """Tensors like `xs` whose slice n along `dim` is that of slices 0 to n combined by combine_fn(a, b), which is associative and is
    asked of many slices at once: about 2 log2(n) calls. `reverse`: from the last slice on.
    Errors: ValueError  what is given is no tensor, or not of one shape; combine_fn gives something else than it is given."""
    leaves, spec = pytree.tree_flatten(xs)
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise ValueError("Dim must be an int, but got " + str(type(dim)))
    if not isinstance(reverse, bool):
        raise ValueError("Reverse must be a bool, but got " + str(type(reverse)))
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if not all(isinstance(leaf, torch.Tensor) for leaf in leaves):
        raise ValueError("xs leaves must be a Tensor")
    if any(leaf.shape != leaves[0].shape for leaf in leaves[1:]):
        raise ValueError("All xs tensors must have the same shape")
    dim = dimension(dim, leaves[0].dim())

    def combine(left, right):
        given = combine_fn(pytree.tree_unflatten(left, spec), pytree.tree_unflatten(right, spec))
        made, made_spec = pytree.tree_flatten(given)
        if made_spec != spec:
            raise ValueError("The pytree of the output of the operator needs to match the xs pytree")
        return made

    if reverse:
        leaves = [leaf.flip([dim]) for leaf in leaves]
    made = _prefixes(leaves, dim, combine)
    return pytree.tree_unflatten([leaf.flip([dim]) for leaf in made] if reverse else made, spec)


def _every_other(leaves, dim, first, end=None):
    index = (slice(None),) * dim + (slice(first, end, 2),)
    return [leaf[index] for leaf in leaves]


def _prefixes(leaves, dim, combine):
    """Pairs are combined, their prefixes are those of the odd places; the even ones follow with one more slice each."""
    count = leaves[0].shape[dim]
    if count < 2:
        return leaves
    odd = _prefixes(combine(_every_other(leaves, dim, 0, count - count % 2), _every_other(leaves, dim, 1)), dim, combine)
    first = [leaf.narrow(dim, 0, 1) for leaf in leaves]
    later = _every_other(leaves, dim, 2)
    rest = later[0].shape[dim]
    even = first
    if rest:
        even = [torch.cat(pair, dim) for pair in zip(first, combine([leaf.narrow(dim, 0, rest) for leaf in odd], later))]
    return [_interleaved(a, b, dim) for a, b in zip(even, odd)]


def _interleaved(even, odd, dim):
    pairs = odd.shape[dim]
    mixed = torch.stack([even.narrow(dim, 0, pairs), odd], dim + 1).flatten(dim, dim + 1)
    return mixed if even.shape[dim] == pairs else torch.cat([mixed, even.narrow(dim, pairs, 1)], dim)
