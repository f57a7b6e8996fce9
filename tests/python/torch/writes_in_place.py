"""What may not be written in place: items that lie twice, parts of what is read, views that a custom function gave."""
import torch
import torch.nn.functional as F


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


wide = torch.ones(3, 1).expand(3, 4)
for name, args in (("add_", (1,)), ("relu_", ()), ("copy_", (torch.zeros(3, 4),)), ("sin_", ()),
                   ("scatter_", (0, torch.zeros(1, 1, dtype=torch.long), 1.))):
    print(name, end=" ")
    shown(lambda: getattr(wide, name)(*args))
print(wide.fill_(2).sum(), wide.zero_().sum(), wide.expand(3, 4).clone().add_(1).sum())
shown(lambda: F.silu(torch.randn(3, 1).expand(3, 6), inplace=True))

line = torch.arange(5.)


def shifted():
    line[1:] += line[:-1]


shown(shifted)
line += line
line[1:3].add_(line[3:5])
print(line)


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
shown(lambda: Same.apply(x * 1).add_(1))
(Same.apply(x) * 3).sum().backward()
print(x.grad, x._grad is x.grad)
x._grad = None
print(x.grad)


class Module(torch.nn.Module):
    def forward(self, x):
        x += 1
        return x.clone()


module = Module()
module.register_full_backward_hook(lambda *a: None)
shown(lambda: module((x * 1)))
