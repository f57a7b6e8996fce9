"""Helpers of torchvision's modules. Behaviour: torchvision/utils.py."""
from _stand_in import part_of

__getattr__ = part_of(__name__)


def _log_api_usage_once(obj):
    """PyTorch counts uses here; nothing is counted."""


def _make_ntuple(x, n):
    """`x` n times, or its items if it has any."""
    return tuple(x) if hasattr(x, "__iter__") else (x,) * n
