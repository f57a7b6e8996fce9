"""Calls whose results come later. Behaviour: CPython Lib/concurrent/futures.

Threads take turns (module threading). Processes are started by nobody here: ProcessPoolExecutor raises when it is made."""
from concurrent.futures._base import (ALL_COMPLETED, FIRST_COMPLETED, FIRST_EXCEPTION, BrokenExecutor, CancelledError,
                                      Executor, Future, InvalidStateError, TimeoutError, as_completed, wait)
from concurrent.futures.thread import ThreadPoolExecutor
from concurrent.futures.process import ProcessPoolExecutor
