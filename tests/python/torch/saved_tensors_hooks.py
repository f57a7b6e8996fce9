"""torch.autograd.graph.saved_tensors_hooks and its like: what is kept for backward goes through hooks."""
import torch
from torch import nn
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        print(type(error).__name__, error)


def pack(x):
    print("pack", x)
    return x


def unpack(x):
    print("unpack", x)
    return x


# Ops of torch: arguments in the order of torch's names, then results.
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True) * 2
with saved_tensors_hooks(pack, unpack):
    y = a * b
print("made")
y.sum().backward()
print(a.grad)
with saved_tensors_hooks(pack, unpack):
    y = a.exp()
    z = a + b
y.sum().backward()
print(a.grad)

# What is kept may be anything; values come of what the unpack hook makes of it.
kept = {}


def store(x):
    kept[len(kept)] = x.detach() * 10
    return len(kept) - 1


a.grad = None
with saved_tensors_hooks(store, lambda name: kept[name]):
    y = a * a * 3
print(sorted(kept))
y.sum().backward()
print(a.grad)
a.grad = None
with saved_tensors_hooks(lambda x: x.tolist(), lambda x: torch.tensor(x)):
    y = (a.sin() * a).sum()
y.backward()
print(torch.allclose(a.grad, a.cos() * a + a.sin()))

# Gradients of gradients reach the leaves, whatever the hooks give.
for hooks in ((lambda x: x, lambda x: x), (lambda x: x.detach().clone(), lambda x: x), (lambda x: x * 1, lambda x: x)):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with saved_tensors_hooks(*hooks):
        y = (x ** 3).sum()
        first, = torch.autograd.grad(y, x, create_graph=True)
        second, = torch.autograd.grad(first.sum(), x)
    print(first, second)
    w = torch.tensor([0.5], requires_grad=True)
    with saved_tensors_hooks(*hooks):
        y = (w.exp() * w).exp()
        first, = torch.autograd.grad(y, w, create_graph=True)
        second, = torch.autograd.grad(first, w)
    print(round(first.item(), 4), round(second.item(), 4))


# Custom functions.
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        out = x * y
        ctx.save_for_backward(x, None, out)
        return out

    @staticmethod
    def backward(ctx, gradient):
        x, nothing, out = ctx.saved_tensors
        print("saved", x.tolist(), nothing, out)
        return gradient * out, gradient * x


x = torch.tensor([3.0], requires_grad=True)
y = torch.tensor([4.0], requires_grad=True)
with saved_tensors_hooks(pack, unpack):
    out = Scale.apply(x, y)
out.backward()
print(x.grad, y.grad)
with saved_tensors_hooks(lambda x: x + 1, lambda x: x):
    out = Scale.apply(x, y)
out.backward()

# The innermost pair is asked; after it the outer one.


def named(name):
    return lambda x: (print("pack", name), x)[1], lambda x: (print("unpack", name), x)[1]


x = torch.tensor([3.0], requires_grad=True)
with saved_tensors_hooks(*named("outer")):
    one = x.exp()
    with saved_tensors_hooks(*named("inner")):
        two = x.exp()
    three = x.exp()
four = x.exp()
(one + two + three + four).sum().backward()
print(torch.allclose(x.grad, 4 * x.exp()))

# Layers.
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
given = torch.randn(5, 3)
loss = (net(given) ** 2).sum()
loss.backward()
plain = [one.grad.clone() for one in net.parameters()]
net.zero_grad()
count = [0, 0]


def counted(at):
    def hook(x):
        count[at] += 1
        return x

    return hook


with saved_tensors_hooks(counted(0), counted(1)):
    loss = (net(given) ** 2).sum()
loss.backward()
print(all(torch.equal(one, two.grad) for one, two in zip(plain, net.parameters())), count[0] > 0, count[0] == count[1])
net.zero_grad()
with save_on_cpu():
    loss = (net(given) ** 2).sum()
loss.backward()
print(all(torch.equal(one, two.grad) for one, two in zip(plain, net.parameters())))
with save_on_cpu(pin_memory=True):
    loss = (net(given) ** 2).sum()
net.zero_grad()
loss.backward()
print(all(torch.equal(one, two.grad) for one, two in zip(plain, net.parameters())))

# Without a record nothing is kept.
with saved_tensors_hooks(pack, unpack), torch.no_grad():
    a * b
with saved_tensors_hooks(pack, unpack):
    b.detach() * 2

# What is refused.
x = torch.tensor([1.0, 2.0], requires_grad=True)


def hooked(pack_hook, unpack_hook):
    with saved_tensors_hooks(pack_hook, unpack_hook):
        made = (x * 1).exp()
    made.sum().backward()
    return "done"


refused(lambda: hooked(lambda x: x.add_(1), lambda x: x))
refused(lambda: hooked(lambda x: x, lambda x: None))
refused(lambda: hooked(lambda x: 1 / 0, lambda x: x))
refused(lambda: hooked(lambda x: x, lambda x: [][0]))
with saved_tensors_hooks(lambda x: x, lambda x: x):
    y = x.exp()
y.sum().backward()
refused(y.sum().backward)
print(hooked(lambda x: x, lambda x: x))
with disable_saved_tensors_hooks("hooks are off"):
    refused(lambda: saved_tensors_hooks(pack, unpack).__enter__())
    refused(lambda: save_on_cpu().__enter__())
    with disable_saved_tensors_hooks("more off"):
        refused(lambda: saved_tensors_hooks(pack, unpack).__enter__())
    refused(lambda: saved_tensors_hooks(pack, unpack).__enter__())
    y = x.exp()
with saved_tensors_hooks(lambda x: x, lambda x: x):
    refused(lambda: disable_saved_tensors_hooks("no hooks here").__enter__())
print(torch._C._autograd._saved_tensors_hooks_is_enabled())
# With hooks the count of writes is not looked at.
x = torch.tensor([1.0, 2.0], requires_grad=True)
middle = x * 1
with saved_tensors_hooks(lambda x: x.clone(), lambda x: x):
    y = middle * middle
middle.detach().zero_()
y.sum().backward()
print(x.grad)
