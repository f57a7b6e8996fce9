"""Where tracing of Python itself stops, and what is said then; and what it must not give."""
import collections

import torch


def reason(function):
    try:
        torch.compile(function, backend="eager", fullgraph=True)(torch.ones(3))
    except Exception as error:
        text = str(error).split("\n\n  Developer")[0]
        print(function.__name__, type(error).__name__)
        print(text)


def class_statement(x):
    class Inner:
        pass

    return x + 1


def sorted_by_tensors(x):
    return sorted([1, 2], key=lambda n: x + n)


def order_of_tensors(x):
    return [x, 1] < [x + 1, 2]


def smallest_by_key(x):
    return min([x, x + 1], key=lambda one: one.shape[0])


def from_keys(x):
    return x + 1, dict.fromkeys(["a", "b"], 2), collections.OrderedDict.fromkeys("ab")


class Bare(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = torch.nn.Linear(2, 2)

    def forward(self, x):
        return super().forward(x)


for function in (class_statement, sorted_by_tensors, order_of_tensors, smallest_by_key, from_keys):
    reason(function)
try:
    torch.compile(Bare(), backend="eager")(torch.ones(2))
except NotImplementedError as error:
    print(error)


def same_view_twice(x):
    held = {"a": 1}
    keys = held.keys()
    first = list(keys)
    held["b"] = 2
    return x + 1, first, list(keys), len(keys)


def changed_while_walked(x):
    held = {"a": 1}
    try:
        for key in held:
            held[key + "b"] = 2
    except RuntimeError as error:
        return x + 1, str(error)


def set_in_place(x, held):
    kept = held
    held |= {3}
    held &= {1, 3}
    return x + 1, kept is held


held = {1, 2}
for function in (same_view_twice, changed_while_walked):
    print(torch.compile(function, backend="eager", fullgraph=True)(torch.ones(1))[1:])
print(torch.compile(set_in_place, backend="eager", fullgraph=True)(torch.ones(1), held)[1:], sorted(held))
