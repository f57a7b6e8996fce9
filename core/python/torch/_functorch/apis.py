"""torch.func.grad, grad_and_value, jacrev, jacfwd and hessian. Behaviour: torch/_functorch/apis.py, eager_transforms.py."""
import functools

import torch
from torch._functorch.eager_transforms import Level, Pullback, Pushforward, argument_numbers, gradients, split_aux, transforming
from torch._functorch.vmap import vmap
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten


def _grad_and_value(func, argnums, has_aux, args, kwargs):
    """(gradients, value, aux)."""
    numbers = argument_numbers(argnums, len(args))
    level = Level()
    with transforming("grad, vjp, jacrev, hessian"), torch.enable_grad():
        arguments = list(args)
        for number in numbers:
            arguments[number] = level.enter(arguments[number])
        output, aux = split_aux(func(*arguments, **kwargs), has_aux, "grad_and_value(f)(*args)")
        if not isinstance(output, torch.Tensor):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim() != 0:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
        watched = level.is_watched([output])
        found = list(gradients([output], level.inputs, create_graph=watched, retain_graph=watched))
        primals = tuple(arguments[number] for number in numbers)
        structured = tree_unflatten(found, tree_flatten(primals)[1])
    value = level.leave(output, watched)
    aux = None if aux is None else level.leave(aux)
    return structured[0] if isinstance(argnums, int) else structured, value, aux


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives (the gradients of func, its value); with has_aux (gradients, (value, aux))."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        found, value, aux = _grad_and_value(func, argnums, has_aux, args, kwargs)
        return found, (value, aux) if has_aux else value

    return wrapper


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradients of func, which returns one number; with has_aux (gradients, aux)."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        found, _, aux = _grad_and_value(func, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return wrapper


def _refuse_complex(api, tree, what):
    for index, leaf in enumerate(tree_leaves(tree)):
        if isinstance(leaf, torch.Tensor) and leaf.dtype.is_complex:
            raise RuntimeError(
                f"{api}: Expected all {what} to be real but received complex tensor at flattened input idx: {index}")


def _basis(tensor):
    """One tensor of its shape for each of its items, 1 there and 0 elsewhere."""
    for index in range(tensor.numel()):
        one = torch.zeros(tensor.numel(), dtype=tensor.dtype, device=tensor.device)
        one[index] = 1
        yield one.view(tensor.shape)


def _directions(tensors):
    """The same for several tensors together: those that the item is not in are zeros."""
    zeros = [torch.zeros_like(one).detach() for one in tensors]
    for place, tensor in enumerate(tensors):
        for one in _basis(tensor.detach()):
            yield [*zeros[:place], one, *zeros[place + 1:]]


def _cut(stacked, tensors):
    """Rows that _directions(tensors) led to, as one tensor for each of these: (*its shape, *that of a row)."""
    cut = stacked.split([one.numel() for one in tensors])
    return [part.reshape(tuple(one.shape) + tuple(part.shape[1:])) for part, one in zip(cut, tensors)]


def _arranged(by_output, outputs_spec, inputs_spec, argnums):
    """Flat Jacobians, outputs outside of inputs, in the structures of both."""
    structured = [tree_unflatten(of_one, inputs_spec) for of_one in by_output]
    if isinstance(argnums, int):
        structured = [one[0] for one in structured]
    return tree_unflatten(structured, outputs_spec)


def jacrev(func, argnums=0, has_aux=False, *, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives the Jacobian of func, row by row: (*shape of the output, *shape of the argument). chunk_size
    changes nothing."""
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args):
        _refuse_complex("jacrev", args, "inputs")
        held = Pullback(func, args, argument_numbers(argnums, len(args)), has_aux, "vjp(f, *primals)")
        _refuse_complex("jacrev", held.flat, "outputs")
        rows = [held.pull(one, create_graph=True) for one in _directions(held.flat)]
        inputs, inputs_spec = tree_flatten(held.primals)
        by_input = [_cut(torch.stack(column) if column else torch.zeros((0, *one.shape), dtype=one.dtype), held.flat)
                    for column, one in zip(zip(*rows) if rows else [()] * len(inputs), inputs)]
        jacobian = _arranged([list(of_one) for of_one in zip(*by_input)], held.spec, inputs_spec, argnums)
        return (jacobian, held.aux) if has_aux else jacobian

    return wrapper


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """The same Jacobian as jacrev's, column by column."""
    @functools.wraps(func)
    def wrapper(*args):
        _refuse_complex("jacfwd", args, "inputs")
        numbers = argument_numbers(argnums, len(args))
        run = Pushforward(func, args, numbers, has_aux, "jvp(f, primals, tangents)")
        _refuse_complex("jacfwd", run.flat, "outputs")
        inputs, inputs_spec = tree_flatten(run.held.primals)
        columns = [run.push(one) for one in _directions(inputs)]
        by_output = []
        for output, of_one in zip(run.flat, zip(*columns) if columns else [()] * len(run.flat)):
            stacked = torch.stack(of_one) if of_one else torch.zeros((0, *output.shape), dtype=output.dtype)
            by_output.append([part.permute((*range(one.dim(), part.dim()), *range(one.dim())))
                              for part, one in zip(_cut(stacked, inputs), inputs)])
        jacobian = _arranged(by_output, run.held.spec, inputs_spec, argnums)
        return (jacobian, run.held.aux) if has_aux else jacobian

    return wrapper


def hessian(func, argnums=0):
    """A function that gives the second derivatives of func: jacfwd(jacrev(func))."""
    return jacfwd(jacrev(func, argnums), argnums)
