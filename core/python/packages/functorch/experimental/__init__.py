"""Behaviour: functorch/experimental/__init__.py."""
from torch.func import functionalize

from functorch.experimental import control_flow

__all__ = ["control_flow", "functionalize"]
