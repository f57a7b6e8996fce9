"""Queues between coroutines. Behaviour: CPython Lib/asyncio/queues.py."""
import collections
import heapq

from asyncio import locks
from asyncio.exceptions import QueueEmpty, QueueFull, QueueShutDown
from _generics import GenericAlias


class Queue:
    """First in, first out; a `maxsize` of 0 or less has no limit."""

    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, maxsize=0):
        self._maxsize = maxsize
        self._getters, self._putters = collections.deque(), collections.deque()
        self._unfinished, self._finished = 0, locks.Event()
        self._finished.set()
        self._is_shutdown = False
        self._init(maxsize)

    def _init(self, maxsize):
        self._queue = collections.deque()

    def _get(self):
        return self._queue.popleft()

    def _put(self, item):
        self._queue.append(item)

    def __repr__(self):
        told = f"maxsize={self._maxsize!r}"
        if self._queue:
            told += f" _queue={list(self._queue)!r}"
        if self._unfinished:
            told += f" tasks={self._unfinished}"
        return f"<{type(self).__name__} at {id(self):#x} {told}>"

    def qsize(self):
        return len(self._queue)

    maxsize = property(lambda self: self._maxsize)

    def empty(self):
        return not self._queue

    def full(self):
        return 0 < self._maxsize <= self.qsize()

    async def put(self, item):
        while self.full():
            if self._is_shutdown:
                raise QueueShutDown
            await self._stand(self._putters, lambda: not self.full())
        return self.put_nowait(item)

    def put_nowait(self, item):
        if self._is_shutdown:
            raise QueueShutDown
        if self.full():
            raise QueueFull
        self._put(item)
        self._unfinished += 1
        self._finished.clear()
        locks._wake_one(self._getters)

    async def get(self):
        while self.empty():
            if self._is_shutdown:
                raise QueueShutDown
            await self._stand(self._getters, lambda: not self.empty())
        return self.get_nowait()

    def get_nowait(self):
        if self.empty():
            if self._is_shutdown:
                raise QueueShutDown
            raise QueueEmpty
        item = self._get()
        locks._wake_one(self._putters)
        return item

    async def _stand(self, waiters, can_go_on):
        try:
            await locks._stand(waiters)
        except BaseException:
            # It was woken and does not go on: the next one is.
            if can_go_on():
                locks._wake_one(waiters)
            raise

    def task_done(self):
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if self._unfinished == 0:
            self._finished.set()

    async def join(self):
        if self._unfinished > 0:
            await self._finished.wait()

    def shutdown(self, immediate=False):
        self._is_shutdown = True
        if immediate:
            while not self.empty():
                self._get()
                if self._unfinished > 0:
                    self.task_done()
        for waiters in (self._getters, self._putters):
            for future in list(waiters):
                if not future.done():
                    future.set_result(None)


class PriorityQueue(Queue):
    """The least first."""

    def _init(self, maxsize):
        self._queue = []

    def _put(self, item):
        heapq.heappush(self._queue, item)

    def _get(self):
        return heapq.heappop(self._queue)


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize):
        self._queue = []

    def _get(self):
        return self._queue.pop()
