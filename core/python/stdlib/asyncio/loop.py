"""The loop: calls what is ready, and waits for what is due. Behaviour: CPython Lib/asyncio/base_events.py."""
import heapq
import logging
import sys
import time
import weakref
from collections import deque

from threading import _wait

from asyncio import events, futures, tasks


class BaseEventLoop(events.AbstractEventLoop):
    """Runs callbacks, and with them tasks, one after the other."""

    def __init__(self):
        self._ready, self._scheduled = deque(), []
        self._stopping = self._closed = self._running = False
        self._debug = False
        self._exception_handler = self._task_factory = self._default_executor = None
        # Calls of threads whose end the loop waits for.
        self._outside = 0
        self._asyncgens = weakref.WeakSet()

    def __repr__(self):
        return f"<{type(self).__name__} running={self._running} closed={self._closed} debug={self._debug}>"

    def time(self):
        return time.monotonic()

    def is_running(self):
        return self._running

    def is_closed(self):
        return self._closed

    def get_debug(self):
        return self._debug

    def set_debug(self, enabled):
        self._debug = enabled

    def _check_closed(self):
        if self._closed:
            raise RuntimeError("Event loop is closed")

    def _check_running(self):
        if self._running:
            raise RuntimeError("This event loop is already running")
        if events._get_running_loop() is not None:
            raise RuntimeError("Cannot run the event loop while another loop is running")

    def create_future(self):
        return futures.Future(loop=self)

    def create_task(self, coro, *, name=None, context=None, **kwargs):
        self._check_closed()
        if self._task_factory is not None:
            return self._task_factory(self, coro, name=name, context=context, **kwargs)
        return tasks.Task(coro, loop=self, name=name, context=context, **kwargs)

    def set_task_factory(self, factory):
        if factory is not None and not callable(factory):
            raise TypeError("task factory must be a callable or None")
        self._task_factory = factory

    def get_task_factory(self):
        return self._task_factory

    def call_soon(self, callback, *args, context=None):
        self._check_closed()
        handle = events.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    # Threads take turns, and the loop looks at what is ready whenever it has one.
    call_soon_threadsafe = call_soon

    def call_later(self, delay, callback, *args, context=None):
        if delay is None:
            raise TypeError("delay must not be None")
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when, callback, *args, context=None):
        if when is None:
            raise TypeError("when cannot be None")
        self._check_closed()
        timer = events.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._scheduled, timer)
        return timer

    def run_in_executor(self, executor, func, *args):
        self._check_closed()
        if executor is None:
            if self._default_executor is None:
                from concurrent.futures import ThreadPoolExecutor
                self._default_executor = ThreadPoolExecutor(thread_name_prefix="asyncio")
            executor = self._default_executor
        return futures.wrap_future(executor.submit(func, *args), loop=self)

    def set_default_executor(self, executor):
        self._default_executor = executor

    async def shutdown_default_executor(self, timeout=None):
        if self._default_executor is not None:
            self._default_executor.shutdown()
            self._default_executor = None

    async def shutdown_asyncgens(self):
        """Closes the asynchronous generators that have begun in this loop and are alive."""
        open_ones = list(self._asyncgens)
        self._asyncgens.clear()
        if not open_ones:
            return
        ends = await tasks.gather(*[one.aclose() for one in open_ones], return_exceptions=True)
        for one, end in zip(open_ones, ends):
            if isinstance(end, Exception):
                self.call_exception_handler({"message": f"an error occurred during closing of asynchronous generator {one!r}",
                                             "exception": end, "asyncgen": one})

    def _close_dropped(self, generator):
        self._asyncgens.discard(generator)
        if not self._closed:
            self.call_soon_threadsafe(self.create_task, generator.aclose())

    def run_forever(self):
        self._check_closed()
        self._check_running()
        self._running = True
        before = events._get_running_loop()
        hooks = sys.get_asyncgen_hooks()
        events._set_running_loop(self)
        sys.set_asyncgen_hooks(firstiter=self._asyncgens.add, finalizer=self._close_dropped)
        try:
            while True:
                self._run_once()
                if self._stopping:
                    break
        finally:
            self._stopping = self._running = False
            events._set_running_loop(before)
            sys.set_asyncgen_hooks(*hooks)

    def run_until_complete(self, future):
        self._check_closed()
        self._check_running()
        is_new = not futures.isfuture(future)
        future = tasks.ensure_future(future, loop=self)
        if is_new:
            # That it has not ended is an error of its own.
            future._log_destroy_pending = False

        def stop(ended):
            if not ended.cancelled() and isinstance(ended._exception, (SystemExit, KeyboardInterrupt)):
                return
            self.stop()

        future.add_done_callback(stop)
        try:
            self.run_forever()
        except BaseException:
            if is_new and future.done() and not future.cancelled():
                future.exception()
            raise
        finally:
            future.remove_done_callback(stop)
        if not future.done():
            raise RuntimeError("Event loop stopped before Future completed.")
        return future.result()

    def stop(self):
        self._stopping = True

    def close(self):
        if self._running:
            raise RuntimeError("Cannot close a running event loop")
        if self._closed:
            return
        self._closed = True
        self._ready.clear()
        self._scheduled.clear()
        if self._default_executor is not None:
            self._default_executor.shutdown(wait=False)
            self._default_executor = None

    def _run_once(self):
        while self._scheduled and self._scheduled[0]._cancelled:
            heapq.heappop(self._scheduled)
        if not self._ready and not self._stopping:
            delay = max(0.0, self._scheduled[0]._when - self.time()) if self._scheduled else None
            _wait(lambda: bool(self._ready) or self._stopping, delay)
        elif self._outside:
            # Threads have their turns though there is always something to do.
            _wait(lambda: False, 0)
        now = self.time()
        while self._scheduled and self._scheduled[0]._when <= now:
            self._ready.append(heapq.heappop(self._scheduled))
        for _ in range(len(self._ready)):
            handle = self._ready.popleft()
            if not handle._cancelled:
                handle._run()

    def set_exception_handler(self, handler):
        if handler is not None and not callable(handler):
            raise TypeError(f"A callable object or None is expected, got {handler!r}")
        self._exception_handler = handler

    def get_exception_handler(self):
        return self._exception_handler

    def default_exception_handler(self, context):
        exception = context.get("exception")
        lines = [context.get("message") or "Unhandled exception in event loop"]
        lines += [f"{key}: {context[key]!r}" for key in sorted(context) if key not in ("message", "exception")]
        details = (type(exception), exception, exception.__traceback__) if exception is not None else False
        logging.getLogger("asyncio").error("\n".join(lines), exc_info=details)

    def call_exception_handler(self, context):
        if self._exception_handler is None:
            return self.default_exception_handler(context)
        try:
            self._exception_handler(self, context)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self.default_exception_handler(
                {"message": "Unhandled error in exception handler", "exception": error, "context": context})

    def add_signal_handler(self, sig, callback, *args):
        raise NotImplementedError("asyncio: nnscope gives programs no sockets, processes or signals")

    remove_signal_handler = create_connection = create_server = add_reader = add_writer = add_signal_handler


class EventLoop(BaseEventLoop):
    """The one kind of loop that there is."""
