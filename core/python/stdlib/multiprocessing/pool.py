"""ThreadPool, whose threads take turns. Behaviour: CPython Lib/multiprocessing/pool.py."""
import os
import threading
from collections import deque

import multiprocessing

INIT, RUN, CLOSE, TERMINATE = "INIT", "RUN", "CLOSE", "TERMINATE"


class AsyncResult:
    """What a call will give."""

    def __init__(self, callback=None, error_callback=None):
        self._callback, self._error_callback = callback, error_callback
        self._is_ready, self._value, self._is_good = False, None, True

    def ready(self):
        threading._wait(lambda: self._is_ready, 0)
        return self._is_ready

    def successful(self):
        if not self._is_ready:
            raise ValueError(f"{self!r} not ready")
        return self._is_good

    def wait(self, timeout=None):
        threading._wait(lambda: self._is_ready, timeout)

    def get(self, timeout=None):
        if not threading._wait(lambda: self._is_ready, timeout):
            raise multiprocessing.TimeoutError
        if self._is_good:
            return self._value
        raise self._value

    def _set(self, is_good, value):
        self._is_good, self._value, self._is_ready = is_good, value, True
        if is_good and self._callback:
            self._callback(value)
        if not is_good and self._error_callback:
            self._error_callback(value)


ApplyResult = MapResult = AsyncResult


class ThreadPool:
    """Calls functions in some threads."""

    def __init__(self, processes=None, initializer=None, initargs=()):
        processes = processes or os.cpu_count() or 1
        if processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._work, self._state, self._initializer, self._initargs = deque(), RUN, initializer, initargs
        self._pool = [threading.Thread(target=self._worker, daemon=True) for _ in range(processes)]
        for one in self._pool:
            one.start()

    def _worker(self):
        if self._initializer is not None:
            self._initializer(*self._initargs)
        while True:
            threading._wait(lambda: self._work or self._state != RUN)
            if not self._work:
                return
            result, func, args, kwds = self._work.popleft()
            try:
                value = func(*args, **kwds)
            except Exception as problem:
                result._set(False, problem)
            else:
                result._set(True, value)
            del result, func, args, kwds

    def _check_running(self):
        if self._state != RUN:
            raise ValueError("Pool not running")

    def _later(self, func, args, kwds={}, callback=None, error_callback=None):
        self._check_running()
        result = AsyncResult(callback, error_callback)
        self._work.append((result, func, args, kwds))
        return result

    def apply(self, func, args=(), kwds={}):
        return self._later(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        return self._later(func, args, kwds, callback, error_callback)

    def _map(self, func, all_args):
        each = [self._later(func, args) for args in all_args]
        for one in each:
            one.wait()
        for one in each:
            if not one._is_good:
                raise one._value
        return [one._value for one in each]

    def map(self, func, iterable, chunksize=None):
        return self._map(func, [(one,) for one in iterable])

    def starmap(self, func, iterable, chunksize=None):
        return self._map(func, [tuple(one) for one in iterable])

    def _map_async(self, func, all_args, callback, error_callback):
        self._check_running()
        whole = AsyncResult(callback, error_callback)
        each = [self._later(func, args) for args in all_args]
        left = [len(each)]

        def ended(one):
            left[0] -= 1
            if left[0] == 0:
                bad = [other for other in each if not other._is_good]
                whole._set(not bad, bad[0]._value if bad else [other._value for other in each])

        if not each:
            whole._set(True, [])
        for one in each:
            one._callback = one._error_callback = ended
        return whole

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self._map_async(func, [(one,) for one in iterable], callback, error_callback)

    def starmap_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return self._map_async(func, [tuple(one) for one in iterable], callback, error_callback)

    def imap(self, func, iterable, chunksize=1):
        self._check_running()
        each = deque(self._later(func, (one,)) for one in iterable)

        def results():
            while each:
                yield each.popleft().get()

        return results()

    def imap_unordered(self, func, iterable, chunksize=1):
        self._check_running()
        each = [self._later(func, (one,)) for one in iterable]

        def results():
            while each:
                threading._wait(lambda: any(one._is_ready for one in each))
                for one in [one for one in each if one._is_ready]:
                    each.remove(one)
                    yield one.get()

        return results()

    def close(self):
        if self._state == RUN:
            self._state = CLOSE

    def terminate(self):
        self._state = TERMINATE
        self._work.clear()

    def join(self):
        if self._state == RUN:
            raise ValueError("Pool is still running")
        for one in self._pool:
            one.join()

    def __enter__(self):
        self._check_running()
        return self

    def __exit__(self, *given):
        self.terminate()


class Pool:
    """Calls functions in some processes: refused."""

    def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None, context=None):
        multiprocessing._refuse("Pool")
