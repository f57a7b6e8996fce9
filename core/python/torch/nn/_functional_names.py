"""More of torch.nn.functional. Behaviour: torch/nn/functional.py."""
import torch
from torch.overrides import handle_torch_function, has_torch_function, has_torch_function_unary, has_torch_function_variadic


def _pooled(name):
    def pool(*args, **kwargs):
        kwargs["return_indices"] = True
        return getattr(torch.nn.functional, name)(*args, **kwargs)

    pool.__name__ = pool.__qualname__ = name + "_with_indices"
    return pool


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(_pooled, (
    "max_pool1d", "max_pool2d", "max_pool3d"))
adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices, adaptive_max_pool3d_with_indices = map(_pooled, (
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"))


def native_channel_shuffle(input, groups):
    return torch.channel_shuffle(input, groups)


def conv_tbc(input, weight, bias, pad=0):
    """A convolution of (time, batch, channels)."""
    return torch.conv_tbc(input, weight, bias, pad)
