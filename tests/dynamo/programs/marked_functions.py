"""What decorators of torch._dynamo and torch.compiler do with functions, classes and modules."""
import copy
import functools
import pickle
import random

import torch
from torch._dynamo.testing import CompileCounter, EagerAndRecordGraphs, normalize_gm, rand_strided, standard_test
from torch._dynamo.eval_frame import unsupported


def calls(fn, *args, fullgraph=False):
    """The results of a compiled function, how many graphs there are, and how many calls."""
    torch._dynamo.reset()
    counter = CompileCounter()
    result = torch.compile(fn, backend=counter, fullgraph=fullgraph)(*args)
    return result, counter.frame_count, counter.op_count


x = torch.ones(3)

# A function that is disallowed breaks the graph; allowed again it does not.
torch._dynamo.disallow_in_graph(torch.sub)
print("disallowed", calls(lambda t: torch.sub(t + 1, 1) + 1, x))
torch._dynamo.allow_in_graph(torch.sub)
print("allowed", calls(lambda t: torch.sub(t + 1, 1) + 1, x))
try:
    torch._dynamo.disallow_in_graph(calls)
except torch._dynamo.exc.IncorrectUsage as error:
    print("IncorrectUsage", error)


@torch.compiler.assume_constant_result
def configured():
    print("asked")
    return 3


compiled = torch.compile(lambda t: t * configured(), backend="eager", fullgraph=True)
print("constant", compiled(x), compiled(x))


@torch._dynamo.forbid_in_graph
def forbidden(t):
    return t


try:
    torch.compile(lambda t: forbidden(t) + 1, backend="eager")(x)
except AssertionError as error:
    print(str(error).partition(" at ")[0])


@torch._dynamo.disable(recursive=False)
def outer(t):
    return inner(t) + 1


def inner(t):
    return t * 2


print("only its own frame", calls(outer, x), calls(lambda t: outer(t), x))


# The outermost of two decorators decides.
first, second = CompileCounter(), CompileCounter()
torch._dynamo.reset()
torch.compile(torch.compile(inner, backend=first), backend=second)(x)
print("nested", first.frame_count, second.frame_count)
print("run", torch._dynamo.run(inner)(x), torch._dynamo.run(lambda t: t + 5)(x), first.frame_count, second.frame_count)


# What a function is compiled for is tried, whatever it is called with.
class Holder:
    def __init__(self):
        self.parts = [torch.ones(2), torch.zeros(2)]

    def __iter__(self):
        return iter(self.parts)


holder = Holder()
print("no tensor in sight", calls(lambda h: [part + 1 for part in h], holder, fullgraph=True))


# id() holds the code to the object.
def by_id(obj, number):
    return torch.ones(1) * (1 if id(obj) == number else 0)


compiled = torch.compile(by_id, backend="eager")
one, two = Holder(), Holder()
print("id", compiled(one, id(one)), compiled(two, id(one)))


# What is remembered by functools.cache is not asked.
@functools.cache
def cached(a, b=2):
    return a + b


print("cache", calls(lambda t: t + cached(1), x, fullgraph=True))


def partials(t):
    made = functools.partial(lambda a, b: torch.sin(a) + torch.cos(b), b=t)
    return made(t)


print("partial", calls(partials, x, fullgraph=True)[1:])


def infos(t):
    return t + torch.finfo(t.dtype).max - torch.iinfo(torch.int8).max + torch.Size([2, 3]).numel()


print("finfo", calls(infos, x, fullgraph=True)[1:])
print("promote", calls(lambda t: t.to(torch.promote_types(t.dtype, torch.float64)), x, fullgraph=True))
print("tree", calls(lambda t: torch.utils._pytree.tree_map(lambda leaf: leaf + 1, {"a": t, "b": (t, [t])}), x, fullgraph=True))


def deleted(t, obj):
    obj.added = t + 1
    del obj.added
    return t + 2


print("deleted", calls(deleted, x, holder), hasattr(holder, "added"))


# What follows from others may be written to.
leaf = torch.ones(2, requires_grad=True)
print("no leaf", calls(lambda t: t.trunc_() + 1, leaf * 1.5)[1:])


def broken_between(a):
    walker = iter(range(3, 8, 2))
    a = unsupported(a, a)
    return a + next(walker), list(walker)


print("walker", calls(broken_between, x)[0])


def drawn(t):
    return t + 2, torch.rand(random.randrange(start=1, stop=5), random.randrange(1, 5), random.randrange(1, 5)).dim()


print("drawn", calls(drawn, x)[0])


# Modules: their mode, names, copies.
module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
optimized = torch.compile(module, backend="eager")
optimized.eval()
print("mode", optimized.training, module.training)
optimized.extra = 5
print("attribute", module.extra, "extra" in dir(optimized))
del optimized.extra
print("gone", hasattr(module, "extra"))
copied = pickle.loads(pickle.dumps(optimized))
print("copied", type(copied).__name__, type(copied._orig_mod).__name__, type(copy.deepcopy(optimized)).__name__)


class Small(torch.nn.Module):
    def forward(self, t):
        return t * 2


counter = CompileCounter()
Small = torch.compile(Small, backend=counter)
print("class", Small()(x), counter.frame_count)

# Settings.
with torch._dynamo.config.patch(recompile_limit=1, cache_size_limit=2):
    print("patched", torch._dynamo.config.cache_size_limit, torch._dynamo.config.recompile_limit)
print(torch._dynamo.config.recompile_limit)
try:
    torch._dynamo.config.no_such = 1
except AttributeError as error:
    print(error)
for options in ({"mode": "fast"}, {"mode": "default", "options": {}}):
    try:
        torch.compile(inner, **options)
    except RuntimeError as error:
        print(error)

backend = EagerAndRecordGraphs()
torch.compile(inner, backend=backend)(x)
print(normalize_gm(backend.graphs[0].print_readable(False)))
print(rand_strided((2, 3), (1, 2)).stride())
