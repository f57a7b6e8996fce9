"""Attention with scores and masks of the program's own. Behaviour: torch/nn/attention/flex_attention.py.

The whole matrix of scores is made, as PyTorch does without torch.compile; blocks of a mask save no work here."""
import math
from typing import Callable, NamedTuple, Optional

import torch

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_score_mod_signature = Callable[[torch.Tensor] * 5, torch.Tensor]
_mask_mod_signature = Callable[[torch.Tensor] * 4, torch.Tensor]


class AuxRequest(NamedTuple):
    """What flex_attention() gives beside its result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    lse: Optional[torch.Tensor] = None
    max_scores: Optional[torch.Tensor] = None



def _identity(score, batch, head, token_q, token_kv):
    return score


def noop_mask(batch, head, token_q, token_kv):
    return batch.new_ones(size=(), dtype=torch.bool, device=batch.device)


def and_masks(*mask_mods):
    if not all(callable(one) for one in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def both(b, h, q_idx, kv_idx):
        result = b.new_ones((), dtype=torch.bool)
        for one in mask_mods:
            result = result & one(b, h, q_idx, kv_idx)
        return result

    return both


def or_masks(*mask_mods):
    if not all(callable(one) for one in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def either(b, h, q_idx, kv_idx):
        result = b.new_zeros((), dtype=torch.bool)
        for one in mask_mods:
            result = result | one(b, h, q_idx, kv_idx)
        return result

    return either


def _indices(B, H, M, N, device):
    """Indices that spread over (B, H, M, N): what vmap would give one by one."""
    make = lambda size, shape: torch.arange(size, device=device).reshape(shape)  # noqa: E731
    return make(B, (B, 1, 1, 1)), make(H, (1, H, 1, 1)), make(M, (1, 1, M, 1)), make(N, (1, 1, 1, N))


def _apply(function, leading, shape, device):
    """The function on whole tensors of indices; where it does not spread, on one index after another."""
    indices = _indices(*shape, device)
    try:
        return torch.broadcast_to(function(*leading, *indices), shape)
    except (RuntimeError, TypeError, IndexError):
        flat = [index.expand(shape).reshape(-1) for index in indices]
        scores = [one.reshape(-1) for one in leading]
        rows = [function(*(one[at] for one in scores), *(index[at] for index in flat)) for at in range(flat[0].numel())]
        return torch.stack(rows).reshape(shape)


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device="cpu"):
    """(B, H, Q_LEN, KV_LEN): of a mask True where it lets through, of a score function its scores for zeros."""
    import inspect
    shape = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if len(inspect.signature(mod_fn).parameters) == 5:
        scores = _apply(mod_fn, [torch.zeros(shape, device=device)], shape, device)
        return torch.where(torch.isneginf(scores), False, True)
    return _apply(mod_fn, [], shape, device)


class BlockMask:
    """A mask and how its blocks of queries and keys are filled."""

    def __init__(self, mask, mask_mod, BLOCK_SIZE):
        self._mask, self.mask_mod, self.BLOCK_SIZE = mask, mask_mod, BLOCK_SIZE
        self.seq_lengths = mask.shape[-2:]

    def _blocks(self):
        """(B, H, query blocks, key blocks): how many pairs a block lets through, and how many it has."""
        rows, columns = self.BLOCK_SIZE
        Q, KV = self.seq_lengths
        padded = torch.nn.functional.pad(self._mask.to(torch.int32), (0, -KV % columns, 0, -Q % rows))
        B, H, q, kv = padded.shape
        return padded.reshape(B, H, q // rows, rows, kv // columns, columns).sum((3, 5)), rows * columns

    @property
    def shape(self):
        return (*self._mask.shape[:2], *self.seq_lengths)

    def numel(self):
        return self._mask.numel()

    def sparsity(self):
        """Percent of blocks in which nothing is let through."""
        counts, _ = self._blocks()
        return 100 * float((counts == 0).float().mean())

    def to_dense(self):
        return (self._blocks()[0] > 0).to(torch.int32)

    @property
    def kv_num_blocks(self):
        counts, whole = self._blocks()
        return ((counts > 0) & (counts < whole)).sum(-1).to(torch.int32)

    @property
    def full_kv_num_blocks(self):
        counts, whole = self._blocks()
        return (counts == whole).sum(-1).to(torch.int32)

    def to(self, device):
        return BlockMask(self._mask.to(device), self.mask_mod, self.BLOCK_SIZE)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        chosen = self._mask
        for axis, one in enumerate(index):
            chosen = chosen[(slice(None),) * axis + (slice(one, one + 1) if isinstance(one, int) else one,)]
        return BlockMask(chosen, self.mask_mod, self.BLOCK_SIZE)

    def __repr__(self):
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device="cpu", BLOCK_SIZE=_DEFAULT_SPARSE_BLOCK_SIZE, _compile=False):
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    return BlockMask(create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device), mask_mod, size)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """softmax(score_mod(query @ key * scale)) @ value.

    Shapes: query (B, Hq, L, E), key (B, Hkv, S, E), value (B, Hkv, S, Ev); gives (B, Hq, L, Ev), with return_lse also
    the logarithms of the sums of exponentials (B, Hq, L). Errors: ValueError  shapes or dtypes do not fit."""
    for name, one in (("query", query), ("key", key), ("value", value)):
        if one.dim() != 4:
            raise ValueError("Expected query, key, and value to be 4D tensors")
    if query.dtype != key.dtype or query.dtype != value.dtype:
        raise ValueError(f"Expected query, key, and value to have the same dtype, but got query.dtype: {query.dtype}, "
                         f"key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead.")
    if not enable_gqa and query.size(1) != key.size(1):
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={query.size(1)} and "
                         f"Hkv={key.size(1)}. Try setting enable_gqa=True for GQA.")
    if enable_gqa and query.size(1) % key.size(1) != 0:
        raise ValueError(f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={query.size(1)} and "
                         f"Hkv={key.size(1)}.")
    if enable_gqa:
        groups = query.size(1) // key.size(1)
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    if return_lse and return_aux is not None:
        raise ValueError("Cannot specify both return_lse and return_aux. return_lse is deprecated, please use return_aux instead.")
    scale = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    work = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = (query @ key.transpose(-2, -1)).to(work) * scale
    shape = scores.shape
    if score_mod is not None and score_mod is not _identity:
        scores = _apply(score_mod, [scores], shape, query.device).to(work)
    if block_mask is not None:
        mask = block_mask._mask
        if mask.shape[-2] < shape[-2] or mask.shape[-1] < shape[-1]:
            raise ValueError(f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={shape[-2]} and "
                             f"kv_len={shape[-1]}.")
        scores = scores.masked_fill(~mask[..., :shape[-2], :shape[-1]], -math.inf)
    lse = torch.logsumexp(scores, -1)
    # A row in which nothing is let through gives zeros.
    weights = torch.exp(scores - lse.masked_fill(torch.isneginf(lse), 0.0).unsqueeze(-1))
    out = weights.to(query.dtype) @ value
    if return_aux is not None:
        return out, AuxOutput(lse if return_aux.lse else None, scores.amax(-1) if return_aux.max_scores else None)
    return (out, lse) if return_lse else out
