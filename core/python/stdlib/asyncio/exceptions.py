"""What coroutines raise. Behaviour: CPython Lib/asyncio/exceptions.py."""
TimeoutError = TimeoutError


class CancelledError(BaseException):
    """The task was cancelled."""


class InvalidStateError(Exception):
    """Nothing that can be done now."""


class SendfileNotAvailableError(RuntimeError):
    """Files are not sent like this."""


class IncompleteReadError(EOFError):
    """The end came too early: `partial`, `expected`."""

    def __init__(self, partial, expected):
        shown = "undefined" if expected is None else repr(expected)
        super().__init__(f"{len(partial)} bytes read on a total of {shown} expected bytes")
        self.partial, self.expected = partial, expected


class LimitOverrunError(Exception):
    """No separator within the limit: `consumed`."""

    def __init__(self, message, consumed):
        super().__init__(message)
        self.consumed = consumed


class BrokenBarrierError(RuntimeError):
    """The barrier does not hold any more."""


class QueueEmpty(Exception):
    """Nothing is there."""


class QueueFull(Exception):
    """There is no room."""


class QueueShutDown(Exception):
    """The queue takes nothing any more."""
