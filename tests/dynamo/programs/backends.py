# Backends that programs register, and what tests of compiled programs count with.
import torch
import torch._dynamo as dynamo
from torch._dynamo.backends.registry import register_backend
from torch._dynamo.testing import CompileCounter, CompileCounterWithBackend, EagerAndRecordGraphs, same


@register_backend
def printing(gm, example_inputs):
    print([node.op for node in gm.graph.nodes], [tuple(one.shape) for one in example_inputs])
    return gm.forward


@register_backend(name="other", tags=("experimental",))
def unnamed(gm, example_inputs):
    return gm


def f(x):
    return torch.relu(x) + 1


x = torch.ones(2)
print(torch.compile(f, backend="printing")(x), torch.compile(lambda x: f(x), backend="other")(x))
print(dynamo.list_backends(), dynamo.list_backends(None), dynamo.lookup_backend("printing") is printing, printing._tags)
for wrong in (lambda: dynamo.lookup_backend("none"), lambda: torch.compile(f, backend="none"),
              lambda: register_backend(lambda gm, inputs: gm, name="other")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)

counter, recorder = CompileCounter(), EagerAndRecordGraphs()
compiled = torch.compile(f, backend=counter)
compiled(x), compiled(x), compiled(torch.ones(3)), compiled(torch.ones(4))
print(counter.frame_count, counter.op_count)
counter.clear()
around = CompileCounterWithBackend("eager")


def broken(x):
    x = x + 1
    dynamo.graph_break()
    return x * 2


print(torch.compile(broken, backend=around)(x), around.frame_count, around.op_count, len(around.graphs))
torch.compile(lambda x: f(x) * 3, backend=recorder)(x)
print(recorder.graphs[0].code, recorder.example_inputs)
print(same([x, {"a": 1.0}], [x.clone(), {"a": 1.0}]), same(x, x + 1), same(x, x.double()), same(x, x.double(), exact_dtype=False))
print(dynamo.is_dynamo_supported(), torch.compile(f, backend="eager", fullgraph=True)(x))
