# Methods of a module ask its class's own walks, as those of PyTorch do: _apply, children, named_modules, parameters.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)
        self.hidden = nn.Linear(2, 2)
        self.register_buffer("count", torch.zeros(1))

    def _apply(self, fn, recurse=True):
        print("  _apply", recurse)
        return super()._apply(fn, recurse)

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        print("  named_parameters", repr(prefix), recurse)
        yield from super().named_parameters(prefix, recurse, remove_duplicate)

    def named_buffers(self, *args, **kwargs):
        print("  named_buffers", args, kwargs)
        yield from super().named_buffers(*args, **kwargs)

    def named_modules(self, *args, **kwargs):
        print("  named_modules", args, kwargs)
        for name, module in super().named_modules(*args, **kwargs):
            if not name.endswith("hidden"):
                yield name, module

    def named_children(self):
        print("  named_children")
        for name, module in super().named_children():
            if name != "hidden":
                yield name, module


for name, use in (
        ("double", lambda net: net.double()), ("to", lambda net: net.to(torch.float16)), ("cpu", lambda net: net.cpu()),
        ("type", lambda net: net.type(torch.float32)), ("to_empty", lambda net: net.to_empty(device="cpu", recurse=False)),
        ("parameters", lambda net: [tuple(one.shape) for one in net.parameters()]),
        ("own parameters", lambda net: list(net.parameters(recurse=False))),
        ("named", lambda net: [one for one, _ in net.named_parameters("p")]), ("buffers", lambda net: len(list(net.buffers()))),
        ("modules", lambda net: [type(one).__name__ for one in net.modules()]), ("children", lambda net: list(net.children())),
        ("train", lambda net: net.eval()), ("zero_grad", lambda net: net.zero_grad()),
        ("requires_grad_", lambda net: net.requires_grad_(False)), ("apply", lambda net: net.apply(lambda module: None)),
        ("share_memory", lambda net: net.share_memory()), ("state_dict", lambda net: list(net.state_dict())),
        ("optimizer", lambda net: torch.optim.SGD(net.parameters(), lr=0.1).param_groups[0]["lr"])):
    net = Net()
    print(name)
    result = use(net)
    print(result if not isinstance(result, nn.Module) else [(one.dtype, one.requires_grad) for one in (net.inner.weight, net.hidden.weight)],
          net.hidden.training)


kept = []


class Keeps(nn.Linear):
    def _apply(self, fn, recurse=True):
        kept.append(fn)
        return super()._apply(fn, recurse)


Keeps(1, 1).to(torch.float64)
print(kept[0](torch.ones(1)).dtype)
