"""Several modules, each with its arguments.

Behaviour: torch/nn/parallel/parallel_apply.py."""
import torch

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
    """The results of all modules, in order. They run one after the other, in the caller's grad mode; the first
    exception is raised when all have run."""
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
    results, errors = [], []
    for module, args, kwargs in zip(modules, inputs, kwargs_tup):
        if not isinstance(args, (list, tuple)):
            args = (args,)
        try:
            results.append(module(*args, **kwargs))
        except Exception as error:
            errors.append(error)
            results.append(None)
    if errors:
        raise errors[0]
    return results
