"""Functions that take functions, as operators of a graph: checkpoint, cond, autograd.Function."""
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


def show(t):
    return [round(x, 4) + 0.0 for x in t.flatten().tolist()]


def compiled(fn):
    graphs = []

    def backend(gm, inputs):
        graphs.append(gm)
        return gm.forward
    torch._dynamo.reset()
    return torch.compile(fn, backend=backend), graphs


def nodes(graph_module, indent=""):
    for node in graph_module.graph.nodes:
        print(indent + node.op, node.name, str(node.target) if node.op != "call_function" else node.target.__name__, node.args, dict(node.kwargs))
        if node.op == "get_attr":
            held = getattr(graph_module, node.target)
            if isinstance(held, torch.fx.GraphModule):
                nodes(held, indent + "    ")


print("== checkpoint of a layer")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        with torch.no_grad():
            self.lin.weight.copy_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
            self.lin.bias.zero_()

    def part(self, x, scale=1.0):
        return torch.tanh(self.lin(x)) * scale

    def forward(self, x):
        return x + checkpoint(self.part, x, use_reentrant=False, scale=2.0)


block = Block()
x = torch.tensor([[0.1, 0.2]], requires_grad=True)
block(x).sum().backward()
plain = [show(x.grad), show(block.lin.weight.grad)]
x.grad = None
block.zero_grad()
run, graphs = compiled(block)
out = run(x)
print(show(out), show(block(x)))
out.sum().backward()
print(plain == [show(x.grad), show(block.lin.weight.grad)], len(graphs))
nodes(graphs[0])
print(graphs[0].wrap_body_0.code.strip())


print("== checkpoint of what gives several")


def several(x):
    def inner(y):
        return {"a": y.sin(), "b": [y.cos(), 3]}, (y,)
    made, (same,) = checkpoint(inner, x, use_reentrant=False)
    return made["a"] + made["b"][0] * made["b"][1] + same


run, graphs = compiled(several)
print(show(run(torch.ones(2))), show(several(torch.ones(2))), len(graphs))
print([n.name for n in graphs[0].graph.nodes])


print("== nested")


def nested(x):
    return checkpoint(lambda y: checkpoint(lambda z: z.exp() + x, y, use_reentrant=False) * 2, x.sin(), use_reentrant=False)


run, graphs = compiled(nested)
print(show(run(torch.ones(1))), show(nested(torch.ones(1))))
nodes(graphs[0])


print("== what breaks a graph inside")


def breaks(x):
    def inner(y):
        print("inside")
        return y + 1
    return checkpoint(inner, x * 2, use_reentrant=False) * 3


run, graphs = compiled(breaks)
print(show(run(torch.ones(1))), len(graphs))

seen = []


def writes(x):
    def inner(y):
        seen.append(1)
        return y + 1
    return checkpoint(inner, x * 2, use_reentrant=False) * 3


run, graphs = compiled(writes)
print(show(run(torch.ones(1))), seen, len(graphs))
try:
    torch._dynamo.reset()
    torch.compile(writes, backend="eager", fullgraph=True)(torch.ones(1))
except torch._dynamo.exc.Unsupported as e:
    print(str(e).splitlines()[0])


print("== contexts")
log = []


class Noted:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        log.append(self.name)

    def __exit__(self, *args):
        pass


def make_contexts():
    return Noted("forward"), Noted("again")


def with_contexts(x):
    return checkpoint(lambda y: y.sin().cos(), x, use_reentrant=False, context_fn=make_contexts)


run, graphs = compiled(with_contexts)
x = torch.ones(1, requires_grad=True)
run(x).sum().backward()
print(log, show(x.grad))


print("== cond")
weight = torch.tensor([2.0, 3.0])


def branches(x, y):
    return torch.cond(x.sum() > 0, lambda t: t * weight + y, lambda t: t - 1, (x,))


run, graphs = compiled(branches)
print(show(run(torch.ones(2), torch.ones(2))), show(run(-torch.ones(2), torch.ones(2))), len(graphs))
nodes(graphs[0])
print(graphs[0].cond_true_0.code.strip())
x = torch.ones(2, requires_grad=True)
run(x, torch.ones(2)).sum().backward()
print(show(x.grad))


def constant_predicate(x, flag):
    return torch.cond(flag, lambda t: (t + 1, t), lambda t: (t - 1, t), (x,))[0]


run, graphs = compiled(constant_predicate)
print(show(run(torch.ones(1), True)), show(run(torch.ones(1), False)), [n.name for n in graphs[0].graph.nodes])


def uncaptured(x):
    def yes(t):
        print("no graph")
        return t
    return torch.cond(x.sum() > 0, yes, lambda t: t, (x,))


for fn in (uncaptured, lambda x: torch.cond(x.sum() > 0, lambda t: (t, t), lambda t: t, (x,))):
    torch._dynamo.reset()
    try:
        torch.compile(fn, backend="eager")(torch.ones(1))
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0])


print("== autograd.Function")


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y):
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * factor * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * ctx.factor * y + 100, None, (grad * x).sum()


def scaled(x, y):
    return Scaled.apply(x.sin(), 3.0, y) + 1


x, y = torch.ones(2, requires_grad=True), torch.tensor(2.0)
scaled(x, y).sum().backward()
plain = show(x.grad)
x.grad = None
run, graphs = compiled(scaled)
run(x, y).sum().backward()
print(plain, show(x.grad), len(graphs))
nodes(graphs[0])
with torch.no_grad():
    print(show(run(x, y)))
print([n.name for n in graphs[-1].graph.nodes])


class Two(torch.autograd.Function):
    @staticmethod
    def forward(x, w):
        return x * w, (x > 0).float(), None

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.w = inputs[1]
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, grad, unused, none):
        return grad * ctx.w, grad.sum() if ctx.needs_input_grad[1] else None


def two(x, w):
    a, b, none = Two.apply(x, w)
    assert none is None
    return a * 2, b.requires_grad, b


x, w = torch.tensor([1.0, -1.0], requires_grad=True), torch.tensor(4.0)
run, graphs = compiled(two)
a, flag, b = run(x, w)
a.sum().backward()
print(show(a), flag, show(b), a.requires_grad, b.requires_grad, show(x.grad), len(graphs))
print([n.name for n in graphs[0].graph.nodes], [n.name for n in graphs[0].bwd_body_0.graph.nodes])


class Printing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("backward")
        return grad * 2


x = torch.ones(1, requires_grad=True)
run, graphs = compiled(lambda x: Printing.apply(x + 1) * 3)
run(x).sum().backward()
print(show(x.grad), len(graphs))


print("== sizes that change")
run, graphs = compiled(lambda x: checkpoint(lambda y: y.sin() * y.shape[0], x, use_reentrant=False) + 1)
for n in (2, 3, 4, 5):
    t = torch.ones(n)
    print(show(run(t)) == show(t.sin() * n + 1), end=" ")
print(len(graphs))
run, graphs = compiled(lambda x, w: Scaled.apply(x, 2.0, w) + x.shape[0])
for n in (2, 3, 4, 5):
    t, w = torch.ones(n, requires_grad=True), torch.tensor(2.0)
    run(t, w).sum().backward()
    print(show(t.grad), end=" ")
print(len(graphs))
print(torch.ops.higher_order.cond, torch.ops.higher_order.tag_activation_checkpoint.__name__, torch.ops.higher_order.cond is torch._higher_order_ops.cond_op)
