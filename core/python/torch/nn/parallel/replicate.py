"""Copies of a module for several devices.

Behaviour: torch/nn/parallel/replicate.py."""
from collections import OrderedDict

import torch
from torch.nn.parallel._devices import Broadcast, index_of

__all__ = ["replicate"]


def _copies(tensors, devices, detach):
    """A list of the tensors for each device."""
    if not tensors:
        return [[] for _ in devices]
    if detach:
        with torch.no_grad():
            flat = Broadcast.apply(devices, *tensors)
    else:
        flat = Broadcast.apply(devices, *tensors)
    return [flat[i:i + len(tensors)] for i in range(0, len(flat), len(tensors))]


def replicate(network, devices, detach=False):
    """One replica of `network` a device. What its forward changes of itself is lost with it; gradients flow through the
    copies of the parameters back to the originals."""
    devices = [index_of(one, True) for one in devices]
    parameters = list(network.parameters())
    buffers = list(network.buffers())
    parameter_copies = _copies(parameters, devices, detach)
    with_grad = [one for one in buffers if one.requires_grad and not detach]
    without_grad = [one for one in buffers if not (one.requires_grad and not detach)]
    copies = [dict(zip(map(id, parameters), made)) for made in parameter_copies]
    for wanted, detached in ((with_grad, False), (without_grad, True)):
        for known, made in zip(copies, _copies(wanted, devices, detached)):
            known.update(zip(map(id, wanted), made))

    modules = list(network.modules())
    place = {module: i for i, module in enumerate(modules)}
    replicas = [[module._replicate_for_data_parallel() for module in modules] for _ in devices]
    for made in replicas:
        for one in made:
            one._former_parameters = OrderedDict()
    for i, module in enumerate(modules):
        for name, child in module._modules.items():
            for made in replicas:
                if child is None:
                    made[i]._modules[name] = None
                else:
                    setattr(made[i], name, made[place[child]])
        for name, parameter in module._parameters.items():
            for known, made in zip(copies, replicas):
                if parameter is None:
                    made[i]._parameters[name] = None
                else:
                    # No leaf and so no Parameter: a plain attribute.
                    setattr(made[i], name, known[id(parameter)])
                    made[i]._former_parameters[name] = known[id(parameter)]
        for name, buffer in module._buffers.items():
            for known, made in zip(copies, replicas):
                if buffer is None:
                    made[i]._buffers[name] = None
                else:
                    setattr(made[i], name, known[id(buffer)])
    return [made[0] for made in replicas]
