"""Several modules, each with its arguments.

Behaviour: torch/nn/parallel/parallel_apply.py."""
import torch
from torch._utils import ExceptionWrapper
from torch.nn.parallel._devices import index_of

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj):
    """A tensor that is somewhere in `obj`, or None."""
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, (list, tuple)):
        items = obj
    elif isinstance(obj, dict):
        items = obj.items()
    else:
        return None
    for item in items:
        found = get_a_var(item)
        if isinstance(found, torch.Tensor):
            return found
    return None


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """The results of all modules, in order. They run one after the other, in the caller's grad mode; the exception of the
    first that raised one is raised when all have run, and says which replica it was."""
    if len(modules) != len(inputs):
        raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of inputs {len(inputs)}")
    if kwargs_tup is not None:
        if len(modules) != len(kwargs_tup):
            raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of kwargs_tup "
                                 f"{len(kwargs_tup)}")
    else:
        kwargs_tup = ({},) * len(modules)
    if devices is not None and len(modules) != len(devices):
        raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of devices "
                             f"{len(devices)}")
    if devices is None:
        devices = [get_a_var(one) for one in inputs]
        devices = [None if one is None else one.device for one in devices]
    places = [None if one is None else index_of(one, True, True) for one in devices]
    results = []
    for i, (module, args, kwargs, place) in enumerate(zip(modules, inputs, kwargs_tup, places)):
        if not isinstance(args, (list, tuple)):
            args = (args,)
        try:
            results.append(module(*args, **kwargs))
        except Exception as error:
            results.append(ExceptionWrapper(error, f"in replica {i} on device {place}"))
    for one in results:
        if isinstance(one, ExceptionWrapper):
            one.reraise()
    return results
