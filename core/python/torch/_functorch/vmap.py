"""torch.func.vmap: a function over one dimension of its arguments.

Behaviour: torch/_functorch/vmap.py and apis.py.
Differs: PyTorch runs the function once on tensors that hide a dimension; here it runs once for each index, so that what
it prints or counts happens as often. Values, shapes, gradients and errors about the arguments are the same."""
import functools

import torch
from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_map_, tree_structure, tree_unflatten


def _name(func):
    return func.__name__ if hasattr(func, "__name__") else repr(func)


def _check_out_dims(out_dims, func):
    def check(dim):
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
                "ints representing where in the outputs the vmapped dimension should appear.")
        return dim

    if not isinstance(out_dims, int):
        tree_map_(check, out_dims)


def _checked_inputs(in_dims, args, func):
    """(how many runs, the dimension of each flat argument, the flat arguments, their structure)."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported.")
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    whole = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if dims is None:
        raise ValueError(
            f"{whole}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_structure(in_dims)} but inputs has structure {spec}.")
    for i, (arg, dim) in enumerate(zip(flat, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise ValueError(
                f"{whole}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(arg, torch.Tensor):
            raise ValueError(
                f"{whole}Got in_dim={dim} for an input but the input is of type {type(arg)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim")
        if not -arg.dim() <= dim < arg.dim():
            raise ValueError(
                f"{whole}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {arg.dim()} so "
                f"expected in_dim to satisfy -{arg.dim()} <= in_dim < {arg.dim()}.")
        dims[i] = dim % arg.dim()
    sizes = [arg.size(dim) for arg, dim in zip(flat, dims) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension")
    return sizes[0], dims, flat, spec


def _dims_of_outputs(out_dims, outputs, spec, func):
    if isinstance(outputs, torch.Tensor):
        if out_dims is None or isinstance(out_dims, int):
            return [out_dims]
        if isinstance(out_dims, tuple) and len(out_dims) == 1:
            return list(out_dims)
        dims = None
    else:
        dims = _broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {tree_structure(out_dims)} but outputs has structure {spec}.")
    return dims


class _Randomness:
    """What each run finds of the default generator, and what a run may do with it."""

    def __init__(self, kind):
        self.kind = kind
        self.start = None if kind == "different" else torch.get_rng_state()

    def before(self):
        if self.kind == "same":
            torch.set_rng_state(self.start)

    def after(self):
        if self.kind == "error" and not torch.equal(self.start, torch.get_rng_state()):
            torch.set_rng_state(self.start)
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
                "randomness flags on vmap or perform the randomness operation out of vmap")


def _stacked(name, results, dim):
    """The results of one output, one a run, as a tensor with that dimension."""
    for result in results:
        if not isinstance(result, torch.Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(result)}. Did you mean to set out_dim= "
                "to None for output?")
    dims = results[0].dim() + 1
    if not -dims <= dim < dims:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-dims}, {dims - 1}], but got {dim})")
    return torch.stack(results, dim)


def _common(name, results):
    """What is the same in all runs: an output without a dimension."""
    first = results[0]
    if isinstance(first, torch.Tensor) and not first.is_meta:
        for other in results[1:]:
            if other is not first and not (other.shape == first.shape and
                                           torch.allclose(other.detach(), first.detach(), rtol=0, atol=0, equal_nan=True)):
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return first


def _run_all(func, count, dims, flat, spec, out_dims, randomness, kwargs):
    def arguments(index):
        return tree_unflatten([arg if dim is None else arg.select(dim, index) for arg, dim in zip(flat, dims)], spec)

    from torch._functorch.eager_transforms import transforming as entered
    transforming = functools.partial(entered, "vmap")
    rows, out_spec, flat_dims = [], None, None
    for index in range(count):
        randomness.before()
        with transforming():
            outputs = func(*arguments(index), **kwargs)
        randomness.after()
        leaves, out_spec = tree_flatten(outputs)
        if flat_dims is None:
            flat_dims = _dims_of_outputs(out_dims, outputs, out_spec, func)
        rows.append(leaves)
    if count == 0:
        # No run says what the outputs are: one on zeros does.
        zeros = [arg if dim is None else arg.new_zeros(arg.shape[:dim] + arg.shape[dim + 1:])
                 for arg, dim in zip(flat, dims)]
        outputs = func(*tree_unflatten(zeros, spec), **kwargs)
        leaves, out_spec = tree_flatten(outputs)
        flat_dims = _dims_of_outputs(out_dims, outputs, out_spec, func)
        stacked = [leaf if dim is None else _stacked(_name(func), [leaf], dim).narrow(dim, 0, 0)
                   for leaf, dim in zip(leaves, flat_dims)]
        return tree_unflatten(stacked, out_spec)
    columns = list(zip(*rows))
    return tree_unflatten([_common(_name(func), column) if dim is None else _stacked(_name(func), column, dim)
                           for column, dim in zip(columns, flat_dims)], out_spec)


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """func over dimension `in_dims` of its tensors, an int or a tree as that of the arguments (None: the same in all runs);
    the results are put together along `out_dims`. randomness: "error", "same" or "different" random numbers in the runs.
    chunk_size changes nothing: runs are one by one."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        _check_out_dims(out_dims, func)
        count, dims, flat, spec = _checked_inputs(in_dims, args, func)
        return _run_all(func, count, dims, flat, spec, out_dims, _Randomness(randomness), kwargs)

    return wrapped
