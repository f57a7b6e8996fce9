"""Arguments for several replicas, and one result of theirs.

Behaviour: torch/nn/parallel/scatter_gather.py."""
import torch
from torch.nn.parallel._devices import Gather, Scatter, index_of

__all__ = ["scatter", "scatter_kwargs", "gather"]


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, "_asdict") and hasattr(value, "_fields")


is_namedtuple = _is_namedtuple


def scatter(inputs, target_gpus, dim=0):
    """One of `inputs` a device: tensors are cut along `dim`, containers made anew around their parts, all else is the
    same object everywhere."""
    count = len(target_gpus)

    def parts_of(value):
        if isinstance(value, torch.Tensor):
            return Scatter.apply([index_of(one, True) for one in target_gpus], None, dim, value)
        if _is_namedtuple(value):
            return [type(value)(*items) for items in zip(*map(parts_of, value))]
        if isinstance(value, tuple) and len(value) > 0:
            return list(zip(*map(parts_of, value)))
        if isinstance(value, list) and len(value) > 0:
            return [list(items) for items in zip(*map(parts_of, value))]
        if isinstance(value, dict) and len(value) > 0:
            return [type(value)(items) for items in zip(*map(parts_of, value.items()))]
        return [value for _ in range(count)]

    return parts_of(inputs)


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """The positional and the named arguments of each device; the shorter of the two is filled up."""
    scattered = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    if len(scattered) < len(named):
        scattered.extend(() for _ in range(len(named) - len(scattered)))
    elif len(named) < len(scattered):
        named.extend({} for _ in range(len(scattered) - len(named)))
    return tuple(scattered), tuple(named)


def gather(outputs, target_device, dim=0):
    """One result of those of all devices, on `target_device`; -1 is the CPU."""
    target = index_of(target_device, True, True)

    def together(parts):
        first = parts[0]
        if isinstance(first, torch.Tensor):
            return Gather.apply(target, dim, *parts)
        if first is None:
            return None
        if isinstance(first, dict):
            if not all(len(first) == len(one) for one in parts):
                raise ValueError("All dicts must have the same number of keys")
            return type(first)((key, together([one[key] for one in parts])) for key in first)
        if _is_namedtuple(first):
            return type(first)._make(map(together, zip(*parts, strict=True)))
        return type(first)(map(together, zip(*parts, strict=True)))

    return together(outputs)
