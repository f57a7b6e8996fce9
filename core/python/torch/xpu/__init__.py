"""torch.xpu. Behaviour: torch/xpu/__init__.py, of a PyTorch without Intel's GPUs."""


def _lazy_init():
    raise AssertionError("Torch not compiled with XPU enabled")


def init():
    _lazy_init()


def is_available():
    return False


def is_bf16_supported(including_emulation=True):
    return False


def is_initialized():
    return False


def device_count():
    return 0


def current_device():
    _lazy_init()


def synchronize(device=None):
    _lazy_init()


def get_device_name(device=None):
    _lazy_init()


def empty_cache():
    """Nothing is kept where nothing was begun."""


def memory_allocated(device=None):
    return 0


def max_memory_allocated(device=None):
    return 0


def manual_seed(seed):
    """Would seed the devices once one is used, which never happens."""
    int(seed)


def manual_seed_all(seed):
    int(seed)
