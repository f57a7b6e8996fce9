"""Results that come later.

Behaviour: torch/futures/__init__.py. There is one thread: who waits for a future runs what leads to it, so a function
that was added with then() runs when its future is set, or waited for.
"""

__all__ = ["Future", "collect_all", "wait_all"]


class Future:
    """A value that somebody will set, or that communication gives."""

    def __init__(self, *, devices=None):
        self._is_set = False
        self._value = None
        self._error = None
        self._callbacks = []
        # What makes the value where nobody sets it.
        self._wait_for = None
        self._is_ready = None

    def __class_getitem__(cls, item):
        from _generics import GenericAlias
        return GenericAlias(cls, item)

    def done(self):
        """Whether the value, or an exception, is there."""
        if not self._is_set and self._is_ready is not None and self._is_ready():
            self._fetch()
        return self._is_set

    def _fetch(self):
        try:
            value = self._wait_for()
        except Exception as error:
            self.set_exception(error)
        else:
            self.set_result(value)

    def wait(self):
        """The value, once it is there; raises what was set as an exception."""
        if not self._is_set:
            if self._wait_for is None:
                raise RuntimeError("nothing that runs will complete this Future: set_result() was not called")
            self._fetch()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self):
        if not self.done():
            raise RuntimeError("the Future is not completed")
        return self.wait()

    def _complete(self):
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def set_result(self, result):
        if self._is_set:
            raise RuntimeError("Future can only be marked complete once")
        self._is_set, self._value = True, result
        self._complete()

    def set_exception(self, result):
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        if self._is_set:
            raise RuntimeError("Future can only be marked complete once")
        self._is_set, self._error = True, result
        self._complete()

    def then(self, callback):
        """A future of what callback(self) returns once this one is done."""
        later = Future()

        def run():
            if later._is_set:
                return
            try:
                result = callback(self)
            except Exception as error:
                later.set_exception(error)
            else:
                later.set_result(result)

        def fetch():
            if not self.done():
                try:
                    self.wait()
                except Exception:
                    pass
            run()
            return later.wait()

        if self.done():
            run()
        else:
            self._callbacks.append(run)
            later._wait_for = lambda: fetch()
            later._fetch = lambda: fetch()
            later._is_ready = self.done
        return later

    def add_done_callback(self, callback):
        if self.done():
            callback(self)
        else:
            self._callbacks.append(lambda: callback(self))


def collect_all(futures):
    """A future of the list of all of them, once they are done."""
    futures = list(futures)
    together = Future()

    def wait_for_all():
        for future in futures:
            try:
                future.wait()
            except Exception:
                pass
        return futures

    if all(future.done() for future in futures):
        together.set_result(futures)
    else:
        together._wait_for = wait_for_all
        together._is_ready = lambda: all(future.done() for future in futures)
    return together


def wait_all(futures):
    """The values of all; raises the first exception."""
    return [future.wait() for future in collect_all(futures).wait()]
