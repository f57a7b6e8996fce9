"""spawn(): the program once more in other processes, which call a function of it.

Behaviour: torch/multiprocessing/spawn.py. The processes are nnscope's own, with the permissions of the first; where none
can be started they are interpreters of this one, which take turns."""
import io
import os
import pickle

from torch._C import _distributed_c10d as _c10d


class ProcessException(Exception):
    """A process that did not end well."""

    def __init__(self, msg, error_index, error_pid):
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, error_pid


class ProcessRaisedException(ProcessException):
    """A process whose function raised."""


class ProcessExitedException(ProcessException):
    """A process that ended with another status than 0."""

    def __init__(self, msg, error_index, error_pid, exit_code, signal_name=None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


class ProcessContext:
    """What spawn(join=False) gives: join() starts the processes and waits for them."""

    def __init__(self, count, pickled):
        self._count, self._pickled = count, pickled
        self._is_joined = False

    def join(self, timeout=None, grace_period=None):
        if self._is_joined:
            return True
        self._is_joined = True
        spawning = _c10d._spawn(self._count, self._pickled)
        while (end := spawning._go_on()) is None:
            pass
        failed, status, traceback = end
        if failed < 0:
            return True
        if traceback:
            raise ProcessRaisedException(f"\n\n-- Process {failed} terminated with the following error:\n{traceback}",
                                         failed, 0)
        if status < 0:
            raise ProcessExitedException(f"process {failed} terminated with signal {-status}", failed, 0, status)
        raise ProcessExitedException(f"process {failed} terminated with exit code {status}", failed, 0, status)


SpawnContext = ProcessContext


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn", numa_options=None):
    buffer = io.BytesIO()
    pickle.Pickler(buffer).dump((fn, tuple(args), dict(os.environ)))
    context = ProcessContext(nprocs, buffer.getvalue())
    if not join:
        return context
    while not context.join():
        pass
    return None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Calls fn(i, *args) in `nprocs` processes and waits for them; the first failure ends the others."""
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")


def _load(pickled):
    """What a process that spawn() started is to call, when the program has been loaded."""
    function, args, environment = pickle.loads(pickled)
    os.environ.update(environment)
    return function, args


def _run(rank, pickled):
    function, args = _load(pickled)
    function(rank, *args)
