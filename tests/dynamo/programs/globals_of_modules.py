"""Globals that functions of another module write, and sizes that a compiled function marks as static."""
import sys
import types

import torch
from torch._dynamo.testing import CompileCounter

other = types.ModuleType("other")
sys.modules["other"] = other
exec(compile("""
count = 0
last = None


def step(x):
    global count, last
    count = count + 1
    last = x * 2
    return last + count
""", "other.py", "exec"), other.__dict__)
count = 100


def twice(x):
    global count
    count += 1
    return other.step(other.step(x)) + count


counter = CompileCounter()
compiled = torch.compile(twice, backend=counter, fullgraph=True)
print(compiled(torch.ones(2)), other.count, other.last, count, counter.frame_count)
print(compiled(torch.ones(2)), other.count, other.last, count)
other.count, count = 0, 100
print(twice(torch.ones(2)), other.count, count)


def marked(x):
    torch._dynamo.mark_static(x, 0)
    return x * 2


counter = CompileCounter()
compiled = torch.compile(marked, backend=counter, fullgraph=True, dynamic=True)
for shape in ((3, 4), (3, 5), (4, 5)):
    compiled(torch.ones(shape))
    print(shape, counter.frame_count)
