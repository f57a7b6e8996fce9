"""Gradients where a formula has no number of its own: constants, zeros, NaN, empty batches, half precision."""
import torch

x = torch.ones(3, requires_grad=True)
x.std().backward()
print(x.grad)
for p in (0.5, 1.5, 3.0, float("inf")):
    x = torch.tensor([2.0, 0.0], requires_grad=True)
    x.norm(p=p).backward()
    print(p, x.grad)
x = torch.tensor([1.0, float("nan")], requires_grad=True)
x.norm(p=float("inf")).backward()
print(x.grad)
for p in (0.5, 1.0, 2.0):
    a = torch.tensor([[1.0, 2.0]], requires_grad=True)
    torch.cdist(a, torch.tensor([[2.0, 2.0]]), p=p).sum().backward()
    print(p, a.grad)
layer = torch.nn.BatchNorm2d(3)
layer(torch.randn(0, 3, 2, 2, requires_grad=True)).sum().backward()
print(layer.weight.grad, layer.bias.grad)
for name in ("mish", "softplus", "logsigmoid", "elu", "hardswish", "silu"):
    narrow = torch.linspace(-3, 3, 9, dtype=torch.float16, requires_grad=True)
    wide = narrow.detach().float().requires_grad_()
    function = getattr(torch.nn.functional, name)
    function(narrow).sum().backward()
    function(wide).sum().backward()
    print(name, torch.equal(narrow.grad, wide.grad.half()))
for ord in (-1, float("inf")):
    try:
        torch.linalg.vector_norm(torch.empty(0, 3), ord)
    except RuntimeError as error:
        print(error)
    try:
        torch.linalg.vector_norm(torch.empty(0, 3), ord, dim=0)
    except RuntimeError as error:
        print(error)
print(torch.linalg.vector_norm(torch.empty(0, 3), 2), torch.linalg.vector_norm(torch.empty(0, 3), float("inf"), dim=1))
