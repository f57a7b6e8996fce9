"""Functions of complex numbers: near 0 without cancelling, at infinities, and their gradients."""
import torch


def show(label, x):
    flat = torch.view_as_real(x.detach()).flatten().tolist() if x.is_complex() else x.detach().flatten().tolist()
    print(label, " ".join(f"{one:.6g}" for one in flat))


z = torch.tensor([0.5 - 0.25j, 1e-9 + 2e-9j, -0.3 + 2j], dtype=torch.complex128)
w = torch.tensor([1.5 + 0.5j, -2 - 1j, 0.1j], dtype=torch.complex128)
for name in ("expm1", "log1p", "sinc", "square"):
    x = z.clone().requires_grad_()
    made = getattr(torch, name)(x)
    show(name, made)
    made.abs().sum().backward()
    show(name + " gradient", x.grad)
for name in ("logaddexp", "ldexp", "pow"):
    x, y = z.clone().requires_grad_(), w.clone().requires_grad_()
    made = getattr(torch, name)(x, y)
    show(name, made)
    made.real.sum().backward()
    show(name + " gradients", x.grad)
    show("", y.grad)
x = w.clone().requires_grad_()
made = torch.logcumsumexp(x, 0)
show("logcumsumexp", made)
print("the same", torch.allclose(made, torch.log(torch.cumsum(torch.exp(w), 0)), rtol=1e-14))
made.real.sum().backward()
show("logcumsumexp gradient", x.grad)
low = complex(float("-inf"), 0)
show("logaddexp of nothing", torch.logaddexp(torch.tensor([low]), torch.tensor([low])))
zero = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
power = torch.tensor([2 + 0j, 1 + 0j], dtype=torch.complex64, requires_grad=True)
torch.pow(zero, power).real.sum().backward()
show("0 ** power", power.grad)
for function in (lambda x: torch.logaddexp(x, w), torch.expm1, torch.log1p, torch.sinc, lambda x: torch.logcumsumexp(x, 0),
                 lambda x: torch.ldexp(x, w), lambda x: torch.pow(w, x)):
    print(torch.autograd.gradcheck(function, (z.clone().requires_grad_(),)))
