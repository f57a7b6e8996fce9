# Gradients of segment_reduce beside finite differences, and of as_strided where the base is expanded.
import math

import torch

data = torch.tensor([1.0, 4.0, 4.0, -2.0, 0.5, 3.0], dtype=torch.float64)
lengths = torch.tensor([3, 0, 2, 1])
for reduce in ("sum", "mean", "min", "max", "prod"):
    for initial in (None, 2.0):
        leaf = data.clone().requires_grad_()
        out = torch.segment_reduce(leaf, reduce, lengths=lengths, initial=initial, unsafe=False)
        (torch.where(out.isfinite(), out, 0) * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
        print(reduce, initial, out.tolist(), leaf.grad.tolist())
leaf = torch.tensor([1.0, math.nan, 2.0, 3.0], requires_grad=True)
out = torch.segment_reduce(leaf, "max", lengths=torch.tensor([2, 2]))
out.sum().backward()
print(out.tolist(), leaf.grad.tolist())
rows = torch.arange(6.0).view(3, 2).requires_grad_()
out = torch.segment_reduce(rows, "prod", offsets=torch.tensor([0, 2, 3]), axis=0)
out.sum().backward()
print(out.tolist(), rows.grad.tolist())
print(torch.autograd.gradcheck(lambda t: torch.segment_reduce(t, "mean", lengths=lengths, initial=0.0), (data.clone().requires_grad_(),)))

base = torch.tensor([[1.0], [2.0]], requires_grad=True)
wide = base.expand(2, 3)
wide.as_strided((2, 2), (1, 0)).sum().backward()
print(base.grad)
