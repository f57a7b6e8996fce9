"""What a coroutine is. Behaviour: CPython Lib/asyncio/coroutines.py."""
import collections.abc
import inspect
import types

_is_coroutine = object()


def iscoroutinefunction(func):
    """Whether it is an async function."""
    return inspect.iscoroutinefunction(func) or getattr(func, "_is_coroutine", None) is _is_coroutine


def iscoroutine(obj):
    """Whether it is a coroutine, or something that has its methods."""
    return isinstance(obj, (types.CoroutineType, collections.abc.Coroutine))


def _name_of(coroutine):
    """As representations call it."""
    name = getattr(coroutine, "__qualname__", None) or getattr(coroutine, "__name__", None)
    return f"{name or f'<{type(coroutine).__name__} without __name__>'}()"
