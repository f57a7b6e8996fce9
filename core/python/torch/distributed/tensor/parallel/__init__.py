"""Layers in parts on several ranks. Behaviour: torch/distributed/tensor/parallel: refused by name.

Gradients do not flow through ops on a DTensor here, which all of this rests on."""


def __getattr__(name):
    if name in ("parallelize_module", "ColwiseParallel", "RowwiseParallel", "SequenceParallel", "PrepareModuleInput",
                "PrepareModuleOutput", "PrepareModuleInputOutput", "ParallelStyle", "loss_parallel"):
        raise NotImplementedError(f"torch.distributed.tensor.parallel.{name} is not in nnscope: gradients do not flow through "
                                  "ops on a DTensor; fully_shard and DistributedDataParallel train on several ranks")
    raise AttributeError(f"module 'torch.distributed.tensor.parallel' has no attribute {name!r}")
