# Methods of nn.Module that a program replaces for all modules are called wherever PyTorch calls them, until they are put back.
import contextlib

import torch
from torch import nn


@contextlib.contextmanager
def replaced(name, calls):
    original = getattr(nn.Module, name)

    def stand_in(self, *args, **kwargs):
        calls.append((type(self).__name__, *[arg for arg in args[:1] if isinstance(arg, (str, bool))]))
        return original(self, *args, **kwargs)

    setattr(nn.Module, name, stand_in)
    try:
        yield
    finally:
        setattr(nn.Module, name, original)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.body(x) * self.scale


x = torch.ones(3, 2)
for name, use in (("__call__", lambda net: net(x)), ("train", lambda net: net.eval()), ("state_dict", lambda net: net.state_dict()),
                  ("_apply", lambda net: net.double()), ("register_buffer", lambda net: nn.BatchNorm1d(2)),
                  ("register_parameter", lambda net: nn.Linear(1, 1)), ("_save_to_state_dict", lambda net: net.state_dict()),
                  ("_load_from_state_dict", lambda net: net.load_state_dict(net.state_dict())),
                  ("__getattr__", lambda net: net.body[0](x)), ("__setattr__", lambda net: setattr(net, "bias", None)),
                  ("_get_name", lambda net: repr(net.body)), ("named_parameters", lambda net: list(net.parameters())),
                  ("zero_grad", lambda net: net.zero_grad())):
    net, calls, after = Net(), [], []
    with replaced(name, calls):
        use(net)
    kept = list(calls)
    use(Net())
    print(name, kept, kept == calls)
