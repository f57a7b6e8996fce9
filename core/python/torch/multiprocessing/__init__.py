"""Processes that run functions of a program.

Behaviour: torch/multiprocessing/__init__.py."""
from torch.multiprocessing.spawn import (ProcessContext, ProcessExitedException, ProcessException,
                                         ProcessRaisedException, SpawnContext, spawn, start_processes)

__all__ = ["set_sharing_strategy", "get_sharing_strategy", "get_all_sharing_strategies", "spawn", "start_processes"]


def get_all_sharing_strategies():
    return {"file_descriptor", "file_system"}


_strategy = "file_descriptor"


def set_sharing_strategy(new_strategy):
    global _strategy
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError("")
    _strategy = new_strategy


def get_sharing_strategy():
    return _strategy


def set_start_method(method, force=False):
    """Every process starts afresh."""
    if method not in ("spawn", "fork", "forkserver"):
        raise ValueError(f"cannot find context for {method!r}")


def get_start_method(allow_none=False):
    return "spawn"
