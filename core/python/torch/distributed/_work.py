"""Communication that was started.

Behaviour: torch/csrc/distributed/c10d/Work.hpp."""
from torch.distributed._groups import ReduceOp, _seconds
from torch.futures import Future


class Work:
    """What a collective gives with async_op=True."""

    def __init__(self, native, group=None):
        self._native = native
        self._others = []

    @classmethod
    def _together(cls, works):
        last = works[-1]
        last._others = works[:-1]
        return last

    def wait(self, timeout=None):
        """Returns when it is done; raises what went wrong."""
        for other in self._others:
            other.wait(timeout)
        return self._native._wait(None if timeout is None else _seconds(timeout))

    def synchronize(self):
        self.wait()

    def is_completed(self):
        return all(other.is_completed() for other in self._others) and self._native.is_completed()

    def is_success(self):
        return all(other.is_success() for other in self._others) and self._native.is_success()

    def exception(self):
        return self._native.exception()

    def result(self):
        return [tensor for other in self._others for tensor in other.result()] + self._native.result()

    def source_rank(self):
        return self._source_rank()

    def _source_rank(self):
        return self._native._source_rank()

    def get_future(self):
        """A future of the list of tensors."""
        future = Future()

        def wait():
            self.wait()
            return self.result()

        future._wait_for, future._is_ready = wait, self.is_completed
        return future


def _start(group, kind, op=ReduceOp.SUM, root=0, inputs=(), outputs=(), timeout=None, subject=""):
    """Starts a collective of `group`."""
    op = getattr(op, "op", op)
    return Work(group._start(kind, op.value, root, inputs, outputs, timeout, subject), group)


def _start_checked(group, kind, op=ReduceOp.SUM, root=0, inputs=(), outputs=(), timeout=None, subject=""):
    """The same for tensors of a program: those on the CPU need a backend for it."""
    if not group._takes_cpu and any(one.device.type == "cpu" for tensors in (inputs, outputs) for one in tensors):
        raise RuntimeError("No backend type associated with device type cpu")
    return _start(group, kind, op, root, inputs, outputs, timeout, subject)


def _barrier_timeout(timeout):
    return _seconds(timeout)
