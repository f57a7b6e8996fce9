# Steps that gradients flow through: d(parameter after a step) / d(what the gradient came from).
import torch
from torch import optim

CASES = [
    (optim.SGD, dict(lr=0.1, momentum=0.9, weight_decay=0.01)),
    (optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True)),
    (optim.Adam, dict(lr=0.1, amsgrad=True, weight_decay=0.1)),
    (optim.AdamW, dict(lr=0.1, weight_decay=0.1)),
    (optim.Adagrad, dict(lr=0.1, lr_decay=0.1)),
    (optim.Adadelta, dict(lr=0.5)),
    (optim.Adamax, dict(lr=0.1, eps=0.1)),
    (optim.NAdam, dict(lr=0.1)),
    (optim.RAdam, dict(lr=0.1)),
    (optim.ASGD, dict(lr=0.1)),
    (optim.RMSprop, dict(lr=0.1, momentum=0.5, centered=True, eps=0.1)),
    (optim.Rprop, dict(lr=0.1)),
]
start = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64)
slopes = torch.tensor([0.5, -0.25, 1.5], dtype=torch.float64)


def after(cls, options, start, slopes, differentiable):
    """The parameter after three steps with gradients slopes, slopes**2 and sin(slopes)."""
    if not differentiable:
        param = start.clone().requires_grad_()
        optimizer = cls([param], **options)
        for grad in (slopes, slopes ** 2, slopes.sin()):
            param.grad = grad.clone()
            optimizer.step()
        return param.detach()
    param = start.clone()
    optimizer = cls([param], differentiable=True, **options)
    for grad in (slopes, slopes ** 2, slopes.sin()):
        param.grad = grad
        optimizer.step()
    return param


for cls, options in CASES:
    leaf = slopes.clone().requires_grad_()
    through = after(cls, options, start, leaf, True)
    # The count of steps is a tensor of float32, so corrections of a bias are as exact as that.
    print(cls.__name__, torch.allclose(through, after(cls, options, start, slopes, False), atol=1e-5), end=" ")
    (grad,) = torch.autograd.grad(through.sum(), leaf)
    step = 1e-6
    measured = (after(cls, options, start, slopes + step, False) - after(cls, options, start, slopes - step, False)) / (2 * step)
    print(torch.allclose(grad, measured, atol=1e-6))

# A closure runs first, and its value comes back; maximize turns the gradient around.
weight = torch.tensor([1.0, 2.0])
optimizer = optim.SGD([weight], lr=0.5, differentiable=True, maximize=True)
weight.grad = torch.tensor([1.0, -1.0])
print(optimizer.step(lambda: torch.tensor(3.0)), weight)
try:
    optimizer = optim.LBFGS([weight.clone().requires_grad_()])
    optimizer.defaults["differentiable"] = True
    optimizer.step(lambda: torch.tensor(1.0))
except NotImplementedError as error:
    print(error)
