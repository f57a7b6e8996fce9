"""Which loop runs, and what it calls. Behaviour: CPython Lib/asyncio/events.py."""
import contextvars


class Handle:
    """A call that a loop will make; it may be cancelled before."""

    def __init__(self, callback, args, loop, context=None):
        self._callback, self._args, self._loop = callback, args, loop
        self._context = contextvars.copy_context() if context is None else context
        self._cancelled = False

    def get_context(self):
        return self._context

    def cancel(self):
        self._cancelled = True
        self._callback = self._args = None

    def cancelled(self):
        return self._cancelled

    def _run(self):
        try:
            self._context.run(self._callback, *self._args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._loop.call_exception_handler(
                {"message": f"Exception in callback {self._callback!r}", "exception": error, "handle": self})

    def __repr__(self):
        return f"<{type(self).__name__}{' cancelled' if self._cancelled else f' {self._callback!r}'}>"


class TimerHandle(Handle):
    """The same at a time of the loop's clock."""

    def __init__(self, when, callback, args, loop, context=None):
        super().__init__(callback, args, loop, context)
        self._when = when

    def when(self):
        return self._when

    def __lt__(self, other):
        return self._when < other._when if isinstance(other, TimerHandle) else NotImplemented

    def __le__(self, other):
        return self._when <= other._when if isinstance(other, TimerHandle) else NotImplemented

    def __hash__(self):
        return hash(self._when)

    def __eq__(self, other):
        return self is other


class AbstractEventLoop:
    """What every loop is."""


class _Loops:
    running = None
    current = None


def _get_running_loop():
    return _Loops.running


def _set_running_loop(loop):
    _Loops.running = loop


def get_running_loop():
    """The loop that runs. Errors: RuntimeError  none does."""
    if _Loops.running is None:
        raise RuntimeError("no running event loop")
    return _Loops.running


def new_event_loop():
    """A loop of its own."""
    return get_event_loop_policy().new_event_loop()


def get_event_loop():
    """The loop that runs, or the one that was set. Errors: RuntimeError  there is none."""
    return _Loops.running if _Loops.running is not None else get_event_loop_policy().get_event_loop()


def set_event_loop(loop):
    """What get_event_loop() gives while none runs."""
    get_event_loop_policy().set_event_loop(loop)


class AbstractEventLoopPolicy:
    """Who makes loops."""


class DefaultEventLoopPolicy(AbstractEventLoopPolicy):
    """Makes loops of the one kind that there is."""

    def get_event_loop(self):
        if _Loops.current is None:
            raise RuntimeError("There is no current event loop in thread 'MainThread'.")
        return _Loops.current

    def set_event_loop(self, loop):
        if loop is not None and not isinstance(loop, AbstractEventLoop):
            raise TypeError(f"loop must be an instance of AbstractEventLoop or None, not '{type(loop).__name__}'")
        _Loops.current = loop

    def new_event_loop(self):
        from asyncio.loop import EventLoop
        return EventLoop()


_policy = DefaultEventLoopPolicy()


def get_event_loop_policy():
    return _policy


def set_event_loop_policy(policy):
    global _policy
    if policy is not None and not isinstance(policy, AbstractEventLoopPolicy):
        raise TypeError(f"policy must be an instance of AbstractEventLoopPolicy or None, not '{type(policy).__name__}'")
    _policy = DefaultEventLoopPolicy() if policy is None else policy
