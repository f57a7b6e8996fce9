"""torch.channels_last and its like: who has which strides, and that values do not depend on them."""
import copy
import io

import torch
import torch.nn.functional as F
from torch import nn


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        print(type(error).__name__, error)


def formats(x):
    return (x.stride(), x.is_contiguous(), x.is_contiguous(memory_format=torch.channels_last),
            x.is_contiguous(memory_format=torch.channels_last_3d))


plain = torch.arange(120, dtype=torch.float32).view(2, 3, 4, 5)
last = plain.to(memory_format=torch.channels_last)
print(formats(plain), formats(last), torch.equal(plain, last))
print(plain.contiguous(memory_format=torch.channels_last).stride(), last.contiguous().stride(),
      last.contiguous(memory_format=torch.channels_last) is last, last.to(memory_format=torch.preserve_format) is last)
print(plain.clone(memory_format=torch.channels_last).stride(), last.clone().stride(),
      last.clone(memory_format=torch.contiguous_format).stride(), torch.clone(last).stride())
for make in (torch.empty_like, torch.zeros_like, torch.ones_like):
    print(make(last).stride(), make(last, memory_format=torch.contiguous_format).stride(),
          make(plain, memory_format=torch.channels_last).stride())
print(torch.full_like(last, 3).stride(), torch.full_like(last, 3).sum().item())
print(last.double().stride(), last.to(torch.float16).stride(), last.bool().stride(),
      plain.half(memory_format=torch.channels_last).stride(), last.to("meta").stride())
cube = torch.arange(240.0).view(2, 3, 2, 4, 5)
print(formats(cube), formats(cube.to(memory_format=torch.channels_last_3d)))
for x in (torch.ones(2, 3), cube):
    refused(lambda: x.to(memory_format=torch.channels_last))
    refused(lambda: x.contiguous(memory_format=torch.channels_last))
    refused(lambda: x.clone(memory_format=torch.channels_last))
    refused(lambda: torch.empty_like(x, memory_format=torch.channels_last))
refused(lambda: plain.to(memory_format=torch.channels_last_3d))
refused(lambda: plain.contiguous(memory_format=torch.preserve_format))
print(torch.ones(2, 3).is_contiguous(memory_format=torch.channels_last), torch.channels_last, torch.preserve_format)
for shape in ((4, 1, 3, 3), (4, 3, 1, 1), (1, 1, 1, 1), (1, 3, 2, 2)):
    x = torch.ones(shape)
    print(shape, formats(x), formats(x.to(memory_format=torch.channels_last)))

# Item by item: results lie as the inputs do.
t = torch.arange(6.0).view(2, 3).t()
print((t + 1).stride(), t.exp().stride(), (t * t).stride(), (t + t.contiguous()).stride(),
      (t.contiguous() + t).stride(), (t > 2).stride(), torch.where(t > 2, t, -t).stride(), t.relu().stride(),
      (t + torch.ones(2)).stride(), (torch.ones(2) + t).stride(), t.clone().stride(), t.to(torch.int32).stride())
p = torch.arange(24.0).view(2, 3, 4).permute(2, 0, 1)
print(p.stride(), (p * 2).stride(), p.sin().stride(), torch.zeros_like(p).stride(), p.neg().contiguous().stride())
gaps = torch.arange(24.0).view(4, 6)[:, ::2]
print(gaps.stride(), (gaps + 1).stride(), gaps.clone().stride(), gaps.t().clone().stride(), gaps.t().exp().stride(),
      torch.empty_like(gaps.t()).stride())
wide = torch.ones(3, 1).expand(3, 4)
print(wide.stride(), (wide + 1).stride(), wide.clone().stride(), (wide.t() + 1).stride())
for other in (plain, last, torch.ones(3, 1, 1), torch.ones(5), torch.tensor(2.0), 2.0):
    made, again = last + other, plain + other
    print(made.stride(), (other + last).stride(), torch.equal(made, again))
print((plain + last).stride(), (last + plain).stride(), torch.maximum(plain, last).stride(),
      torch.lerp(last, plain, 0.5).stride(), torch.addcmul(last, last, plain).stride(), last.clamp(0, 9).stride(),
      last.masked_fill(last > 3, 0.0).stride(), F.gelu(last).stride(), torch.sigmoid(last).stride())
last.add_(1)
plain.add_(1)
print(last.stride(), torch.equal(last, plain))

# What goes by images: channels last if the input is.
torch.manual_seed(0)
image = torch.randn(2, 4, 8, 8)
last = image.to(memory_format=torch.channels_last)
indices = lambda x: F.max_pool2d(x, 2, return_indices=True)[1].float()  # noqa: E731
layers = {
    "conv": nn.Conv2d(4, 6, 3), "depthwise": nn.Conv2d(4, 4, 3, groups=4, padding=1), "point": nn.Conv2d(4, 6, 1),
    "transposed": nn.ConvTranspose2d(4, 6, 3), "norm": nn.BatchNorm2d(4), "eval": nn.BatchNorm2d(4).eval(),
    "instance": nn.InstanceNorm2d(4), "group": nn.GroupNorm(2, 4), "max": nn.MaxPool2d(2), "indices": indices,
    "average": nn.AvgPool2d(2), "adaptive": nn.AdaptiveAvgPool2d(3), "whole": nn.AdaptiveAvgPool2d(1),
    "adaptive_max": nn.AdaptiveMaxPool2d(3), "relu": nn.ReLU(), "nearest": nn.Upsample(scale_factor=2),
    "bilinear": nn.Upsample(scale_factor=2, mode="bilinear"), "bicubic": nn.Upsample(scale_factor=2, mode="bicubic"),
    "zeros": nn.ZeroPad2d(1), "reflect": nn.ReflectionPad2d(1), "replicate": nn.ReplicationPad2d(1),
    "shuffle": nn.PixelShuffle(2), "softmax": nn.Softmax(1), "cat": lambda x: torch.cat([x, x], 1),
    "mixed": lambda x: torch.cat([x, image], 1), "flatten": nn.Flatten(), "mean": lambda x: x.mean((2, 3)),
}
for name, layer in layers.items():
    expected, made = layer(image), layer(last)
    print(name, expected.stride(), made.stride(), torch.allclose(expected, made, atol=1e-5))
volume = torch.randn(1, 4, 4, 4, 4)
last_volume = volume.to(memory_format=torch.channels_last_3d)
for layer in (nn.Conv3d(4, 2, 3), nn.BatchNorm3d(4), nn.MaxPool3d(2), nn.AvgPool3d(2), nn.Upsample(scale_factor=2)):
    print(type(layer).__name__, layer(volume).stride(), layer(last_volume).stride(),
          torch.allclose(layer(volume), layer(last_volume), atol=1e-5))

# Modules, their gradients and files.
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 2, 3), nn.Flatten(), nn.Linear(32, 2))
other = copy.deepcopy(net)
print(other.to(memory_format=torch.channels_last) is other)
print([tuple(one.stride()) for one in other.parameters()])
print([tuple(one.stride()) for one in other.state_dict().values() if one.dim() == 4])
given = torch.randn(2, 3, 8, 8)
outs = []
for one, x in ((net, given), (other, given.to(memory_format=torch.channels_last))):
    out = one(x)
    outs.append(out)
    (out ** 2).sum().backward()
print(torch.allclose(*outs, atol=1e-5), all(torch.allclose(a.grad, b.grad, atol=1e-4)
                                             for a, b in zip(net.parameters(), other.parameters())))
print(other[0].weight.grad.stride(), net[0].weight.grad.stride())
for one in (net, other):
    optimizer = torch.optim.Adam(one.parameters(), lr=0.01)
    optimizer.step()
    print(optimizer.state[one[0].weight]["exp_avg"].stride())
print(all(torch.allclose(a, b, atol=1e-3) for a, b in zip(net.parameters(), other.parameters()) if a.dim() > 1))
print(other.half()[0].weight.stride(), other.float()[3].weight.stride(), copy.deepcopy(other)[0].weight.stride())
file = io.BytesIO()
torch.save(other.state_dict(), file)
file.seek(0)
loaded = torch.load(file)
print(loaded["0.weight"].stride(), torch.equal(loaded["0.weight"], other[0].weight))
net.load_state_dict(loaded)
print(net[0].weight.stride(), torch.equal(net[0].weight, other[0].weight))
print(other.to(memory_format=torch.contiguous_format)[0].weight.stride())
refused(lambda: nn.Conv3d(1, 1, 1).to(memory_format=torch.channels_last))
print(nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)[0].weight.stride())
x = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last).requires_grad_()
(x * torch.randn(2, 3, 4, 4)).sum().backward()
print(x.grad.stride())
x.grad = None
F.conv2d(x, torch.randn(2, 3, 3, 3)).sum().backward()
print(x.grad.stride())
refused(lambda: last.view(2, -1))
print(last.reshape(2, -1).shape, last.flatten().equal(image.flatten()))
