# torch.fx: proxies in functions of torch.nn.functional, tracers of programs, parts of graphs that are replaced.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import fx
from torch.fx import Proxy, Tracer, replace_pattern, symbolic_trace


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return torch.mul(self.relu(x), self.scale)


class Lowering(Tracer):
    def is_leaf_module(self, m, qualname):
        return not isinstance(m, nn.ReLU) and super().is_leaf_module(m, qualname)


symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU())).graph.print_tabular()
graph = Lowering().trace(Net())
print([(node.op, node.target if isinstance(node.target, str) else node.target.__name__, node.kwargs) for node in graph.nodes])


class Tagging(Tracer):
    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name)
        node.tag = "foo"
        return node


print(all(node.tag == "foo" for node in Tagging().trace(Net()).nodes))

g = fx.Graph()
x = Proxy(g.placeholder("x"))
for made in (F.leaky_relu(x, 0.2), x.shape[0] + 1, x.view(x.size(0), -1), ~x, x == 3, x.T @ x, 2 ** x, x & x):
    pass
for node in g.nodes:
    print(node.name, node.op, node.target if isinstance(node.target, str) else node.target.__name__, len(node.args), sorted(node.kwargs))


class M(nn.Module):
    def forward(self, x, w1, w2):
        val1 = torch.neg(w1)
        m1 = torch.cat([val1, w2]).sum()
        val2 = torch.neg(w1)
        m2 = torch.cat([val2, w2]).sum()
        return x + torch.max(m1) + torch.max(m2)


def pattern(a1, a2):
    val1 = torch.neg(a1)
    return torch.cat([val1, a2]).sum()


def replacement(w1, w2):
    return torch.stack([w1, w2])


traced = symbolic_trace(M())
matches = replace_pattern(traced, pattern, replacement)
print(len(matches), matches[0].anchor.name)
print([node.name for node in traced.graph.nodes])
a, b, c = torch.rand(2, 2), torch.rand(2, 2), torch.rand(2, 2)
print(torch.equal(traced(a, b, c), a + torch.stack([b, c]).max() * 2))
traced.graph.lint()


class Shared(nn.Module):
    def forward(self, x):
        y = torch.neg(x)
        return torch.relu(y) + y


shared = symbolic_trace(Shared())
print(len(replace_pattern(shared, lambda x: torch.relu(torch.neg(x)), lambda x: torch.tanh(x))))
print(len(replace_pattern(shared, lambda x: torch.relu(x), lambda x: torch.tanh(x))), [n.name for n in shared.graph.nodes])
try:
    F.relu(3)
except TypeError as error:
    print(error)
import inspect
print(inspect.signature(nn.LeakyReLU().forward), inspect.signature(nn.LeakyReLU.forward), inspect.signature(nn.Linear))
