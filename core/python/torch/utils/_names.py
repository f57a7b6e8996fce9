"""More of torch.utils. Behaviour: torch/utils/__init__.py."""


def swap_tensors(t1, t2):
    """Gives each tensor what the other one is."""
    if t1.requires_grad != t2.requires_grad or t1.grad_fn is not None or t2.grad_fn is not None:
        raise RuntimeError("Cannot swap t1 or t2 if it has a graph: nnscope swaps what leaves hold")
    t1.data, t2.data = t2.data.clone(), t1.data.clone()
    t1.grad, t2.grad = t2.grad, t1.grad


def set_module(obj, mod):
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
