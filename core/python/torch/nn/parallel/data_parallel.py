"""A module on all GPUs of this process.

Behaviour: torch/nn/parallel/data_parallel.py."""
from itertools import chain
from typing import Generic, TypeVar

import torch
from torch.nn import Module
from torch.nn.parallel._devices import all_indices, available_type, index_of
from torch.nn.parallel.parallel_apply import parallel_apply
from torch.nn.parallel.replicate import replicate
from torch.nn.parallel.scatter_gather import gather, scatter_kwargs

__all__ = ["DataParallel", "data_parallel"]

T = TypeVar("T", bound=Module)


def _device(index):
    kind = available_type()
    if kind is None:
        raise RuntimeError("device type could not be determined")
    return torch.device(kind, index)


class DataParallel(Module, Generic[T]):
    """Cuts the batch into one part a device and runs a replica of the module on each; the results become one.

    Without a GPU, or with one, it calls the module itself."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        if available_type() is None:
            self.module = module
            self.device_ids = []
            return
        if device_ids is None:
            device_ids = all_indices()
        if device_ids is None:
            raise RuntimeError("no available devices were found")
        if output_device is None:
            output_device = device_ids[0]
        self.dim = dim
        self.module = module
        self.device_ids = [index_of(one, True) for one in device_ids]
        self.output_device = index_of(output_device, True)
        self.src_device_obj = _device(self.device_ids[0])
        if len(self.device_ids) == 1:
            self.module.to(self.src_device_obj)

    def forward(self, *inputs, **kwargs):
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        for tensor in chain(self.module.parameters(), self.module.buffers()):
            if tensor.device != self.src_device_obj:
                raise RuntimeError("module must have its parameters and buffers "
                                   f"on device {self.src_device_obj} (device_ids[0]) but found one of "
                                   f"them on device: {tensor.device}")
        inputs, kwargs = self.scatter(inputs, kwargs, self.device_ids)
        if not inputs and not kwargs:
            inputs, kwargs = ((),), ({},)
        if len(self.device_ids) == 1:
            return self.module(*inputs[0], **kwargs[0])
        replicas = self.replicate(self.module, self.device_ids[:len(inputs)])
        return self.gather(self.parallel_apply(replicas, inputs, kwargs), self.output_device)

    def replicate(self, module, device_ids):
        return replicate(module, device_ids, not torch.is_grad_enabled())

    def scatter(self, inputs, kwargs, device_ids):
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def parallel_apply(self, replicas, inputs, kwargs):
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[:len(replicas)])

    def gather(self, outputs, output_device):
        return gather(outputs, output_device, dim=self.dim)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """The same for one call."""
    if not isinstance(inputs, tuple):
        inputs = (inputs,) if inputs is not None else ()
    if device_ids is None:
        device_ids = all_indices()
    if available_type() is None:
        raise RuntimeError("device type could not be determined")
    if output_device is None:
        output_device = device_ids[0]
    device_ids = [index_of(one, True) for one in device_ids]
    output_device = index_of(output_device, True)
    source = _device(device_ids[0])
    for tensor in chain(module.parameters(), module.buffers()):
        if tensor.device != source:
            raise RuntimeError("module must have its parameters and buffers "
                               f"on device {source} (device_ids[0]) but found one of them on device: {tensor.device}")
    inputs, module_kwargs = scatter_kwargs(inputs, module_kwargs, device_ids, dim)
    if not inputs and not module_kwargs:
        inputs, module_kwargs = ((),), ({},)
    if len(device_ids) == 1:
        return module(*inputs[0], **module_kwargs[0])
    used = device_ids[:len(inputs)]
    outputs = parallel_apply(replicate(module, used), inputs, module_kwargs, used)
    return gather(outputs, output_device, dim)
