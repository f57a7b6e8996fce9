"""Coroutines that run beside each other. Behaviour: CPython Lib/asyncio/tasks.py."""
import concurrent.futures
import contextvars
import inspect
import itertools
import types
import weakref

from asyncio import coroutines, events, exceptions, futures

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"
_numbers = itertools.count(1)
# The task that runs in each loop, and all that have not ended.
_running = {}
_alive = weakref.WeakSet()


class Task(futures.Future):
    """A coroutine that a loop runs."""

    _fut_waiter = None
    _must_cancel = False
    _requests = 0
    # Whether it is told when it goes before it has ended.
    _log_destroy_pending = True

    def __init__(self, coro, *, loop=None, name=None, context=None, eager_start=False):
        super().__init__(loop=loop)
        if not coroutines.iscoroutine(coro):
            raise TypeError(f"a coroutine was expected, got {coro!r}")
        self._name = f"Task-{next(_numbers)}" if name is None else str(name)
        self._coro = coro
        self._context = contextvars.copy_context() if context is None else context
        _alive.add(self)
        if eager_start and self._loop.is_running():
            before = _running.pop(self._loop, None)
            self._context.run(self._step)
            if before is not None:
                _running[self._loop] = before
        else:
            self._loop.call_soon(self._step, context=self._context)

    def __del__(self):
        if not self.done() and self._log_destroy_pending:
            self._loop.call_exception_handler({"task": self, "message": "Task was destroyed but it is pending!"})
        super().__del__()

    def _told(self):
        told = super()._told()
        if self._requests and not self.done():
            told[0] = "cancelling"
        told.insert(1, f"name={self._name!r}")
        told.insert(2, f"coro=<{coroutines._name_of(self._coro)}>")
        return told

    def get_coro(self):
        return self._coro

    def get_context(self):
        return self._context

    def get_name(self):
        return self._name

    def set_name(self, value):
        self._name = str(value)

    def set_result(self, result):
        raise RuntimeError("Task does not support set_result operation")

    def set_exception(self, exception):
        raise RuntimeError("Task does not support set_exception operation")

    def cancel(self, msg=None):
        self._is_untold = False
        if self.done():
            return False
        self._requests += 1
        if self._fut_waiter is not None and self._fut_waiter.cancel(msg=msg):
            return True
        self._must_cancel, self._cancel_message = True, msg
        return True

    def cancelling(self):
        return self._requests

    def uncancel(self):
        if self._requests > 0:
            self._requests -= 1
            if self._requests == 0:
                self._must_cancel = False
        return self._requests

    def _end(self):
        _alive.discard(self)

    def _step(self, exc=None):
        if self.done():
            raise exceptions.InvalidStateError(f"__step(): already done: {self!r}, {exc!r}")
        if self._must_cancel:
            if not isinstance(exc, exceptions.CancelledError):
                exc = self._make_cancelled_error()
            self._must_cancel = False
        self._fut_waiter = None
        _running[self._loop] = self
        try:
            result = self._coro.send(None) if exc is None else self._coro.throw(exc)
        except StopIteration as ended:
            self._end()
            if self._must_cancel:
                self._must_cancel = False
                super().cancel(msg=self._cancel_message)
            else:
                super().set_result(ended.value)
        except exceptions.CancelledError as error:
            self._end()
            self._cancel_message = error.args[0] if error.args else None
            super().cancel(msg=self._cancel_message)
        except (KeyboardInterrupt, SystemExit) as error:
            self._end()
            super().set_exception(error)
            self._is_untold = False  # it goes on out of the loop
            raise
        except BaseException as error:
            self._end()
            super().set_exception(error)
        else:
            self._wait_for(result)
        finally:
            _running.pop(self._loop, None)

    def _wait_for(self, result):
        blocking = getattr(result, "_asyncio_future_blocking", None)
        error = None
        if blocking is not None:
            if result.get_loop() is not self._loop:
                error = RuntimeError(f"Task {self!r} got Future {result!r} attached to a different loop")
            elif not blocking:
                error = RuntimeError(f"yield was used instead of yield from in task {self!r} with {result!r}")
            elif result is self:
                error = RuntimeError(f"Task cannot await on itself: {self!r}")
            else:
                result._asyncio_future_blocking = False
                result.add_done_callback(self._wakeup, context=self._context)
                self._fut_waiter = result
                if self._must_cancel and result.cancel(msg=self._cancel_message):
                    self._must_cancel = False
                return
        elif result is None:
            self._loop.call_soon(self._step, context=self._context)
            return
        elif inspect.isgenerator(result):
            error = RuntimeError(f"yield was used instead of yield from for generator in task {self!r} with {result!r}")
        else:
            error = RuntimeError(f"Task got bad yield: {result!r}")
        self._loop.call_soon(self._step, error, context=self._context)

    def _wakeup(self, future):
        try:
            future.result()
        except BaseException as error:
            self._step(error)
        else:
            self._step()


def current_task(loop=None):
    """The task that runs, or None."""
    return _running.get(events.get_running_loop() if loop is None else loop)


def all_tasks(loop=None):
    """Those of a loop that have not ended."""
    loop = events.get_running_loop() if loop is None else loop
    return {task for task in list(_alive) if task.get_loop() is loop and not task.done()}


def create_task(coro, *, name=None, context=None, **kwargs):
    """Lets the loop that runs run a coroutine, too."""
    return events.get_running_loop().create_task(coro, name=name, context=context, **kwargs)


def create_eager_task_factory(custom_task_constructor):
    """A factory whose tasks run at once until they wait."""

    def factory(loop, coro, *, eager_start=True, **kwargs):
        return custom_task_constructor(coro, loop=loop, eager_start=eager_start, **kwargs)

    return factory


eager_task_factory = create_eager_task_factory(Task)


def ensure_future(coro_or_future, *, loop=None):
    """The future itself, or a task of the coroutine."""
    if futures.isfuture(coro_or_future):
        if loop is not None and loop is not coro_or_future.get_loop():
            raise ValueError("The future belongs to a different loop than the one specified as the loop argument")
        return coro_or_future
    if not coroutines.iscoroutine(coro_or_future):
        if not inspect.isawaitable(coro_or_future):
            raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")

        async def wait_for_it(awaitable):
            return await awaitable

        coro_or_future = wait_for_it(coro_or_future)
    if loop is None:
        loop = events.get_event_loop()
    return loop.create_task(coro_or_future)


@types.coroutine
def _yield_once():
    yield


async def sleep(delay, result=None):
    """Gives `result` after `delay` seconds."""
    if delay <= 0:
        await _yield_once()
        return result
    if delay != delay:
        raise ValueError("Invalid delay: NaN (not a number)")
    loop = events.get_running_loop()
    future = loop.create_future()
    timer = loop.call_later(delay, lambda: future.done() or future.set_result(result))
    try:
        return await future
    finally:
        timer.cancel()


class _Gathering(futures.Future):
    """Of gather(): cancelling it cancels the children."""

    def __init__(self, children, *, loop):
        super().__init__(loop=loop)
        self._children = children
        self._cancel_requested = False

    def cancel(self, msg=None):
        if self.done():
            return False
        # Each of them, not until the first that can be.
        asked = [child.cancel(msg=msg) for child in self._children]
        if any(asked):
            self._cancel_requested = True
        return any(asked)


def gather(*coros_or_futures, return_exceptions=False):
    """The results of all, in their order."""
    if not coros_or_futures:
        outer = events.get_event_loop().create_future()
        outer.set_result([])
        return outer
    known, children = {}, []
    loop = None
    for one in coros_or_futures:
        if one not in known:
            made = ensure_future(one, loop=loop)
            loop = made.get_loop() if loop is None else loop
            if made is not one:
                made._log_destroy_pending = False
            known[one] = made
        children.append(known[one])
    left = len(known)
    outer = _Gathering(children, loop=loop)

    def ended(future):
        nonlocal left
        left -= 1
        if outer.done():
            if not future.cancelled():
                future.exception()
            return
        if not return_exceptions:
            if future.cancelled():
                outer.set_exception(future._make_cancelled_error())
                return
            if future.exception() is not None:
                outer.set_exception(future.exception())
                return
        if left:
            return
        results = []
        for child in children:
            if child.cancelled():
                results.append(exceptions.CancelledError("" if child._cancel_message is None else child._cancel_message))
            else:
                results.append(child._exception if child.exception() is not None else child.result())
        if outer._cancel_requested:
            outer.set_exception(children[-1]._make_cancelled_error())
        else:
            outer.set_result(results)

    for future in dict.fromkeys(known.values()):
        future.add_done_callback(ended)
    return outer


async def wait(fs, *, timeout=None, return_when=ALL_COMPLETED):
    """The sets of those that ended and of the others."""
    if futures.isfuture(fs) or coroutines.iscoroutine(fs):
        raise TypeError(f"expect a list of futures, not {type(fs).__name__}")
    if not fs:
        raise ValueError("Set of Tasks/Futures is empty.")
    if return_when not in (FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED):
        raise ValueError(f"Invalid return_when value: {return_when}")
    fs = set(fs)
    if any(coroutines.iscoroutine(one) for one in fs):
        raise TypeError("Passing coroutines is forbidden, use tasks explicitly.")
    return await _wait(fs, timeout, return_when, events.get_running_loop())


async def _wait(fs, timeout, return_when, loop):
    def is_enough():
        ended = [one for one in fs if one.done()]
        return (len(ended) == len(fs) or (return_when == FIRST_COMPLETED and bool(ended))
                or (return_when == FIRST_EXCEPTION and any(not one.cancelled() and one._exception is not None for one in ended)))

    if not is_enough():
        waiter = loop.create_future()
        timer = None if timeout is None else loop.call_later(timeout, lambda: waiter.done() or waiter.set_result(None))

        def look(_):
            if is_enough() and not waiter.done():
                waiter.set_result(None)

        for one in fs:
            one.add_done_callback(look)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()
            for one in fs:
                one.remove_done_callback(look)
    return {one for one in fs if one.done()}, {one for one in fs if not one.done()}


async def wait_for(fut, timeout):
    """The result, or TimeoutError after `timeout` seconds; then it is cancelled."""
    from asyncio import timeouts
    if timeout is not None and timeout <= 0:
        fut = ensure_future(fut)
        if fut.done():
            return fut.result()
        fut.cancel()
        try:
            await fut
        except exceptions.CancelledError as error:
            raise TimeoutError from error
        return fut.result()
    async with timeouts.timeout(timeout):
        return await fut


def shield(arg):
    """Waits for it, but is cancelled alone."""
    inner = ensure_future(arg)
    if inner.done():
        return inner
    outer = inner.get_loop().create_future()

    def ended(future):
        if outer.cancelled():
            if not future.cancelled():
                future.exception()
        else:
            futures._copy_state(future, outer)

    inner.add_done_callback(ended)
    outer.add_done_callback(lambda _: inner.done() or inner.remove_done_callback(ended))
    return outer


class _Completed:
    """Of as_completed(): futures as they end, by `for` or `async for`."""

    def __init__(self, fs, timeout):
        from asyncio.queues import Queue
        self._loop = events.get_event_loop()
        self._todo = {ensure_future(one, loop=self._loop) for one in fs}
        self._left = len(self._todo)
        self._done = Queue()
        for one in self._todo:
            one.add_done_callback(self._ended)
        self._timer = self._loop.call_later(timeout, self._late) if self._todo and timeout is not None else None

    def _ended(self, future):
        if future not in self._todo:
            return
        self._todo.remove(future)
        self._done.put_nowait(future)
        if not self._todo and self._timer is not None:
            self._timer.cancel()

    def _late(self):
        for one in self._todo:
            one.remove_done_callback(self._ended)
            self._done.put_nowait(None)
        self._todo.clear()

    async def _next(self, resolves):
        future = await self._done.get()
        if future is None:
            raise exceptions.TimeoutError
        return future.result() if resolves else future

    def __iter__(self):
        return self

    def __next__(self):
        if not self._left:
            raise StopIteration
        self._left -= 1
        return self._next(True)

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self._left:
            raise StopAsyncIteration
        self._left -= 1
        return await self._next(False)


def as_completed(fs, *, timeout=None):
    """Awaitables of the results in the order in which they come."""
    if futures.isfuture(fs) or coroutines.iscoroutine(fs):
        raise TypeError(f"expect an iterable of futures, not {type(fs).__name__}")
    return _Completed(set(fs), timeout)


def run_coroutine_threadsafe(coro, loop):
    """Lets a loop run a coroutine; the future is one of concurrent.futures."""
    if not coroutines.iscoroutine(coro):
        raise TypeError("A coroutine object is required")
    future = concurrent.futures.Future()

    def ended(task):
        if task.cancelled():
            future.cancel()
        elif task.exception() is not None:
            future.set_exception(task.exception())
        else:
            future.set_result(task.result())

    loop.call_soon_threadsafe(lambda: ensure_future(coro, loop=loop).add_done_callback(ended))
    return future
