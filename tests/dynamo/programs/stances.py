"""torch.compiler.set_stance: nothing compiled, nothing compiled anew, an error instead."""
import torch

ones = torch.ones(4)
counters = torch._dynamo.utils.counters


@torch.compile(backend="eager", dynamic=False)
def f(x):
    return x + 1


def graphs():
    return counters["stats"]["unique_graphs"]


f(ones)
f(torch.ones(5))
print(graphs())
with torch.compiler.set_stance("force_eager"):
    print(f(torch.ones(6)).tolist(), graphs())
with torch.compiler.set_stance("eager_on_recompile"):
    print(f(ones).tolist(), f(torch.ones(7)).tolist(), graphs())
with torch.compiler.set_stance("fail_on_recompile"):
    print(f(ones).tolist())
    try:
        f(torch.ones(7))
    except RuntimeError as error:
        head, *rest = str(error).split("\n")
        print(head.split(". filename")[0], "function name: 'f'" in head)
        print("\n".join(rest))
print(f(torch.ones(7)).tolist(), graphs())
try:
    torch.compiler.set_stance("sometimes")
except RuntimeError as error:
    print(error)
