"""torch._dynamo.export: programs keep their signature: inputs that nothing uses, containers, constants, what they return of
their inputs. Behaviour: torch/_dynamo/eval_frame.py, FlattenInputOutputSignature, argument_names."""
import warnings

import torch
import torch._dynamo
from torch import nn


def show(gm):
    print([(node.op, node.name, node.target if isinstance(node.target, str) else node.target.__name__) for node in gm.graph.nodes])
    print("\n".join(line for line in gm.code.splitlines() if line.strip()))


def several(x, unused, d, *more, factor=3, flag=True):
    if flag:
        return {"a": x + d["q"], "b": [unused, 5, None]}, more[0] * factor


ones = torch.ones(2)
given = (ones, torch.zeros(3), {"q": ones + 1, "r": torch.ones(1)}, ones * 7)
gm, guards = torch._dynamo.export(several)(*given, factor=4)
show(gm)
print(gm(*given, factor=4))
print(len(guards) > 0)

# No op at all; an attribute that is returned; the same tensor twice.
same = torch._dynamo.export(lambda x: x)(ones)
show(same.graph_module)


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = torch.ones(2)
        self.linear = nn.Linear(2, 2)
        nn.init.ones_(self.linear.weight)
        nn.init.zeros_(self.linear.bias)

    def forward(self, pair, scale=2.0):
        with torch.no_grad():
            y = pair[0] * 2
        return self.kept, self.linear(y), pair[1]


holder = Holder()
gm, _ = torch._dynamo.export(holder)((ones, ones))
show(gm)
print(gm((ones, ones)))

# What was exported is a program that can be exported, and compiled.
again, _ = torch._dynamo.export(gm)((ones, ones + 1))
print([node.name for node in again.graph.nodes], again((ones, ones + 1)))
seen = []


def backend(graph, inputs):
    seen.append(len(graph.graph.nodes))
    return graph.forward


print(torch.compile(gm, backend=backend, fullgraph=True)((ones, ones))[1], seen)

# The old way to call it.
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    gm, _ = torch._dynamo.export(lambda x, y=None: x + y, ones, y=ones)
print([one.category.__name__ for one in told], gm(ones, y=ones))


# What is marked as constant is computed for the inputs of the export.
@torch._dynamo.assume_constant_result
def places(x):
    return torch.nonzero(x)


gm, _ = torch._dynamo.export(lambda x: places(x * 2) + x.sum())(torch.tensor([0.0, 3.0]))
print(gm(torch.tensor([1.0, 1.0])))
