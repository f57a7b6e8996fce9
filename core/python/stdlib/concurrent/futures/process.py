"""ProcessPoolExecutor, which is refused by its name: nnscope starts no processes for it."""
from concurrent.futures import _base


class BrokenProcessPool(_base.BrokenExecutor):
    """One of its processes is gone."""


class ProcessPoolExecutor(_base.Executor):
    """Raises when it is made."""

    def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), *, max_tasks_per_child=None):
        raise NotImplementedError("concurrent.futures.ProcessPoolExecutor: nnscope starts no processes; "
                                  "ThreadPoolExecutor runs the calls in turns")
