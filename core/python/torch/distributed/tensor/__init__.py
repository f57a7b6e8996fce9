"""Tensors of which each rank holds a part.

Behaviour: torch/distributed/tensor/__init__.py."""
from _stand_in import lacking
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor._api import DTensor, distribute_tensor
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

__all__ = ["DTensor", "DeviceMesh", "distribute_tensor", "init_device_mesh", "Shard", "Replicate", "Partial",
           "Placement"]
__getattr__ = lacking(__name__, "distribute_module experimental debug", "gradients do not flow through ops on a DTensor")
