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


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reduces the items of each segment along `axis`; an empty one gives the identity, of means NaN."""
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if reduce not in _IDENTITIES:
        raise RuntimeError(f"Unsupported reduction given {reduce}")
    axis %= data.ndim
    lengths = _lengths_of(data, lengths, offsets, axis, unsafe).to(torch.int64)
    return _Segments.apply(data, reduce, lengths, axis, initial)


_segment_reduce = segment_reduce


class _Segments(torch.autograd.Function):
    @staticmethod
    def forward(ctx, data, reduce, lengths, axis, initial):
        count = lengths.shape[-1]
        before, behind = data.shape[:axis], data.shape[axis + 1:]
        rows = math.prod(before)
        of_rows = lengths.reshape(rows, count)
        # Each item's place among all, and its segment, counted over all rows; items behind the last segment have none.
        used = [torch.arange(int(of_rows[row].sum())) + row * data.shape[axis] for row in range(rows)]
        used = torch.cat(used).to(data.device) if used else torch.zeros(0, dtype=torch.int64, device=data.device)
        places = torch.arange(rows * count, device=data.device).repeat_interleave(of_rows.flatten())
        source = data.reshape(rows * data.shape[axis], *behind)[used]
        start = torch.full((rows * count, *behind), _IDENTITIES[reduce] if initial is None else initial, dtype=data.dtype,
                           device=data.device)
        wide = places.reshape(-1, *(1,) * len(behind)).expand(source.shape)
        made = start.scatter_reduce(0, wide, source, _SCATTERED[reduce], include_self=True)
        sizes = of_rows.reshape(-1, *(1,) * len(behind))
        if reduce == "mean":
            empty = torch.full_like(start, math.nan) if initial is None else start
            made = torch.where(sizes > 0, made / sizes.clamp(min=1).to(data.dtype), empty)
        ctx.save_for_backward(source, made, used, places, sizes)
        ctx.reduce, ctx.shape, ctx.axis = reduce, data.shape, axis
        ctx.initial = _IDENTITIES[reduce] if initial is None else initial
        return made.reshape(*before, count, *behind)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        source, made, used, places, sizes = ctx.saved_tensors
        of_items = grad.reshape(made.shape)[places]
        if ctx.reduce == "mean":
            of_items = of_items / sizes[places].to(grad.dtype)
        elif ctx.reduce in ("max", "min"):
            reached = made[places]
            # Those that are equal share; of NaN each that is one.
            chosen = ((source == reached) | (source.isnan() & reached.isnan())).to(grad.dtype)
            shares = torch.zeros_like(made).index_add(0, places, chosen)[places].clamp(min=1)
            of_items = of_items * chosen / shares
        elif ctx.reduce == "prod":
            of_items = of_items * _products_of_others(source, made, places, ctx.initial)
        rows = math.prod(ctx.shape[:ctx.axis])
        result = grad.new_zeros(rows * ctx.shape[ctx.axis], *ctx.shape[ctx.axis + 1:])
        result[used] = of_items.to(result.dtype)
        return result.reshape(ctx.shape), None, None, None, None


def _products_of_others(source, made, places, initial):
    """For each item the product of the others of its segment."""
    products = made[places] / source
    # Where division does not tell: each of these on its own.
    for place in (source.isnan() | (source == 0)).nonzero().tolist():
        row, behind = place[0], tuple(place[1:])
        others = source[(places == places[row]) & (torch.arange(len(places), device=places.device) != row)]
        products[(row, *behind)] = others[(slice(None), *behind)].prod() * initial
    return products
