"""The older place of fully_shard. Behaviour: torch/distributed/_composable/fsdp/__init__.py."""
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard
