"""Results to come, of which coroutines wait. Behaviour: CPython Lib/asyncio/futures.py."""
import contextvars

from asyncio import events, exceptions

_PENDING, _CANCELLED, _FINISHED = "PENDING", "CANCELLED", "FINISHED"


def isfuture(obj):
    """Whether something stands for a result to come, by the mark of asyncio's futures."""
    return hasattr(type(obj), "_asyncio_future_blocking") and obj._asyncio_future_blocking is not None


class Future:
    """A result to come; `await` gives it."""

    _state = _PENDING
    _result = _exception = _cancel_message = None
    # Whether it has an exception that nobody has asked for.
    _is_untold = False
    # While a task waits for it.
    _asyncio_future_blocking = False

    def __init__(self, *, loop=None):
        self._loop = events.get_event_loop() if loop is None else loop
        self._callbacks = []

    def __del__(self):
        if self._is_untold:
            self._loop.call_exception_handler({"message": f"{type(self).__name__} exception was never retrieved",
                                               "exception": self._exception, "future": self})

    def _told(self):
        told = [self._state.lower()]
        if self._state == _FINISHED:
            told.append(f"exception={self._exception!r}" if self._exception is not None else f"result={self._result!r}")
        if self._callbacks:
            shown = [getattr(one, "__qualname__", repr(one)) + "()" for one, _ in self._callbacks[:2]]
            if len(self._callbacks) > 2:
                shown.insert(1, f"<{len(self._callbacks) - 2} more>")
            told.append(f"cb=[{', '.join(shown)}]")
        return told

    def __repr__(self):
        return f"<{type(self).__name__} {' '.join(self._told())}>"

    def get_loop(self):
        return self._loop

    def cancel(self, msg=None):
        self._is_untold = False
        if self._state != _PENDING:
            return False
        self._state, self._cancel_message = _CANCELLED, msg
        self._schedule_callbacks()
        return True

    def cancelled(self):
        return self._state == _CANCELLED

    def done(self):
        return self._state != _PENDING

    def _make_cancelled_error(self):
        return exceptions.CancelledError() if self._cancel_message is None else exceptions.CancelledError(self._cancel_message)

    def _schedule_callbacks(self):
        callbacks, self._callbacks = self._callbacks, []
        for callback, context in callbacks:
            self._loop.call_soon(callback, self, context=context)

    def result(self):
        if self._state == _CANCELLED:
            raise self._make_cancelled_error()
        if self._state != _FINISHED:
            raise exceptions.InvalidStateError("Result is not ready.")
        self._is_untold = False
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self):
        if self._state == _CANCELLED:
            raise self._make_cancelled_error()
        if self._state != _FINISHED:
            raise exceptions.InvalidStateError("Exception is not set.")
        self._is_untold = False
        return self._exception

    def add_done_callback(self, fn, *, context=None):
        if self._state != _PENDING:
            self._loop.call_soon(fn, self, context=context)
        else:
            self._callbacks.append((fn, contextvars.copy_context() if context is None else context))

    def remove_done_callback(self, fn):
        kept = [one for one in self._callbacks if one[0] != fn]
        removed = len(self._callbacks) - len(kept)
        self._callbacks[:] = kept
        return removed

    def set_result(self, result):
        if self._state != _PENDING:
            raise exceptions.InvalidStateError(f"{self._state}: {self!r}")
        self._result, self._state = result, _FINISHED
        self._schedule_callbacks()

    def set_exception(self, exception):
        if self._state != _PENDING:
            raise exceptions.InvalidStateError(f"{self._state}: {self!r}")
        if isinstance(exception, type):
            exception = exception()
        if isinstance(exception, StopIteration):
            raised = RuntimeError("StopIteration interacts badly with generators and cannot be raised into a Future")
            raised.__cause__ = raised.__context__ = exception
            exception = raised
        self._exception, self._state = exception, _FINISHED
        self._schedule_callbacks()
        self._is_untold = True

    def __await__(self):
        if not self.done():
            self._asyncio_future_blocking = True
            yield self
        if not self.done():
            raise RuntimeError("await wasn't used with future")
        return self.result()

    __iter__ = __await__


def _copy_state(source, into):
    if into.done():
        return
    if source.cancelled():
        into.cancel()
    elif source.exception() is not None:
        into.set_exception(source.exception())
    else:
        into.set_result(source.result())


def wrap_future(future, *, loop=None):
    """A future of the loop for one of concurrent.futures."""
    if isfuture(future):
        return future
    loop = events.get_event_loop() if loop is None else loop
    made = loop.create_future()
    loop._outside += 1

    def told(ended):
        loop._outside -= 1
        if not loop.is_closed():
            loop.call_soon_threadsafe(_copy_state, ended, made)

    def cancel(ended):
        if ended.cancelled():
            future.cancel()

    made.add_done_callback(cancel)
    future.add_done_callback(told)
    return made
