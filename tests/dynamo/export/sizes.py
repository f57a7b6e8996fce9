# torch.export: sizes of inputs that may change, and the errors where they may not.
import torch
from torch import nn
from torch.export import Dim, dims, export


def problem(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).strip()}")


def shown(program):
    print("\n".join(line.rstrip() for line in str(program).splitlines() if "# File:" not in line and line.strip()))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)

    def forward(self, x):
        h = self.lin(x)
        return h.view(h.shape[0] * 2, 2), torch.cat([x, x]), x.shape[0]


torch.manual_seed(0)
net, batch = Net(), Dim("batch", max=64)
program = export(net, (torch.ones(4, 3),), dynamic_shapes={"x": {0: batch}})
shown(program)
print(program.range_constraints)
for node in program.graph.nodes:
    if node.op == "call_function":
        print(node.name, getattr(node.meta["val"], "shape", node.meta["val"]))
run = program.module()
for size in (1, 5, 64):
    given, wanted = run(torch.ones(size, 3)), net(torch.ones(size, 3))
    print([tuple(one.shape) for one in given[:2]], given[2], torch.equal(given[0], wanted[0]))
problem(run, torch.ones(65, 3))
problem(run, torch.ones(5, 2))


# Sizes that follow from another one, and strides.
class Strides(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 2, 3, stride=2)

    def forward(self, x, y):
        return self.conv(x).flatten(1), x.mean(-1) + y.sum()


program = export(Strides(), (torch.ones(2, 1, 9), torch.ones(18)), dynamic_shapes={"x": {2: Dim.AUTO}, "y": {0: Dim.AUTO}})
print([str(tuple(node.meta["val"].shape)) for node in program.graph.nodes if node.name in ("conv1d", "flatten", "x", "y")])
print(program.module()(torch.ones(2, 1, 30), torch.ones(5))[0].shape)


class Twice(nn.Module):
    def forward(self, x, y):
        return x + y


first, second = dims("first", "second")
problem(export, Twice(), (torch.ones(4), torch.ones(4)), dynamic_shapes={"x": {0: first}, "y": {0: second}})
program = export(Twice(), (torch.ones(4), torch.ones(4)), dynamic_shapes={"x": {0: Dim.AUTO}, "y": {0: Dim.AUTO}})
print(program.range_constraints, program.module()(torch.ones(9), torch.ones(9)).shape)
problem(program.module(), torch.ones(9), torch.ones(8))
program = export(Twice(), (torch.ones(4), torch.ones(4)), dynamic_shapes=({0: first}, {0: first}))
print(program.module()(torch.ones(3), torch.ones(3)).shape)


# A size that the program wants to be a constant, or in a range.
class Constant(nn.Module):
    def forward(self, x):
        return x.view(2, 3) if x.shape[0] == 6 else x


class Ranged(nn.Module):
    def forward(self, x):
        return x + 1 if x.shape[0] < 10 else x - 1


size = Dim("size")
problem(export, Constant(), (torch.ones(6),), dynamic_shapes={"x": {0: size}})
problem(export, Constant(), (torch.ones(6),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
print(export(Constant(), (torch.ones(6),), dynamic_shapes={"x": {0: Dim.AUTO}}).range_constraints)
problem(export, Ranged(), (torch.ones(6),), dynamic_shapes={"x": {0: Dim("size", max=100)}})
print(export(Ranged(), (torch.ones(6),), dynamic_shapes={"x": {0: Dim.AUTO}}).range_constraints)
problem(export, Constant(), (torch.ones(6),), dynamic_shapes={"y": {0: size}})
problem(export, Constant(), (torch.ones(6),), dynamic_shapes={"x": {0: 5}})
print(repr(size), repr(2 * size), repr(size + 1), Dim.AUTO, Dim("n", min=3, max=9).min)
problem(lambda: size * size)
