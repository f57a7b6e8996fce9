"""Who runs, who waits, and for what: what module threading stands on. Behaviour: CPython Lib/threading.py.

Differs: where all threads wait for each other RuntimeError says so instead of a program that hangs; who waits inside of
a call that C++ makes (a forward, a hook, the key of sorted()) lets others run on top of itself, so what it waits for
must not be something that only a thread below it can do.
"""
import itertools as _itertools
import time as _time
import warnings as _warnings

import _turns

TIMEOUT_MAX = 9223372036.0
_ident = _itertools.count(140000000000000, 4096)


class _Registry:
    """Who runs, and who could."""

    def __init__(self):
        self.main = self.current = None
        # Threads that were started and have not ended, the oldest first, without the main one.
        self.alive = []
        self.threads = {}


_registry = _Registry()


def _now():
    return _time.monotonic()


def _is_ready(thread):
    return thread._waits_for is None or thread._waits_for() or (thread._until is not None and _now() >= thread._until)


def _give_turn(thread):
    """Lets a thread run until it pauses or ends."""
    before = _registry.current
    _registry.current = thread
    thread._has_turn = True
    try:
        if _turns.run(thread._turns):
            thread._turns = None
            _forget(thread)
    except BaseException:
        thread._turns = None
        _forget(thread)
        raise
    finally:
        thread._has_turn = False
        _registry.current = before


def _forget(thread):
    thread._is_stopped = True
    if thread in _registry.alive:
        _registry.alive.remove(thread)
    _registry.threads.pop(thread._ident, None)


def _let_others_run():
    """A turn for each other thread that can run. False if there was none."""
    ran = False
    for thread in list(_registry.alive):
        if not thread._has_turn and thread._turns is not None and _is_ready(thread):
            _give_turn(thread)
            ran = True
    return ran


def _next_deadline():
    times = [thread._until for thread in _registry.alive if not thread._has_turn and thread._until is not None]
    return min(times, default=None)


def _wait(is_ready, timeout=None):
    """Waits until is_ready() gives True; False if `timeout` seconds pass before."""
    until = None if timeout is None else _now() + timeout
    me = _registry.current
    while not is_ready():
        if until is not None and _now() >= until:
            return False
        if me is not None:
            me._waits_for, me._until = is_ready, until
            if _turns.pause():
                # Here the turn is over; this statement is the first of the next one.
                me._waits_for = me._until = None
                continue
            me._waits_for = me._until = None
        if _let_others_run() or is_ready():
            continue
        wake = [at for at in (until, _next_deadline()) if at is not None]
        if not wake:
            raise RuntimeError("deadlock: every thread waits for another one, and nnscope runs threads in turns")
        _time._sleep(max(0.0, min(wake) - _now()))
    return True


def _sleep(seconds):
    """time.sleep() where there are threads: others run meanwhile."""
    if seconds == 0:
        _yield()
        return None
    _wait(lambda: False, seconds)


def _yield():
    if _registry.current is None or not _turns.pause():
        _let_others_run()


def _yield_if_threads():
    if _registry.alive:
        _yield()


def get_ident():
    """The number of the thread that runs."""
    return (_registry.main if _registry.current is None else _registry.current)._ident


def _seconds_of(blocking, timeout):
    if not blocking and timeout not in (-1, None):
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout is None or timeout == -1:
        return None
    if timeout < 0:
        raise ValueError("timeout value must be a non-negative number")
    if timeout > TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")
    return timeout


class lock:
    """threading.Lock: whoever holds it, anybody may release it."""

    __slots__ = ("_is_held", "__weakref__")

    def __init__(self):
        self._is_held = False

    def acquire(self, blocking=True, timeout=-1):
        seconds = _seconds_of(blocking, timeout)
        if self._is_held and (not blocking or not _wait(lambda: not self._is_held, seconds)):
            return False
        self._is_held = True
        return True

    acquire_lock = acquire

    def release(self):
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        self._is_held = False

    release_lock = release

    def locked(self):
        return self._is_held

    locked_lock = locked

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()

    def _at_fork_reinit(self):
        self._is_held = False

    def __repr__(self):
        return f"<{'locked' if self._is_held else 'unlocked'} _thread.lock object at {id(self):#x}>"


lock.__module__ = "_thread"
Lock = lock


class RLock:
    """A lock that its owner may take again."""

    def __init__(self):
        self._owner, self._count = None, 0

    def acquire(self, blocking=True, timeout=-1):
        seconds = _seconds_of(blocking, timeout)
        me = get_ident()
        if self._owner not in (None, me):
            if not blocking or not _wait(lambda: self._owner is None, seconds):
                return False
        self._owner = me
        self._count += 1
        return True

    def release(self):
        if self._owner != get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if self._count == 0:
            self._owner = None

    def locked(self):
        return self._owner is not None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()

    def _is_owned(self):
        return self._owner == get_ident()

    def _release_save(self):
        if self._count == 0:
            raise RuntimeError("cannot release un-acquired lock")
        state = self._count, self._owner
        self._count, self._owner = 0, None
        return state

    def _acquire_restore(self, state):
        _wait(lambda: self._owner is None)
        self._count, self._owner = state

    def __repr__(self):
        return (f"<{'unlocked' if self._owner is None else 'locked'} _thread.RLock object owner={self._owner or 0} "
                f"count={self._count} at {id(self):#x}>")


RLock.__module__ = "_thread"


class Condition:
    """Waits until another thread says that something has changed."""

    def __init__(self, lock=None):
        self._lock = RLock() if lock is None else lock
        self.acquire, self.release = self._lock.acquire, self._lock.release
        self._waiters = []

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *given):
        return self._lock.__exit__(*given)

    def locked(self):
        return self._lock.locked()

    def _is_owned(self):
        if hasattr(self._lock, "_is_owned"):
            return self._lock._is_owned()
        return self._lock.locked()

    def wait(self, timeout=None):
        if not self._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        ticket = [False]
        self._waiters.append(ticket)
        is_recursive = hasattr(self._lock, "_release_save")
        if is_recursive:
            state = self._lock._release_save()
        else:
            self._lock.release()
        told = False
        try:
            told = _wait(lambda: ticket[0], timeout)
        finally:
            if is_recursive:
                self._lock._acquire_restore(state)
            else:
                self._lock.acquire()
            if not told and ticket in self._waiters:
                self._waiters.remove(ticket)
        return told

    def wait_for(self, predicate, timeout=None):
        until = None if timeout is None else _now() + timeout
        result = predicate()
        while not result:
            left = None if until is None else until - _now()
            if left is not None and left <= 0:
                break
            self.wait(left)
            result = predicate()
        return result

    def notify(self, n=1):
        if not self._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        for ticket in self._waiters[:n]:
            ticket[0] = True
        del self._waiters[:n]

    def notify_all(self):
        self.notify(len(self._waiters))

    def notifyAll(self):
        _warnings.warn("notifyAll() is deprecated, use notify_all() instead", DeprecationWarning, stacklevel=2)
        self.notify_all()

    def __repr__(self):
        return f"<Condition({self._lock}, {len(self._waiters)})>"


class Semaphore:
    """A number of permissions, each of which one thread holds at a time."""

    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        if self._value == 0 and (not blocking or not _wait(lambda: self._value > 0, timeout)):
            return False
        self._value -= 1
        return True

    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        self._value += n

    def __enter__(self):
        return self.acquire()

    def __exit__(self, kind, value, trace):
        self.release()

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} at {id(self):#x}: value={self._value}>"


class BoundedSemaphore(Semaphore):
    """A semaphore that nobody releases more often than it was acquired."""

    def __init__(self, value=1):
        super().__init__(value)
        self._initial_value = value

    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        if self._value + n > self._initial_value:
            raise ValueError("Semaphore released too many times")
        self._value += n

    def __repr__(self):
        return (f"<{type(self).__module__}.{type(self).__qualname__} at {id(self):#x}: "
                f"value={self._value}/{self._initial_value}>")


class Event:
    """A flag that threads wait for."""

    def __init__(self):
        self._flag = False

    def is_set(self):
        if not self._flag:
            # A loop that asks until another thread sets it lets that one run.
            _yield_if_threads()
        return self._flag

    def isSet(self):
        _warnings.warn("isSet() is deprecated, use is_set() instead", DeprecationWarning, stacklevel=2)
        return self.is_set()

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        return _wait(lambda: self._flag, timeout)

    def __repr__(self):
        status = "set" if self._flag else "unset"
        return f"<{type(self).__module__}.{type(self).__qualname__} at {id(self):#x}: {status}>"


class BrokenBarrierError(RuntimeError):
    """A barrier was reset or aborted while somebody waited at it."""


class Barrier:
    """A place that a number of threads leave together."""

    def __init__(self, parties, action=None, timeout=None):
        if parties < 1:
            raise ValueError("parties must be > 0")
        self._parties, self._action, self._timeout = parties, action, timeout
        self._count, self._round, self._is_broken = 0, 0, False
        self._broken_rounds = set()

    def wait(self, timeout=None):
        if timeout is None:
            timeout = self._timeout
        if self._is_broken:
            raise BrokenBarrierError
        index, mine = self._count, self._round
        self._count += 1
        if self._count == self._parties:
            try:
                if self._action:
                    self._action()
            except BaseException:
                self.abort()
                raise
            self._count = 0
            self._round += 1
            return index
        if not _wait(lambda: self._round != mine or self._is_broken, timeout):
            self.abort()
            raise BrokenBarrierError
        if self._is_broken or mine in self._broken_rounds:
            raise BrokenBarrierError
        return index

    def reset(self):
        if self._count:
            self._broken_rounds.add(self._round)
        self._count, self._is_broken = 0, False
        self._round += 1

    def abort(self):
        self._is_broken = True

    @property
    def parties(self):
        return self._parties

    @property
    def n_waiting(self):
        return self._count

    @property
    def broken(self):
        return self._is_broken

    def __repr__(self):
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        if self.broken:
            return f"<{name} at {id(self):#x}: broken>"
        return f"<{name} at {id(self):#x}: waiters={self.n_waiting}/{self.parties}>"
