"""Limits of time around what is awaited. Behaviour: CPython Lib/asyncio/timeouts.py."""
from asyncio import events, exceptions, tasks

_CREATED, _ENTERED, _EXPIRING, _EXPIRED, _EXITED = "created", "active", "expiring", "expired", "finished"


class Timeout:
    """Cancels what runs inside when the time comes, and raises TimeoutError then."""

    def __init__(self, when):
        self._state, self._when = _CREATED, when
        self._timer = self._task = None

    def when(self):
        return self._when

    def reschedule(self, when):
        if self._state != _ENTERED:
            if self._state == _CREATED:
                raise RuntimeError("Timeout has not been entered")
            raise RuntimeError(f"Cannot change state of {self._state} Timeout")
        self._when = when
        if self._timer is not None:
            self._timer.cancel()
        loop = events.get_running_loop()
        if when is None:
            self._timer = None
        elif when <= loop.time():
            self._timer = loop.call_soon(self._on_time)
        else:
            self._timer = loop.call_at(when, self._on_time)

    def expired(self):
        return self._state in (_EXPIRING, _EXPIRED)

    def __repr__(self):
        when = f" when={round(self._when, 3)}" if self._state == _ENTERED and self._when is not None else ""
        return f"<Timeout [{self._state}]{when}>"

    async def __aenter__(self):
        if self._state != _CREATED:
            raise RuntimeError("Timeout has already been entered")
        task = tasks.current_task()
        if task is None:
            raise RuntimeError("Timeout should be used inside a task")
        self._state, self._task = _ENTERED, task
        self._requests = task.cancelling()
        self.reschedule(self._when)
        return self

    async def __aexit__(self, exc_type, exc_val, exc_tb):
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._state == _EXPIRING:
            self._state = _EXPIRED
            if self._task.uncancel() <= self._requests and exc_type is not None and issubclass(exc_type, exceptions.CancelledError):
                raise TimeoutError from exc_val
        elif self._state == _ENTERED:
            self._state = _EXITED
        return None

    def _on_time(self):
        self._task.cancel()
        self._state = _EXPIRING
        self._timer = None


def timeout(delay):
    """At most so many seconds; None: any."""
    return Timeout(None if delay is None else events.get_running_loop().time() + delay)


def timeout_at(when):
    """Until a time of the loop's clock."""
    return Timeout(when)
