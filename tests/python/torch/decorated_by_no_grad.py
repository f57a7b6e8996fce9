"""What torch.no_grad() makes of functions, generators, methods and classes."""
import inspect
import types
import warnings

import torch


@torch.no_grad()
def steps(n, k=2):
    "Some steps."
    for i in range(n):
        got = yield torch.is_grad_enabled(), i
        if got:
            print("got", got)


print(type(steps).__name__, inspect.isfunction(steps), isinstance(steps, types.FunctionType), steps.__name__, steps.__doc__,
      steps.__module__, inspect.signature(steps))
running = steps(3)
print(next(running), torch.is_grad_enabled(), running.send("x"), list(running))


@torch.no_grad()
def f(x: int = 3):
    return torch.is_grad_enabled()


f.tag = 5
print(f(), f.tag, f.__wrapped__.__name__, inspect.signature(f), callable(f), f.__annotations__, repr(f).split(" at ")[0])
print(hasattr(f, "other"), torch.inference_mode()(lambda: torch.is_inference_mode_enabled())())


class A:
    @torch.no_grad()
    def method(self):
        return self, torch.is_grad_enabled()


a = A()
print(a.method()[0] is a, a.method()[1], inspect.ismethod(a.method), A.method.__name__, A.method.__qualname__)

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")

    @torch.no_grad()
    class B:
        def __init__(self):
            self.enabled = torch.is_grad_enabled()

        def now(self):
            return torch.is_grad_enabled()


print(B().enabled, B().now(), told[0].category.__name__, str(told[0].message)[:33])
