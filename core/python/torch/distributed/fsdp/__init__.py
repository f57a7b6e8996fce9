"""Sharded data parallel: parameters, gradients and optimiser states in parts, one a rank.

Behaviour: torch/distributed/fsdp/__init__.py."""
from _stand_in import lacking
from torch.distributed.fsdp._policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from torch.distributed.fsdp._fully_shard import (FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method)
from torch.distributed.fsdp.api import (BackwardPrefetch, CPUOffload, FullOptimStateDictConfig, FullStateDictConfig,
                                        LocalOptimStateDictConfig, LocalStateDictConfig, MixedPrecision,
                                        OptimStateDictConfig, ShardedOptimStateDictConfig, ShardedStateDictConfig,
                                        ShardingStrategy, StateDictConfig, StateDictSettings, StateDictType)
from torch.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel, OptimStateKeyType

__all__ = ["BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig", "FullyShardedDataParallel",
           "LocalOptimStateDictConfig", "LocalStateDictConfig", "MixedPrecision", "OptimStateDictConfig", "OptimStateKeyType",
           "ShardedOptimStateDictConfig", "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictSettings",
           "StateDictType", "CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "UnshardHandle", "fully_shard",
           "register_fsdp_forward_method"]
__getattr__ = lacking(__name__, "DataParallelMeshDims share_comm_ctx")
