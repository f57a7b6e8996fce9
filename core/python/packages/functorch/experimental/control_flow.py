"""Behaviour: functorch/experimental/control_flow.py."""
from torch._higher_order_ops import cond, map

__all__ = ["cond", "map"]
