"""More of torch.utils. Behaviour: torch/utils/__init__.py."""
import copyreg

import torch


def swap_tensors(t1, t2):
    """Gives each tensor what the other one is: class, attributes, values, gradient; each stays the same object.

    Errors: RuntimeError  they have other slots. Differs: weak references stay with the object, so they do no harm."""
    if set(copyreg._slotnames(type(t1))) != set(copyreg._slotnames(type(t2))):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    torch._C._swap_tensor_impl(t1, t2)


def set_module(obj, mod):
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
