"""Methods of classes that are not written in Python, called on what they are not made for."""
import torch
import torch.nn as nn


def refused(call, *args):
    try:
        call(*args)
    except TypeError as e:
        print(e)


refused(torch.Tensor.is_shared, 5)
refused(list.append, {}, 1)
refused(str.upper, None)
refused(nn.Module.train, "x")
refused(int.__new__, 3)
refused(tuple.__new__, list)
print(nn.Module.__repr__(nn.Linear(1, 1)), dict.__len__(__import__("collections").OrderedDict(a=1)))

# Nothing that can be called may end the program.
strange = [(5,), ("x",), (object(),), (None,), (5, 1), ("a", "b"), (list,), ([1], 2, 3)]
count = 0
for cls in [torch.Tensor, nn.Module, nn.Linear, nn.Parameter, nn.LSTM, nn.ModuleDict, torch.optim.Adam, torch.device,
            torch.dtype, torch.Size, torch.Generator, torch.autograd.Function, str, int, list, dict, tuple, set, bytes,
            bytearray, float, complex, range, slice, property, type, object, frozenset, staticmethod, classmethod,
            ValueError, OSError]:
    for name in dir(cls):
        method = getattr(cls, name, None)
        for args in strange if callable(method) and name != "__class__" else ():
            count += 1
            try:
                method(*args)
            except Exception:
                pass
print(count > 10_000)
