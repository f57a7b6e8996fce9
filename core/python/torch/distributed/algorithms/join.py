"""Training where ranks have different numbers of batches.

Behaviour: torch/distributed/algorithms/join.py. A rank without data shadows the collectives of the others until all are
done."""
import warnings
from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
import torch.distributed as dist

__all__ = ["JoinHook", "Joinable", "Join"]


class JoinHook:
    """What a rank without data does in each step of the others, and once at the end."""

    def main_hook(self):
        pass

    def post_hook(self, is_last_joiner):
        pass


class _JoinConfig(NamedTuple):
    """What the context tells its joinables."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config():
        return _JoinConfig(enable=False, throw_on_early_termination=False, is_first_joinable=False)


class Joinable(ABC):
    """What can take part."""

    @abstractmethod
    def __init__(self):
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs):
        ...

    @property
    @abstractmethod
    def join_device(self):
        ...

    @property
    @abstractmethod
    def join_process_group(self):
        ...


class Join:
    """Lets ranks run out of data one after the other."""

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [one.join_hook(**kwargs) for one in joinables]
        self._enable = enable
        self._throw_on_early_termination = throw_on_early_termination
        is_first = True
        for one in joinables:
            one._join_config = _JoinConfig(enable=enable, throw_on_early_termination=throw_on_early_termination,
                                           is_first_joinable=is_first)
            is_first = False
        group = device = None
        for one in joinables:
            if group is None:
                group = one.join_process_group
            elif group != one.join_process_group:
                raise ValueError("Using join context manager with multiple process groups")
            if device is None:
                device = one.join_device
        self._process_group, self._device = group, device
        self._rank = dist.get_rank(group)

    def __enter__(self):
        pass

    def __exit__(self, type, value, traceback):
        if not self._enable or type:
            return
        all_joined, is_last = False, True
        turns = 0
        while not all_joined:
            turns += 1
            if turns == 1001:
                warnings.warn("Detected uneven input skew of greater than 1000. This means that rank "
                              f"{self._rank} has at least 1000 fewer inputs than other currently-active ranks. This "
                              "level of skew could lead to performance degradation during training.")
            live = self._count_live()
            if live == 0:
                all_joined = True
                break
            if self._throw_on_early_termination:
                self._tell_termination()
            is_last = False
            for hook in self._join_hooks:
                hook.main_hook()
        for hook in self._join_hooks:
            hook.post_hook(is_last)

    def _count_live(self):
        count = torch.zeros(1, device=self._device)
        dist.all_reduce(count, group=self._process_group)
        return count.item()

    def _tell_termination(self):
        ones = torch.ones(1, device=self._device)
        dist.all_reduce(ones, group=self._process_group)
        raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")

    @staticmethod
    def notify_join_context(joinable):
        """Says that this rank still has data. Gives the Work of that, or None outside of a context."""
        if not hasattr(joinable, "_join_config"):
            raise AssertionError(f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor")
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        device, group = joinable.join_device, joinable.join_process_group
        work = dist.all_reduce(torch.ones(1, device=device), group=group, async_op=True)
        if config.throw_on_early_termination:
            zeros = torch.zeros(1, device=device)
            dist.all_reduce(zeros, group=group)
            if zeros.item():
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
