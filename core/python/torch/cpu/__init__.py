"""torch.cpu: what programs ask of any device, of the CPU. Behaviour: torch/cpu/__init__.py."""
from torch.cpu import amp

__all__ = ["is_available", "is_initialized", "init", "synchronize", "current_device", "set_device", "device_count"]


def is_available():
    return True


def is_initialized():
    return True


def init():
    pass


def synchronize(device=None):
    pass


def current_device():
    return "cpu"


def set_device(device):
    pass


def device_count():
    return 1
