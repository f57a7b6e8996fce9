"""What functions and tensors are marked with. Behaviour: torch/_dynamo/decorators.py."""
import functools

from torch._C import _dynamo as _native
from torch._dynamo import config
from torch._dynamo.exc import IncorrectUsage

_LATER = ("disable", "dont_skip_tracing", "error_on_graph_break", "graph_break", "mark_dynamic", "mark_static",
          "mark_static_address", "maybe_mark_dynamic", "run", "skip", "skip_frame", "substitute_in_graph")


def __getattr__(name):
    # These need what is written in torch._dynamo itself.
    if name in _LATER:
        import torch._dynamo
        return getattr(torch._dynamo, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def allow_in_graph(fn):
    """A function that graphs call as it is."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(one) for one in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    _native.allow_in_graph(fn)
    return fn


def disallow_in_graph(fn):
    """A function of torch that breaks graphs from now on. Errors: IncorrectUsage  graphs never call it."""
    if isinstance(fn, (list, tuple)):
        return [disallow_in_graph(one) for one in fn]
    if not callable(fn):
        raise AssertionError("disallow_in_graph expects a callable")
    if not _native.disallow_in_graph(fn):
        raise IncorrectUsage(
            "disallow_in_graph is expected to be used on an already allowed callable (like torch.* ops). "
            "Allowed callables means callables that TorchDynamo puts as-is in the extracted graph.")
    return fn


def forbid_in_graph(fn):
    """A function that may not be called by what is compiled: an error, no break."""
    if isinstance(fn, (list, tuple)):
        return [forbid_in_graph(one) for one in fn]
    if not callable(fn):
        raise AssertionError("forbid_in_graph applies only to callables")
    fn._dynamo_forbidden = True
    return fn


def is_forbidden(fn):
    return getattr(fn, "_dynamo_forbidden", False)


def assume_constant_result(fn):
    """A function that is called once, while a frame is compiled: what it gives then is a constant of the graph."""
    fn._dynamo_marked_constant = True
    return fn


def nonstrict_trace(traceable_fn):
    """A function that graphs call as it is, whatever its Python does."""
    if not callable(traceable_fn):
        raise AssertionError("nonstrict_trace expects a callable")

    @functools.wraps(traceable_fn)
    def wrapped(*args, **kwargs):
        return traceable_fn(*args, **kwargs)

    return allow_in_graph(wrapped)


def patch_dynamo_config(arg1=None, arg2=None, **kwargs):
    """Settings of torch._dynamo.config for a `with` or a function."""
    return config.patch(arg1, arg2, **kwargs)
