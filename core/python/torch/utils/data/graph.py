"""Which pipes a pipe takes its samples from. Behaviour: torch/utils/data/graph.py.

Differs: attributes are looked at, not pickled, so what cannot be pickled is no hindrance."""
import warnings
from collections.abc import Mapping

from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

_PIPES = (IterDataPipe, MapDataPipe)


def _found_in(value, seen, found, into_objects):
    """Adds the pipes in a value, each once; those of `seen` are on the way to it."""
    if isinstance(value, _PIPES):
        if id(value) not in seen:
            seen.add(id(value))
            found.append(value)
        return
    if isinstance(value, (str, bytes)) or id(value) in seen:
        return
    if isinstance(value, Mapping):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = list(value)
    elif into_objects and hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        parts = list(vars(value).values())
    else:
        return
    seen.add(id(value))
    for part in parts:
        _found_in(part, seen, found, into_objects)


def _graph(pipe, only_datapipe, path):
    if not isinstance(pipe, _PIPES):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(pipe)} is found")
    if id(pipe) in path:
        return {}
    path = path | {id(pipe)}
    sources, seen = [], set(path)
    for value in vars(pipe).values():
        _found_in(value, seen, sources, not only_datapipe)
    below = {}
    for source in sources:
        below.update(_graph(source, only_datapipe, path))
    return {id(pipe): (pipe, below)}


def traverse_dps(datapipe):
    """{id: (pipe, the same of its sources)}."""
    return _graph(datapipe, True, frozenset())


def traverse(datapipe, only_datapipe=None):
    message = "`traverse` function and will be removed after 1.13. Please use `traverse_dps` instead."
    if not only_datapipe:
        message += " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warnings.warn(message, FutureWarning, stacklevel=2)
    return _graph(datapipe, bool(only_datapipe), frozenset())
