"""What modes have in common. Behaviour: torch/utils/_mode_utils.py."""
import torch

__all__ = []


def all_same_mode(modes):
    return all(mode == modes[0] for mode in modes)


no_dispatch = torch._C._DisableTorchDispatch
