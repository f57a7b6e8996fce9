"""rearrange, repeat and reduce as modules of torch."""

__all__ = ["Rearrange", "Reduce"]

from torch import nn

import einops


class Rearrange(nn.Module):
    """einops.rearrange as a module: Rearrange('b c h w -> b (c h w)')."""

    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return einops.rearrange(input, self.pattern, **self.axes_lengths)

    def __repr__(self):
        given = "".join(f", {name}={length}" for name, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}{given})"


class Reduce(nn.Module):
    """einops.reduce as a module: Reduce('b c h w -> b c', 'mean')."""

    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern = pattern
        self.reduction = reduction
        self.axes_lengths = axes_lengths

    def forward(self, input):
        return einops.reduce(input, self.pattern, self.reduction, **self.axes_lengths)

    def __repr__(self):
        given = "".join(f", {name}={length}" for name, length in self.axes_lengths.items())
        return f"{type(self).__name__}({self.pattern!r}, {self.reduction!r}{given})"
