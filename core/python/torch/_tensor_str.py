"""How tensors are printed. Behaviour: torch/_tensor_str.py.

The options stand in the class of tensors, where what prints them looks."""
import contextlib
import math

import torch

_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}
_NAMES = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")


class _PrinterOptions:
    """The options that hold now."""

    def __getattr__(self, name):
        if name not in _NAMES:
            raise AttributeError(f"'__PrinterOptions' object has no attribute '{name}'")
        return get_printoptions()[name]


PRINT_OPTS = _PrinterOptions()


def get_printoptions():
    return dict(zip(_NAMES, getattr(torch.Tensor, "_print_options", (*_PROFILES["default"], None))))


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Digits behind the point, from how many items on "..." stands for most, how many items stay at each end, columns a
    line; sci_mode: with exponents always, never, or (None) where the numbers need them."""
    numbers = list(_PROFILES.get(profile, getattr(torch.Tensor, "_print_options", _PROFILES["default"])[:4]))
    for i, given in enumerate((precision, threshold, edgeitems, linewidth)):
        if given is not None:
            numbers[i] = given
    torch.Tensor._print_options = (*numbers, sci_mode)


@contextlib.contextmanager
def printoptions(**kwargs):
    """Other options inside."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)
