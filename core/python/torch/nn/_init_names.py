"""What programs call of torch.nn.init though its name begins with a line. Behaviour: torch/nn/init.py."""
import torch


def _calculate_fan_in_and_fan_out(tensor):
    """Sizes of what a weight reads and writes. Errors: ValueError  it has less than two dimensions."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    area = torch.Size(tensor.shape[2:]).numel()
    return tensor.size(1) * area, tensor.size(0) * area


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=None):
    return torch.nn.init.trunc_normal_(tensor, mean, std, a, b, generator=generator)


def _no_grad_uniform_(tensor, a, b, generator=None):
    return torch.nn.init.uniform_(tensor, a, b, generator=generator)


def _no_grad_normal_(tensor, mean, std, generator=None):
    return torch.nn.init.normal_(tensor, mean, std, generator=generator)


def _no_grad_fill_(tensor, val):
    return torch.nn.init.constant_(tensor, val)


def _no_grad_zero_(tensor):
    return torch.nn.init.zeros_(tensor)
