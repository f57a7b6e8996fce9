"""torch._VF: the functions of torch's core, which torch.functional and layers call. Behaviour: torch/_VF.py."""
import torch


def __getattr__(name):
    return getattr(torch, name)
