"""Causal masks as biases. Behaviour: torch/nn/attention/bias.py."""
import enum
import warnings

import torch
from torch.nn import functional as F

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(enum.IntEnum):
    """Where the triangle of a mask begins: at the first query, or at the last."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(torch.Tensor):
    """A mask that is known without its items: what scaled_dot_product_attention takes for attn_mask, and nothing else does."""

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        return torch.Tensor._make_subclass(cls, torch.empty(0))

    def __init__(self, variant, seq_len_q, seq_len_kv):
        assert isinstance(variant, CausalVariant)
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    def _materialize(self, device=None):
        """The mask as booleans."""
        shift = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        ones = torch.ones(self.seq_len_q, self.seq_len_kv, device=torch.device("cpu") if device is None else device, dtype=torch.bool)
        return torch.tril(ones, diagonal=shift)

    @staticmethod
    def _dispatch(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        # The triangle from the first query is what is_causal means.
        if attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant == CausalVariant.UPPER_LEFT:
            mask, is_causal = None, True
        else:
            mask = attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal,
                                              scale=scale, enable_gqa=enable_gqa)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is not F.scaled_dot_product_attention:
            raise NotImplementedError("CausalBias only supports scaled_dot_product_attention")
        return cls._dispatch(*args, **({} if kwargs is None else kwargs))

    def __repr__(self):
        return self._materialize().__repr__()


def causal_upper_left(*size):
    """The mask of which query i sees keys up to i."""
    assert len(size) == 2, "causal_upper_left only supports 2D tensors"
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """The mask of which the last query sees all keys."""
    assert len(size) == 2, "causal_lower_right only supports 2D tensors"
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
