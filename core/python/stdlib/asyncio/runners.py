"""The way in from a program that is no coroutine. Behaviour: CPython Lib/asyncio/runners.py."""
import contextvars

from asyncio import coroutines, events, tasks


class Runner:
    """A loop for several coroutines, one after the other."""

    def __init__(self, *, debug=None, loop_factory=None):
        self._debug, self._loop_factory = debug, loop_factory
        self._loop = self._context = None
        self._closed = False

    def __enter__(self):
        self._begin()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()

    def _begin(self):
        if self._closed:
            raise RuntimeError("Runner is closed")
        if self._loop is not None:
            return
        if self._loop_factory is None:
            self._loop = events.new_event_loop()
            events.set_event_loop(self._loop)
        else:
            self._loop = self._loop_factory()
        if self._debug is not None:
            self._loop.set_debug(self._debug)
        self._context = contextvars.copy_context()

    def get_loop(self):
        self._begin()
        return self._loop

    def run(self, coro, *, context=None):
        if events._get_running_loop() is not None:
            raise RuntimeError("Runner.run() cannot be called from a running event loop")
        self._begin()
        if not coroutines.iscoroutine(coro):
            if not hasattr(type(coro), "__await__"):
                raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")

            async def wait_for_it(awaitable):
                return await awaitable

            coro = wait_for_it(coro)
        task = self._loop.create_task(coro, context=self._context if context is None else context)
        return self._loop.run_until_complete(task)

    def close(self):
        if self._loop is None:
            self._closed = True
            return
        loop, self._loop = self._loop, None
        try:
            _cancel_all(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            if self._loop_factory is None:
                events.set_event_loop(None)
            loop.close()
            self._closed = True


def run(main, *, debug=None, loop_factory=None):
    """Runs a coroutine in a loop of its own and gives its result."""
    if events._get_running_loop() is not None:
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    with Runner(debug=debug, loop_factory=loop_factory) as runner:
        return runner.run(main)


def _cancel_all(loop):
    left = tasks.all_tasks(loop)
    if not left:
        return
    for task in left:
        task.cancel()
    loop.run_until_complete(tasks.gather(*left, return_exceptions=True))
    for task in left:
        if not task.cancelled() and task.exception() is not None:
            loop.call_exception_handler({"message": "unhandled exception during asyncio.run() shutdown",
                                         "exception": task.exception(), "task": task})
