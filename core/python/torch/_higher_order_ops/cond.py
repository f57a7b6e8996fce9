"""torch.cond. Behaviour: torch/_higher_order_ops/cond.py."""
import logging

import torch
from torch._ops import HigherOrderOperator
from torch.utils import _pytree as pytree

log = logging.getLogger(__name__)


class CondOp(HigherOrderOperator):
    """What torch.cond is in a graph: both branches are graphs with the same inputs."""

    def __init__(self):
        super().__init__("cond")

    def __call__(self, pred, true_fn, false_fn, operands=()):
        return true_fn(*operands) if pred else false_fn(*operands)


cond_op = CondOp()


def cond(pred, true_fn, false_fn, operands=()):
    """true_fn(*operands) where `pred` holds, else false_fn(*operands). `pred`: a number, or a tensor of one element; operands: tensors
    in lists, tuples and dicts. What both give should be alike, which is not checked: only one of them runs.
    Errors: RuntimeError  what is given is none of these."""
    if isinstance(pred, (bool, int, float)):
        log.warning("Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If you want torch.cond "
                    "to preserve two branches, please make the predicate a boolean tensor or a SymBool.")
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, torch.Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)) or pytree.tree_any(lambda leaf: not isinstance(leaf, torch.Tensor), operands):
        raise RuntimeError("Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but got "
                           f"{operands}.")
    return true_fn(*operands) if pred else false_fn(*operands)
