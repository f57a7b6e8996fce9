# torch.export: packages that are written and read, programs without writes, modules again.
import io
from dataclasses import dataclass

import torch
from torch import nn
from torch._ops import OpOverload
from torch.export import Dim, ExportedProgram, default_decompositions, draft_export, export, load, register_dataclass, save, unflatten


def problem(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def ops(program):
    return [str(node.target) if isinstance(node.target, OpOverload) else node.name for node in program.graph.nodes if node.op == "call_function"]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).relu()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls.add_(1)
        a, b = self.norm(self.first(x)).split(2, dim=1)
        return {"out": self.second(torch.cat([b, a], 1)), "calls": self.calls * 2}


torch.manual_seed(0)
net, x = Net(), torch.randn(3, 4)
program = export(net, (x,), dynamic_shapes={"x": {0: Dim("batch")}})
print(ops(program))

# Written and read again.
buffer = io.BytesIO()
save(program, buffer, extra_files={"note.txt": "written here"})
buffer.seek(0)
extra = {"note.txt": ""}
again = load(buffer, extra_files=extra)
print(isinstance(again, ExportedProgram), ops(again) == ops(program), extra)
print(again.graph_signature == program.graph_signature, again.range_constraints, list(again.state_dict) == list(program.state_dict))
print(str(again).splitlines()[2] == str(program).splitlines()[2])
given, wanted = again.module()(x), net(x)
print(torch.allclose(given["out"], wanted["out"]), given["calls"], wanted["calls"])
print(torch.allclose(again.module()(torch.ones(7, 4))["out"].sum(1), program.module()(torch.ones(7, 4))["out"].sum(1)))
problem(save, net, buffer)
problem(load, io.BytesIO(b"no package"))

# Without writes: what is written into buffers comes out.
plain = program.run_decompositions({})
print(ops(plain))
print(plain.graph_signature)
print(plain.dialect, dict(plain.graph_signature.buffers_to_mutate))
core = export(net.eval(), (x,)).run_decompositions()
print(ops(core))
table = default_decompositions()
del table[torch.ops.aten.linear.default]
print([one for one in ops(export(net, (x,)).run_decompositions(table)) if "linear" in one])
run = plain.module()
before = run.calls.clone()
run(x)
print(run.calls - before)


class Writes(nn.Module):
    def forward(self, x):
        x[0].mul_(3)
        x.t().add_(1)
        return x.sum()


written = export(Writes(), (torch.ones(2, 2),)).run_decompositions({})
print(ops(written), dict(written.graph_signature.user_inputs_to_mutate))
target = torch.ones(2, 2)
print(written.module()(target), target.tolist())

# Modules again.
modules = unflatten(program)
print([name for name, _ in modules.named_modules() if name])
print([name for name, _ in modules.named_parameters()][:3])
print(torch.allclose(modules(x)["out"], program.module()(x)["out"]))
kept = export(net, (x,), preserve_module_call_signature=("first",))
entry = kept.module_call_graph[1]
print(entry.fqn, entry.signature.inputs, entry.signature.outputs, entry.signature.in_spec)


@dataclass
class Point:
    x: torch.Tensor
    y: torch.Tensor = None


register_dataclass(Point, serialized_type_name="Point")


class Moves(nn.Module):
    def forward(self, p):
        return Point(p.x + p.y, p.y)


moved = export(Moves(), (Point(torch.ones(2), torch.zeros(2)),))
print(moved.graph_signature.user_inputs, moved.module()(Point(torch.ones(2), torch.ones(2))).x)
buffer = io.BytesIO()
save(moved, buffer)
buffer.seek(0)
print(load(buffer).module()(Point(torch.ones(2), torch.ones(2))).x)

report = draft_export(Moves(), (Point(torch.ones(2), torch.zeros(2)),))._report
print(report.successful())
