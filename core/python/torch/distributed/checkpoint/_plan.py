"""Which parts a rank writes, and what goes where when they are read. Behaviour: default_planner.py, planner_helpers.py of
torch/distributed/checkpoint."""
import torch
from torch.distributed.checkpoint.metadata import (BytesStorageMetadata, ChunkStorageMetadata, MetadataIndex, TensorProperties,
                                                   TensorStorageMetadata)


def _is_distributed(value):
    return hasattr(value, "_spec") and hasattr(value, "to_local")


def local_part(value):
    """(the part of this rank, where it begins, its sizes, all sizes) of a tensor."""
    if not _is_distributed(value):
        size = torch.Size(value.shape)
        return value.detach(), torch.Size([0] * len(size)), size, size
    from torch.distributed.tensor._api import _chunks
    spec, part = value._spec, value.to_local().detach()
    offsets = [0] * value.dim()
    sizes = list(spec.shape)
    for mesh_dim, dim in spec.sharded():
        begin, length = _chunks(sizes[dim], spec.mesh.size(mesh_dim))[spec.mesh.get_coordinate()[mesh_dim]]
        offsets[dim] += begin
        sizes[dim] = length
    return part, torch.Size(offsets), torch.Size(sizes), torch.Size(spec.shape)


def write_items(flat):
    """[(index, what it is, value)] of what this rank has."""
    made = []
    for name, value in flat.items():
        if isinstance(value, torch.Tensor):
            part, offsets, sizes, whole = local_part(value)
            if part.numel() == 0 and whole.numel() > 0:
                continue  # a rank without a part
            told = TensorStorageMetadata(TensorProperties.create_from_tensor(part), whole,
                                         [ChunkStorageMetadata(offsets, sizes)])
            made.append((MetadataIndex(name, offsets), told, part.cpu().contiguous().clone()))
        else:
            made.append((MetadataIndex(name), BytesStorageMetadata(), value))
    return made


def shared_out(plans):
    """{index: rank}: what several ranks have is written by the one that has least to write."""
    holders, loads, owner = {}, [0] * len(plans), {}
    for rank, plan in enumerate(plans):
        for index, told in plan:
            holders.setdefault(index, (told, []))[1].append(rank)
    for index, (told, ranks) in sorted(holders.items(), key=lambda pair: len(pair[1][1])):
        rank = min(ranks, key=lambda one: loads[one])
        owner[index] = rank
        loads[rank] += told.chunks[0].sizes.numel() if isinstance(told, TensorStorageMetadata) else 1
    return owner


def joined(plans):
    """{name: what it is} of all ranks, the parts of a tensor together."""
    made = {}
    for plan in plans:
        for index, told in plan:
            known = made.get(index.fqn)
            if known is None:
                made[index.fqn] = told
            elif isinstance(told, TensorStorageMetadata):
                chunk = told.chunks[0]
                if all(one.offsets != chunk.offsets for one in known.chunks):
                    known.chunks.append(chunk)
    return made


def read_into(target, name, told, read):
    """Fills a tensor (its part of this rank) from the parts in a checkpoint. Errors: ValueError."""
    part, offsets, sizes, whole = local_part(target)
    if whole != told.size:
        raise ValueError(f"Size mismatch between saved {told.size} and current: {whole} for {name}")
    for chunk in told.chunks:
        source, place = [], []
        for begin, size, own_begin, own_size in zip(chunk.offsets, chunk.sizes, offsets, sizes):
            low, high = max(begin, own_begin), min(begin + size, own_begin + own_size)
            source.append(slice(low - begin, high - begin))
            place.append(slice(low - own_begin, high - own_begin))
            if low >= high:
                break
        else:
            data = read(MetadataIndex(name, chunk.offsets))
            with torch.no_grad():
                part[tuple(place)].copy_(data[tuple(source)])
