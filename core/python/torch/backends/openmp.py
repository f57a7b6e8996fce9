"""torch.backends.openmp. Behaviour: torch/backends/openmp/__init__.py: whether ops run on several threads."""
import torch


def is_available():
    return torch.get_num_threads() > 0
