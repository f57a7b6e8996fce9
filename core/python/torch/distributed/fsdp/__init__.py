"""Sharded data parallel: parameters, gradients and optimiser states in parts, one a rank.

Behaviour: torch/distributed/fsdp/__init__.py; fully_shard only, not the older FullyShardedDataParallel."""
from torch.distributed.fsdp._api import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from torch.distributed.fsdp._fully_shard import (FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method)

__all__ = ["CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "UnshardHandle", "fully_shard",
           "register_fsdp_forward_method"]
