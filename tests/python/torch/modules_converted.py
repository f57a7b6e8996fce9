"""What Module.to() takes, parameters that are swapped, packed sequences elsewhere, handles made by programs."""
from collections import OrderedDict, namedtuple

import torch
import torch.nn as nn


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")


m = nn.Linear(3, 5)
shown(lambda: m.to("cpu", copy=True))
shown(lambda: m.to(torch.device("cpu"), True))
shown(lambda: m.to(torch.long))
shown(lambda: m.to(other=1))
print(m.to("cpu", torch.float64).weight.dtype, m.to(torch.zeros(1)).weight.dtype, m.to(device="cpu", non_blocking=True) is m)
print(torch._C._nn._parse_to("meta", torch.half, memory_format=torch.channels_last))
print(torch._C._nn._parse_to(torch.zeros(1, dtype=torch.double)), torch._C._nn._parse_to(torch.float))
before = m.weight._version
m._apply(lambda t: t.add_(1.0))
print(m.weight._version > before, m.weight.is_leaf)

p = nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.zeros(2, 2)])
print(p.double().data.dtype, p.cpu() is p, p.to("meta").data.device, p.half().batch_sizes.dtype, p.is_cuda, p.is_pinned())
print(type(p.long()).__name__, p.long().data.dtype, p.to(dtype=torch.float32) is p)

torch.__future__.set_swap_module_params_on_conversion(True)
print(torch.__future__.get_swap_module_params_on_conversion())
m = nn.Linear(2, 2)
weight = m.weight
m(torch.ones(1, 2)).sum().backward()
grad = weight.grad
m.double()
print(m.weight is weight, weight.dtype, type(weight).__name__, weight.is_leaf, weight.requires_grad, weight.grad is grad, grad.dtype)
m.load_state_dict({"weight": torch.ones(2, 2, dtype=torch.double), "bias": torch.zeros(2)})
print(m.weight is weight, weight.tolist(), m.bias.dtype)
m.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)}, assign=True)
print(m.weight is weight, weight.dtype)


class Own(torch.Tensor):
    def module_load(self, other, assign=False):
        return other


m.weight = nn.Parameter(torch.ones(2, 2).as_subclass(Own))
shown(lambda: m.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(2)}))
torch.__future__.set_swap_module_params_on_conversion(False)
a, b = torch.ones(2), nn.Parameter(torch.zeros(3))
a.tag = "a"
torch.utils.swap_tensors(a, b)
print(type(a).__name__, a.shape, type(b).__name__, b.tag, hasattr(a, "tag"))

Pair = namedtuple("Pair", "left right")


class Two(nn.Module):
    def forward(self, x):
        return Pair(x * 2, x * 3)


two = Two()
fired = []
two.register_full_backward_hook(lambda module, grads, outs: fired.append(len(outs)))
made = two(torch.ones(2, requires_grad=True))
print(type(made).__name__, made.right.sum().item())
made.left.sum().backward()
print(fired)

hooks, extra = OrderedDict(), OrderedDict()
handle = torch.utils.hooks.RemovableHandle(hooks, extra_dict=extra)
hooks[handle.id] = print
extra[handle.id] = True
print(handle.hooks_dict_ref() is hooks, handle.extra_dict_ref[0]() is extra)
with handle:
    print(len(hooks))
print(len(hooks), len(extra))

print(nn.functional.embedding_bag(torch.tensor([0, 1, 2, 3]), torch.arange(8.).reshape(4, 2), torch.tensor([0, 3, 3]),
                                  include_last_offset=True, mode="sum"))
shown(lambda: nn.functional.embedding_bag(torch.tensor([0, 1]), torch.ones(4, 2), torch.tensor([0]), mode="sum",
                                          per_sample_weights=torch.ones(2, dtype=torch.double)))
conv = nn.Conv1d(4, 5, 3)
x = torch.randn(0, 4, 10, requires_grad=True)
conv(x).sum().backward()
print(x.grad.shape, conv.weight.grad.abs().sum(), conv.bias.grad.abs().sum())
shown(lambda: nn.functional.max_pool1d(torch.ones(1, 1, 4), 10))
shown(lambda: nn.FractionalMaxPool2d([2, 2], output_size=[1, 1], _random_samples=torch.rand(0, 16, 2))(torch.ones(1, 16, 4, 4)))
