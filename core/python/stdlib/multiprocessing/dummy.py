"""Threads under the names of processes. Behaviour: CPython Lib/multiprocessing/dummy."""
from threading import (Barrier, BoundedSemaphore, Condition, Event, Lock, RLock, Semaphore, Thread as Process,
                       current_thread as current_process)
from queue import Queue

from multiprocessing.pool import ThreadPool

JoinableQueue = Queue


def Pool(processes=None, initializer=None, initargs=()):
    return ThreadPool(processes, initializer, initargs)
