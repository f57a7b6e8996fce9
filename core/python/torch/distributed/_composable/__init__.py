"""The older place of fully_shard. Behaviour: torch/distributed/_composable/__init__.py."""
from torch.distributed.fsdp import fully_shard
