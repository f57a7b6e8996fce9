"""What programs take of torch.nn.modules.transformer though its name begins with a line."""
import copy

import torch
import torch.nn.functional as F


def _get_activation_fn(activation):
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _get_clones(module, N):
    return torch.nn.ModuleList([copy.deepcopy(module) for _ in range(N)])
