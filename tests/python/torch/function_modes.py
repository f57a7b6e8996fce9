"""Modes that are asked of all functions, and objects that answer for some."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode


class Counting(TorchFunctionMode):
    def __init__(self, name):
        super().__init__()
        self.name = name
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(func.__name__)
        return func(*args, **(kwargs or {}))


x = torch.ones(2, 3)
with Counting("outer") as outer:
    y = x + 1
    with Counting("inner") as inner:
        z = torch.sin(y)
        z = F.relu(z)
        n = z.sum().item()
    w = torch.zeros(3)
    s = x.shape
print(outer.seen)
print(inner.seen)
y = x * 2
print(len(outer.seen))


class Doubles(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        return out * 2 if func is torch.ones else out


with Doubles():
    print(torch.ones(2), torch.zeros(1))
print(torch.ones(2))


class Scalar:
    def __init__(self, v):
        self.v = v

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "scalar " + func.__name__


with Counting("m") as mode:
    print(torch.add(Scalar(1), Scalar(2)))
print(mode.seen)


class Meta(torch.Tensor):
    """Keeps something beside its items, and hands it on."""

    @staticmethod
    def __new__(cls, data, meta=None):
        made = torch.as_tensor(data).as_subclass(cls)
        made.meta = meta
        return made

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        metas = tuple(a.meta for a in args if isinstance(a, Meta) and hasattr(a, "meta"))
        with torch._C.DisableTorchFunction():
            ret = func(*args, **kwargs)
        if isinstance(ret, torch.Tensor):
            ret = ret.as_subclass(cls)
            ret.meta = metas
        return ret


a, b = Meta([1., 2.], "a"), Meta([3., 4.], "b")
c = a + b
print(c, c.meta, (c * 2).meta, type(c.sum()).__name__)

HANDLED = {}


def implements(function):
    def decorate(body):
        HANDLED[function] = body
        return body
    return decorate


class Diagonal(object):
    def __init__(self, n, value):
        self.n, self.value = n, value

    def __repr__(self):
        return f"Diagonal({self.n}, {self.value})"

    def tensor(self):
        return self.value * torch.eye(self.n)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED or not all(issubclass(t, (torch.Tensor, Diagonal)) for t in types):
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))


@implements(torch.mean)
def mean(input):
    return input.value / input.n


@implements(torch.mul)
def mul(a, b):
    return Diagonal(a.n, a.value * b) if isinstance(a, Diagonal) else "right"


@implements(torch.Tensor.add)
def add(a, b):
    return "Tensor.add"


d = Diagonal(5, 2)
print(torch.mean(d), torch.mul(d, 3), torch.mul(torch.ones(1), d), torch.ones(2).add(d))
try:
    torch.sin(d)
except TypeError as e:
    print(e)
try:
    torch.ones(2).sub(d)
except TypeError as e:
    print(e)


class Typed(torch.Tensor):
    pass


class Other(torch.Tensor):
    pass


t, o = torch.ones(2).as_subclass(Typed), torch.ones(2).as_subclass(Other)
try:
    print(type(t + o))
except TypeError as e:
    print(e)
print(type(torch.nn.functional.linear(torch.ones(1, 2).as_subclass(Typed), torch.ones(3, 2))).__name__)
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.BatchNorm1d(2), nn.Dropout(0.0))
out = model(torch.ones(3, 2).as_subclass(Typed))
print(type(out).__name__, out.requires_grad)
loss = F.mse_loss(out, torch.zeros(3, 2))
print(type(loss).__name__)
loss.backward()
print(type(model[0].weight.grad).__name__)
print(nn.Parameter.__torch_function__ is torch._C._disabled_torch_function_impl)
print(torch.equal(t, torch.ones(2)), t.tolist(), t.sum() == 2)
