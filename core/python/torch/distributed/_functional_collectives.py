"""Collectives that give new tensors. Behaviour: torch/distributed/_functional_collectives.py.

They are done when they return, so that nothing waits for them later. Gradients do not flow through them."""
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.distributed_c10d import ReduceOp

_OPS = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT, "min": ReduceOp.MIN, "max": ReduceOp.MAX,
        "band": ReduceOp.BAND, "bor": ReduceOp.BOR, "bxor": ReduceOp.BXOR}


class AsyncCollectiveTensor:
    """No result is one here."""


def _group(group):
    """The process group that is meant: itself, ranks, a mesh of one dimension, or a mesh and a dimension of it."""
    if isinstance(group, DeviceMesh):
        if group.ndim != 1:
            raise AssertionError("Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D")
        return group.get_group()
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1])
    if isinstance(group, list):
        wanted = sorted(one for part in group for one in (part if isinstance(part, list) else [part]))
        if wanted != list(range(dist.get_world_size())):
            raise NotImplementedError(f"functional collectives of ranks {group}: nnscope takes the group that new_group() gave")
        return dist.group.WORLD
    return group


def _op(reduceOp):
    if reduceOp.lower() not in _OPS:
        raise ValueError(f"Unsupported reduce op {reduceOp}")
    return _OPS[reduceOp.lower()]


def _alone(tensor):
    return tensor.detach().contiguous()


def wait_tensor(tensor):
    return tensor


def all_reduce(self, reduceOp, group, tag=""):
    made = _alone(self).clone()
    dist.all_reduce(made, _op(reduceOp), _group(group))
    return made


def broadcast(self, src, group, tag=""):
    made = _alone(self).clone()
    dist.broadcast(made, src, _group(group))
    return made


def all_gather_tensor(self, gather_dim, group, tag=""):
    """The tensors of all ranks, one behind the other along a dimension."""
    group, own = _group(group), _alone(self)
    parts = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, own, group)
    return torch.cat(parts, gather_dim)


def reduce_scatter_tensor(self, reduceOp, scatter_dim, group, tag=""):
    """The part of this rank of the sum (or what `reduceOp` names) along a dimension."""
    group = _group(group)
    count = dist.get_world_size(group)
    if self.size(scatter_dim) % count != 0:
        raise AssertionError(f"input dimension {scatter_dim} ({self.size(scatter_dim)} must be a multiple of group_size {count})")
    parts = [one.contiguous() for one in _alone(self).chunk(count, scatter_dim)]
    made = torch.empty_like(parts[0])
    dist.reduce_scatter(made, parts, _op(reduceOp), group)
    return made


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=""):
    own = _alone(self)
    shape = list(own.shape)
    if output_split_sizes is not None:
        shape[0] = sum(output_split_sizes)
    made = own.new_empty(shape)
    dist.all_to_all_single(made, own, output_split_sizes, input_split_sizes, _group(group))
    return made


def all_reduce_coalesced(self, reduceOp, group, tag=""):
    return [all_reduce(one, reduceOp, group, tag) for one in self]


def all_gather_into_tensor_coalesced(self, group, tag=""):
    return [all_gather_tensor(one, 0, group, tag) for one in self]


def reduce_scatter_tensor_coalesced(inputs, reduceOp, scatter_dim, group, tag=""):
    return [reduce_scatter_tensor(one, reduceOp, dim, group, tag) for one, dim in zip(inputs, scatter_dim)]
