"""nn.MultiheadAttention step by step as PyTorch computes it, so that a graph has its ops: ours reach the same numbers by others.
Behaviour: torch/nn/modules/activation.py, MultiheadAttention.forward; torch/nn/functional.py, multi_head_attention_forward."""
import contextlib
import math

import torch
from torch import nn
from torch.nn import functional as F


def _float_mask(mask, like):
    if mask is None or mask.dtype.is_floating_point:
        return mask
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(mask, float("-inf"))


def _projected(self, query, key, value):
    width = query.shape[-1]
    weight, bias = self.in_proj_weight, self.in_proj_bias
    if self._qkv_same_embed_dim and key is value:
        if query is key:
            made = F.linear(query, weight, bias)
            made = made.unflatten(-1, (3, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
            return made[0], made[1], made[2]
        first, rest = weight.split([width, width * 2])
        first_bias, rest_bias = (None, None) if bias is None else bias.split([width, width * 2])
        q = F.linear(query, first, first_bias)
        made = F.linear(key, rest, rest_bias)
        made = made.unflatten(-1, (2, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return q, made[0], made[1]
    weights = weight.chunk(3) if self._qkv_same_embed_dim else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return tuple(F.linear(one, w, b) for one, w, b in zip((query, key, value), weights, biases))


def _attend(self, query, key, value, padding, mask, need_weights, average, is_causal):
    targets, batch, width = query.shape
    heads = self.num_heads
    head = width // heads
    if is_causal and padding is None and not need_weights:
        mask = None
    elif padding is not None:
        is_causal = False
    q, k, v = _projected(self, query, key, value)
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(0)
    q = q.view(targets, batch * heads, head).transpose(0, 1)
    k = k.view(k.shape[0], batch * heads, head).transpose(0, 1)
    v = v.view(v.shape[0], batch * heads, head).transpose(0, 1)
    sources = k.shape[1]
    if padding is not None:
        padding = padding.view(batch, 1, 1, sources).expand(-1, heads, -1, -1).reshape(batch * heads, 1, sources)
        mask = padding if mask is None else mask + padding
    dropout = self.dropout if self.training else 0.0
    if need_weights:
        q = q * math.sqrt(1.0 / float(head))
        scores = torch.bmm(q, k.transpose(-2, -1)) if mask is None else torch.baddbmm(mask, q, k.transpose(-2, -1))
        weights = F.softmax(scores, dim=-1)
        if dropout > 0.0:
            weights = F.dropout(weights, p=dropout)
        made = torch.bmm(weights, v).transpose(0, 1).contiguous().view(targets * batch, width)
        made = self.out_proj_of(made).view(targets, batch, width)
        weights = weights.view(batch, heads, targets, sources)
        return made, weights.mean(dim=1) if average else weights
    if mask is not None:
        mask = mask.unsqueeze(0) if mask.shape[0] == 1 and mask.dim() == 3 else mask.view(batch, heads, -1, sources)
    q = q.view(batch, heads, targets, head)
    k = k.view(batch, heads, sources, head)
    v = v.view(batch, heads, sources, head)
    made = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal)
    made = made.permute(2, 0, 1, 3).contiguous().view(batch * targets, width)
    return self.out_proj_of(made).view(targets, batch, width), None


class _Steps:
    """A layer, with what the formulas ask of it."""

    def __init__(self, layer):
        self._layer = layer

    def __getattr__(self, name):
        return getattr(self._layer, name)

    def out_proj_of(self, value):
        return F.linear(value, self._layer.out_proj.weight, self._layer.out_proj.bias)


def _forward_of(original):
    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        if query.dim() != 3 or self.bias_k is not None or self.add_zero_attn or (attn_mask is None and is_causal):
            return original(self, query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)
        key_padding_mask, attn_mask = _float_mask(key_padding_mask, query), _float_mask(attn_mask, query)
        if self.batch_first:
            if key is value:
                if query is key:
                    query = key = value = query.transpose(1, 0)
                else:
                    query, key = (one.transpose(1, 0) for one in (query, key))
                    value = key
            else:
                query, key, value = (one.transpose(1, 0) for one in (query, key, value))
        made, weights = _attend(_Steps(self), query, key, value, key_padding_mask, attn_mask, need_weights, average_attn_weights, is_causal)
        return made.transpose(1, 0) if self.batch_first else made, weights
    return forward


@contextlib.contextmanager
def stepwise_attention():
    """While a program is traced its attention layers run by these steps."""
    original = nn.MultiheadAttention.forward
    nn.MultiheadAttention.forward = _forward_of(original)
    try:
        yield
    finally:
        nn.MultiheadAttention.forward = original
