"""Tensors that become views of themselves, and the orders of items in memory."""
import torch
from torch import nn


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


x = torch.arange(6.0).reshape(2, 3)
same = x
print(x.unsqueeze_(0) is same, x.shape, x.stride(), x._version)
print(x.squeeze_().shape, x.t_().shape, x.transpose_(0, 1).shape, x.swapaxes_(0, 1).shape)
print(x.unsqueeze_(1).squeeze_(1).shape, x.as_strided_((2, 2), (1, 2)))
leaf = torch.ones(2, requires_grad=True)
refused(lambda: leaf.unsqueeze_(0))
with torch.no_grad():
    print(leaf.unsqueeze_(0).shape, leaf.requires_grad, leaf.is_leaf)
leaf = torch.ones(2, requires_grad=True)
made = leaf * 2
made.unsqueeze_(1)
print(made.grad_fn.name())
(made * torch.tensor([[1.0], [3.0]])).sum().backward()
print(leaf.grad)
refused(lambda: torch.zeros(2).unsqueeze_(3))
print(torch.tensor([-1.0, 2.0]).abs_(), torch.tensor([[1 + 2j, 3]]).mH, torch.ones(2, 3).H.shape)
refused(lambda: torch.ones(2).mH)
refused(lambda: torch.ones(1, 2, 2).H)

image = torch.arange(24.0).reshape(1, 2, 3, 4)
last = image.to(memory_format=torch.channels_last)
print(last.stride(), last.is_contiguous(), last.is_contiguous(memory_format=torch.channels_last), torch.equal(image, last))
print(image.is_contiguous(memory_format=torch.channels_last), last.contiguous().stride())
print(last.contiguous(memory_format=torch.channels_last) is last, image.clone(memory_format=torch.channels_last).stride())
print(image.contiguous(memory_format=torch.contiguous_format) is image, torch.preserve_format, type(torch.channels_last))
print(torch.zeros(1, 2, 3, 4, 5).contiguous(memory_format=torch.channels_last_3d).stride())
refused(lambda: torch.zeros(2).contiguous(memory_format=torch.channels_last))
image.requires_grad_()
image.to(memory_format=torch.channels_last).mul(2).sum().backward()
print(image.grad.unique(), nn.Conv2d(2, 3, 3)(last).shape)

print(x.nbytes, x.itemsize, x.is_cpu, x.is_mps, x.ndimension(), x.get_device(), x.is_pinned(), x.is_neg())
print(x.is_same_size(x.t()), x.is_set_to(x), x.is_set_to(x.clone()))
