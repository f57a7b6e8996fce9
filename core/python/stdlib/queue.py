"""Queues between threads. Behaviour: CPython Lib/queue.py. Threads take turns (module threading)."""
from collections import deque as _deque
from heapq import heappop as _heappop, heappush as _heappush

from threading import _wait


class Empty(Exception):
    """Nothing is in the queue."""


class Full(Exception):
    """Nothing more goes into the queue."""


class ShutDown(Exception):
    """The queue was shut down."""


Empty.__module__ = "_queue"


class Queue:
    """First in, first out; a `maxsize` of 0 or less has no limit."""

    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.is_shutdown = False
        self._init(maxsize)

    def _init(self, maxsize):
        self.queue = _deque()

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    def qsize(self):
        return self._qsize()

    def empty(self):
        return not self._qsize()

    def full(self):
        return 0 < self.maxsize <= self._qsize()

    def put(self, item, block=True, timeout=None):
        if self.is_shutdown:
            raise ShutDown
        if self.full():
            if not block:
                raise Full
            if timeout is not None and timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            if not _wait(lambda: not self.full() or self.is_shutdown, timeout):
                raise Full
            if self.is_shutdown:
                raise ShutDown
        self._put(item)
        self.unfinished_tasks += 1

    def put_nowait(self, item):
        return self.put(item, block=False)

    def get(self, block=True, timeout=None):
        if not self._qsize():
            if self.is_shutdown:
                raise ShutDown
            if not block:
                raise Empty
            if timeout is not None and timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            if not _wait(lambda: self._qsize() or self.is_shutdown, timeout):
                raise Empty
            if not self._qsize():
                raise ShutDown
        return self._get()

    def get_nowait(self):
        return self.get(block=False)

    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self):
        _wait(lambda: self.unfinished_tasks == 0)

    def shutdown(self, immediate=False):
        self.is_shutdown = True
        if immediate:
            while self._qsize():
                self._get()
                if self.unfinished_tasks > 0:
                    self.unfinished_tasks -= 1


class PriorityQueue(Queue):
    """The smallest comes first."""

    def _init(self, maxsize):
        self.queue = []

    def _put(self, item):
        _heappush(self.queue, item)

    def _get(self):
        return _heappop(self.queue)


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize):
        self.queue = []

    def _get(self):
        return self.queue.pop()


class SimpleQueue:
    """First in, first out, without a limit and without tasks."""

    def __init__(self):
        self._queue = _deque()

    def put(self, item, block=True, timeout=None):
        self._queue.append(item)

    def put_nowait(self, item):
        self._queue.append(item)

    def get(self, block=True, timeout=None):
        if not self._queue:
            if timeout is not None and timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            if not block or not _wait(lambda: self._queue, timeout):
                raise Empty
        return self._queue.popleft()

    def get_nowait(self):
        return self.get(block=False)

    def empty(self):
        return not self._queue

    def qsize(self):
        return len(self._queue)


SimpleQueue.__module__ = "_queue"
