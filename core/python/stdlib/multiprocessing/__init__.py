"""Processes, which are refused by their names; what needs none is here. Behaviour: CPython Lib/multiprocessing.

Locks, events, queues and values are those of threads, which take turns (module threading); Pool and Process raise.
torch.multiprocessing.spawn starts processes."""
import os as _os
import sys as _sys
import threading as _threading
from queue import Queue as _Queue, SimpleQueue as _SimpleQueue

from threading import Barrier, BoundedSemaphore, Condition, Event, Lock, RLock, Semaphore

_methods = ("fork", "spawn", "forkserver")
_method = None


class ProcessError(Exception):
    """What goes wrong with processes."""


class BufferTooShort(ProcessError):
    """A message does not fit."""


class TimeoutError(ProcessError):
    """It was not there in time."""


class AuthenticationError(ProcessError):
    """The other side is not known."""


def cpu_count():
    return _os.cpu_count() or 1


def _refuse(name):
    raise NotImplementedError(f"multiprocessing.{name}: nnscope starts no processes for it; "
                              "multiprocessing.pool.ThreadPool and threads run in turns, torch.multiprocessing.spawn "
                              "starts ranks")


class Process:
    """A function in a process of its own: it can be made and is refused when it starts."""

    _identity = ()

    def __init__(self, group=None, target=None, name=None, args=(), kwargs={}, *, daemon=None):
        if group is not None:
            raise AssertionError("group argument must be None for now")
        self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs)
        self.name = name or f"{type(self).__name__}-1"
        self.daemon = bool(daemon)
        self.exitcode = self.pid = None
        self.authkey = b""

    def run(self):
        if self._target:
            self._target(*self._args, **self._kwargs)

    def start(self):
        _refuse("Process")

    def is_alive(self):
        return False

    def join(self, timeout=None):
        raise AssertionError("can only join a started process")

    def terminate(self):
        raise AttributeError("'NoneType' object has no attribute 'terminate'")

    kill = terminate

    def close(self):
        pass

    def __repr__(self):
        return f"<{type(self).__name__} name={self.name!r} parent={_os.getpid()} initial>"


class _MainProcess(Process):
    def __init__(self):
        self.name, self.daemon, self.exitcode, self.authkey = "MainProcess", False, None, b""
        self.pid = _os.getpid()

    ident = property(lambda self: self.pid)

    def is_alive(self):
        return True

    def __repr__(self):
        return "<_MainProcess name='MainProcess' parent=None started>"


_main = _MainProcess()


def current_process():
    return _main


def parent_process():
    return None


def active_children():
    return []


def freeze_support():
    pass


def get_start_method(allow_none=False):
    return _method if _method is not None or allow_none else "forkserver"


def set_start_method(method, force=False):
    global _method
    if _method is not None and not force:
        raise RuntimeError("context has already been set")
    if method is not None and method not in _methods:
        raise ValueError(f"cannot find context for {method!r}")
    _method = method


def get_all_start_methods():
    return ["forkserver", "spawn", "fork"]


def get_context(method=None):
    if method is not None and method not in _methods:
        raise ValueError(f"cannot find context for {method!r}")
    return _sys.modules[__name__]


class JoinableQueue(_Queue):
    """A queue between threads."""

    def close(self):
        pass

    def join_thread(self):
        pass

    cancel_join_thread = join_thread


class Queue(JoinableQueue):
    """A queue between threads."""


class SimpleQueue(_SimpleQueue):
    """A queue between threads."""

    def close(self):
        pass


class _End:
    """One end of a pipe."""

    def __init__(self, takes, gives):
        self._takes, self._gives, self.closed = takes, gives, False

    readable, writable = property(lambda self: self._takes is not None), property(lambda self: self._gives is not None)

    def send(self, obj):
        if self._gives is None:
            raise OSError("connection is read-only")
        self._gives.put(obj)

    def recv(self):
        if self._takes is None:
            raise OSError("connection is write-only")
        return self._takes.get()

    send_bytes, recv_bytes = send, recv

    def poll(self, timeout=0.0):
        return _threading._wait(lambda: not self._takes.empty(), timeout)

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.close()


def Pipe(duplex=True):
    there, back = _SimpleQueue(), _SimpleQueue()
    if duplex:
        return _End(back, there), _End(there, back)
    return _End(there, None), _End(None, there)


_TYPES = {"c": "c", "b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "l", "L": "L", "q": "q", "Q": "Q",
          "f": "f", "d": "d"}


class _Value:
    """One number that threads share."""

    def __init__(self, typecode, value, lock):
        import array
        self._array = array.array(typecode, [value])
        self._lock = lock

    @property
    def value(self):
        return self._array[0]

    @value.setter
    def value(self, given):
        self._array[0] = given

    def get_lock(self):
        return self._lock

    def get_obj(self):
        return self

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *given):
        return self._lock.__exit__(*given)


def _typecode_of(given):
    if isinstance(given, str) and given in _TYPES:
        return given
    raise NotImplementedError(f"multiprocessing.Value: nnscope has the types {' '.join(_TYPES)}, not {given!r}")


def Value(typecode_or_type, *args, lock=True):
    if len(args) > 1:
        raise TypeError("a number has one value")
    return _Value(_typecode_of(typecode_or_type), args[0] if args else 0, RLock() if lock in (True, False) else lock)


def RawValue(typecode_or_type, *args):
    return Value(typecode_or_type, *args)


def Array(typecode_or_type, size_or_initializer, *, lock=True):
    import array
    given = size_or_initializer
    made = array.array(_typecode_of(typecode_or_type), [0] * given if isinstance(given, int) else given)
    return made


RawArray = Array


def Pool(processes=None, initializer=None, initargs=(), maxtasksperchild=None):
    _refuse("Pool")


def Manager():
    _refuse("Manager")


def get_logger():
    import logging
    return logging.getLogger("multiprocessing")


def log_to_stderr(level=None):
    import logging
    logger = get_logger()
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("[%(levelname)s/%(processName)s] %(message)s"))
    logger.addHandler(handler)
    if level:
        logger.setLevel(level)
    return logger
