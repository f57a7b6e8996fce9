"""Ready-made communication hooks.

Behaviour: torch/distributed/algorithms/ddp_comm_hooks/__init__.py."""
from enum import Enum, member
from functools import partial

from torch.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _plain(hook, model, state):
    model.register_comm_hook(state, hook)


def _power(hook, rank, model, state):
    # As for the other hooks what is given is a group.
    model.register_comm_hook(powerSGD.PowerSGDState(state, matrix_approximation_rank=rank), hook)


class DDPCommHookType(Enum):
    """The hooks, each as a function that registers it (a partial would be a method of the class)."""

    ALLREDUCE = member(partial(_plain, default.allreduce_hook))
    FP16_COMPRESS = member(partial(_plain, default.fp16_compress_hook))
    BF16_COMPRESS = member(partial(_plain, default.bf16_compress_hook))
    POWER_SGD = member(partial(_power, powerSGD.powerSGD_hook, 1))
    POWER_SGD_RANK2 = member(partial(_power, powerSGD.powerSGD_hook, 2))
    BATCHED_POWER_SGD = member(partial(_power, powerSGD.batched_powerSGD_hook, 1))
    BATCHED_POWER_SGD_RANK2 = member(partial(_power, powerSGD.batched_powerSGD_hook, 2))
    NOOP = member(partial(_plain, debugging.noop_hook))


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    """`state`: a group, or None for all ranks."""
    comm_hook_type.value(model=model, state=state)
