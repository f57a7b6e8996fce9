"""x.real and x.imag are views."""
import torch

c = torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
print(c.real, c.imag, torch.real(c))
c.real[0] = 7
c.imag.mul_(10)
print(c, c.real.shape, c.real.dtype)
x = torch.ones(2)
print(x.real is x)
try:
    x.imag
except RuntimeError as error:
    print(error)
z = torch.complex(torch.ones(2), torch.ones(2)).requires_grad_()
(z.real * 3 + z.imag).sum().backward()
print(z.grad)
