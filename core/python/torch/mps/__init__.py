"""torch.mps. Behaviour: torch/mps/__init__.py, of a PyTorch without Metal."""
import torch


def is_available():
    return False


def device_count():
    return 0


def manual_seed(seed):
    """There is no such device whose numbers it could seed."""


def seed():
    """As manual_seed()."""


def synchronize():
    return torch._C._mps_deviceSynchronize()


def empty_cache():
    torch._C._mps_emptyCache()


def current_allocated_memory():
    return torch._C._mps_currentAllocatedMemory()


def driver_allocated_memory():
    return torch._C._mps_driverAllocatedMemory()


def set_per_process_memory_fraction(fraction):
    torch._C._mps_setMemoryFraction(fraction)
