# torch.autograd.functional, gradcheck and batches of gradients.
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def fails(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("no error")


x = torch.tensor([1.0, 2.0])
y = torch.tensor([3.0, -1.0])

print(vjp(lambda a: a ** 2, x, torch.tensor([1.0, 10.0])))
print(vjp(lambda a, b: (a * b, a.sum()), (x, y), (torch.ones(2), torch.tensor(2.0))))
print(vjp(lambda a: a.sum(), x))
print(jvp(lambda a: a ** 2, x, torch.tensor([1.0, 10.0])))
print(jvp(lambda a, b: a * b, (x, y), (torch.ones(2), torch.zeros(2))))
print(jacobian(lambda a: a ** 2, x))
print(jacobian(lambda a, b: (a + b.sum(), a.sum()), (x, y)))
print(jacobian(lambda a: a ** 2, x, strategy="forward-mode", vectorize=True))
print(hessian(lambda a: (a ** 3).sum(), x))
print(hessian(lambda a, b: (a * b).sum(), (x, y)))
print(vhp(lambda a: (a ** 3).sum(), x, torch.tensor([1.0, 1.0])))
print(hvp(lambda a: (a ** 3).sum(), x, torch.tensor([1.0, 1.0])))
print(hvp(lambda a, b: (a * b).sum(), (x, y), (torch.ones(2), torch.zeros(2))))

# Graphs are kept where they are asked for.
t = torch.tensor([2.0, 3.0], requires_grad=True)
print(jacobian(lambda a: a ** 2, t).requires_grad, jacobian(lambda a: a ** 2, t, create_graph=True).requires_grad)
slopes = jacobian(lambda a: a ** 3, t, create_graph=True)
slopes.sum().backward()
print(t.grad)
with torch.no_grad():
    print(jacobian(lambda a: a ** 2, x), vjp(lambda a: a.sum(), x)[1])

# strict
fails(jacobian, lambda a: torch.ones(2), x, strict=True)
fails(jacobian, lambda a, b: a * 2, (x, y), strict=True)
fails(jacobian, lambda a: a * 2, t, strict=True, create_graph=True)
fails(hessian, lambda a: a.sum(), x, strict=True)
fails(vjp, lambda a, b: a.sum(), (x, y), strict=True)
fails(jvp, lambda a: a.detach(), x, x, strict=True)
fails(vhp, lambda a: a.sum(), x, x, strict=True)

# What cannot be asked for.
fails(vjp, lambda a: a, x)
fails(vjp, lambda a: a, x, torch.ones(3))
fails(vjp, lambda a: (a, a), x, torch.ones(2))
fails(jvp, lambda a: a, x)
fails(jvp, lambda a, b: a, (x, y), (torch.ones(2), torch.ones(3)))
fails(jacobian, lambda a: a, [x])
fails(jacobian, lambda a: 1, x)
fails(jacobian, lambda a: a, (x, 2))
fails(hessian, lambda a: a, x)
fails(hessian, lambda a: (a.sum(), a.sum()), x)
fails(vhp, lambda a: a, x, x)

# gradcheck
d = torch.tensor([0.3, -0.7], dtype=torch.float64, requires_grad=True)
e = torch.randn(2, 3, dtype=torch.float64, requires_grad=True, generator=torch.Generator().manual_seed(0))
print(gradcheck(lambda a, b: (a @ b, a.sin()), (d, e)), gradgradcheck(lambda a, b: (a @ b).tanh(), (d, e)))
print(gradcheck(lambda a: a.t().contiguous().view(-1), (e.detach().t().requires_grad_(),)))
c = torch.tensor([1 + 2j, -0.5j], dtype=torch.complex128, requires_grad=True)
print(gradcheck(lambda a: a * a.conj() + a.real, (c,)), gradcheck(torch.view_as_real, (c,)))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


fails(gradcheck, Wrong.apply, (d,))
print(gradcheck(Wrong.apply, (d,), raise_exception=False))
fails(gradcheck, torch.sin, (x,))

# Several gradients in one call.
t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
rows, = torch.autograd.grad(t ** 2, t, torch.eye(3), is_grads_batched=True)
print(rows)
print(torch.autograd.grad((t * 2, t.sum()), t, (torch.eye(3), torch.ones(3)), is_grads_batched=True))
print(torch.autograd.grad(t ** 2, (t, torch.ones(2, requires_grad=True)), torch.eye(3), is_grads_batched=True,
                          allow_unused=True)[1])
