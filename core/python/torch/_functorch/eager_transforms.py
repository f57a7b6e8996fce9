"""Derivatives of functions as functions: vjp, jvp, linearize, functionalize, and what grad and the Jacobians are made of.

Behaviour: torch/_functorch/eager_transforms.py.
Differs: PyTorch marks tensors with the transform that they belong to. Here a transform gives the function new tensors that
require gradients (views of those that do already, so that transforms nest). jvp pushes tangents forward; linearize and jacfwd,
which run the function once for many tangents, take gradients of gradients instead."""
import contextlib
import functools

import torch
from torch._C._autograd import _detach_history, _make_dual, _unpack_dual
from torch.autograd.functional import _gradients
from torch.autograd.graph import _leads_beyond, disable_saved_tensors_hooks
from torch.utils._pytree import tree_flatten, tree_map, treespec_pprint, tree_unflatten


def argument_numbers(argnums, count):
    """argnums as a tuple of indices from 0, for a function with `count` positional arguments."""
    def checked(argnum):
        if not isinstance(argnum, int):
            raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
        return argnum % count

    if isinstance(argnums, int):
        return (checked(argnums),)
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = tuple(checked(argnum) for argnum in argnums)
    if not numbers:
        raise RuntimeError("argnums must be non-empty")
    if len(set(numbers)) != len(numbers):
        raise RuntimeError(f"argnums elements must be unique, got {numbers}")
    return numbers


def _slice_argnums(args, argnums, as_tuple=True):
    """The arguments of these numbers; as_tuple=False: of one number that argument."""
    numbers = argument_numbers(argnums, len(args))
    if isinstance(argnums, int):
        return (args[numbers[0]],) if as_tuple else args[numbers[0]]
    return tuple(args[number] for number in numbers)


def split_aux(output, has_aux, api):
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


_NO_HOOKS = ("torch.func.{{{}}} don't yet support saved tensor hooks. Please open an issue with your use case.")


@contextlib.contextmanager
def transforming(names):
    """A transform of torch.func is at work: custom functions and saved tensors hooks ask for it."""
    autograd = torch._C._autograd
    outer = getattr(autograd, "_transforms", 0)
    with disable_saved_tensors_hooks(_NO_HOOKS.format(names)):
        autograd._transforms = outer + 1
        try:
            yield
        finally:
            autograd._transforms = outer


class Level:
    """One transform at work: the tensors that it gave its function, and whether anybody outside differentiates too."""

    def __init__(self):
        self.outer_mode = torch.is_grad_enabled()
        self.inputs = []

    def enter(self, tree):
        """The same tree with tensors of this level; all its leaves are to be differentiated."""
        def differentiable(leaf):
            if not isinstance(leaf, torch.Tensor):
                raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
            is_watched = leaf.requires_grad and self.outer_mode
            made = leaf.view_as(leaf) if is_watched else _detach_history(leaf).requires_grad_()
            self.inputs.append(made)
            return made

        return tree_map(differentiable, tree)

    def is_watched(self, tensors):
        """Whether the tensors depend on what requires gradients outside of this level."""
        return self.outer_mode and _leads_beyond(tensors, self.inputs)

    def leave(self, tree, may_be_watched=True):
        """The same tree with tensors as the caller sees them. may_be_watched=False: is_watched() said so of all of them."""
        def seen(leaf):
            if not isinstance(leaf, torch.Tensor):
                raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
            is_free = not leaf.requires_grad or (may_be_watched and self.is_watched([leaf]))
            return leaf if is_free else _detach_history(leaf)

        return tree_map(seen, tree)


def gradients(outputs, inputs, cotangents=None, *, create_graph, retain_graph=True):
    """torch.autograd.grad with zeros where nothing leads."""
    found = _gradients(outputs, inputs, cotangents, create_graph, retain_graph)
    return tuple(torch.zeros_like(one) if grad is None else grad for grad, one in zip(found, inputs))


def check_tensors(flat, api):
    if flat == [None] or len(flat) < 1:
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {flat})")
    for one in flat:
        if not isinstance(one, torch.Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(one)}")


class Pullback:
    """func at its arguments, run once: its outputs, and what cotangents of them come to."""

    def __init__(self, func, primals, numbers, has_aux, api, aux_api=None):
        self.level = Level()
        with transforming("grad, vjp, jacrev, hessian"), torch.enable_grad():
            arguments = list(primals)
            for number in numbers:
                arguments[number] = self.level.enter(arguments[number])
            self.primals = tuple(arguments[number] for number in numbers)
            output, aux = split_aux(func(*arguments), has_aux, aux_api or api)
            self.flat, self.spec = tree_flatten(output)
            check_tensors(self.flat, api)
            self.is_watched = self.level.is_watched(self.flat)
            self.output = self.level.leave(output, self.is_watched)
            self.aux = self.level.leave(aux) if has_aux else None

    def pull(self, cotangents, create_graph):
        """One gradient a tensor of the arguments, from one cotangent an output (both flat)."""
        create_graph = create_graph and (self.is_watched or any(one.requires_grad for one in cotangents))
        with torch.enable_grad():
            found = gradients(self.flat, self.level.inputs, cotangents, create_graph=create_graph)
        return list(found) if create_graph else [_detach_history(one) for one in found]

    def structured(self, flat):
        """Flat gradients in the shape of the arguments."""
        return tree_unflatten(flat, tree_flatten(self.primals)[1])


def vjp(func, *primals, has_aux=False):
    """(func(*primals), a function from cotangents of it to one gradient a primal[, aux])."""
    held = Pullback(func, primals, range(len(primals)), has_aux, "vjp(f, *primals)")
    for output in held.flat:
        if not (output.is_floating_point() or output.is_complex()):
            raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with "
                               f"dtype {output.dtype}")

    def wrapper(cotangents, retain_graph=True, create_graph=None):
        flat, spec = tree_flatten(cotangents)
        if spec != held.spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {treespec_pprint(spec)}, primal output: {treespec_pprint(held.spec)}")
        return held.structured(held.pull(flat, torch.is_grad_enabled() if create_graph is None else create_graph))

    return (held.output, wrapper, held.aux) if has_aux else (held.output, wrapper)


class Pushforward:
    """func at its arguments, run once: its outputs, and what tangents of the arguments come to. The gradients are a linear
    function of their cotangents; its gradients are the tangents."""

    def __init__(self, func, primals, numbers, has_aux, api):
        self.held = Pullback(func, primals, numbers, has_aux, api)
        self.flat = self.held.flat
        with torch.enable_grad():
            self._cotangents = [torch.zeros_like(one).requires_grad_() if one.requires_grad else None for one in self.flat]
            followed = [one for one in self._cotangents if one is not None]
            self._linear = [] if not followed else torch.autograd.grad(
                [one for one in self.flat if one.requires_grad], self.held.level.inputs, followed,
                create_graph=True, allow_unused=True)

    def push(self, tangents, strict=False):
        """One tangent an output, from one a tensor of the arguments (both flat)."""
        pairs = [(linear, tangent) for linear, tangent in zip(self._linear, tangents)
                 if linear is not None and linear.requires_grad]
        followed = [one for one in self._cotangents if one is not None]
        watched = self.held.level.outer_mode and (self.held.is_watched or any(one.requires_grad for _, one in pairs))
        found = [None] * len(followed)
        if pairs:
            with torch.enable_grad():
                found = torch.autograd.grad([linear for linear, _ in pairs], followed, [tangent for _, tangent in pairs],
                                            retain_graph=True, create_graph=watched, allow_unused=True)
        found, pushed = iter(found), []
        for output, cotangent in zip(self.flat, self._cotangents):
            tangent = None if cotangent is None else next(found)
            if tangent is None:
                if strict:
                    raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the "
                                       "inputs. This is not allowed with strict=True.")
                tangent = torch.zeros_like(output)
            pushed.append(tangent if watched else _detach_history(tangent))
        return pushed


_JVP = "jvp(f, primals, tangents)"


def _checked_aux(leaf):
    if not isinstance(leaf, torch.Tensor):
        raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return leaf


def _check_primals(tensors, what):
    if len(tensors) == 0:
        raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
    for one in tensors:
        if not isinstance(one, torch.Tensor):
            raise RuntimeError(f"{_JVP}: Expected {what} to only contain Tensors, got {type(one)}")


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(func(*primals), its change along the tangents[, aux])."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    flat_primals, primals_spec = tree_flatten(primals)
    flat_tangents, tangents_spec = tree_flatten(tangents)
    if primals_spec != tangents_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a tuple of "
            f"3 tensors, tangents also must be. Got primals with structure {primals_spec} and tangents with structure "
            f"{tangents_spec}")
    _check_primals(flat_primals, "primals")
    _check_primals(flat_tangents, "tangents")
    level = torch._C._enter_dual_level()
    is_enabled = torch._C._is_fwd_grad_enabled()
    torch._C._set_fwd_grad_enabled(True)
    try:
        duals = [_make_dual(primal, tangent, level) for primal, tangent in zip(flat_primals, flat_tangents)]
        with transforming("jvp, jacfwd, hessian"):
            result, aux = split_aux(func(*tree_unflatten(duals, primals_spec)), has_aux, _JVP)
        flat, spec = tree_flatten(result)
        check_tensors(flat, _JVP)
        pairs = [_unpack_dual(one, level) for one in flat]
        if strict and any(tangent is None for _, tangent in pairs):
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                               "allowed with strict=True.")
        output = tree_unflatten([primal for primal, _ in pairs], spec)
        pushed = tree_unflatten([torch.zeros_like(primal) if tangent is None else tangent for primal, tangent in pairs], spec)
        if has_aux:
            aux = tree_map(lambda one: _unpack_dual(_checked_aux(one), level)[0], aux)
    finally:
        torch._C._set_fwd_grad_enabled(is_enabled)
        torch._C._exit_dual_level(level)
    return (output, pushed, aux) if has_aux else (output, pushed)


def linearize(func, *primals):
    """(func(*primals), a function from tangents to the change of the outputs): func runs once for all of them."""
    pushforward = Pushforward(func, primals, range(len(primals)), False, "linearize(f, *primals)")
    flat_primals, primals_spec = tree_flatten(primals)

    def jvp_fn(*tangents):
        flat, spec = tree_flatten(tangents)
        if spec != primals_spec:
            raise RuntimeError(f"Expected the tangents {spec} to have the same structure as the primals {primals_spec}")
        for i, (tangent, primal) in enumerate(zip(flat, flat_primals)):
            if tangent.shape != primal.shape:
                raise RuntimeError(
                    f"tangent:{i} with shape {tangent.shape} in flattened pytree doesn't match the shape {primal.shape} of the "
                    "corresponding primal.")
            if tangent.device != primal.device:
                raise RuntimeError(
                    f"tangent:{i} with device {tangent.device} in flattened pytree doesn't match the device {primal.device} of "
                    "the corresponding primal.")
            if tangent.dtype != primal.dtype:
                raise RuntimeError(
                    f"tangent:{i} with dtype {tangent.dtype} in flattened pytree doesn't match the dtype {primal.dtype} of the "
                    "corresponding primal.")
        return tree_unflatten(pushforward.push(flat), pushforward.held.spec)

    return pushforward.held.output, jvp_fn


def functionalize(func, *, remove="mutations"):
    """func itself, as its caller sees it: the transform changes only which ops a tracer would find."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
            "out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with "
            "their non-aliasing counterparts, {view}_copy.\n")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        with transforming("functionalize"):
            return func(*args, **kwargs)

    return wrapped
