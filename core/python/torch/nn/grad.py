"""Gradients of convolutions by their inputs and weights. Behaviour: torch/nn/grad.py."""
import torch
from torch.nn import functional as F


def _gradient(convolution, wanted, shape, other, grad_output, options):
    """That of a convolution by what has the shape; it is linear in it, so that what stands there does not matter."""
    is_recorded = torch.is_grad_enabled() and (other.requires_grad or grad_output.requires_grad)
    with torch.enable_grad():
        point = torch.zeros(shape, dtype=grad_output.dtype, device=grad_output.device, requires_grad=True)
        given = (point, other) if wanted == "input" else (other, point)
        output = convolution(*given, None, **options)
        return torch.autograd.grad(output, point, grad_output, create_graph=is_recorded)[0]


def _by_input(name):
    convolution = getattr(F, name)

    def by_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(convolution, "input", input_size, weight, grad_output,
                         dict(stride=stride, padding=padding, dilation=dilation, groups=groups))

    by_input.__name__ = by_input.__qualname__ = f"{name}_input"
    by_input.__doc__ = f"The gradient of {name} by its input."
    return by_input


def _by_weight(name):
    convolution = getattr(F, name)

    def by_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(convolution, "weight", weight_size, input, grad_output,
                         dict(stride=stride, padding=padding, dilation=dilation, groups=groups))

    by_weight.__name__ = by_weight.__qualname__ = f"{name}_weight"
    by_weight.__doc__ = f"The gradient of {name} by its weight."
    return by_weight


conv1d_input, conv2d_input, conv3d_input = map(_by_input, ("conv1d", "conv2d", "conv3d"))
conv1d_weight, conv2d_weight, conv3d_weight = map(_by_weight, ("conv1d", "conv2d", "conv3d"))
