"""TorchDispatchMode sees the ops that run; allow_mutation_on_saved_tensors copies before a write; _raw_saved tensors take hooks."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Log(TorchDispatchMode):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(self.name, func)
        return func(*args, **(kwargs or {}))


class Double(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        return made * 2 if func is torch.ops.aten.sin.default else made


x = torch.tensor([0.5], requires_grad=True)
with Log("forward"):
    y = x.sin().mul_(3)
with Log("outer"), Log("inner"):
    x.cos()
with Double():
    print(torch.sin(torch.tensor(0.5)))
print(y)

a = torch.tensor([2.0, 3.0], requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
    b = a.clone()
    out = (b**2).sum()
    b.zero_()
    print(len(context.cloned))
    out.backward()
print(a.grad)

c = a.exp()
c.grad_fn._raw_saved_result.register_hooks(lambda t: t * 2, lambda t: t / 4)
c.sum().backward()
print(a.grad - torch.tensor([4.0, 6.0]) - c.detach() / 2)
try:
    c.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as error:
    print(str(error)[:70])


class Ones(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return torch.ones(3) if func is torch.ops.aten.zeros.default else func(*args, **(kwargs or {}))


with Log("made"), Ones():
    print(torch.zeros(2), torch.arange(3))
    torch.ones(2, requires_grad=True).to(torch.float64)
