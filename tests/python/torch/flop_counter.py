# FLOPs by module and op: a product and a sum count as two.
import torch
import torch.nn as nn
from torch.utils.flop_counter import FlopCounterMode


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(8 * 16 * 16, 10))

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)))


net = Net()
x = torch.zeros(2, 3, 16, 16)
with FlopCounterMode(depth=None) as counter:
    net(x)
print(counter.get_total_flops(), 2 * (2 * 8 * 16 * 16 * 3 * 9) + 2 * 2 * 2048 * 10)
print({name: {str(op): count for op, count in ops.items()} for name, ops in sorted(counter.get_flop_counts().items())})
counter = FlopCounterMode(display=False)
with counter:
    net.head(torch.zeros(1, 8, 16, 16))
    torch.ones(4, 5) @ torch.ones(5, 6)
print(counter.get_table())
with FlopCounterMode():
    torch.ones(3) + 1
with FlopCounterMode():
    torch.ones(2, 3) @ torch.ones(3, 4)
# Backward counts where its forward did: the convolution's weight, and both factors of the linear layer.
with FlopCounterMode(display=False) as counter:
    loss = net(x).sum()
    before = counter.get_total_flops()
    loss.backward()
print(counter.get_total_flops() - before, 2 * (2 * 8 * 16 * 16 * 3 * 9) + 2 * (2 * 2 * 2048 * 10))
print({name: {str(op): count for op, count in ops.items()} for name, ops in sorted(counter.get_flop_counts().items())})
