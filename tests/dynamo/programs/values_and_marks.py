"""Where compiled functions have to do the same as uncompiled ones: marks of sizes, checks, hooks that are removed, super()."""
import torch
from torch._dynamo.testing import CompileCounter, EagerAndRecordGraphs

x = torch.ones(3)


# Python's classes of numbers are dtypes in a graph.
def to_numbers(t):
    return t.to(bool).to(float).to(int) + 8


backend = EagerAndRecordGraphs()
print("dtypes", torch.compile(to_numbers, backend=backend, fullgraph=True)(x).dtype, [node.args[1:] for node in backend.graphs[0].graph.nodes][1:4])


# A size that is marked later compiles anew.
def marked(a):
    return a.cos() if a.shape[0] > 2 else a.sin()


counter = CompileCounter()
compiled = torch.compile(marked, backend=counter)
first, second, both = torch.randn(3, 3, 3), torch.randn(3, 3, 3), torch.randn(3, 3, 3)
torch._dynamo.mark_dynamic(first, 0)
torch._dynamo.mark_dynamic(second, 1)
for tensor in (first, torch.randn(3, 3, 3), second):
    compiled(tensor)
    print("marks", counter.frame_count)


# torch._check: what only values tell is asked when the graph runs.
def checked(t):
    number = t.item()
    torch._check(number >= 2)
    return t + number


with torch._dynamo.config.patch(capture_scalar_outputs=True):
    backend = EagerAndRecordGraphs()
    compiled = torch.compile(checked, backend=backend, fullgraph=True)
    print("check", compiled(torch.tensor(3)), backend.graphs[0].code)
    try:
        compiled(torch.tensor(1))
    except RuntimeError as error:
        print(str(error).partition(" (")[0])
for check, arguments in ((torch._check, (False,)), (torch._check_value, (False, lambda: "no")), (torch._check_index, (1 > 2, lambda: "index"))):
    try:
        check(*arguments)
    except Exception as error:
        print(type(error).__name__, str(error).partition(" (")[0])


# A hook that is removed again does nothing, even where its handle is kept.
def removed(t, keeps):
    handle = t.register_hook(lambda grad: grad * 2)
    t = t * 1
    handle.remove()
    return (t, handle) if keeps else (t,)


for keeps in (False, True):
    leaf = torch.zeros(3, requires_grad=True)
    result = torch.compile(removed, backend="eager")(leaf, keeps)
    result[0].backward(torch.tensor([1.0, 2.0, 3.0]))
    print("hook", leaf.grad)


# super() behind a break.
class Layers(torch.nn.Sequential):
    def __init__(self, layers):
        torch._dynamo.graph_break()
        super().__init__(*layers)


def with_layers(t):
    return Layers([torch.nn.Linear(3, 3) for _ in range(3)])(t)


print("super", torch.compile(with_layers, backend="eager")(x).shape)


# What a backend raises.
def broken(gm, inputs):
    raise RuntimeError("broken")


try:
    torch.compile(to_numbers, backend=broken)(x)
except torch._dynamo.exc.BackendCompilerFailed as error:
    print("backend", str(error).splitlines()[0])
with torch._dynamo.config.patch(suppress_errors=True):
    print("suppressed", torch.compile(to_numbers, backend=broken)(x))
try:
    torch.compile(lambda t: isinstance(t + 1, torch.Tensor, invalid=True), backend="eager")(x)
except TypeError as error:
    print(error)
