"""torch.profiler.itt: marks for Intel's VTune, for which nnscope, as a PyTorch built without it, has no listener."""
from contextlib import contextmanager

__all__ = ["is_available", "mark", "range_push", "range_pop", "range"]


def _absent(*args):
    raise RuntimeError("ITT functions not installed. Are you sure you have a ITT build?")


def is_available():
    """Whether marks reach a listener."""
    return False


def range_push(msg):
    """Opens a range."""
    return _absent(msg)


def range_pop():
    """Closes the innermost range."""
    return _absent()


def mark(msg):
    """One moment."""
    return _absent(msg)


@contextmanager
def range(msg, *args, **kwargs):
    """A range around a block."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
