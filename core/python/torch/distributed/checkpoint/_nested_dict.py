"""Nested states as one dictionary of names with dots. Behaviour: torch/distributed/checkpoint/_nested_dict.py, _traverse.py."""
from collections.abc import Mapping

import torch


def _is_whole(value):
    """Whether something is one entry: a list is where there are no tensors and no dictionaries in it."""
    if isinstance(value, Mapping):
        return False
    if not isinstance(value, list):
        return True
    return not any(isinstance(one, torch.Tensor) or isinstance(one, (Mapping, list)) and not _is_whole(one) for one in value)


def flatten_state_dict(state_dict):
    """({name: value}, {name: keys}). Errors: ValueError  two values have the same name."""
    flat, paths = {}, {}

    def visit(path, value):
        if isinstance(value, Mapping):
            for key, one in value.items():
                visit((*path, str(key)), one)
        elif _is_whole(value):
            name = ".".join(map(str, path))
            if name in flat:
                raise ValueError(f"duplicated flatten key {name}")
            flat[name], paths[name] = value, path
        else:
            for at, one in enumerate(value):
                visit((*path, at), one)

    visit((), state_dict)
    return flat, paths


def set_element(root, path, value):
    """Puts a value where its keys lead; dictionaries and lists on the way are made."""
    found = root
    for key, following in zip(path, path[1:]):
        fresh = {} if isinstance(following, str) else []
        if isinstance(found, dict):
            found = found.setdefault(key, fresh)
        else:
            found.extend([None] * (key + 1 - len(found)))
            if found[key] is None:
                found[key] = fresh
            found = found[key]
    if isinstance(found, list):
        found.extend([None] * (path[-1] + 1 - len(found)))
    # A key that was a number has become a text in the path.
    found[next((key for key in found if str(key) == path[-1]), path[-1]) if isinstance(found, dict) else path[-1]] = value


def unflatten_state_dict(state_dict, mapping):
    nested = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
