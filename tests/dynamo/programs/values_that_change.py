"""What compiled frames look at again, and what they let go of."""
import collections
import functools
import gc
import sys
import types
import weakref

import torch
import torch._dynamo
from torch import nn
from torch._dynamo.testing import CompileCounter

other = types.ModuleType("other")
exec("""
count = 0

def step(x):
    global count
    count += 1
    return x * count
""", other.__dict__)
sys.modules["other"] = other
ones = torch.ones(2)


# A name of another module that a function of that module writes is read with what was written.
@torch.compile(backend="eager", fullgraph=True)
def counted(x):
    a = other.step(x)
    other.newly = 7
    return a * other.count + other.newly


print(counted(ones), counted(ones), other.count, other.newly)

# The parts of slices.
layers = list(range(10))
taken = torch.compile(lambda items, index: (torch.zeros(1), items[index]), backend="eager", fullgraph=True)
print([taken(layers, index)[1] for index in (slice(0, 2, 1), 2, slice(3, 8, 2), slice(None, None, -3))])


class Odd:
    def __bool__(self):
        return 1.5


@torch.compile(backend="eager")
def asks(x, odd):
    return x if odd else -x


try:
    asks(ones, Odd())
except TypeError as error:
    print(error)


# A mode that is set by hand, and one that no guard looks at.
class Mode:
    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(True)

    def __exit__(self, *error):
        torch._C._set_grad_enabled(self.before)


@torch.compile(backend="eager")
def in_mode(x):
    with Mode():
        x = x * 2 if torch.is_grad_enabled() else x
    return x + 1 if torch.is_grad_enabled() else x


with torch.no_grad():
    print(in_mode(ones), torch.is_grad_enabled())
profiled = torch.compile(lambda x: x + 1 if torch.autograd._profiler_enabled() else x - 1, backend="eager")
print(profiled(ones))
with torch.autograd.profiler.profile():
    print(profiled(ones))


# Inputs and modules die when the program lets go of them.
def alive(make, compiled, call):
    one = make()
    watched = weakref.ref(one)
    call(compiled(one) if compiled else call, one)
    del one
    gc.collect()
    return watched() is not None


print(alive(lambda: torch.rand(4), None, lambda f, x: torch.compile(lambda y: y + y, backend="eager")(x)),
      alive(lambda: nn.Linear(2, 2), lambda m: torch.compile(m, backend="eager"), lambda f, m: f(ones)),
      alive(lambda: nn.Sequential(nn.Linear(2, 2)), lambda m: torch.compile(m, backend="eager"), lambda f, m: f(ones)),
      alive(lambda: nn.Linear(2, 2), lambda m: torch.compile(lambda x: m(x) + 1, backend="eager"), lambda f, m: f(ones)))

# Functions that have no frame of the program's, and objects that are called.
for function in (torch.sin, functools.partial(torch.add, 1), nn.functional.softplus, torch.Tensor.cos, nn.ReLU()):
    counter = CompileCounter()
    torch.compile(function, backend=counter, fullgraph=True)(ones)
    print(counter.frame_count, counter.op_count, end="; ")
print()


# Parametrizations.
class Sine(nn.Module):
    def forward(self, x):
        return torch.sin(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))

    def forward(self, x):
        return self.weight @ x


parametrize, parametrizations = nn.utils.parametrize, nn.utils.parametrizations
layer = Layer()
parametrize.register_parametrization(layer, "weight", Sine())
parametrize.register_parametrization(layer, "weight", Sine())
print(torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(ones), layer(ones)))
for change in (parametrizations.weight_norm, parametrizations.orthogonal,
               functools.partial(parametrizations.orthogonal, orthogonal_map="cayley"),
               functools.partial(parametrizations.orthogonal, orthogonal_map="householder")):
    torch._dynamo.reset()
    layer = change(nn.Linear(2, 3))
    print(torch.allclose(torch.compile(layer, backend="eager", fullgraph=True)(ones), layer(ones)), end=" ")
first, second = nn.Linear(2, 3), nn.Linear(2, 3)
second.load_state_dict(first.state_dict())
torch.manual_seed(0)
first = parametrizations.spectral_norm(first)
torch.manual_seed(0)
second = parametrizations.spectral_norm(second)
compiled = torch.compile(second, backend="eager", fullgraph=True)
print(all(torch.allclose(first(ones), compiled(ones)) for _ in range(3)),
      torch.allclose(first.parametrizations.weight[0]._u, second.parametrizations.weight[0]._u))


# A lazy module learns from a named tuple.
class Lazy(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.UninitializedParameter()

    def initialize_parameters(self, given):
        if self.has_uninitialized_params():
            self.weight.materialize(given.x["a"].shape)
            nn.init.ones_(self.weight)

    def forward(self, given):
        return self.weight * given.x["a"] + given.y


Given = collections.namedtuple("Given", "x y")


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Lazy()

    def forward(self, given):
        return self.inner(given)


print(torch.compile(Around(), backend="eager", fullgraph=True)(Given({"a": ones}, ones)))
