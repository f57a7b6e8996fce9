"""Coroutines and the loop that runs them, on one thread. Behaviour: CPython Lib/asyncio.

Sockets, processes and signals are not there: a program of nnscope has no network; what needs them is refused by name."""
from asyncio.coroutines import iscoroutine, iscoroutinefunction
from asyncio.events import (AbstractEventLoop, AbstractEventLoopPolicy, DefaultEventLoopPolicy, Handle, TimerHandle,
                            _get_running_loop, _set_running_loop, get_event_loop, get_event_loop_policy, get_running_loop,
                            new_event_loop, set_event_loop, set_event_loop_policy)
from asyncio.exceptions import (BrokenBarrierError, CancelledError, IncompleteReadError, InvalidStateError,
                                LimitOverrunError, QueueEmpty, QueueFull, QueueShutDown, SendfileNotAvailableError, TimeoutError)
from asyncio.futures import Future, isfuture, wrap_future
from asyncio.locks import Barrier, BoundedSemaphore, Condition, Event, Lock, Semaphore
from asyncio.loop import BaseEventLoop, EventLoop
from asyncio.queues import LifoQueue, PriorityQueue, Queue
from asyncio.runners import Runner, run
from asyncio.taskgroups import TaskGroup
from asyncio.tasks import (ALL_COMPLETED, FIRST_COMPLETED, FIRST_EXCEPTION, Task, all_tasks, as_completed, create_eager_task_factory,
                           create_task, current_task, eager_task_factory, ensure_future, gather, run_coroutine_threadsafe, shield,
                           sleep, wait, wait_for)
from asyncio.threads import to_thread
from asyncio.timeouts import Timeout, timeout, timeout_at

SelectorEventLoop = EventLoop


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"asyncio.{name}: nnscope gives programs no sockets, processes or signals")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in ("open_connection", "start_server", "open_unix_connection", "start_unix_server", "create_subprocess_exec",
              "create_subprocess_shell"):
    globals()[_name] = _refused(_name)


def _refused_class(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"asyncio.{name}: nnscope gives programs no sockets, processes or signals")

    return type(name, (), {"__init__": refuse, "__doc__": "Refused: it needs sockets or processes."})


for _name in ("StreamReader", "StreamWriter", "BaseProtocol", "Protocol", "DatagramProtocol", "SubprocessProtocol", "BaseTransport",
              "Transport", "Server"):
    globals()[_name] = _refused_class(_name)
