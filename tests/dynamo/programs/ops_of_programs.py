"""Ops of torch.ops and of the program in what is compiled: the graph calls them as they are."""
import torch
import numpy as np
from torch._dynamo.testing import EagerAndRecordGraphs
@torch.library.custom_op("mylib::nsin", mutates_args=())
def nsin(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.numpy()))
@torch.library.custom_op("mylib::ncos", mutates_args=())
def ncos(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.cos(x.numpy()))
@nsin.register_fake
def _(x): return torch.empty_like(x)
def fn(x):
    y = nsin(x) + torch.ops.mylib.nsin(x) + torch.ops.mylib.nsin.default(x)
    return torch.ops.aten.add.Tensor(y, torch.ops.aten.sin(x))
b = EagerAndRecordGraphs()
x = torch.ones(2)
print(torch.compile(fn, backend=b, fullgraph=True)(x) , fn(x))
print(b.graphs[0].graph)
def broken(x):
    return ncos(x * 2) + 1
print(torch.compile(broken, backend="eager")(x), broken(x))
torch._dynamo.reset()
try:
    torch.compile(broken, backend="eager", fullgraph=True)(x)
except torch._dynamo.exc.Unsupported as error:
    print(str(error).splitlines()[0])
lib = torch.library.Library("other", "DEF")
lib.define("f(Tensor x, int k=2, *, bool flag=False) -> Tensor")
@torch.library.register_fake("other::f")
def _(x, k=2, *, flag=False): return torch.empty_like(x)
lib.impl("f", lambda x, k=2, *, flag=False: x * k, "CPU")
print(torch.ops.other.f(x, 3), torch.ops.other.f(x))
print(torch.compile(lambda t: torch.ops.other.f(t, 5), backend="eager", fullgraph=True)(x))
