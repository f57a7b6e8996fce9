"""Coroutines and their loop: the module loads, and what would run them is refused. Behaviour: CPython Lib/asyncio.

`async def` is no statement that nnscope runs, so there are no coroutines; exceptions, and questions whether something is one,
are answered as CPython does."""
from asyncio.exceptions import (BrokenBarrierError, CancelledError, IncompleteReadError, InvalidStateError,
                                LimitOverrunError, QueueEmpty, QueueFull, QueueShutDown, SendfileNotAvailableError, TimeoutError)

FIRST_COMPLETED, FIRST_EXCEPTION, ALL_COMPLETED = "FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"


def iscoroutine(obj):
    return False


def iscoroutinefunction(func):
    return False


def isfuture(obj):
    """Whether something stands for a result to come, by the mark of asyncio's futures."""
    return hasattr(type(obj), "_asyncio_future_blocking") and obj._asyncio_future_blocking is not None


def _get_running_loop():
    return None


def get_running_loop():
    raise RuntimeError("no running event loop")


def current_task(loop=None):
    raise RuntimeError("no running event loop")


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"asyncio.{name}: nnscope runs no coroutines")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in ("run", "gather", "wait", "wait_for", "as_completed", "sleep", "shield", "create_task", "ensure_future",
              "to_thread", "timeout", "timeout_at", "new_event_loop", "get_event_loop", "set_event_loop", "get_event_loop_policy",
              "set_event_loop_policy", "wrap_future", "run_coroutine_threadsafe", "open_connection", "start_server",
              "create_subprocess_exec", "create_subprocess_shell", "all_tasks", "eager_task_factory"):
    globals()[_name] = _refused(_name)


def _refused_class(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"asyncio.{name}: nnscope runs no coroutines")

    return type(name, (), {"__init__": refuse, "__doc__": "Refused: there are no coroutines."})


for _name in ("Runner", "TaskGroup", "Task", "Future", "Lock", "Event", "Condition", "Semaphore", "BoundedSemaphore", "Barrier",
              "Queue", "PriorityQueue", "LifoQueue", "Timeout", "AbstractEventLoop", "BaseEventLoop", "SelectorEventLoop",
              "StreamReader", "StreamWriter", "Protocol", "DatagramProtocol", "Transport"):
    globals()[_name] = _refused_class(_name)
