"""ThreadPoolExecutor. Behaviour: CPython Lib/concurrent/futures/thread.py."""
import itertools
import os
import threading
from collections import deque

from concurrent.futures import _base


class BrokenThreadPool(_base.BrokenExecutor):
    """Its threads could not begin."""


class ThreadPoolExecutor(_base.Executor):
    """Calls functions in threads, of which there are `max_workers` at most. They take turns (module threading)."""

    _counter = itertools.count()

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=(), **ctxkwargs):
        if max_workers is None:
            max_workers = min(32, (os.cpu_count() or 1) + 4)
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._max_workers = max_workers
        self._initializer, self._initargs = initializer, initargs
        self._name = thread_name_prefix or f"ThreadPoolExecutor-{next(self._counter)}"
        self._work, self._threads, self._idle = deque(), [], 0
        self._is_shut_down, self._broken = False, False

    def submit(self, fn, /, *args, **kwargs):
        if self._broken:
            raise BrokenThreadPool(self._broken)
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = _base.Future()
        self._work.append((future, fn, args, kwargs))
        if self._idle == 0 and len(self._threads) < self._max_workers:
            made = threading.Thread(target=self._worker, name=f"{self._name}_{len(self._threads)}", daemon=True)
            self._threads.append(made)
            made.start()
        return future

    def _worker(self):
        if self._initializer is not None:
            try:
                self._initializer(*self._initargs)
            except BaseException:
                import logging
                logging.getLogger("concurrent.futures").critical("Exception in initializer:", exc_info=True)
                self._broken = "A thread initializer failed, the thread pool is not usable anymore"
                while self._work:
                    self._work.popleft()[0].set_exception(BrokenThreadPool(self._broken))
                return
        while True:
            if not self._work:
                if self._is_shut_down:
                    return
                self._idle += 1
                threading._wait(lambda: self._work or self._is_shut_down)
                self._idle -= 1
                continue
            future, fn, args, kwargs = self._work.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = fn(*args, **kwargs)
            except BaseException as problem:
                future.set_exception(problem)
            else:
                future.set_result(result)
            # What they hold goes now, not with the next piece of work.
            del future, fn, args, kwargs

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut_down = True
        if cancel_futures:
            while self._work:
                self._work.popleft()[0].cancel()
        if wait:
            for one in self._threads:
                one.join()
