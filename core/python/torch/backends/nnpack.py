"""torch.backends.nnpack. Behaviour: torch/backends/nnpack/__init__.py, of a PyTorch without that library."""


def is_available():
    return False
