"""What fully_shard() may be told.

Behaviour: torch/distributed/fsdp/_fully_shard/_fsdp_api.py."""
from dataclasses import dataclass
from typing import Optional

import torch


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """`param_dtype`: of gathered parameters, in which forward and backward compute. `reduce_dtype`: in which gradients
    are averaged. `output_dtype`: of what forward gives. None: as it is."""

    param_dtype: Optional[torch.dtype] = None
    reduce_dtype: Optional[torch.dtype] = None
    output_dtype: Optional[torch.dtype] = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Nothing is moved elsewhere."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parts lie on the CPU, where they always are here."""

    pin_memory: bool = True
