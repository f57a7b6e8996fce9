"""Parts of a model whose insides are not kept for backward but computed again there. Behaviour: torch/utils/checkpoint.py."""
import contextlib
import functools
import warnings

import torch
from torch.utils._checkpoint_frames import CheckpointError, Frame, debug_contexts, hooks_of_forward
from torch.utils._checkpoint_policies import (SAC_IGNORED_OPS, CheckpointPolicy, SelectiveCheckpointContext,
                                              create_selective_checkpoint_contexts)
from torch.utils._checkpoint_surroundings import (DefaultDeviceType, Surroundings, get_device_states, set_device_states)

__all__ = ["checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
           "detach_variable", "get_device_states", "set_device_states", "noop_context_fn", "set_checkpoint_early_stop",
           "DefaultDeviceType", "set_checkpoint_debug_enabled", "CheckpointPolicy", "SelectiveCheckpointContext",
           "create_selective_checkpoint_contexts", "SAC_IGNORED_OPS", "GraphExecGroup"]

_NOT_SAID = ("the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if you need to "
             "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
             "differences between the two variants.")
_checkpoint_debug_enabled = None
_enable_checkpoint_early_stop = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """Inside, `enabled` goes before the `debug` of checkpoint(); None leaves it to that."""
    global _checkpoint_debug_enabled
    before, _checkpoint_debug_enabled = _checkpoint_debug_enabled, enabled
    try:
        yield
    finally:
        _checkpoint_debug_enabled = before


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """Whether what is called inside stops to compute again when it has all that backward needs; goes before `early_stop`."""
    global _enable_checkpoint_early_stop
    before, _enable_checkpoint_early_stop = _enable_checkpoint_early_stop, enable
    try:
        yield
    finally:
        _enable_checkpoint_early_stop = before


def detach_variable(inputs):
    """The tensors of a tuple without their graphs, each a leaf that asks for a gradient as it did.
    Errors: RuntimeError  no tuple."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(one.detach().requires_grad_(one.requires_grad) if isinstance(one, torch.Tensor) else one for one in inputs)


def check_backward_validity(inputs):
    """Warns where no tensor asks for a gradient."""
    if not any(one.requires_grad for one in inputs if isinstance(one, torch.Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


class CheckpointFunction(torch.autograd.Function):
    """The way of use_reentrant=True: forward records nothing; backward runs the function again, and a backward of that."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(args, preserve_rng_state)
        ctx.places = [i for i, one in enumerate(args) if torch.is_tensor(one)]
        ctx.inputs = [None if torch.is_tensor(one) else one for one in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *args):
        if not torch.autograd._is_checkpoint_valid():
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                               "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                               ".backward() without passing the `inputs` argument.")
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            inputs[place] = tensor
        with ctx.surroundings.again():
            detached = detach_variable(tuple(inputs))
            with torch.enable_grad(), ctx.surroundings.autocast():
                outputs = ctx.run_function(*detached)
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        followed = [(one, grad) for one, grad in zip(outputs, args) if torch.is_tensor(one) and one.requires_grad]
        if not followed:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([one for one, _ in followed], [grad for _, grad in followed])
        return (None, None, *(one.grad if isinstance(one, torch.Tensor) else None for one in detached))


def noop_context_fn():
    return contextlib.nullcontext(), contextlib.nullcontext()


class _CheckpointFunction:
    """What checkpoint() without a function decorates with."""

    def __init__(self, function, **checkpoint_kwargs):
        self.function, self.checkpoint_kwargs = function, dict(checkpoint_kwargs)
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args, **kwargs):
        return _checkpoint_impl(self.function, args, kwargs, **self.checkpoint_kwargs)

    def __get__(self, instance, owner=None):
        bind = getattr(self.function, "__get__", None)
        if instance is None or bind is None:
            return self
        return type(self)(bind(instance, owner), **self.checkpoint_kwargs)


def checkpoint(function=None, *args, use_reentrant=None, preserve_rng_state=True, context_fn=noop_context_fn, determinism_check="default",
               debug=False, early_stop=True, **kwargs):
    """function(*args, **kwargs), of which nothing is kept for backward: there it runs again. Without a function, a decorator.

    `use_reentrant`: True takes an inner backward, for tensors among `args` alone, and no keywords; False puts what is computed again in
    the place of what was saved, wherever that is used. `context_fn` gives the contexts around the first run and around the second;
    `determinism_check`: "default" compares sizes, dtypes and devices of both runs, "none" does not.
    Errors: CheckpointError  the second run saves other tensors than the first. ValueError  an option is unknown, or not for this way."""
    options = dict(use_reentrant=use_reentrant, preserve_rng_state=preserve_rng_state, context_fn=context_fn,
                   determinism_check=determinism_check, debug=debug, early_stop=early_stop)
    if function is None and not args:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return functools.partial(_CheckpointFunction, **options)
    return _checkpoint_impl(function, args, kwargs, **options)


def _called_plainly(function):
    """What torch.compile did not make a part of its graph it does not compile at all."""
    compiler = getattr(torch._C, "_dynamo", None)
    return function if compiler is None else lambda *args, **kwargs: compiler.run_plain(function, args, kwargs)


def _checkpoint_impl(function, args, kwargs, *, use_reentrant=None, preserve_rng_state=True, context_fn=noop_context_fn,
                     determinism_check="default", debug=False, early_stop=True):
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint: " + _NOT_SAID.format(
            "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."), stacklevel=3)
        use_reentrant = True
    function = _called_plainly(function)
    if not use_reentrant:
        return _without_reentrance(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if context_fn is not noop_context_fn or debug is not False:
        raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def _without_reentrance(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop):
    tell = None
    if debug if _checkpoint_debug_enabled is None else _checkpoint_debug_enabled:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        context_fn, tell = debug_contexts()
    surroundings = Surroundings(args, preserve_rng_state)
    forward_context, again_context = context_fn()

    def run_again(*inputs):
        with surroundings.again(), surroundings.autocast(), again_context:
            function(*inputs, **kwargs)

    stops_early = early_stop if _enable_checkpoint_early_stop is None else _enable_checkpoint_early_stop
    frame = Frame(run_again, stops_early, tell, determinism_check)
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    frame.save_inputs(args)
    result, is_done = None, False
    with hooks_of_forward(frame, GraphExecGroup._get_current_group), forward_context:
        result = function(*args, **kwargs)
        is_done = True
    if not is_done:
        raise RuntimeError("torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
                           "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward.")
    frame.forward_completed = True
    surroundings.check_device()
    return result


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs modules one after another, in segments whose insides are computed again in backward; the last one is kept."""
    if use_reentrant is None:
        warnings.warn("torch.utils.checkpoint.checkpoint_sequential: " + _NOT_SAID.format(
            "In version 2.9 we will raise an exception if use_reentrant is not passed."), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if isinstance(functions, torch.nn.Sequential):
        functions = list(functions.children())

    def run(start, end):
        def forward(given):
            for at in range(start, end):
                given = functions[at](given)
            return given

        return forward

    size = len(functions) // segments
    end = 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(end, len(functions))(input)


class GraphExecGroup:
    """Inside, several backwards compute a region again at most once; no two of them may use the same saved tensor."""

    _current = None

    def __enter__(self):
        if GraphExecGroup._current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {GraphExecGroup._current}")
        GraphExecGroup._current = self
        return self

    def __exit__(self, *args):
        GraphExecGroup._current = None

    @classmethod
    def _get_current_group(cls):
        return GraphExecGroup._current
