"""Tasks that end together. Behaviour: CPython Lib/asyncio/taskgroups.py."""
from asyncio import events, exceptions, tasks


class TaskGroup:
    """Waits for its tasks at the end; if one fails the others are cancelled."""

    def __init__(self):
        self._entered = self._exiting = self._aborting = False
        self._loop = self._parent = self._on_completed = self._base_error = None
        self._parent_cancel_requested = False
        self._tasks, self._errors = set(), []

    def __repr__(self):
        told = [""]
        if self._tasks:
            told.append(f"tasks={len(self._tasks)}")
        if self._errors:
            told.append(f"errors={len(self._errors)}")
        if self._aborting:
            told.append("cancelling")
        elif self._entered:
            told.append("entered")
        return f"<TaskGroup{' '.join(told)}>"

    async def __aenter__(self):
        if self._entered:
            raise RuntimeError(f"TaskGroup {self!r} has already been entered")
        self._loop = events.get_running_loop()
        self._parent = tasks.current_task(self._loop)
        if self._parent is None:
            raise RuntimeError(f"TaskGroup {self!r} cannot determine the parent task")
        self._entered = True
        return self

    async def __aexit__(self, et, exc, tb):
        self._exiting = True
        if et is not None and issubclass(et, (SystemExit, KeyboardInterrupt)):
            self._base_error = exc
        propagated = exc if et is not None and issubclass(et, exceptions.CancelledError) else None
        if self._parent_cancel_requested and self._parent.uncancel() == 0:
            propagated = None
        if et is not None and not self._aborting:
            self._abort()
        while self._tasks:
            self._on_completed = self._loop.create_future()
            try:
                await self._on_completed
            except exceptions.CancelledError as error:
                if not self._aborting:
                    propagated = error
                    self._abort()
            self._on_completed = None
        if self._base_error is not None:
            raise self._base_error
        if propagated is not None and not self._errors:
            raise propagated
        if et is not None and not issubclass(et, exceptions.CancelledError):
            self._errors.append(exc)
        if self._errors:
            if self._parent.cancelling() and self._parent_cancel_requested:
                self._parent.uncancel()
            raise BaseExceptionGroup("unhandled errors in a TaskGroup", self._errors) from None

    def create_task(self, coro, *, name=None, context=None, **kwargs):
        if not self._entered:
            coro.close()
            raise RuntimeError(f"TaskGroup {self!r} has not been entered")
        if (self._exiting and not self._tasks) or self._aborting:
            coro.close()
            raise RuntimeError(f"TaskGroup {self!r} is {'shutting down' if self._aborting else 'finished'}")
        task = self._loop.create_task(coro, name=name, context=context, **kwargs)
        if not task.done():
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return task

    def _abort(self):
        self._aborting = True
        for task in self._tasks:
            if not task.done():
                task.cancel()

    def _ended(self, task):
        self._tasks.discard(task)
        if self._on_completed is not None and not self._tasks and not self._on_completed.done():
            self._on_completed.set_result(True)
        if task.cancelled() or task.exception() is None:
            return
        error = task.exception()
        self._errors.append(error)
        if isinstance(error, (SystemExit, KeyboardInterrupt)) and self._base_error is None:
            self._base_error = error
        if self._parent.done() or self._aborting:
            return
        self._abort()
        if not self._parent_cancel_requested and not self._exiting:
            self._parent_cancel_requested = True
            self._parent.cancel()
