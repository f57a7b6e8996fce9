"""What stands for functions of torch.nn that PyTorch has in Python and that a tracer follows.

Behaviour: torch/nn/init.py, torch/nn/utils/clip_grad.py, torch/nn/utils/stateless.py."""
import math

import torch
from torch.nn import init as _init
from torch.nn.utils import clip_grad as _clip_grad


def _no_grad_uniform_(tensor, a, b, generator=None):
    with torch.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def _no_grad_normal_(tensor, mean, std, generator=None):
    with torch.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def _no_grad_fill_(tensor, val):
    with torch.no_grad():
        return tensor.fill_(val)


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    return _no_grad_uniform_(tensor, a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    return _no_grad_normal_(tensor, mean, std, generator)


def constant_(tensor, val):
    return _no_grad_fill_(tensor, val)


def ones_(tensor):
    return _no_grad_fill_(tensor, 1.0)


def zeros_(tensor):
    with torch.no_grad():
        return tensor.zero_()


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field_size = 1
    for s in tensor.shape[2:]:
        receptive_field_size *= s
    return tensor.size(1) * receptive_field_size, tensor.size(0) * receptive_field_size


def xavier_uniform_(tensor, gain=1.0, generator=None):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    a = math.sqrt(3.0) * std
    return _no_grad_uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return _no_grad_normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return _init.calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return _no_grad_uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _no_grad_normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    norm_type = float(norm_type)
    if len(tensors) == 0:
        return torch.tensor(0.0)
    first_device = tensors[0].device
    norms = [torch.linalg.vector_norm(g, norm_type) for g in tensors]
    total_norm = torch.linalg.vector_norm(torch.stack([norm.to(first_device) for norm in norms]), norm_type)
    if error_if_nonfinite and torch.logical_or(total_norm.isnan(), total_norm.isinf()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`")
    return total_norm


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    with torch.no_grad():
        parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        grads = [p.grad for p in parameters if p.grad is not None]
        total_norm = _get_total_norm(grads, norm_type, error_if_nonfinite, foreach)
        max_norm = float(max_norm)
        if len(grads) > 0:
            clip_coef = max_norm / (total_norm + 1e-6)
            clip_coef_clamped = torch.clamp(clip_coef, max=1.0)
            for g in grads:
                g.mul_(clip_coef_clamped.to(g.device))
        return total_norm


def clip_grad_value_(parameters, clip_value, foreach=None):
    with torch.no_grad():
        parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        clip_value = float(clip_value)
        grads = [p.grad for p in parameters if p.grad is not None]
        for grad in grads:
            grad.clamp_(min=-clip_value, max=clip_value)


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    else:
        given = {}
        for one in parameter_and_buffer_dicts:
            given.update(one)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    if kwargs is None:
        kwargs = {}
    held = dict(module.named_parameters(remove_duplicate=False))
    held.update(module.named_buffers(remove_duplicate=False))
    if strict and set(held) != set(given):
        raise RuntimeError("Error(s) in loading state_dict for functional_call")
    wanted = dict(given)
    if tie_weights:
        for name, tensor in held.items():
            for other, value in given.items():
                if name not in given and held.get(other) is tensor:
                    wanted[name] = value
    tables = []
    for name, value in wanted.items():
        path, _, last = name.rpartition(".")
        owner = module.get_submodule(path)
        table = owner._parameters if last in owner._parameters else owner._buffers
        if last not in table:
            raise AttributeError(f"{owner._get_name()} has no attribute `{last}`")
        tables.append((table, last, table[last]))
        table[last] = value
    try:
        return module(*args, **kwargs)
    finally:
        for table, last, before in tables:
            table[last] = before


STAND_INS = {
    _init.uniform_: uniform_,
    _init.normal_: normal_,
    _init.constant_: constant_,
    _init.ones_: ones_,
    _init.zeros_: zeros_,
    _init.xavier_uniform_: xavier_uniform_,
    _init.xavier_normal_: xavier_normal_,
    _init.kaiming_uniform_: kaiming_uniform_,
    _init.kaiming_normal_: kaiming_normal_,
    _clip_grad.clip_grad_norm_: clip_grad_norm_,
    _clip_grad.clip_grad_value_: clip_grad_value_,
    torch.func.functional_call: functional_call,
}
