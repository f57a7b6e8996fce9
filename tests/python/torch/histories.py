# What belongs to a tensor and what to the node that it is of: hooks, kept gradients, ends of a backward, views without gradients.
import torch
from torch.autograd.graph import GradientEdge, get_gradient_edge


def show(t):
    return None if t is None else [round(x, 4) + 0.0 for x in t.flatten().tolist()]


print("== hooks and writes in place")
log = []
a = torch.tensor([1.0], requires_grad=True)
b = a.clone()
b.register_hook(lambda g: log.append(("before", show(g))) or g * 2)
b.mul_(2)
b.register_hook(lambda g: log.append(("after", show(g))) or g * 2)
b.sum().backward()
print(log, show(a.grad))
c = torch.tensor([1.0], requires_grad=True).clone()
c.retain_grad()
c.mul_(2).mul_(2)
c.sum().backward()
print(show(c.grad))
base = torch.tensor([1.0], requires_grad=True).clone()
view, other = base[:], base[:]
view.retain_grad()
other.retain_grad()
view.mul_(2)
(view + other).sum().backward()
print(show(view.grad), show(other.grad))
h = torch.tensor([2.0], requires_grad=True) * 3
h.retain_grad()
out = (h * h).sum()
out.backward(retain_graph=True)
out.backward()
print(show(h.grad))

print("== their order")
log = []
a = torch.tensor(1.0, requires_grad=True)
b = a.clone()
b.grad_fn.register_prehook(lambda gs: log.append("node") or tuple(g * 2 for g in gs))
b.register_hook(lambda g: log.append("tensor") or g * 3)
b.retain_grad()
acc = b.grad_fn.next_functions[0][0]
acc.register_prehook(lambda gs: log.append("leaf's node"))
acc.register_hook(lambda gi, go: log.append("behind the leaf"))
a.register_hook(lambda g: log.append("leaf"))
b.sum().backward(retain_graph=True)
print(log, b.grad, a.grad)
for wanted in (a, b, (a, b)):
    log.clear()
    print(torch.autograd.grad(b.sum(), wanted, retain_graph=True), log)
for wanted in (a, b):
    log.clear()
    b.sum().backward(inputs=wanted, retain_graph=True)
    print(log, b.grad, a.grad)
x = torch.arange(3.0, requires_grad=True)
parts = x.unbind()
parts[0].register_hook(lambda g: print("first part", g))
parts[1].backward()
y = torch.ones(2, requires_grad=True)
y.register_post_accumulate_grad_hook(lambda t: t.grad)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)

print("== edges")
x = torch.tensor([1.0, 2.0], requires_grad=True).clone()
edge = get_gradient_edge(x)
x *= 2
print(torch.autograd.grad(x.sum(), (edge, x), retain_graph=True), edge.node.name())
leaf = torch.ones(2, requires_grad=True)
out = (leaf * 3).exp()
end = GradientEdge(out.grad_fn, 0)
torch.autograd.backward(end, torch.ones(2), retain_graph=True)
print(show(leaf.grad))
torch.autograd.backward(out.sum(), inputs=get_gradient_edge(leaf), retain_graph=True)
print(show(leaf.grad))
unused = torch.ones(2, requires_grad=True).clone()
print(torch.autograd.grad(out.sum(), (leaf, get_gradient_edge(unused)), allow_unused=True, retain_graph=True)[1])
for call in (lambda: torch.autograd.grad(out.sum(), get_gradient_edge(unused), materialize_grads=True),
             lambda: torch.autograd.grad(out, []),
             lambda: torch.autograd.grad(out, leaf, torch.ones(3, 3), is_grads_batched=True)):
    try:
        call()
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, str(e)[:70])
zero, = torch.autograd.grad(torch.tensor(3.0), leaf, materialize_grads=True)
print(zero)

print("== nodes")
y = leaf.exp() ** 2
print(y.grad_fn(torch.ones(2)), show(y.grad_fn._saved_self), y.grad_fn._saved_exponent, show(y.grad_fn.next_functions[0][0]._saved_result))
y.grad_fn.metadata["note"] = "kept"
print(y.grad_fn.metadata, y.grad_fn.next_functions[0][0].metadata)
y.sum().backward()
for ask in (lambda: y.grad_fn._saved_self, lambda: y.grad_fn._saved_nothing, lambda: y.grad_fn()):
    try:
        ask()
    except (RuntimeError, AttributeError, TypeError) as e:
        print(type(e).__name__, str(e)[:62])

print("== functions of a program")


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g

    @staticmethod
    def vjp(ctx, g):
        return g


class ByVjp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone(), 3, "text", x > 0

    @staticmethod
    def vjp(ctx, *grads):
        print("grads", grads)
        return grads[0] * 5


class Power(torch.autograd.Function):
    @staticmethod
    def forward(x, n=3):
        return x ** n

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.n = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1), None


x = torch.tensor([2.0], requires_grad=True)
try:
    Both.apply(x).backward()
except RuntimeError as e:
    print(e)
ByVjp.apply(x)[0].backward()
print(x.grad)
x.grad = None
Power.apply(x).backward()
print(x.grad)

print("== views without gradients")
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    v = x[:]
with torch.inference_mode():
    u = x.view(2, 1)
print(v.requires_grad, v.is_leaf, v.grad_fn, u.requires_grad, u.is_inference(), u._is_view())
print(v, (v * 2).requires_grad, (v * 2).grad_fn.next_functions)
for one in (v, u):
    try:
        one.add_(1)
    except RuntimeError as e:
        print(str(e)[:90])
with torch.no_grad():
    v.mul_(2)
print(v)
plain = torch.zeros(2)
seen = plain[:]
plain.requires_grad = True
try:
    seen.add_(1)
except RuntimeError as e:
    print(e)
try:
    x.data = torch.tensor([1])
except RuntimeError as e:
    print(e)

print("== complex numbers and their parts")
for moved in (False, True):
    results = []
    for in_place in (False, True):
        start = torch.arange(4.0).reshape(2, 2).to(torch.complex64).requires_grad_()
        whole = start.clone()
        parts = torch.view_as_real(whole)
        if moved:
            parts = parts.transpose(0, 1)
        if in_place:
            parts *= 2
        else:
            parts = parts * 2
        parts.backward(torch.arange(8.0).view(2, 2, 2))
        results.append(start.grad)
    print(torch.equal(*results), results[0].tolist())
start = torch.zeros(2, 2, requires_grad=True)
pairs = start.clone()
numbers = torch.view_as_complex(pairs)
numbers *= 1j
(pairs * torch.tensor([1.0, 10.0])).sum().backward()
print(start.grad.tolist())
