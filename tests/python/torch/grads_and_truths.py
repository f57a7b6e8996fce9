"""_grad is another name of grad; truths are close where they are equal."""
import torch

x = torch.zeros(2, requires_grad=True)
x._grad = torch.ones(2)
print(x.grad, x._grad is x.grad)
x.grad = None
print(x._grad)
print(torch.isclose(torch.tensor([True, False]), torch.tensor([True, True])), torch.allclose(torch.tensor(True), torch.tensor(True)))
print(callable(torch.no_grad()(len)), hasattr(torch.no_grad()(len), "__call__"), torch.no_grad()(len).__call__([1, 2]))
