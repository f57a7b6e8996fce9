"""Threads, in turns on one thread. Behaviour: CPython Lib/threading.py.

A thread has frames of its own and runs from start() until it waits (for a lock, an event, a queue, sleep()), its turn
is over or it ends; then who called start() goes on. Whoever waits lets the others run. So two threads never run at
once, and a program gives the same output each time.
What differs is told in module _thread_locks.
"""
import itertools as _itertools
import sys as _sys
import warnings as _warnings

import _turns
from _thread_locks import (TIMEOUT_MAX, Barrier, BoundedSemaphore, BrokenBarrierError, Condition, Event, Lock, RLock,
                           Semaphore, _give_turn, _ident, _registry, _sleep, _wait, _yield_if_threads, get_ident, lock)

ThreadError = RuntimeError
_number = _itertools.count(1)
_stack_size = 0


class local:
    """Attributes that each thread has for itself."""

    def __init__(self, /, *args, **kwargs):
        pass

    def __new__(cls, /, *args, **kwargs):
        if (args or kwargs) and cls.__init__ is local.__init__:
            raise TypeError("Initialization arguments are not supported")
        made = super().__new__(cls)
        object.__setattr__(made, "_own", {get_ident(): {}})
        object.__setattr__(made, "_given", (args, kwargs))
        return made

    def _names(self):
        own = object.__getattribute__(self, "_own")
        me = get_ident()
        if me not in own:
            own[me] = {}
            args, kwargs = object.__getattribute__(self, "_given")
            type(self).__init__(self, *args, **kwargs)
        return own[me]

    def __getattribute__(self, name):
        if name in ("_names", "__class__"):
            return object.__getattribute__(self, name)
        names = object.__getattribute__(self, "_names")()
        if name == "__dict__":
            return names
        if name in names:
            return names[name]
        if name in ("_own", "_given"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        if name == "__dict__":
            raise AttributeError(f"'{type(self).__name__}' object attribute '__dict__' is read-only")
        self._names()[name] = value

    def __delattr__(self, name):
        names = self._names()
        if name not in names:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        del names[name]


local.__module__ = "_thread"


class ExceptHookArgs(tuple):
    """What excepthook() gets."""

    exc_type = property(lambda self: self[0])
    exc_value = property(lambda self: self[1])
    exc_traceback = property(lambda self: self[2])
    thread = property(lambda self: self[3])


def excepthook(args, /):
    """Writes the exception that ended a thread on stderr."""
    import traceback
    if args.exc_type is SystemExit:
        return
    name = args.thread.name if args.thread is not None else get_ident()
    print(f"Exception in thread {name}:", file=_sys.stderr)
    traceback.print_exception(args.exc_type, args.exc_value, args.exc_traceback, file=_sys.stderr)


__excepthook__ = excepthook


class Thread:
    """A function that runs beside the rest of the program."""

    _is_main = False

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None, context=None):
        if group is not None:
            raise AssertionError("group argument must be None for now")
        if name is None:
            name = f"Thread-{next(_number)}"
            if target is not None:
                shown = getattr(target, "__name__", None)
                if shown is not None:
                    name += f" ({shown})"
        self._name = str(name)
        self._target, self._args, self._kwargs = target, args, {} if kwargs is None else kwargs
        self._daemonic = current_thread().daemon if daemon is None else daemon
        self._context = context
        self._ident = None
        self._is_started = self._is_stopped = self._has_turn = False
        self._turns = self._waits_for = self._until = None
        self._is_initialized = True

    def start(self):
        if not getattr(self, "_is_initialized", False):
            raise RuntimeError("thread.__init__() not called")
        if self._is_started:
            raise RuntimeError("threads can only be started once")
        self._is_started = True
        self._ident = next(_ident)
        self._turns = _turns.begin(self._bootstrap_of())
        _registry.alive.append(self)
        _registry.threads[self._ident] = self
        _give_turn(self)

    def _bootstrap_of(self):
        def bootstrap():
            try:
                if self._context is not None:
                    self._context.run(self.run)
                else:
                    self.run()
            except BaseException as problem:
                excepthook(ExceptHookArgs((type(problem), problem, problem.__traceback__, self)))

        return bootstrap

    def run(self):
        try:
            if self._target is not None:
                self._target(*self._args, **self._kwargs)
        finally:
            del self._target, self._args, self._kwargs

    def join(self, timeout=None):
        if not getattr(self, "_is_initialized", False):
            raise RuntimeError("Thread.__init__() not called")
        if not self._is_started:
            raise RuntimeError("cannot join thread before it is started")
        if self is current_thread():
            raise RuntimeError("cannot join current thread")
        _wait(lambda: self._is_stopped, None if timeout is None else max(timeout, 0))

    def is_alive(self):
        if self._is_started and not self._is_stopped and self is not current_thread():
            _yield_if_threads()
        return self._is_started and not self._is_stopped

    @property
    def name(self):
        return self._name

    @name.setter
    def name(self, name):
        self._name = str(name)

    def getName(self):
        _warnings.warn("getName() is deprecated, get the name attribute instead", DeprecationWarning, stacklevel=2)
        return self.name

    def setName(self, name):
        _warnings.warn("setName() is deprecated, set the name attribute instead", DeprecationWarning, stacklevel=2)
        self.name = name

    @property
    def ident(self):
        return self._ident

    native_id = ident

    @property
    def daemon(self):
        return self._daemonic

    @daemon.setter
    def daemon(self, daemonic):
        if self._is_started:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = daemonic

    def isDaemon(self):
        _warnings.warn("isDaemon() is deprecated, get the daemon attribute instead", DeprecationWarning, stacklevel=2)
        return self.daemon

    def setDaemon(self, daemonic):
        _warnings.warn("setDaemon() is deprecated, set the daemon attribute instead", DeprecationWarning, stacklevel=2)
        self.daemon = daemonic

    def __repr__(self):
        status = "stopped" if self._is_stopped else "started" if self._is_started else "initial"
        if self._daemonic:
            status += " daemon"
        if self._ident is not None:
            status += f" {self._ident}"
        return f"<{type(self).__name__}({self._name}, {status})>"


class _MainThread(Thread):
    _is_main = True

    def __init__(self):
        self._name, self._daemonic, self._context = "MainThread", False, None
        self._ident = next(_ident)
        self._is_started, self._is_stopped, self._has_turn = True, False, True
        self._turns = self._waits_for = self._until = None
        self._is_initialized = True


class Timer(Thread):
    """Calls a function once some seconds have passed."""

    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__()
        self.interval, self.function = interval, function
        self.args = [] if args is None else args
        self.kwargs = {} if kwargs is None else kwargs
        self.finished = Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        self.finished.wait(self.interval)
        if not self.finished._flag:
            self.function(*self.args, **self.kwargs)
        self.finished.set()


_main = _registry.main = _MainThread()


def current_thread():
    return _main if _registry.current is None else _registry.current


def currentThread():
    _warnings.warn("currentThread() is deprecated, use current_thread() instead", DeprecationWarning, stacklevel=2)
    return current_thread()


def main_thread():
    return _main


get_native_id = get_ident


def enumerate():
    return [_main, *_registry.alive]


def active_count():
    return 1 + len(_registry.alive)


def activeCount():
    _warnings.warn("activeCount() is deprecated, use active_count() instead", DeprecationWarning, stacklevel=2)
    return active_count()


def settrace(func):
    raise NotImplementedError("threading.settrace: nnscope has no hooks of traces")


def setprofile(func):
    raise NotImplementedError("threading.setprofile: nnscope has no hooks of profiles")


def gettrace():
    return None


def getprofile():
    return None


def stack_size(size=0):
    """The bytes of new threads' stacks, which only CPython needs: kept and given back."""
    global _stack_size
    before = _stack_size
    if size and size < 32768:
        raise ValueError(f"size not valid: {size} bytes")
    _stack_size = size
    return before


def _shutdown():
    """Waits for threads that are no daemons: the program has ended."""
    while any(not thread._daemonic for thread in _registry.alive):
        for thread in list(_registry.alive):
            if not thread._daemonic:
                thread.join()
