"""Reductions of runs of items. Behaviour: aten/src/ATen/native/SegmentReduce.cpp."""
import math

import torch

_IDENTITIES = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}
_SCATTERED = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}


def _lengths_of(data, lengths, offsets, axis, unsafe):
    if offsets is not None:
        return offsets.diff(dim=-1)
    if lengths is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if not unsafe and lengths.numel():
        if int(lengths.min()) < 0:
            raise RuntimeError("lengths contains negative value!")
        if not bool((lengths.sum(-1) == data.shape[axis]).all()):
            raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to "
                               "data.size(lengths.dim()-1) when !unsafe.")
    return lengths


def _segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reduces the items of each segment along `axis`; an empty one gives the identity, of means NaN."""
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if reduce not in _IDENTITIES:
        raise RuntimeError(f"Unsupported reduction given {reduce}")
    axis %= data.ndim
    lengths = _lengths_of(data, lengths, offsets, axis, unsafe).to(torch.int64)
    count = lengths.shape[-1]
    before, behind = data.shape[:axis], data.shape[axis + 1:]
    rows = math.prod(before)
    of_rows = lengths.reshape(rows, count)
    # Each item's segment, counted over all rows; items behind the last segment have none.
    items = data.reshape(rows, data.shape[axis], *behind)
    used = [items[row, :int(of_rows[row].sum())] for row in range(rows)]
    places = torch.arange(rows * count, device=data.device).repeat_interleave(of_rows.flatten())
    source = torch.cat(used) if used else items.reshape(0, *behind)
    start = torch.full((rows * count, *behind), _IDENTITIES[reduce] if initial is None else initial, dtype=data.dtype,
                       device=data.device)
    places = places.reshape(-1, *(1,) * len(behind)).expand(source.shape)
    made = start.scatter_reduce(0, places, source, _SCATTERED[reduce], include_self=True)
    if reduce == "mean":
        sizes = of_rows.reshape(-1, *(1,) * len(behind))
        empty = torch.full_like(start, math.nan) if initial is None else start
        made = torch.where(sizes > 0, made / sizes.clamp(min=1).to(data.dtype), empty)
    return made.reshape(*before, count, *behind)
