"""What lives across a break: self for super(), containers and arguments that are being made. Each call twice uncompiled, twice compiled."""
import torch
import torch.nn as nn
import torch.nn.modules.module as modules


def note(value):
    print("  here")
    return value


def both(name, function, *args):
    plain = function(*args).tolist()
    compiled = torch.compile(function, backend="eager")
    print(name, plain, compiled(*args).tolist(), compiled(*args).tolist())


class Base(nn.Module):
    def forward(self, x):
        return x * 2


class Net(Base):
    def forward(self, x):
        y = x + 1
        note("cut")
        return super().forward(y) + 1


class First(Base):
    def forward(self, x):
        return super().forward(note(x)) + super().forward(x)


class Listed(nn.ModuleList):
    def __getitem__(self, index):
        note(index)
        return super().__getitem__(index)


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = Listed([nn.ReLU(), nn.Tanh()])

    def forward(self, x):
        return self.layers[0](x) * 2


one = torch.ones(1)
both("super", Net(), one)
both("super first", First(), one)
both("super in __getitem__", Holder(), one)


def gathered(x):
    y = x + 1
    items = [y, *[y * 2], note(3), *(4,)]
    named = {**{"a": 1}, "b": note(2), **{"c": 3}}
    kinds = {1, *note((2, 3))}
    pair = (y, *note((y,)), 1)
    return items[0] * len(items) + items[1] + len(named) + len(kinds) + len(pair)


def total(*args, **kwargs):
    return sum(args) * kwargs["m"] + len(kwargs)


def passed(x):
    y = x + 1
    return total(y, *note([1, 2]), y, **note({"m": 3}), z=y)


def stacked(x):
    return torch.stack([x, *[note(x) * i for i in (2, 3)]])


def counted(x):
    n = 0
    for _ in iter(lambda: min(n, 3), 3):
        n = n + 1
    return x + n


both("containers", gathered, one)
both("arguments", passed, one)
both("stack", stacked, one)
both("iter of a function", counted, one)
both("is_cpu", lambda x: x * (2 if x.is_cpu and not x.is_meta else 3), one)

# A hook for all modules that goes is noticed; one that comes where none was is not, as in PyTorch.
act = nn.ReLU()
for register in (modules.register_module_forward_hook, modules.register_module_forward_pre_hook):
    torch._dynamo.reset()
    handle = register(lambda module, *given: given[-1] + 1 if len(given) == 2 else (given[0][0] + 3,))
    compiled = torch.compile(lambda x: act(x) * 2, backend="eager")
    print(compiled(one).tolist())
    handle.remove()
    print(compiled(one).tolist())

compiled = torch.compile(lambda xs: xs[0] + xs[1], backend="eager")
compiled((one, one))
with torch._dynamo.config.patch(error_on_recompile=True):
    for xs in ([one, one], (one, one, one)):
        try:
            compiled(xs)
        except torch._dynamo.exc.RecompileError as error:
            print(str(error).splitlines()[-1].split(": ", 1)[1])

counters = torch._dynamo.utils.counters
counters.clear()
torch.compile(lambda x: x + 1, backend="eager")(one)
print(dict(counters["stats"]), dict(counters["frames"]), "graph_break" in counters, sorted(counters))
