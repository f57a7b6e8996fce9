"""Functions that only tell what happens: ignored, or called when the graph has run."""
import logging
import warnings

import torch
from torch._dynamo.testing import CompileCounter, same

logger = logging.getLogger("program")
logger.addHandler(logging.StreamHandler(__import__("sys").stdout))
logger.setLevel(logging.INFO)


def prints(x):
    print("begins")
    doubled = x + x
    print(doubled)
    print(1, 2, "{}".format(doubled))
    return doubled * doubled


def logs(x):
    logger.info("told")
    return x + 1


x = torch.ones(2)
for settings in ({}, {"reorderable_logging_functions": {print}}, {"ignore_logging_functions": {print}}):
    with torch._dynamo.config.patch(**settings):
        torch._dynamo.reset()
        counter = CompileCounter()
        print(torch.compile(prints, backend=counter)(x), counter.frame_count, sorted(settings))
for functions in ({logger.info}, {logging.Logger.info}):
    with torch._dynamo.config.patch(ignore_logging_functions=functions):
        torch._dynamo.reset()
        print(torch.compile(logs, backend="eager", fullgraph=True)(x))
with torch._dynamo.config.patch(reorderable_logging_functions={logger.info}):
    torch._dynamo.reset()
    print(torch.compile(logs, backend="eager", fullgraph=True)(x))
with torch._dynamo.config.patch(reorderable_logging_functions={print}):
    torch._dynamo.reset()
    try:
        torch.compile(lambda t: print([t]) or t + 1, backend="eager", fullgraph=True)(x)
    except torch._dynamo.exc.Unsupported as error:
        print(str(error).splitlines()[0])


class TenDimensions(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func == torch.Tensor.ndim.__get__:
            return 10
        return super().__torch_function__(func, types, args, kwargs or {})


wrapped = torch.ones(2, 2).as_subclass(TenDimensions)
print(torch.compile(lambda t: t.ndim + torch.ones(2), backend="eager")(wrapped))


class Foo:
    def __init__(self, value):
        self.value = value


print(same(Foo(x), Foo(x.clone())), same(Foo(x), Foo(x + 1)), same({"a": [x, 1, None]}, {"a": [x, 1, None]}))
try:
    same(warnings, warnings)
except RuntimeError as error:
    print(error)


class Holder:
    def first(self):
        pass

    def second(self):
        pass


def comparisons(t, method):
    held = [1]
    return t + 1, [one.first == one.first, one.first == two.first, one.first == one.second, method == one.first,
                   torch.Tensor.ndim.__get__ == torch.Tensor.ndim.__get__, torch.sin == torch.cos, held.append == held.append]


one, two = Holder(), Holder()
print(comparisons(x, one.first)[1] == torch.compile(comparisons, backend="eager", fullgraph=True)(x, one.first)[1])
