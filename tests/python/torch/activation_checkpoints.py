# torch.utils.checkpoint: what is computed again, when, and what it stands for.
import warnings
import weakref

import torch
import torch.nn as nn
from torch.utils.checkpoint import (CheckpointError, CheckpointPolicy, checkpoint, checkpoint_sequential, create_selective_checkpoint_contexts,
                                    detach_variable, noop_context_fn, set_checkpoint_debug_enabled, set_checkpoint_early_stop)


def show(t):
    return None if t is None else [round(x, 4) + 0.0 for x in t.flatten().tolist()]


print("== both ways")
calls = []


def part(x, y):
    calls.append("part")
    a = x.sin()
    b = a * y
    return b.exp()


for reentrant in (True, False):
    calls.clear()
    x, y = torch.tensor([0.5, 1.0], requires_grad=True), torch.tensor([2.0, 3.0], requires_grad=True)
    out = checkpoint(part, x, y, use_reentrant=reentrant)
    print(out.grad_fn.name(), calls, end=" ")
    out.sum().backward()
    print(calls, show(x.grad), show(y.grad))

print("== what is given in any structure")


def structured(d, flag, *, scale):
    return {"a": [d["x"] * scale, flag], "b": (d["y"].cos(),)}


d = {"x": torch.ones(2, requires_grad=True), "y": torch.zeros(2, requires_grad=True)}
made = checkpoint(structured, d, "text", use_reentrant=False, scale=3)
print(made["a"][1], made["b"][0].grad_fn.name())
(made["a"][0] * made["b"][0]).sum().backward()
print(show(d["x"].grad), show(d["y"].grad))
try:
    checkpoint(structured, d, "text", use_reentrant=True, scale=3)
except ValueError as e:
    print(e)

print("== grad() and second gradients")
w = nn.Parameter(torch.tensor(2.0))
x = torch.tensor(3.0, requires_grad=True)
out = checkpoint(lambda t: (t * w) ** 3, x, use_reentrant=False)
first, = torch.autograd.grad(out, x, create_graph=True)
second, = torch.autograd.grad(first, x)
print(first.item(), second.item(), w.grad)
out = checkpoint(lambda t: (t * w) ** 3, x, use_reentrant=True)
try:
    torch.autograd.grad(out, x)
except RuntimeError as e:
    print(str(e)[:70])

print("== nested, retained, stopped early")
log = []


def inner(x):
    log.append("inner")
    return x.sin().cos()


def outer(x):
    log.append("outer")
    y = checkpoint(inner, x.exp(), use_reentrant=False)
    return y * y


x = torch.tensor([0.3, 0.7], requires_grad=True)
out = checkpoint(outer, x, use_reentrant=False)
out.sum().backward(retain_graph=True)
print(log, show(x.grad))
log.clear()
out.sum().backward()
print(log, show(x.grad))
for stops in (True, False):
    seen = []

    def late(x):
        y = x.sin()
        seen.append("needed")
        z = y * 2
        seen.append("not needed")
        return z

    with set_checkpoint_early_stop(stops):
        out = checkpoint(late, x, use_reentrant=False)
    seen.clear()
    out.sum().backward()
    print(stops, seen)
    seen.clear()
    out = checkpoint(late, x, use_reentrant=False, early_stop=stops)
    seen.clear()
    out.sum().backward()
    print(stops, seen)

print("== nothing is kept")


class Marked:
    pass


marks = []


def marked(x):
    y = x.exp()
    mark = Marked()
    y.grad_fn.metadata["mark"] = mark
    marks.append(weakref.ref(mark))
    return y * 2


out = checkpoint(marked, x, use_reentrant=False)
print(marks[0]() is not None)
out.sum().backward()
del out
print(len(marks), [one() for one in marks])

print("== random numbers and modes")
torch.manual_seed(3)
drop = nn.Dropout(0.5)
x = torch.ones(8, requires_grad=True)
for reentrant in (True, False):
    x.grad = None
    out = checkpoint(drop, x, use_reentrant=reentrant)
    out.sum().backward()
    print(torch.equal(out, x.grad), end=" ")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        seen = []
        lin = nn.Linear(8, 2)
        out = checkpoint(lambda t: seen.append(lin(t).dtype) or lin(t).float(), x, use_reentrant=reentrant)
    out.sum().backward()
    print(seen)
with torch.no_grad():
    print(checkpoint(part, x, x, use_reentrant=False).requires_grad)

print("== runs that differ")
times = [0]


def fewer(x):
    times[0] += 1
    y = x.sin()
    return y.exp() if times[0] == 1 else y


def wider(x):
    times[0] += 1
    y = x.sin() if times[0] == 1 else x.sin().repeat(2)
    return (y * y).sum()


for fn in (fewer, wider):
    for check in ("default", "none"):
        times[0] = 0
        x = torch.ones(2, requires_grad=True)
        out = checkpoint(fn, x, use_reentrant=False, determinism_check=check)
        try:
            out.sum().backward()
            print("no error")
        except CheckpointError as e:
            print(str(e).splitlines()[:5])
        except RuntimeError as e:
            print(type(e).__name__, str(e).splitlines()[0][:60])
times[0] = 0
with set_checkpoint_debug_enabled(True):
    out = checkpoint(fewer, torch.ones(2, requires_grad=True), use_reentrant=False)
try:
    out.sum().backward()
except CheckpointError as e:
    print([line for line in str(e).splitlines() if line.startswith("aten")])

print("== contexts")
events = []


class Context:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        events.append("enter " + self.name)

    def __exit__(self, *args):
        events.append("leave " + self.name)


out = checkpoint(part, x, x, use_reentrant=False, context_fn=lambda: (Context("first"), Context("again")))
out.sum().backward()
print(events)
asked = []


def policy(ctx, op, *args, **kwargs):
    asked.append(str(op))
    return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.sin.default else CheckpointPolicy.PREFER_RECOMPUTE


x.grad = None
checkpoint(part, x, x, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts(policy)).sum().backward()
print(asked, show(x.grad))

print("== errors and warnings")
for given in (dict(use_reentrant=False, determinism_check="other"), dict(use_reentrant=True, debug=True),
              dict(use_reentrant=False, debug=True, context_fn=lambda: noop_context_fn())):
    try:
        checkpoint(part, x, x, **given)
    except ValueError as e:
        print(e)
for wrong in ([torch.ops.aten.mm], 3):
    try:
        create_selective_checkpoint_contexts(wrong)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, str(e)[:60])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    checkpoint(part, torch.ones(1), torch.ones(1))
    checkpoint_sequential([nn.Identity(), nn.Identity()], 2, torch.ones(1, requires_grad=True))
print([str(one.message)[:60] for one in caught])
try:
    detach_variable([x])
except RuntimeError as e:
    print(e)


print("== a decorator")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.times = 0

    @checkpoint(use_reentrant=False)
    def forward(self, x):
        """Its text."""
        self.times += 1
        return x.sin().exp()


net = Net()
x = torch.ones(1, requires_grad=True)
net(x).backward()
print(net.times, Net.forward.__doc__, show(x.grad))
layers = nn.Sequential(nn.Tanh(), nn.Sigmoid(), nn.Tanh())
x.grad = None
checkpoint_sequential(layers, 2, x, use_reentrant=False).backward()
want, = torch.autograd.grad(layers(x), x)
print(torch.equal(x.grad, want))
