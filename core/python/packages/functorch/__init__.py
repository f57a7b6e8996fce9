"""functorch: the names that torch.func took over, each of which says so. Behaviour: functorch/__init__.py,
torch/_functorch/deprecated.py."""
import functools
import warnings

import torch.func
from torch.func import functional_call, linearize, stack_module_state

__all__ = ["functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
           "stack_module_state", "vjp", "vmap"]


def _moved(name):
    function = getattr(torch.func, name)

    @functools.wraps(function)
    def called(*args, **kwargs):
        warnings.warn(f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is deprecated "
                      "as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use "
                      f"`torch.{'' if name == 'vmap' else 'func.'}{name}` instead; see the PyTorch 2.0 release notes and/or the "
                      "`torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html",
                      FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return called


functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap = map(_moved, (
    "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"))
