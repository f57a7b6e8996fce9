"""torch.backends.mkldnn. Behaviour: torch/backends/mkldnn/__init__.py, of a PyTorch without that library."""


def is_available():
    return False


enabled = True
deterministic = False
allow_tf32 = True
fp32_precision = "none"
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2
