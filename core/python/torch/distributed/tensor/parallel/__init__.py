"""Layers in parts on several ranks. Behaviour: torch/distributed/tensor/parallel. Refused where a name is used.

Gradients do not flow through ops on a DTensor here, which all of this rests on."""
from _stand_in import lacking

__getattr__ = lacking(__name__, "parallelize_module ColwiseParallel RowwiseParallel SequenceParallel PrepareModuleInput "
                      "PrepareModuleOutput PrepareModuleInputOutput ParallelStyle loss_parallel style",
                      "gradients do not flow through ops on a DTensor; fully_shard and DistributedDataParallel train on "
                      "several ranks")
