"""Collectives on tensors.

Behaviour: torch/distributed/distributed_c10d.py."""
import os
import warnings

import torch
from torch._C._distributed_c10d import ProcessGroup, _World
from torch.distributed._groups import *
from torch.distributed._groups import (RedOpType, _get_default_group, _get_default_store, _rank_not_in_group, _resolve,
                                       default_pg_timeout)
from torch.distributed._work import Work, _barrier_timeout
from torch.distributed._work import _start_checked as _start
from torch.distributed.stores import FileStore, HashStore, PrefixStore, Store, TCPStore

_MANY = (list, tuple)


def _check_single_tensor(param, name):
    if not isinstance(param, torch.Tensor):
        raise TypeError(f"""Invalid function argument. Expected parameter `{name}` of type torch.Tensor
             but got {type(param)} instead.""")


def _check_tensor_list(param, name):
    if not isinstance(param, list):
        raise TypeError(f"""Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]
             but got {type(param)} instead.""")
    if not all(isinstance(one, torch.Tensor) for one in param):
        raise TypeError(f"""Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]
             but got {type(param)} with elements of type {[type(one) for one in param]}.""")


def _ensure_all_tensors_same_dtype(*groups):
    last = None
    for tensors in groups:
        for tensor in tensors if isinstance(tensors, _MANY) else [tensors]:
            if last is not None and tensor.dtype != last:
                raise ValueError("Invalid usage of tensors with different dtypes"
                                 f"Found {last} and  {tensor.dtype}")
            last = tensor.dtype


def _warn_not_in_group(name):
    rank = get_rank()
    warnings.warn(f"Running {name} on global rank {rank} which does not belong to the given group.")


def _done(work, async_op):
    """The Work, or None once it is done."""
    if async_op:
        return work
    work.wait()
    return None


def _root(group, rank, group_rank, what):
    """The number in `group` of the rank that a call names in one of two ways."""
    if rank is not None and group_rank is not None:
        raise ValueError(f"Can't specify both group_{what} and {what}")
    if rank is None and group_rank is None:
        raise ValueError(f"Must specify {what} or group_{what}")
    return get_group_rank(group, rank) if group_rank is None else group_rank


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    """The tensor of rank `src` for all."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("broadcast")
    group = _resolve(group)
    root = _root(group, src, group_src, "src")
    return _done(_start(group, "broadcast", root=root, outputs=[tensor]), async_op)


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """Sums (or what `op` says) the tensors of all, for all."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_reduce")
    return _done(_start(_resolve(group), "all_reduce", op, outputs=[tensor]), async_op)


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    _check_tensor_list(tensors, "tensor")
    _ensure_all_tensors_same_dtype(tensors)
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_reduce_coalesced")
    group = _resolve(group)
    works = [_start(group, "all_reduce", op, outputs=[tensor]) for tensor in tensors]
    return _done(Work._together(works), async_op)


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    """The sum of all, on rank `dst`."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("reduce")
    group = _resolve(group)
    root = _root(group, dst, group_dst, "dst")
    return _done(_start(group, "reduce", op, root, outputs=[tensor]), async_op)


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """The tensors of all, for all."""
    _check_tensor_list(tensor_list, "tensor_list")
    _check_single_tensor(tensor, "tensor")
    _ensure_all_tensors_same_dtype(tensor_list, tensor)
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_gather")
    return _done(_start(_resolve(group), "all_gather", inputs=[tensor], outputs=tensor_list), async_op)


def _parts(tensor, count, what):
    """`count` equal parts of a tensor, one behind the other."""
    if tensor.numel() % count != 0:
        raise ValueError(f"{what} tensor size must be equal to world_size times the other tensor's size")
    return list(tensor.view(count, -1).unbind(0)) if tensor.numel() else [tensor.view(-1)] * count


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    _check_single_tensor(input_tensor, "input_tensor")
    _check_single_tensor(output_tensor, "output_tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_gather_into_tensor")
    group = _resolve(group)
    if output_tensor.numel() != input_tensor.numel() * group.size():
        raise ValueError("output tensor size must be equal to world_size times input tensor size")
    outputs = _parts(output_tensor, group.size(), "output")
    return _done(_start(group, "all_gather", inputs=[input_tensor], outputs=outputs), async_op)


_all_gather_base = all_gather_into_tensor


def _check_on_root(group, root, tensors, argument, where):
    if root == group.rank() and not tensors:
        raise ValueError(f"Argument ``{argument}`` must be specified on {where} rank.")
    if root != group.rank() and tensors:
        raise ValueError(f"Argument ``{argument}`` must NOT be specified on non-{where} ranks.")


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    """The tensors of all, on rank `dst`."""
    _check_single_tensor(tensor, "tensor")
    gather_list = gather_list or []
    _check_tensor_list(gather_list, "gather_list")
    _ensure_all_tensors_same_dtype(tensor, gather_list)
    if _rank_not_in_group(group):
        return _warn_not_in_group("gather")
    group = _resolve(group)
    root = _root(group, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    _check_on_root(group, root, gather_list, "gather_list", "destination")
    return _done(_start(group, "gather", root=root, inputs=[tensor], outputs=gather_list), async_op)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    """One of the tensors of rank `src` for each."""
    _check_single_tensor(tensor, "tensor")
    scatter_list = scatter_list or []
    _check_tensor_list(scatter_list, "scatter_list")
    _ensure_all_tensors_same_dtype(tensor, scatter_list)
    if _rank_not_in_group(group):
        return _warn_not_in_group("scatter")
    group = _resolve(group)
    root = _root(group, 0 if src is None and group_src is None else src, group_src, "src")
    _check_on_root(group, root, scatter_list, "scatter_list", "source")
    return _done(_start(group, "scatter", root=root, inputs=scatter_list, outputs=[tensor]), async_op)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    """Sums the lists of all; each gets its place of the sum."""
    _check_single_tensor(output, "output")
    _check_tensor_list(input_list, "input_list")
    _ensure_all_tensors_same_dtype(output, input_list)
    if _rank_not_in_group(group):
        return _warn_not_in_group("reduce_scatter")
    return _done(_start(_resolve(group), "reduce_scatter", op, inputs=input_list, outputs=[output]), async_op)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    if _rank_not_in_group(group):
        return _warn_not_in_group("reduce_scatter_tensor")
    group = _resolve(group)
    if input.numel() != output.numel() * group.size():
        raise ValueError("input tensor must be the same size as output size times world size")
    inputs = _parts(input.contiguous(), group.size(), "input")
    return _done(_start(group, "reduce_scatter", op, inputs=inputs, outputs=[output]), async_op)


_reduce_scatter_base = reduce_scatter_tensor


def _cut(tensor, sizes, count, what):
    """Parts of a tensor along its first axis."""
    if not sizes:
        if tensor.size(0) % count != 0:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        sizes = [tensor.size(0) // count] * count
    if len(sizes) != count:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != tensor.size(0):
        raise RuntimeError(f"Split sizes doesn't match total dim 0 size")
    return list(tensor.split(list(sizes)))


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Each gives every other a part of its tensor."""
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _ensure_all_tensors_same_dtype(output, input)
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_to_all_single")
    group = _resolve(group)
    inputs = _cut(input.contiguous(), input_split_sizes, group.size(), "input")
    outputs = _cut(output, output_split_sizes, group.size(), "output")
    return _done(_start(group, "all_to_all", inputs=inputs, outputs=outputs), async_op)


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Each gives every other a tensor."""
    _check_tensor_list(output_tensor_list, "output_tensor_list")
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(output_tensor_list, input_tensor_list)
    if _rank_not_in_group(group):
        return _warn_not_in_group("all_to_all")
    return _done(_start(_resolve(group), "all_to_all", inputs=input_tensor_list, outputs=output_tensor_list), async_op)


def barrier(group=None, async_op=False, device_ids=None):
    """Returns when all have come here."""
    if _rank_not_in_group(group):
        return _warn_not_in_group("barrier")
    return _done(_start(_resolve(group), "barrier"), async_op)


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """As barrier(); rank 0 says which ranks did not come."""
    if _rank_not_in_group(group):
        return _warn_not_in_group("monitored_barrier")
    group = _resolve(group)
    seconds = _barrier_timeout(timeout)
    token = torch.zeros(1, dtype=torch.uint8)
    if group.rank() != 0:
        Work(group._send(token, 0, -1, seconds)).wait()
        Work(group._receive(token, 0, -2, seconds)).wait()
        return
    missing = []
    for rank in range(1, group.size()):
        try:
            Work(group._receive(token, rank, -1, seconds)).wait()
        except RuntimeError:
            missing.append(rank)
            if not wait_all_ranks:
                break
    if missing:
        shown = ", ".join(str(rank) for rank in missing)
        raise RuntimeError(f"[Rank 0]: Rank{'s' if wait_all_ranks else ''} {shown} failed to pass monitoredBarrier in "
                           f"{int(seconds * 1000)} ms")
    for rank in range(1, group.size()):
        Work(group._send(token, rank, -2, seconds)).wait()


def _peer(group, rank, group_rank, what):
    return _root(group, rank, group_rank, what)


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Begins to send to one rank."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("isend")
    group = _resolve(group)
    return Work(group._send(tensor, _peer(group, dst, group_dst, "dst"), tag, None), group)


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Begins to receive from one rank; without `src` from any."""
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        return _warn_not_in_group("irecv")
    group = _resolve(group)
    peer = -1 if src is None and group_src is None else _peer(group, src, group_src, "src")
    return Work(group._receive(tensor, peer, tag, None), group)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives, and says from whom."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return get_global_rank(group, work._source_rank())


class P2POp:
    """What batch_isend_irecv() starts."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")
        _check_single_tensor(tensor, "tensor")
        self.op, self.tensor, self.peer, self.group, self.tag, self.group_peer = op, tensor, peer, group, tag, group_peer


def batch_isend_irecv(p2p_op_list):
    if not p2p_op_list or not all(isinstance(one, P2POp) for one in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type "
                         "``torch.distributed.P2POp``.")
    return [one.op(one.tensor, one.peer, one.group, one.tag, one.group_peer) for one in p2p_op_list]


from torch.distributed._objects import (all_gather_object, broadcast_object_list, gather_object, recv_object_list,
                                        scatter_object_list, send_object_list)


class DebugLevel:
    """How much errors tell: the environment variable TORCH_DISTRIBUTED_DEBUG."""

    OFF, INFO, DETAIL = "OFF", "INFO", "DETAIL"


def get_debug_level():
    level = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if level not in ("OFF", "INFO", "DETAIL"):
        raise RuntimeError(f"Invalid value of environment variable TORCH_DISTRIBUTED_DEBUG: {level}")
    return level
