"""torch.backends.cpu. Behaviour: torch/backends/cpu/__init__.py."""


def get_cpu_capability():
    """The widest instructions for which there are other kernels: none."""
    return "DEFAULT"
