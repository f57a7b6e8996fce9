"""Causal masks as biases. Behaviour: torch/nn/attention/bias.py."""
import enum

import torch


class CausalVariant(enum.IntEnum):
    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def causal_upper_left(*size):
    """(L, S) booleans: query i sees keys up to i."""
    assert len(size) == 2, "causal_upper_left only supports 2D tensors"
    return torch.ones(*size, dtype=torch.bool).tril()


def causal_lower_right(*size):
    """(L, S) booleans: the last query sees all keys."""
    assert len(size) == 2, "causal_lower_right only supports 2D tensors"
    return torch.ones(*size, dtype=torch.bool).tril(size[1] - size[0])
