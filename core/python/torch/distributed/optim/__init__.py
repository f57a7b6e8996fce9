"""Optimisers of several ranks. Behaviour: torch/distributed/optim/__init__.py."""
from torch.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]


def __getattr__(name):
    if name in ("DistributedOptimizer", "PostLocalSGDOptimizer", "as_functional_optim", "_apply_optimizer_in_backward",
                "_NamedOptimizer"):
        raise NotImplementedError(f"torch.distributed.optim.{name} is not in nnscope")
    raise AttributeError(f"module 'torch.distributed.optim' has no attribute {name!r}")
