"""torch.accelerator: the kind of device beside the CPU, whichever it is. Behaviour: torch/accelerator/__init__.py."""
import torch

_NONE = "Cannot access accelerator device when none is available."


def current_accelerator(check_available=False):
    """torch.device("cuda") where there is a GPU, else None."""
    return torch.device("cuda") if torch.cuda.is_available() else None


def is_available():
    return torch.cuda.is_available()


def device_count():
    return torch.cuda.device_count()


def _check():
    if not is_available():
        raise RuntimeError(_NONE)


def current_device_index():
    _check()
    return torch.cuda.current_device()


current_device_idx = current_device_index


def set_device_index(device, /):
    _check()
    torch.cuda.set_device(device)


set_device_idx = set_device_index


def synchronize(device=None, /):
    _check()
    torch.cuda.synchronize(device)


def empty_cache():
    if is_available():
        torch.cuda.empty_cache()


def memory_allocated(device_index=None, /):
    return torch.cuda.memory_allocated(device_index) if is_available() else 0


def max_memory_allocated(device_index=None, /):
    return torch.cuda.max_memory_allocated(device_index) if is_available() else 0


def memory_reserved(device_index=None, /):
    return torch.cuda.memory_reserved(device_index) if is_available() else 0


def max_memory_reserved(device_index=None, /):
    return torch.cuda.max_memory_reserved(device_index) if is_available() else 0


class device_index:
    """Another device inside; None changes nothing."""

    def __init__(self, device, /):
        self.idx = device

    def __enter__(self):
        if self.idx is not None:
            _check()

    def __exit__(self, *exc_info):
        pass
