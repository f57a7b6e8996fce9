"""Classes derived from torch.Tensor: what results are of, and what __torch_function__ is told."""
import io
import pickle

import torch
from torch import nn
import torch.nn.functional as F


class Named(torch.Tensor):
    """Nothing of its own: results keep the class."""


x = torch.arange(6.).reshape(2, 3).as_subclass(Named)
print(type(x).__name__, x)
for what in (x + 1, 1 + x, x @ x.t(), x.sum(), -x, x[0], x > 2, torch.cat([x, torch.ones(1, 3)]), torch.sin(x),
             F.relu(x), x.numpy().sum(), x.T, x.shape, x.dtype, x.size(), len(x), x.data, x.tolist(), x.mean().item(),
             torch.stack((x, x)), x.view(3, 2), x.clone(), x.detach(), x.to(torch.float64), x.float(), torch.zeros_like(x),
             x.new_zeros(2), x.is_contiguous(), x.abs(), abs(x), x ** 2, 2 ** x, x / 2, x // 2, x % 2, x == x, x.bool()):
    print(type(what).__name__, end=" ")
print()
print([type(one).__name__ for one in x.max(0)], type(x.max(0)).__name__)
print([type(one).__name__ for one in x.split(1)], [type(one).__name__ for one in x], type(x.unbind()).__name__)
y = x.clone()
y += 1
print(type(y).__name__, y[0, 0])
y[0] = 7
print(y)
print(isinstance(x, torch.Tensor), isinstance(x, Named), torch.is_tensor(x))
w = torch.ones(2, requires_grad=True)
z = w.as_subclass(Named)
out = (z * 2).sum()
print(type(out).__name__, out.requires_grad, out)
out.backward()
print(type(w.grad).__name__, w.grad)
print(type(nn.Linear(3, 2)(x)).__name__, type(nn.ReLU()(x)).__name__, type(nn.Sequential(nn.Linear(3, 2), nn.Tanh())(x)).__name__)
log = []


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        log.append((getattr(func, "__name__", str(func)), tuple(t.__name__ for t in types), len(args), sorted(kwargs or {})))
        return super().__torch_function__(func, types, args, kwargs or {})


t = torch.ones(2, 2).as_subclass(Logged)
a = t + 1; b = 1 - t; c = t.sum(dim=0); d = torch.mean(t, 1, keepdim=True); e = t[0]; t[1] = 2; f = t.shape; g = t @ t
h = F.softmax(t, dim=-1); i = len(t); j = bool(t[0, 0]); k = t.T; l = t == 1; m = t.mul_(2); n = ~(t > 1); o = t.dtype
p = torch.add(torch.ones(2), t); q = torch.cat([t, t]); r = t.view(-1); u = t.grad; v = t.requires_grad; ww = t.requires_grad_()
x1 = t.device; x2 = 2 ** t; x3 = t // 2; x4 = t.numel(); x6 = t.is_floating_point(); x7 = float(t[0, 0])
for line in log: print(line)


class Meta:
    """No tensor, but answers."""
    def __init__(self, value): self.value = value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [t.__name__ for t in types]


class Child(Named):
    pass


print(torch.add(x, Meta(1)), torch.add(Meta(1), x))
v = x.as_subclass(Child)
print(type(x + v).__name__, type(v + x).__name__, type(torch.add(torch.ones(3), v)).__name__)


class Refuses(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


try:
    torch.sin(torch.ones(1).as_subclass(Refuses))
except TypeError as error:
    print(error)
try:
    torch.ones(1).as_subclass(int)
except Exception as error:
    print(type(error).__name__, error)
try:
    torch.ones(1).as_subclass(3)
except Exception as error:
    print(type(error).__name__, error)


class Own(torch.Tensor):
    @staticmethod
    def __new__(cls, data, unit):
        return torch.as_tensor(data).as_subclass(cls)

    def __init__(self, data, unit):
        self.unit = unit

    def doubled(self):
        return self * 2


o = Own([1., 2.], "m")
print(o, o.unit, type(o.doubled()).__name__, hasattr(o.doubled(), "unit"))
print(Named([1., 2.]), type(Named([1., 2.])).__name__, type(Named(2, 3)).__name__)
made = torch.Tensor._make_subclass(Named, torch.ones(2), True)
print(type(made).__name__, made.requires_grad, made.is_leaf, made)
p = nn.Parameter(torch.ones(2).as_subclass(Named))
print(type(p).__name__, isinstance(p, nn.Parameter))
m = nn.Module()
try:
    m.p = p
    print([n for n, _ in m.named_parameters()])
except Exception as e: print(type(e).__name__, e)
m.register_buffer("b", x)
print({k: type(v).__name__ for k, v in m.state_dict().items()})
with torch._C.DisableTorchFunction():
    print(type(x + 1).__name__)
class Off(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl
off = torch.ones(2).as_subclass(Off)
print(type(off).__name__, type(off + 1).__name__, off)
x.note = "hello"
print(x.note, x.__dict__)


class MyP(nn.Parameter):
    pass


p = nn.Parameter(torch.ones(2).as_subclass(Named))
print(p, type(p).__name__, isinstance(p, nn.Parameter), isinstance(p, Named), p.requires_grad, p.is_leaf)
q = MyP(torch.ones(2))
print(q, type(q).__name__, isinstance(q, nn.Parameter), type(q + 1).__name__)


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.p, self.q = p, q
        self.register_parameter("r", nn.Parameter(torch.zeros(3).as_subclass(Named), requires_grad=False))


m = M()
print([(n, type(v).__name__) for n, v in m.named_parameters()], m)
print({k: type(v).__name__ for k, v in m.state_dict().items()})
(m.p * 2).sum().backward()
print(type(m.p.grad).__name__, m.p.grad)
o = torch.optim.SGD(m.parameters(), 0.1)
o.step()
print(m.p)
m.load_state_dict({"p": torch.zeros(2), "q": torch.zeros(2), "r": torch.ones(3)})
print(m.p, m.r)
m.double()
print(m.p, m.r.dtype)
try:
    m.p = torch.ones(2).as_subclass(Named)
except TypeError as e:
    print(e)
x = torch.arange(3.).as_subclass(Named)
x.note = "kept"
b = io.BytesIO(); torch.save({"x": x, "p": nn.Parameter(x)}, b)
b.seek(0)
try:
    l = torch.load(b, weights_only=False)
except TypeError:
    b.seek(0)
    l = torch.load(b)
print(type(l["x"]).__name__, l["x"], l["x"].note, type(l["p"]).__name__, isinstance(l["p"], nn.Parameter))
y = pickle.loads(pickle.dumps(x))
print(type(y).__name__, y.note)
print(type(x.cpu()).__name__, type(x.numpy()).__name__, x.sum().item(), type(torch.as_tensor(x)).__name__, type(torch.from_numpy(x.numpy())).__name__)
x[x > 1] = 5
print(x, type(x[x > 1]).__name__, type(x[None]).__name__)
z = torch.zeros(3)
z += x
print(type(z).__name__, z)
z.copy_(x); print(z)
print(type(torch.where(x > 1, x, 0.)).__name__, type(torch.einsum("i,i->", x, x)).__name__, type(torch.linalg.norm(x)).__name__, type(torch.stack([x, x]).sum(0)).__name__)
print(torch.is_tensor(x), x.__class__.__name__, isinstance(x, torch.FloatTensor), x.type())
w = Named([1., 2.]); w.requires_grad_(True)
l = (w ** 2).sum(); print(l); l.backward(); print(w.grad, type(w.grad).__name__, w.is_leaf)
class S(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return g * 2
print(type(S.apply(w)).__name__)
print("%s" % x, x.mean() > 1, bool(x.any()))
class Sub(Named):
    def __add__(self, other): return "own add"
s = x.as_subclass(Sub)
print(s + 1, type(s - 1).__name__, type(s.sum() * x).__name__)
for i, v in enumerate(x.unbind()): print(i, type(v).__name__)
print(type(x.new_tensor([1.])).__name__, type(x.new_empty(2)).__name__, type(x.type(torch.int32)).__name__, type(x.chunk(3)[0]).__name__, type(x.tolist()[0]).__name__)
a, i = x.sort(); print(type(a).__name__, type(i).__name__, type(x.topk(2).values).__name__)
