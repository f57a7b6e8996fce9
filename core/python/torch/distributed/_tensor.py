"""The older name of torch.distributed.tensor. Behaviour: torch/distributed/_tensor/__init__.py."""
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_tensor
