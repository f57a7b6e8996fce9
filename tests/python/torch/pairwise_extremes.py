import torch

a = torch.tensor([1.0, 5.0, 3.0], requires_grad=True)
b = torch.tensor([2.0, 3.0, 3.0], requires_grad=True)
largest = torch.max(a, b)
print(largest)
largest.sum().backward()
print(a.grad, b.grad)
print(a.min(b), torch.min(a, other=b), a.detach().max(torch.tensor([[0.0], [4.0]])))
out = torch.empty(0)
print(torch.max(a.detach(), b.detach(), out=out) is out, out)
print(torch.max(a.detach(), 0), torch.max(a.detach()))
print(torch.max(torch.tensor([1, 2]), torch.tensor([1.5, 1.5])), torch.min(torch.tensor([True]), torch.tensor([2])))
try:
    torch.max(torch.ones(2), torch.ones(3))
except RuntimeError as error:
    print(error)
