"""Averages now and then. Behaviour: torch/distributed/algorithms/model_averaging/averagers.py."""
import warnings
from abc import ABC, abstractmethod

import torch.distributed as dist
from torch.distributed.algorithms.model_averaging.utils import average_parameters_or_parameter_groups

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    def __init__(self, process_group=None):
        self.process_group = process_group if process_group is not None else dist.group.WORLD
        self.step = 0

    @abstractmethod
    def average_parameters(self, params):
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """Every `period` steps from `warmup_steps` on."""

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn("When period is 1, no need to use model averaging because the communication cost of all-reducing "
                          "parameters will be no less than the cost of all-reducing gradients by DistributedDataParallel in "
                          "the backward pass. Therefore, only DistributedDataParallel should be used for this case.")
        self.warmup_steps, self.period = warmup_steps, period

    def average_parameters(self, params):
        if self.step >= self.warmup_steps and (self.step - self.warmup_steps) % self.period == 0:
            average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
