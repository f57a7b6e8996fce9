# Behaviour: torch/csrc/autograd/python_variable.cpp; torch/utils/_python_dispatch.py; torch/_tensor.py.
import copy
import io

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass, return_and_correct_aliasing
from torch.utils._pytree import tree_map

log = []


class Wrapped(torch.Tensor):
    """A tensor that has its items in another one, and writes down the ops."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, strides=inner.stride(), dtype=inner.dtype, device=inner.device,
                                                   requires_grad=inner.requires_grad)

    def __init__(self, inner):
        self.inner = inner

    def __repr__(self):
        return super().__repr__(tensor_contents=str(self.inner.tolist()))

    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Wrapped(inner["inner"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        log.append(str(func))
        plain = tree_map(lambda one: one.inner if isinstance(one, Wrapped) else one, (args, kwargs or {}))
        made = func(*plain[0], **plain[1])
        wrapped = tree_map(lambda one: Wrapped(one) if isinstance(one, torch.Tensor) else one, made)
        return return_and_correct_aliasing(func, args, kwargs, wrapped)


def ops():
    told = " ".join(log)
    log.clear()
    return told


w = Wrapped(torch.arange(6.0).reshape(2, 3))
print(w, w.shape, w.stride(), w.dtype, w.device, w.is_meta, w.data_ptr(), type(w).__name__)
print(w + 1, ops())
print((2 * w).sum(dim=0), ops())
print(w.t().shape, w[0], w.unbind(0)[1], ops())
print(w.sum().item(), ops())
w.add_(1).mul_(2)
print(w, w._version, ops())
print(torch.cat([w, w]).shape, torch.stack([w, w.detach()]).shape, ops())
print(is_traceable_wrapper_subclass(w), is_traceable_wrapper_subclass(torch.ones(1)))

# Autograd stands above.
p = nn.Parameter(Wrapped(torch.tensor([1.0, 2.0, 3.0])))
print(isinstance(p, nn.Parameter), type(p).__name__, p.requires_grad)
ops()
loss = (p * p).exp().sum()
print(type(loss).__name__, loss.grad_fn.name(), ops())
loss.backward()
print(type(p.grad).__name__, [round(one, 3) for one in p.grad.inner.tolist()])
ops()

# Modules and optimizers.
layer = nn.Linear(3, 2)
with torch.no_grad():
    layer.weight.copy_(torch.tensor([[1.0, 0.0, -1.0], [0.5, 0.5, 0.5]]))
    layer.bias.zero_()
layer.weight = nn.Parameter(Wrapped(layer.weight.detach()))
optimizer = torch.optim.SGD(layer.parameters(), lr=0.5)
for _ in range(2):
    optimizer.zero_grad()
    layer(torch.ones(1, 3)).pow(2).sum().backward()
    optimizer.step()
print(layer.weight.inner.tolist(), layer.bias.tolist())
ops()

# What writes numbers into it.
drawn = nn.Parameter(Wrapped(torch.zeros(3)))
nn.init.constant_(drawn, 4.0)
with torch.no_grad():
    drawn.mul_(2).uniform_(0, 0)
print(drawn.inner.tolist(), torch.zeros_like(drawn).inner.tolist(), type(drawn.new_ones(2)).__name__, bool(w.sum() > 0))
ops()

# Copies and files.
twin = copy.deepcopy(p)
print(twin is p, type(twin).__name__, twin.inner.tolist(), twin.requires_grad, isinstance(twin, nn.Parameter))
file = io.BytesIO()
torch.save(w, file)
file.seek(0)
back = torch.load(file, weights_only=False)
print(back, type(back).__name__)
for action in (lambda: w.untyped_storage().data_ptr(), lambda: w.untyped_storage().resize_(0)):
    try:
        action()
    except RuntimeError as error:
        print(error)
ops()


# One that gives something else up.
class Refusing(Wrapped):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


try:
    Refusing(torch.ones(2)) + 1
except TypeError as error:
    print(str(error).splitlines()[0])


class Plain(Wrapped):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return func(*tree_map(lambda one: one.inner if isinstance(one, Plain) else one, args), **(kwargs or {}))


try:
    nn.Parameter(Plain(torch.ones(2)))
except RuntimeError as error:
    print(str(error).partition(". To use")[0])


# Modes see the ops of plain tensors.
class Counting(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


x = torch.ones(2, 2, requires_grad=True)
with Counting() as outer:
    with Counting() as inner:
        y = (x @ x).relu()
    y.sum().backward()
print(inner.seen, outer.seen[:4], outer.seen.count("mm.default"), x.grad.tolist())
print((x + x).tolist(), len(outer.seen) > len(inner.seen))
