"""Optimisers of several ranks. Behaviour: torch/distributed/optim/__init__.py."""
from _stand_in import lacking
from torch.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer"]
__getattr__ = lacking(__name__, "DistributedOptimizer PostLocalSGDOptimizer as_functional_optim _NamedOptimizer "
                      "_apply_optimizer_in_backward")
