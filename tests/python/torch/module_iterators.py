"""Iterators of modules are generators; signatures of modules; padding around without a batch."""
import inspect
import types

import torch
import torch.nn as nn

m = nn.Linear(2, 2)
for name in ("parameters", "named_parameters", "buffers", "children", "modules"):
    made = getattr(m, name)()
    print(name, isinstance(made, types.GeneratorType), inspect.isgenerator(made), made.__class__ is types.GeneratorType)
walk = m.parameters()
print(walk.send(None).shape)
walk.close()
print(list(walk))
walk = m.parameters()
try:
    walk.throw(ValueError("thrown"))
except ValueError as error:
    print(error, list(walk))
print(inspect.signature(m), isinstance(iter([]), types.GeneratorType), isinstance(map(str, []), types.GeneratorType))

print(nn.CircularPad1d(1)(torch.arange(6.).reshape(2, 3)))
x = torch.arange(12.).reshape(1, 3, 4).requires_grad_()
y = nn.CircularPad2d((1, 2, 1, 0))(x)
(y * torch.arange(y.numel()).reshape(y.shape)).sum().backward()
print(y.shape, x.grad)
print(nn.modules.__all__[:3], "Container" in nn.modules.__all__, nn.modules.AdaptiveLogSoftmaxWithLoss is nn.AdaptiveLogSoftmaxWithLoss)
