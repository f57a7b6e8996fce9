"""backend="nnscope": one chain of elementwise ops with and without it, and the time until a GPT of 12 layers is planned."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(1024, 1024)
row = torch.randn(1024)


def gate(x, row):
    y = x * 0.5 + row
    return torch.sigmoid(y) * torch.tanh(y) + F.relu(x - y) * 0.1


fused = torch.compile(gate, backend="nnscope")
unfused = torch.compile(gate, backend="eager")
# The plan is made from the first call and measured in the next ones.
for call in range(10):
    fused(x, row)
    unfused(x, row)


def fused_gate():
    return fused(x, row)


def unfused_gate():
    return unfused(x, row)


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ln_1 = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        h = self.up(self.ln_1(x))
        return x + self.down(h * 0.5 * (1 + torch.tanh(0.7978845608 * (h + 0.044715 * h * h * h)))) * 0.9


model = torch.nn.Sequential(*[Block(64) for _ in range(12)])
given = torch.randn(1, 64, 64)
planned = torch.compile(model, backend="nnscope")


def plan():
    torch._dynamo.reset()
    with torch.no_grad():
        return planned(given)


def without_plan():
    with torch.no_grad():
        return model(given)
