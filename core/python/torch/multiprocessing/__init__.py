"""Processes that run functions of a program.

Behaviour: torch/multiprocessing/__init__.py."""
from multiprocessing import (Array, Barrier, BoundedSemaphore, Condition, Event, JoinableQueue, Lock, Manager, Pipe, Pool,
                             Process, ProcessError, Queue, RawArray, RawValue, RLock, Semaphore, SimpleQueue, TimeoutError,
                             Value, active_children, cpu_count, current_process, freeze_support, get_all_start_methods,
                             get_logger, log_to_stderr, parent_process)

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


def get_context(method=None):
    """This module: every process starts afresh."""
    import sys
    if method is not None:
        set_start_method(method)
    return sys.modules[__name__]
