"""What custom functions return: arguments, written ones, views, several; and what anomaly detection tells of them."""
import warnings

import torch
from torch.autograd import Function


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        print(type(error).__name__, str(error).split(". ")[0])


class Add(Function):
    @staticmethod
    def forward(ctx, a, b):
        a.add_(b)
        ctx.mark_dirty(a)
        return a

    @staticmethod
    def backward(ctx, grad):
        print("backward of Add")
        return grad, grad


class AddTwo(Function):
    @staticmethod
    def forward(ctx, a, b):
        a.add_(b)
        ctx.mark_dirty(a)
        return a, a + b

    @staticmethod
    def backward(ctx, ga, gb):
        return ga + gb, ga + 2 * gb


class Forgets(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a + 1

    @staticmethod
    def backward(ctx, grad):
        return grad


class Id(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
# Written through a view: the base gets the function's gradient.
base = a.clone()
Add.apply(base[:1], b[:1])
base.sum().backward()
print(a.grad, b.grad)
refused(lambda: AddTwo.apply(a.clone().view(2), b))
refused(lambda: Forgets.apply(a.clone()))
refused(lambda: Add.apply(a, b))
refused(lambda: Id.apply(a.clone()).add_(1))
refused(lambda: Id.apply(torch.ones(2)).mul_(b))
with torch.no_grad():
    view = a.clone().requires_grad_().view(2)
refused(lambda: view.add_(1))
whole = torch.ones(1, 2)
refused(lambda: whole.unbind()[0].copy_(b))

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        with torch.autograd.detect_anomaly():
            zero = torch.zeros(1, requires_grad=True)
            root = zero.sqrt() * 0
            root.backward()
    except RuntimeError as error:
        print(error)
text = str(told[-1].message)
print(text.splitlines()[0], "zero.sqrt()" in text)

with torch.inference_mode():
    kept = torch.rand(2, requires_grad=True)
    kept.add_(1)
print(kept.is_inference(), (kept * 2).requires_grad, kept.view(2).requires_grad)
print(torch.rand(2)._version, torch.zeros(2).resize_(3)._version)
