"""Ranks laid out in a grid, with a process group along each of its dimensions.

Behaviour: torch/distributed/device_mesh.py."""
import os

import torch
from torch.distributed.distributed_c10d import (get_process_group_ranks, get_rank, get_world_size, init_process_group,
                                                is_initialized, new_group)
from torch.distributed._groups import _get_default_group

__all__ = ["init_device_mesh", "DeviceMesh"]


class DeviceMesh:
    """`mesh`: the ranks, as a nested list or a tensor of integers. All ranks of the world make it."""

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _groups=None):
        self.device_type = device_type
        self.mesh = (mesh.detach().to(torch.int) if isinstance(mesh, torch.Tensor)
                     else torch.tensor(mesh, dtype=torch.int, device="cpu"))
        self.mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        if not is_initialized():
            init_process_group()
        world = get_world_size()
        if self.mesh.numel() > world:
            raise RuntimeError(f"Mesh should not be bigger than default world size {world}, but found "
                               f"{self.mesh.numel()} ranks!")
        place = (self.mesh == get_rank()).nonzero()
        if place.size(0) not in (0, 1):
            raise AssertionError("duplicate ranks in the mesh")
        self._coordinate_on_dim = place[0].tolist() if place.size(0) > 0 else None
        self._groups = self._make_groups() if _groups is None else _groups

    def _make_groups(self):
        """For each dimension the group of the ranks that differ from this one in it alone."""
        everybody = self.mesh.flatten().tolist()
        if self.mesh.ndim == 1 and everybody == list(range(get_world_size())):
            return [_get_default_group()]
        groups = []
        for dim in range(self.mesh.ndim):
            own = None
            for ranks in self.mesh.movedim(dim, -1).reshape(-1, self.mesh.size(dim)).tolist():
                made = new_group(ranks)
                if get_rank() in ranks:
                    own = made
            groups.append(own)
        return groups

    @classmethod
    def from_group(cls, group, device_type, mesh=None, *, mesh_dim_names=None):
        """The mesh of the ranks of one group."""
        ranks = get_process_group_ranks(group)
        if mesh is not None and torch.as_tensor(mesh).tolist() != ranks:
            raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
        return cls(device_type, ranks, mesh_dim_names=mesh_dim_names, _groups=[group])

    @property
    def ndim(self):
        return self.mesh.ndim

    @property
    def shape(self):
        return tuple(self.mesh.shape)

    def size(self, mesh_dim=None):
        return self.mesh.numel() if mesh_dim is None else self.mesh.size(mesh_dim)

    def _dim_of(self, mesh_dim):
        if not isinstance(mesh_dim, str):
            return 0 if mesh_dim is None else mesh_dim
        if not self.mesh_dim_names or mesh_dim not in self.mesh_dim_names:
            raise KeyError(f"Invalid mesh_dim_name {mesh_dim}. Valid mesh_dim_names are {self.mesh_dim_names}")
        return self.mesh_dim_names.index(mesh_dim)

    def get_group(self, mesh_dim=None):
        """The process group along a dimension; of a mesh with one it need not be named."""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions, Optional kwarg `mesh_dim` needs to be "
                               "specified when device_mesh.ndim > 1. If you want to get the list of all the "
                               "ProcessGroups in the DeviceMesh, please use `get_all_groups()` instead.")
        return self._groups[self._dim_of(mesh_dim)]

    def get_all_groups(self):
        return list(self._groups)

    def get_coordinate(self):
        """Where this rank is; None: it is not in the mesh."""
        return self._coordinate_on_dim

    def get_rank(self):
        return get_rank()

    def get_local_rank(self, mesh_dim=None):
        """The place of this rank along a dimension."""
        return get_rank(self.get_group(mesh_dim))

    def __getitem__(self, mesh_dim_name):
        """The mesh of the own ranks along one dimension."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        dim = self._dim_of(mesh_dim_name)
        if self.ndim == 1:
            return self
        index = [slice(None) if i == dim else at for i, at in enumerate(self._coordinate_on_dim)]
        return DeviceMesh(self.device_type, self.mesh[tuple(index)], mesh_dim_names=(mesh_dim_name,),
                          _groups=[self._groups[dim]])

    def __eq__(self, other):
        return self is other or (isinstance(other, DeviceMesh) and self.device_type == other.device_type
                                 and self.mesh_dim_names == other.mesh_dim_names
                                 and self.mesh.tolist() == other.mesh.tolist())

    def __hash__(self):
        return hash((self.device_type, self.mesh_dim_names, str(self.mesh.tolist())))

    def __repr__(self):
        shape = (f"({', '.join(f'{k}={v}' for k, v in zip(self.mesh_dim_names, self.shape))})" if self.mesh_dim_names
                 else f"{self.shape}")
        text = f"DeviceMesh({shape}, '{self.device_type}', stride={tuple(self.mesh.stride())}"
        if os.environ.get("TORCH_DISTRIBUTED_DEBUG", "") == "DETAIL":
            text += f", Mesh: {self.mesh.tolist()}"
        return f"{text})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None):
    """A mesh of that shape of the first ranks, in their order."""
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique.", "Found repeated mesh_dim_name in mesh_dim_names "
                               f"{mesh_dim_names}")
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length!",
                               f"Found len(mesh_dim_names): {len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.")
    if not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. ",
                           "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.")
    count = 1
    for size in mesh_shape:
        count *= size
    return DeviceMesh(device_type, torch.arange(count, dtype=torch.int, device="cpu").view(tuple(mesh_shape)),
                      mesh_dim_names=mesh_dim_names)


def _default_mesh():
    """All ranks in one row."""
    if not is_initialized():
        init_process_group()
    return init_device_mesh("cpu", (get_world_size(),))
