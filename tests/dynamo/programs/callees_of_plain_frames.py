"""What a frame calls that is not compiled itself is compiled."""
import torch
from torch._dynamo.testing import CompileCounter


def inner(t):
    return t * 2


def broken_in_loop(t):
    for _ in range(2):
        torch._dynamo.graph_break()
        t = inner(t) + 1
    return t


@torch._dynamo.disable(recursive=False)
def only_itself(t):
    return inner(t) + 1


def caller(t):
    return only_itself(t + 1)


for function in (broken_in_loop, only_itself, caller):
    torch._dynamo.reset()
    counter = CompileCounter()
    print(function.__name__, torch.compile(function, backend=counter)(torch.ones(2)), counter.frame_count, counter.op_count)
