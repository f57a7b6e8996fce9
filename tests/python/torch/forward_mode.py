"""Tangents that ops carry along: torch.autograd.forward_ad, torch.func.jvp, jvp of custom functions."""
import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd import Function, gradcheck

x, t = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])

with fwAD.dual_level():
    dual = fwAD.make_dual(x, t)
    print(dual)
    print(fwAD.unpack_dual(dual).tangent is t, dual.requires_grad)
    print(fwAD.unpack_dual(dual * dual).tangent)
    with torch.no_grad():
        print(fwAD.unpack_dual(dual.exp().sum()).tangent)
    # A view of a dual tensor has a view of its tangent, so writing through it changes both.
    view = dual.narrow(0, 0, 1)
    view *= 10
    print(fwAD.unpack_dual(dual).primal, fwAD.unpack_dual(dual).tangent)
    # A plain tensor that a dual one is written into has a tangent from then on.
    plain = torch.zeros(2)
    plain[1] = dual[0]
    print(fwAD.unpack_dual(plain).tangent)
    print(fwAD.unpack_dual(dual.detach()).tangent)
    try:
        fwAD.make_dual(x, torch.ones(3))
    except RuntimeError as error:
        print(error)
print(fwAD.unpack_dual(dual))


class Cube(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 3 * x**2 * grad

    @staticmethod
    def jvp(ctx, tangent):
        x, = ctx.saved_tensors
        print("jvp")
        return 3 * x**2 * tangent


print(torch.func.jvp(Cube.apply, (torch.tensor(2.0),), (torch.tensor(1.0),)))
# Levels nest: the second derivative of sin along 1.
first = lambda x: torch.func.jvp(torch.sin, (x,), (torch.ones_like(x),))[1]
print(torch.func.jvp(first, (torch.tensor(0.5),), (torch.tensor(1.0),)))
print(torch.tensor(0.5).cos(), -torch.tensor(0.5).sin())
# The gradient of a tangent.
print(torch.func.grad(lambda x: torch.func.jvp(torch.exp, (x,), (torch.ones_like(x),))[1])(torch.tensor(1.0)))
print(torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0])))


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 3


one = torch.ones(1, dtype=torch.double, requires_grad=True)
print(gradcheck(Wrong.apply, (one,)))
try:
    gradcheck(Wrong.apply, (one,), check_forward_ad=True)
except RuntimeError as error:
    print(str(error).splitlines()[0])
