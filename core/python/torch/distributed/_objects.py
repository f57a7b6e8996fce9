"""Objects between ranks, as pickles in tensors of bytes.

Behaviour: the object collectives of torch/distributed/distributed_c10d.py."""
import io
import pickle

import torch
from torch.distributed._groups import _rank_not_in_group, _resolve, get_group_rank
from torch.distributed._work import Work, _start


def _to_tensor(value):
    buffer = io.BytesIO()
    pickle.Pickler(buffer).dump(value)
    data = buffer.getvalue()
    storage = torch.UntypedStorage._from_bytes(data)
    return torch._C._rebuild_tensor(storage, 0, [len(data)], [1], torch.uint8)


def _to_object(tensor):
    return pickle.loads(tensor.clone().untyped_storage()._to_bytes())


def _not_in_group(name):
    from torch.distributed.distributed_c10d import _warn_not_in_group
    _warn_not_in_group(name)


def _root_of(group, rank, group_rank, otherwise=None):
    if group_rank is not None:
        return group_rank
    return get_group_rank(group, otherwise if rank is None else rank)


def _gathered(group, value, root=None):
    """The pickles of all, as parts of one tensor; on `root` only, where one is given."""
    own = _to_tensor(value)
    size = torch.tensor([own.numel()])
    sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(group.size())]
    _start(group, "all_gather", inputs=[size], outputs=sizes).wait()
    most = max(int(one) for one in sizes)
    padded = torch.zeros(most, dtype=torch.uint8)
    padded[:own.numel()] = own
    if root is not None and root != group.rank():
        _start(group, "gather", root=root, inputs=[padded]).wait()
        return None
    parts = [torch.zeros(most, dtype=torch.uint8) for _ in range(group.size())]
    kind = "all_gather" if root is None else "gather"
    _start(group, kind, root=root or 0, inputs=[padded], outputs=parts).wait()
    return [part[:int(one)] for part, one in zip(parts, sizes)]


def all_gather_object(object_list, obj, group=None):
    """The objects of all, in a list that is as long as there are ranks."""
    if _rank_not_in_group(group):
        return _not_in_group("all_gather_object")
    for i, part in enumerate(_gathered(_resolve(group), obj)):
        object_list[i] = _to_object(part)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """The objects of all, on rank `dst`."""
    if _rank_not_in_group(group):
        return _not_in_group("gather_object")
    group = _resolve(group)
    root = _root_of(group, dst, group_dst, 0)
    if root == group.rank() and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if root != group.rank() and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    parts = _gathered(group, obj, root)
    if parts is not None:
        for i, part in enumerate(parts):
            object_gather_list[i] = _to_object(part)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """Replaces the objects of the list by those of rank `src`."""
    if _rank_not_in_group(group):
        return _not_in_group("broadcast_object_list")
    group = _resolve(group)
    root = _root_of(group, src, group_src, 0)
    if group.rank() == root:
        tensors = [_to_tensor(one) for one in object_list]
        sizes = torch.tensor([one.numel() for one in tensors], dtype=torch.int64)
    else:
        sizes = torch.zeros(len(object_list), dtype=torch.int64)
    _start(group, "broadcast", root=root, outputs=[sizes]).wait()
    total = int(sizes.sum())
    data = torch.cat(tensors) if group.rank() == root and tensors else torch.zeros(total, dtype=torch.uint8)
    _start(group, "broadcast", root=root, outputs=[data]).wait()
    if group.rank() != root:
        _unpack(object_list, sizes, data)


def _unpack(object_list, sizes, data):
    offset = 0
    for i, size in enumerate(sizes.tolist()):
        object_list[i] = _to_object(data[offset:offset + size])
        offset += size


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None,
                        group_src=None):
    """One of the objects of rank `src` for each, as the first of the output list."""
    if _rank_not_in_group(group):
        return _not_in_group("scatter_object_list")
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    group = _resolve(group)
    root = _root_of(group, src, group_src, 0)
    is_root = group.rank() == root
    tensors = [_to_tensor(one) for one in scatter_object_input_list] if is_root else []
    most = torch.tensor([max((one.numel() for one in tensors), default=0)], dtype=torch.int64)
    _start(group, "broadcast", root=root, outputs=[most]).wait()
    sizes = [torch.tensor([one.numel()], dtype=torch.int64) for one in tensors]
    padded = []
    for one in tensors:
        full = torch.zeros(int(most), dtype=torch.uint8)
        full[:one.numel()] = one
        padded.append(full)
    size, data = torch.zeros(1, dtype=torch.int64), torch.zeros(int(most), dtype=torch.uint8)
    _start(group, "scatter", root=root, inputs=sizes, outputs=[size]).wait()
    _start(group, "scatter", root=root, inputs=padded, outputs=[data]).wait()
    scatter_object_output_list[0] = _to_object(data[:int(size)])


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Sends the objects to one rank."""
    if _rank_not_in_group(group):
        return _not_in_group("send_object_list")
    group = _resolve(group)
    to = _root_of(group, dst, group_dst)
    tensors = [_to_tensor(one) for one in object_list]
    sizes = torch.tensor([one.numel() for one in tensors], dtype=torch.int64)
    Work(group._send(sizes, to, 0, None)).wait()
    Work(group._send(torch.cat(tensors), to, 0, None)).wait()


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Replaces the objects of the list by those that one rank sends; says which."""
    if _rank_not_in_group(group):
        _not_in_group("recv_object_list")
        return -1
    group = _resolve(group)
    source = -1 if src is None and group_src is None else _root_of(group, src, group_src)
    sizes = torch.zeros(len(object_list), dtype=torch.int64)
    first = Work(group._receive(sizes, source, 0, None))
    first.wait()
    data = torch.zeros(int(sizes.sum()), dtype=torch.uint8)
    Work(group._receive(data, first._source_rank(), 0, None)).wait()
    _unpack(object_list, sizes, data)
    from torch.distributed._groups import get_global_rank
    return get_global_rank(group, first._source_rank())
