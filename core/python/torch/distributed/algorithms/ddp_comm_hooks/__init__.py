"""Ready-made communication hooks.

Behaviour: torch/distributed/algorithms/ddp_comm_hooks/__init__.py."""
from enum import Enum
from functools import partial

from torch.distributed.algorithms.ddp_comm_hooks import default_hooks as default
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _plain(hook, model, state):
    model.register_comm_hook(state, hook)


class DDPCommHookType(Enum):
    """The hooks, each as a function that registers it."""

    ALLREDUCE = partial(_plain, default.allreduce_hook)
    FP16_COMPRESS = partial(_plain, default.fp16_compress_hook)
    BF16_COMPRESS = partial(_plain, default.bf16_compress_hook)
    POWER_SGD = partial(_plain, powerSGD.powerSGD_hook)


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    comm_hook_type.value(model=model, state=state)
