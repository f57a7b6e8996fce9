"""Behaviour: torch/distributed/algorithms/model_averaging/utils.py."""
import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _rank_not_in_group

__all__ = ["average_parameters", "average_parameters_or_parameter_groups", "get_params_to_average"]


def average_parameters(params, process_group):
    """The mean over the ranks of a group, for all of them."""
    group = process_group if process_group is not None else dist.group.WORLD
    if _rank_not_in_group(group):
        return
    size = dist.get_world_size(group)
    with torch.no_grad():
        for one in params:
            data = one.detach()
            data /= size
            dist.all_reduce(data, group=group)


def get_params_to_average(params):
    """The parameters with a gradient, of parameters or of an optimiser's groups. Errors: NotImplementedError."""
    found = []
    for one in params:
        if isinstance(one, torch.nn.Parameter):
            found += [one] if one.grad is not None else []
        elif isinstance(one, dict):
            found += [each for each in one["params"] if each.grad is not None]
        else:
            raise NotImplementedError(f"Parameter input of type {type(one)} is not supported")
    return found


def average_parameters_or_parameter_groups(params, process_group):
    average_parameters(iter(get_params_to_average(params)), process_group)
