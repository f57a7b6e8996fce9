"""Nodes and their arguments. Behaviour: torch/fx/node.py."""
from typing import Any, Callable, Union

from torch.fx.graph import Node, map_arg

Target = Union[Callable[..., Any], str]
Argument = Any


def map_aggregate(a, fn):
    """The arguments with fn(leaf) in the place of each leaf of tuples, lists, dicts and slices."""
    if isinstance(a, tuple):
        made = tuple(map_aggregate(one, fn) for one in a)
        return made if not hasattr(a, "_fields") else type(a)(*made)
    if isinstance(a, list):
        return [map_aggregate(one, fn) for one in a]
    if isinstance(a, dict):
        return {key: map_aggregate(one, fn) for key, one in a.items()}
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)
