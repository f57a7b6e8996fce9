"""torch.backends.mkl. Behaviour: torch/backends/mkl/__init__.py, of a PyTorch without that library."""


def is_available():
    return False


VERBOSE_OFF, VERBOSE_ON = 0, 1
