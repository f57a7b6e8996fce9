"""Sizes whose product does not fit, and tensors for which there is no memory: errors, whatever asks for them."""
import torch
import torch.nn.functional as F
from torch import nn

HUGE = 1 << 50


def refused(what, call):
    try:
        made = call()
    except RuntimeError as error:
        text = str(error)
        print(what, "-", "no memory" if "DefaultCPUAllocator: can't allocate memory" in text else text)
    else:
        print(what, "->", tuple(made.shape) if isinstance(made, torch.Tensor) else made)


one = torch.ones(1)
for shape in ((2147483647, 4310589395390163382), (1 << 62, 4), (1 << 31, 1 << 31), (1 << 61,)):
    for name in ("empty", "zeros", "ones", "rand", "randn"):
        refused(name, lambda: getattr(torch, name)(shape))
    refused("full", lambda: torch.full(shape, 1.5))
    refused("Tensor", lambda: torch.Tensor(*shape))
    refused("new_zeros", lambda: one.new_zeros(shape))
    refused("expand", lambda: one.expand(shape).numel())
    refused("repeat", lambda: one.repeat(shape))
    refused("as_strided", lambda: one.as_strided(shape, (0,) * len(shape)).numel())
refused("no items", lambda: torch.empty(0, 1 << 62, 1 << 62))
refused("no items", lambda: torch.empty(0).view(0, 1 << 62, 4))
refused("strides", lambda: torch.ones(8).as_strided((5,), (1 << 62,)))
refused("strides", lambda: torch.ones(8).as_strided((3, 3), (1 << 62, 1 << 62), 1))
refused("unfold", lambda: one.expand(1 << 40).unfold(0, 1 << 39, 1).shape[1])
refused("unfold twice", lambda: one.expand(1 << 40).unfold(0, 1 << 39, 1).unfold(1, 1 << 38, 1))

for name, call in {
    "full": lambda: torch.full((HUGE,), 1.0), "empty": lambda: torch.empty(HUGE), "arange": lambda: torch.arange(HUGE),
    "linspace": lambda: torch.linspace(0, 1, HUGE), "eye": lambda: torch.eye(1 << 30),
    "tril_indices": lambda: torch.tril_indices(1 << 25, 1 << 25),
    "triu_indices": lambda: torch.triu_indices(1 << 25, 1 << 25, -1), "hann_window": lambda: torch.hann_window(HUGE),
    "fftfreq": lambda: torch.fft.fftfreq(HUGE), "one_hot": lambda: F.one_hot(torch.tensor([1]), HUGE),
    "diag_embed": lambda: torch.diag_embed(one, 1 << 30), "diag": lambda: torch.diag(one, 1 << 30),
    "multinomial": lambda: torch.multinomial(torch.ones(4), HUGE, replacement=True),
    "repeat": lambda: one.repeat(HUGE), "contiguous": lambda: one.expand(HUGE).contiguous(),
    "add": lambda: one.expand(HUGE) + 1, "outer": lambda: torch.outer(one.expand(1 << 30), one.expand(1 << 30)),
    "pad": lambda: F.pad(one, (HUGE, 0)), "Linear": lambda: nn.Linear(1 << 25, 1 << 25),
    "Embedding": lambda: nn.Embedding(1 << 45, 64), "BatchNorm1d": lambda: nn.BatchNorm1d(HUGE),
    "BatchNorm1d's buffers": lambda: nn.BatchNorm1d(HUGE, affine=False), "LSTM": lambda: nn.LSTM(1 << 30, 1 << 20),
    "Conv2d": lambda: nn.Conv2d(1 << 20, 1 << 20, 64), "interpolate": lambda: F.interpolate(torch.ones(1, 1, 2), HUGE),
}.items():
    refused(name, call)
