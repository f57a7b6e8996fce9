"""torch.backends.mps. Behaviour: torch/backends/mps/__init__.py, of a PyTorch without Metal."""


def is_built():
    return False


def is_available():
    return False


def is_macos_or_newer(major, minor):
    return False


def is_macos13_or_newer(minor=0):
    return False
