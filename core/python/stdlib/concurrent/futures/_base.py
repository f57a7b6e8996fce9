"""Futures and what waits for them. Behaviour: CPython Lib/concurrent/futures/_base.py."""
import collections
import time

from threading import _wait

FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"
PENDING, RUNNING, CANCELLED, FINISHED = "PENDING", "RUNNING", "CANCELLED", "FINISHED"
CANCELLED_AND_NOTIFIED = "CANCELLED_AND_NOTIFIED"


class Error(Exception):
    """What futures raise."""


class CancelledError(Error):
    """The future was cancelled."""


TimeoutError = TimeoutError


class InvalidStateError(Error):
    """The future is not where this could be asked of it."""


class BrokenExecutor(RuntimeError):
    """An executor that can run nothing any more."""


class Future:
    """The result of a call that may not have ended."""

    def __init__(self):
        self._state = PENDING
        self._result = self._exception = None
        self._done_callbacks = []

    def cancel(self):
        if self._state in (RUNNING, FINISHED):
            return False
        if self._state == PENDING:
            self._state = CANCELLED
            self._call_back()
        return True

    def cancelled(self):
        return self._state in (CANCELLED, CANCELLED_AND_NOTIFIED)

    def running(self):
        return self._state == RUNNING

    def done(self):
        if self._state in (PENDING, RUNNING):
            # A loop that asks until it is done lets threads run.
            _wait(self._is_done, 0)
        return self._is_done()

    def _is_done(self):
        return self._state in (CANCELLED, CANCELLED_AND_NOTIFIED, FINISHED)

    def _wait_for_it(self, timeout):
        if not _wait(self._is_done, timeout):
            raise TimeoutError()
        if self.cancelled():
            raise CancelledError()

    def result(self, timeout=None):
        self._wait_for_it(timeout)
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self, timeout=None):
        self._wait_for_it(timeout)
        return self._exception

    def add_done_callback(self, fn):
        if self._is_done():
            self._call_one(fn)
        else:
            self._done_callbacks.append(fn)

    def _call_one(self, fn):
        try:
            fn(self)
        except Exception:
            import logging
            logging.getLogger("concurrent.futures").exception("exception calling callback for %r", self)

    def _call_back(self):
        for fn in self._done_callbacks:
            self._call_one(fn)

    def set_running_or_notify_cancel(self):
        if self._state == CANCELLED:
            self._state = CANCELLED_AND_NOTIFIED
            return False
        if self._state == PENDING:
            self._state = RUNNING
            return True
        raise RuntimeError("Future in unexpected state")

    def set_result(self, result):
        if self._is_done():
            raise InvalidStateError(f"{self._state}: {self!r}")
        self._result, self._state = result, FINISHED
        self._call_back()

    def set_exception(self, exception):
        if self._is_done():
            raise InvalidStateError(f"{self._state}: {self!r}")
        self._exception, self._state = exception, FINISHED
        self._call_back()

    def __repr__(self):
        state = "cancelled" if self.cancelled() else self._state.lower()
        told = ""
        if self._state == FINISHED:
            if self._exception is not None:
                told = f" raised {type(self._exception).__name__}"
            else:
                told = f" returned {type(self._result).__name__}"
        return f"<{type(self).__name__} at {id(self):#x} state={state}{told}>"


Future.__module__ = "concurrent.futures._base"
DoneAndNotDoneFutures = collections.namedtuple("DoneAndNotDoneFutures", "done not_done")


def as_completed(fs, timeout=None):
    """The futures in the order in which they end."""
    until = None if timeout is None else time.monotonic() + timeout
    left = list(dict.fromkeys(fs))
    total = len(left)
    while left:
        ended = [one for one in left if one._is_done()]
        for one in ended:
            left.remove(one)
            yield one
        if ended or not left:
            continue
        rest = None if until is None else max(0.0, until - time.monotonic())
        if not _wait(lambda: any(one._is_done() for one in left), rest):
            raise TimeoutError(f"{len(left)} (of {total}) futures unfinished")


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    """Sets of those that have ended and of the others."""
    fs = set(fs)

    def is_enough():
        done = [one for one in fs if one._is_done()]
        if return_when == FIRST_COMPLETED and done:
            return True
        if return_when == FIRST_EXCEPTION and any(not one.cancelled() and one._exception is not None for one in done):
            return True
        return len(done) == len(fs)

    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f"Invalid return condition: {return_when!r}")
    _wait(is_enough, timeout)
    done = {one for one in fs if one._is_done()}
    return DoneAndNotDoneFutures(done, fs - done)


class Executor:
    """What runs calls."""

    def submit(self, fn, /, *args, **kwargs):
        raise NotImplementedError()

    def map(self, fn, *iterables, timeout=None, chunksize=1, buffersize=None):
        until = None if timeout is None else time.monotonic() + timeout
        if buffersize is not None and not isinstance(buffersize, int):
            raise TypeError("buffersize must be an integer or None")
        if buffersize is not None and buffersize < 1:
            raise ValueError("buffersize must be None or > 0")
        given = zip(*iterables)
        if buffersize is None:
            futures = collections.deque(self.submit(fn, *args) for args in given)
        else:
            futures = collections.deque()
            for args in given:
                futures.append(self.submit(fn, *args))
                if len(futures) == buffersize:
                    break

        def results():
            try:
                while futures:
                    one = futures.popleft()
                    if buffersize is not None:
                        for args in given:
                            futures.append(self.submit(fn, *args))
                            break
                    if until is None:
                        yield one.result()
                    else:
                        yield one.result(until - time.monotonic())
            finally:
                for one in futures:
                    one.cancel()

        return results()

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.shutdown(wait=True)
        return False
