# Behaviour: torch/nn/modules/module.py, _call_impl reads self.forward as any attribute is read.
import torch
from torch import nn


class Chosen(nn.Module):
    def __getattribute__(self, name):
        if name == "forward":
            return super().__getattribute__("other")
        return super().__getattribute__(name)

    def forward(self, x):
        return x + 1

    def other(self, x):
        return x * 10


net = Chosen()
print(net(torch.ones(1)), net.forward(torch.ones(1)))
net.register_forward_hook(lambda module, args, output: output + 0.5)
print(net(torch.ones(1)), nn.Sequential(net)(torch.ones(1)))
