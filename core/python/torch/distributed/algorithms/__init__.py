"""What is built on collectives.

Behaviour: torch/distributed/algorithms/__init__.py."""
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
