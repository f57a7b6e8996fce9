# torch.export: the graph of a module, its signature, its text, and the module that runs it again.
import operator

import torch
from torch import nn
from torch.export import export


def shown(program):
    """The text without the lines that name files."""
    print("\n".join(line.rstrip() for line in str(program).splitlines() if "# File:" not in line and line.strip()))


def problem(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 2)
        self.register_buffer("scale", torch.full((2,), 2.0))
        self.register_buffer("shift", torch.ones(2), persistent=False)
        self.constant = torch.tensor([1.0, 2.0])

    def forward(self, x, y):
        h = torch.relu(self.lin(x)) * self.scale + self.shift
        return h + y[:, 0:2] - self.constant, h.sum(dim=1)


torch.manual_seed(0)
net = Net()
x, y = torch.ones(3, 4), torch.ones(3, 5)
program = export(net, (x, y))
shown(program)
print(program.graph_module.code)
print(program.graph)
signature = program.graph_signature
print(signature.parameters, signature.buffers, signature.non_persistent_buffers, signature.lifted_tensor_constants)
print(signature.user_inputs, signature.user_outputs)
print(dict(signature.inputs_to_parameters), dict(signature.inputs_to_buffers), dict(signature.buffers_to_mutate))
print(signature.input_specs[0], "|", repr(signature.input_specs[2]))
print(repr(signature.output_specs[0]))
print(list(program.state_dict), list(program.constants))
print([name for name, _ in program.named_parameters()], [name for name, _ in program.named_buffers()])
print(program.call_spec.in_spec)
print(program.call_spec.out_spec)
print([entry.fqn for entry in program.module_call_graph], program.dialect)
for node in program.graph.nodes:
    if node.op == "call_function":
        print(node.name, node.target, node.args, node.kwargs, node.meta["val"].shape, list(node.meta["nn_module_stack"].values())[1:])
program.graph.print_tabular()

module = program.module()
print(module.code)
print([name for name, _ in module.named_parameters()], [name for name, _ in module.named_buffers()])
given, wanted = module(x, y), net(x, y)
print(torch.equal(given[0], wanted[0]), torch.equal(given[1], wanted[1]), type(given))
problem(module, torch.ones(2, 4), y)
problem(module, x)
problem(module.train)
problem(program, x, y)
problem(setattr, program, "graph_signature", None)
problem(export, torch.relu, (x,))
problem(export, net, x)


# Names of inputs that are nested, of arguments by keyword, and constants among them.
class Nested(nn.Module):
    def forward(self, pair, named, scale=2.0, *, extra):
        return {"sum": pair[0] + pair[1] * scale, "rest": [named["a"] - extra, 7]}


two = torch.ones(2)
program = export(Nested(), ((two, two * 2), {"a": two, "b": two}), {"extra": two})
print(program.graph_signature)
print(program.graph_module.code)
print(program.module()((two, two), {"a": two, "b": two}, extra=two))
problem(program.module(), (two, torch.ones(3)), {"a": two, "b": two}, extra=two)
program = export(Nested(), ((two, two), {"a": two, "b": two}, 3.0), {"extra": two})
print(program.graph_signature.user_inputs)
problem(program.module(), (two, two), {"a": two, "b": two}, 4.0, extra=two)


# Ops of the layers that people use stay whole.
class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.pool = nn.MaxPool2d(2)
        self.drop = nn.Dropout(0.25)
        self.ln = nn.LayerNorm(4)

    def forward(self, x):
        x = self.pool(self.norm(self.conv(x)).relu_())
        x = self.drop(x.flatten(1)).reshape(-1, 4)
        return self.ln(x).softmax(-1), x.max(dim=1)[1], x.T @ x, (1 - x).to(torch.float64), x.float()


def name_of(target):
    return target.__name__ if target is operator.getitem else target


def ops(module, *args):
    print("\n".join(f"{node.name} = {name_of(node.target)}({', '.join(map(str, node.args))}"
                    f"{''.join(f', {key}={value}' for key, value in node.kwargs.items())})"
                    for node in export(module, args).graph.nodes if node.op == "call_function"))


layers = Layers()
ops(layers, torch.zeros(2, 1, 4, 4))
print("--")
ops(layers.eval(), torch.zeros(2, 1, 4, 4))
print("--")
ops(nn.LSTM(3, 5, batch_first=True), torch.zeros(2, 4, 3))
print("--")
ops(nn.MultiheadAttention(4, 2, batch_first=True).eval(), *[torch.zeros(1, 3, 4)] * 3)


# Indices, in-place writes, makers of tensors, and a constant that forward makes.
class Steps(nn.Module):
    def forward(self, x):
        a = torch.zeros(2, 3) + torch.arange(3)
        b = x[0] + x[:, 1] + x[torch.tensor([1, 0]), 0]
        x.add_(1)
        c, d = x.split(1)
        return a, b, torch.cat([c, d], dim=1), torch.where(x > 0, x, 0.0), torch.zeros_like(x), x.mean(), x[1:, :2]


print("--")
ops(Steps(), torch.zeros(2, 2))
program = export(Steps(), (torch.zeros(2, 2),))
print(program.graph_signature.lifted_tensor_constants, program.constants["lifted_tensor_0"])
print([str(one) for one in program.module()(torch.ones(2, 2))[2:4]])


# What decides by a value is no graph.
class Decides(nn.Module):
    def forward(self, x):
        return x + 1 if x.sum() > 0 else x - 1


problem(export, Decides(), (torch.ones(2),))
assert operator.getitem in {node.target for node in export(Steps(), (torch.zeros(2, 2),)).graph.nodes}

# Each op of ours is an op of ATen, or a part of one that has no name in graphs.
from torch._aten import steps

print([name for name, *_ in torch._C._op_rows() if steps.aten_name("", name) is None and name not in steps.PARTS])
