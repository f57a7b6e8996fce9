"""What coroutines wait for each other with. Behaviour: CPython Lib/asyncio/locks.py."""
import collections

from asyncio import events, exceptions


class _Context:
    async def __aenter__(self):
        await self.acquire()

    async def __aexit__(self, exc_type, exc, tb):
        self.release()


async def _stand(waiters):
    """Waits at the end of a queue until somebody wakes it."""
    future = events.get_running_loop().create_future()
    waiters.append(future)
    try:
        await future
    finally:
        waiters.remove(future)


def _wake_one(waiters):
    for future in waiters:
        if not future.done():
            future.set_result(True)
            return


class Lock(_Context):
    """One holder at a time."""

    def __init__(self):
        self._waiters, self._locked = collections.deque(), False

    def __repr__(self):
        waits = f", waiters:{len(self._waiters)}" if self._waiters else ""
        return f"<asyncio.locks.Lock object at {id(self):#x} [{'locked' if self._locked else 'unlocked'}{waits}]>"

    def locked(self):
        return self._locked

    async def acquire(self):
        if not self._locked and all(one.cancelled() for one in self._waiters):
            self._locked = True
            return True
        try:
            await _stand(self._waiters)
        except exceptions.CancelledError:
            if not self._locked:
                _wake_one(self._waiters)
            raise
        self._locked = True
        return True

    def release(self):
        if not self._locked:
            raise RuntimeError("Lock is not acquired.")
        self._locked = False
        _wake_one(self._waiters)


class Event:
    """A flag to wait for."""

    def __init__(self):
        self._waiters, self._value = collections.deque(), False

    def __repr__(self):
        waits = f", waiters:{len(self._waiters)}" if self._waiters else ""
        return f"<asyncio.locks.Event object at {id(self):#x} [{'set' if self._value else 'unset'}{waits}]>"

    def is_set(self):
        return self._value

    def set(self):
        if not self._value:
            self._value = True
            for future in self._waiters:
                if not future.done():
                    future.set_result(True)

    def clear(self):
        self._value = False

    async def wait(self):
        if not self._value:
            await _stand(self._waiters)
        return True


class Condition(_Context):
    """A lock whose holder can wait for a notice."""

    def __init__(self, lock=None):
        self._lock = Lock() if lock is None else lock
        self.locked, self.acquire, self.release = self._lock.locked, self._lock.acquire, self._lock.release
        self._waiters = collections.deque()

    async def wait(self):
        if not self.locked():
            raise RuntimeError("cannot wait on un-acquired lock")
        self.release()
        cancelled = None
        try:
            await _stand(self._waiters)
            return True
        finally:
            # Whoever waits comes back with the lock, also when it is cancelled meanwhile.
            while True:
                try:
                    await self.acquire()
                    break
                except exceptions.CancelledError as error:
                    cancelled = error
            if cancelled is not None:
                raise cancelled

    async def wait_for(self, predicate):
        result = predicate()
        while not result:
            await self.wait()
            result = predicate()
        return result

    def notify(self, n=1):
        if not self.locked():
            raise RuntimeError("cannot notify on un-acquired lock")
        for future in [one for one in self._waiters if not one.done()][:n]:
            future.set_result(False)

    def notify_all(self):
        self.notify(len(self._waiters))


class Semaphore(_Context):
    """So many holders at a time."""

    def __init__(self, value=1):
        if value < 0:
            raise ValueError("Semaphore initial value must be >= 0")
        self._waiters, self._value = collections.deque(), value

    def __repr__(self):
        state = "locked" if self.locked() else f"unlocked, value:{self._value}"
        waits = f", waiters:{len(self._waiters)}" if self._waiters else ""
        return f"<asyncio.locks.{type(self).__name__} object at {id(self):#x} [{state}{waits}]>"

    def locked(self):
        return self._value == 0 or any(not one.cancelled() for one in self._waiters)

    async def acquire(self):
        if not self.locked():
            self._value -= 1
            return True
        future = events.get_running_loop().create_future()
        self._waiters.append(future)
        try:
            try:
                await future
            finally:
                self._waiters.remove(future)
        except exceptions.CancelledError:
            if future.done() and not future.cancelled():
                self._value += 1
            raise
        finally:
            self._hand_on()
        return True

    def _hand_on(self):
        while self._value > 0:
            for future in self._waiters:
                if not future.done():
                    self._value -= 1
                    future.set_result(True)
                    break
            else:
                return

    def release(self):
        self._value += 1
        self._hand_on()


class BoundedSemaphore(Semaphore):
    """Refuses to be released more often than it was acquired."""

    def __init__(self, value=1):
        self._bound_value = value
        super().__init__(value)

    def release(self):
        if self._value >= self._bound_value:
            raise ValueError("BoundedSemaphore released too many times")
        super().release()


class Barrier:
    """Lets `parties` tasks go on together."""

    def __init__(self, parties):
        if parties < 1:
            raise ValueError("parties must be >= 1")
        self._cond, self._parties, self._count = Condition(), parties, 0
        self._state = "filling"

    parties = property(lambda self: self._parties)
    n_waiting = property(lambda self: self._count if self._state == "filling" else 0)
    broken = property(lambda self: self._state == "broken")

    async def __aenter__(self):
        return await self.wait()

    async def __aexit__(self, *args):
        pass

    async def wait(self):
        async with self._cond:
            await self._cond.wait_for(lambda: self._state not in ("draining", "resetting"))
            if self._state == "broken":
                raise exceptions.BrokenBarrierError("Barrier aborted")
            index = self._count
            self._count += 1
            try:
                if index + 1 == self._parties:
                    self._state = "draining"
                    self._cond.notify_all()
                else:
                    await self._cond.wait_for(lambda: self._state != "filling")
                    if self._state in ("broken", "resetting"):
                        raise exceptions.BrokenBarrierError("Abort or reset of barrier")
                return index
            finally:
                self._count -= 1
                if self._count == 0:
                    if self._state in ("resetting", "draining"):
                        self._state = "filling"
                    self._cond.notify_all()

    async def reset(self):
        async with self._cond:
            if self._count > 0:
                if self._state != "resetting":
                    self._state = "resetting"
            else:
                self._state = "filling"
            self._cond.notify_all()

    async def abort(self):
        async with self._cond:
            self._state = "broken"
            self._cond.notify_all()
