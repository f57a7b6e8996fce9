"""What torch.func shows besides functional_call and stack_module_state. Behaviour: torch/func/__init__.py."""
from torch._functorch import config
from torch._functorch.apis import grad, grad_and_value, jacfwd, jacrev, hessian, vmap
from torch._functorch.eager_transforms import functionalize, jvp, linearize, vjp

__all__ = ["functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap"]
