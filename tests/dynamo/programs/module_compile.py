"""Module.compile: calls of the module itself are compiled, its hooks run around that, and copies are not compiled."""
import copy
import io
import pickle

import torch
from torch import nn

graphs = []


def backend(graph_module, example_inputs):
    graphs.append([node.target.__name__ for node in graph_module.graph.nodes if node.op == "call_function"])
    return graph_module.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.fc(x)) + 1


class Breaking(nn.Module):
    def forward(self, x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2


class Outer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) * 3


def shown():
    """The graphs since the last time."""
    text = str(graphs)
    graphs.clear()
    return text


def begin():
    """What was compiled for other modules of a class is not taken again."""
    torch._dynamo.reset()
    graphs.clear()


x = torch.arange(6.0).reshape(2, 3)
net = Net()
plain = copy.deepcopy(net)
print(net._compiled_call_impl, "_compiled_call_impl" in net.__dict__)
print(net.compile(backend=backend), net._compiled_call_impl is not None, type(net).__name__, list(net.state_dict()))
print(shown(), torch.equal(net(x), plain(x)), shown(), torch.equal(net(x), plain(x)), shown())
print(torch.equal(net(torch.ones(5, 3)), plain(torch.ones(5, 3))), shown())
net(x).sum().backward()
plain(x).sum().backward()
print(torch.equal(net.fc.weight.grad, plain.fc.weight.grad), shown())
# Only calls of the module are compiled.
begin()
other = Net()
other.compile(backend=backend)
other.forward(x)
other._call_impl(x)
print(shown(), other._wrapped_call_impl(x).shape, shown())

# Hooks run around what is compiled, in their order.
begin()
order = []
hooked = Net()
hooked.load_state_dict(net.state_dict())
hooked.compile(backend=backend)
handles = [hooked.register_forward_pre_hook(lambda module, args: order.append("pre")),
           hooked.register_forward_hook(lambda module, args, output: order.append("first")),
           hooked.register_forward_hook(lambda module, args, output: output.neg()),
           hooked.register_forward_hook(lambda module, args, output: order.append("last"))]
print(torch.equal(hooked(x), -plain(x)), order)
order.clear()
print(torch.equal(hooked(x), -plain(x)), order)
for handle in handles:
    handle.remove()
order.clear()
print(torch.equal(hooked(x), plain(x)), order)

# Copies and pickles are the module without what compile() made.
begin()
file = io.BytesIO()
torch.save(net, file)
file.seek(0)
for name, one in (("deepcopy", copy.deepcopy(net)), ("copy", copy.copy(net)), ("pickle", pickle.loads(pickle.dumps(net))),
                  ("load", torch.load(file, weights_only=False))):
    print(name, one._compiled_call_impl, "_compiled_call_impl" in one.__dict__, torch.equal(one(x), plain(x)), shown())
print("_compiled_call_impl" in net.__getstate__(), "fc" in net.__getstate__()["_modules"], net._compiled_call_impl is not None)
again = copy.deepcopy(net)
again.compile(backend=backend)
print(again._compiled_call_impl is not net._compiled_call_impl, torch.equal(again(x), plain(x)), shown())

# Graph breaks, and none of them.
begin()
breaking = Breaking()
breaking.compile(backend=backend)
print(breaking(x).tolist(), shown())
begin()
whole = Breaking()
whole.compile(backend=backend, fullgraph=True)
try:
    whole(x)
except torch._dynamo.exc.Unsupported as error:
    print(type(error).__name__, shown())

# Beside torch.compile.
begin()
outer = Outer(net)
compiled = torch.compile(outer, backend=backend)
print(torch.equal(compiled(x), plain(x) * 3), shown())
print(torch.equal(outer(x), plain(x) * 3), shown())
print(torch.equal(torch.compile(net, backend=backend)(x), plain(x)), type(torch.compile(net)).__name__)

# Taken back, kept uncompiled, and of a layer.
begin()
net._compiled_call_impl = None
print(torch.equal(net(x), plain(x)), shown())
off = Net()
off.compile(backend=backend, disable=True)
print(off(x).shape, shown())
layer = nn.Linear(3, 2)
layer.compile(backend=backend)
print(torch.equal(layer(x), layer.forward(x)))
for arguments, keywords in (((1,), {}), ((), {"backend": "nobody"}), ((), {"sometimes": True})):
    failing = Net()
    try:
        failing.compile(*arguments, **keywords)
    except Exception as error:
        print(type(error).__name__, failing._compiled_call_impl)
