"""What one rank does for all, or each for itself where there is no process group."""
import warnings

import torch.distributed as dist
from torch.distributed.checkpoint.api import CheckpointException


class Ranks:
    """`rank`, `size` and exchange of objects; without a process group there is one rank."""

    def __init__(self, process_group, no_dist):
        self.group = process_group
        self.is_alone = no_dist or not dist.is_initialized()
        if self.is_alone and not no_dist:
            warnings.warn("torch.distributed is disabled, unavailable or uninitialized, assuming the intent is to save in a "
                          "single process.", stacklevel=4)
        self.rank = 0 if self.is_alone else dist.get_rank(process_group)
        self.size = 1 if self.is_alone else dist.get_world_size(process_group)

    def all_of(self, value):
        """The values of all ranks, for all."""
        if self.is_alone:
            return [value]
        gathered = [None] * self.size
        dist.all_gather_object(gathered, value, group=self.group)
        return gathered

    def step(self, name, do):
        """Each does something; where one fails all raise. Errors: CheckpointException."""
        try:
            made, error = do(), None
        except Exception as raised:
            made, error = None, raised
        failures = {rank: one for rank, one in enumerate(self.all_of(error)) if one is not None}
        if failures:
            if error is not None:
                failures[self.rank] = error
            raise CheckpointException(name, failures) from error
        return made
