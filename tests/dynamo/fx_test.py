#!/usr/bin/env python3
"""Graphs of torch.fx that programs change and run node by node: what a program prints about them.

usage: fx_test.py NNSCOPE
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """import operator

import torch
import torch.fx
from torch.fx.node import map_aggregate


@torch.fx.wrap
def leaf(x, scale):
    return x * scale if x.sum() > 0 else x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        return torch.relu(self.linear(leaf(x + 1, 3)))


torch.manual_seed(0)
net = Net()
traced = torch.fx.symbolic_trace(net)
print([(node.op, getattr(node.target, "__name__", node.target)) for node in traced.graph.nodes])
x = torch.ones(1, 2)
print(torch.equal(traced(x), net(x)), leaf(torch.ones(1), 2))
for node in traced.graph.nodes:
    if node.op == "call_function" and node.target is torch.relu:
        with traced.graph.inserting_after(node):
            new = traced.graph.call_function(torch.tanh, node.args)
        print(node.replace_all_uses_with(new), new.args)
        traced.graph.erase_node(node)
    if node.op == "call_function" and node.target is operator.add:
        node.target = operator.sub
traced.graph.lint()
traced.recompile()
print(traced.code.strip())
print(torch.allclose(traced(x), torch.tanh(net.linear(torch.zeros(1, 2)))))
first = next(iter(traced.graph.nodes))
try:
    traced.graph.erase_node(first)
except RuntimeError as error:
    print(error)


class Counting(torch.fx.Interpreter):
    def call_function(self, target, args, kwargs):
        print("calls", target.__name__)
        return super().call_function(target, args, kwargs)


print(torch.equal(Counting(traced).run(x), traced(x)))


class Twice(torch.fx.Transformer):
    def call_module(self, target, args, kwargs):
        made = super().call_module(target, args, kwargs)
        return made + made


print(torch.allclose(Twice(traced).transform()(x), torch.tanh(2 * net.linear(torch.zeros(1, 2)))))
copied = torch.fx.Graph()
values = {}
copied.output(copied.graph_copy(traced.graph, values))
print(len(copied.nodes), map_aggregate((1, [2, {"a": 3}]), lambda leaf: leaf * 2))
graph = torch.fx.Graph()
given = torch.fx.Proxy(graph.placeholder("a"))
graph.output((given * 2 + 1).node)
print(torch.fx.GraphModule({}, graph)(torch.ones(1)))
"""
EXPECTED = """[('placeholder', 'x'), ('call_function', 'add'), ('call_function', 'leaf'), ('call_module', 'linear'), ('call_function', 'relu'), ('output', 'output')]
True tensor([2.])
[output] (linear,)
torch.fx._symbolic_trace.wrap("__main___leaf")

def forward(self, x):
    add = x - 1;  x = None
    leaf = __main___leaf(add, 3);  add = None
    linear = self.linear(leaf);  leaf = None
    tanh = torch.tanh(linear);  linear = None
    return tanh
True
Tried to erase Node x but it still had 1 users in the graph: {add: None}!
calls sub
calls leaf
calls tanh
True
True
6 (2, [4, {'a': 6}])
tensor([3.])
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.py"
        program.write_text(PROGRAM)
        done = subprocess.run([sys.argv[1], "run", str(program)], capture_output=True, text=True, timeout=60)
    if done.stdout != EXPECTED or done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        return 1
    print("the program prints what it should")
    return 0


sys.exit(main())
