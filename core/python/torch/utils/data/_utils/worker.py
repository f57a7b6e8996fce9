"""Workers of a loader: each with a data set, a stream of random numbers and an error report of its own.

Behaviour: torch/utils/data/_utils/worker.py.
Differs: there are no processes. A worker's state is put in place while it fetches and taken away afterwards, so that
it sees and draws what it would in a process of its own; global variables of the program are shared."""
import copy
import sys

import torch
from torch._utils import ExceptionWrapper
from torch.utils.data._utils import pipes

_worker_info = None


class WorkerInfo:
    """What get_worker_info() tells a worker of itself: id, num_workers, seed, dataset."""

    __initialized = False

    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)
        self.__keys = tuple(kwargs.keys())
        self.__initialized = True

    def __setattr__(self, name, value):
        if self.__initialized:
            raise RuntimeError(f"Cannot assign attributes to {self.__class__.__name__} objects")
        return super().__setattr__(name, value)

    def __repr__(self):
        return f"{self.__class__.__name__}({', '.join(f'{key}={getattr(self, key)}' for key in self.__keys)})"


def get_worker_info():
    """The worker that fetches now; None outside of workers."""
    return _worker_info


def _failure(error, worker_id):
    return ExceptionWrapper(error, f"in DataLoader worker process {worker_id}")


def _random_state():
    """Of torch, and of random where the program has it."""
    chance = sys.modules.get("random")
    return torch.get_rng_state(), chance.getstate() if chance else None


def _set_random_state(state):
    torch.set_rng_state(state[0])
    if state[1] is not None:
        sys.modules["random"].setstate(state[1])


class Worker:
    """Worker `worker_id` of `num_workers`; its random numbers begin at base_seed + worker_id."""

    def __init__(self, worker_id, num_workers, base_seed, dataset, init_fn, create_fetcher, shared_seed=None):
        self._id = worker_id
        self._shared_seed = shared_seed
        self._init_fn = init_fn
        self._create_fetcher = create_fetcher
        self._dataset = copy.deepcopy(dataset)
        self._info = WorkerInfo(id=worker_id, num_workers=num_workers, seed=base_seed + worker_id,
                                dataset=self._dataset)
        self._state = None
        self._fetcher = None
        self._failed_start = None
        self.is_ended = self._is_shut_down = False

    # What a process has, too.

    def is_alive(self):
        return not self._is_shut_down

    def terminate(self):
        self._is_shut_down = self.is_ended = True

    def join(self, timeout=None):
        """What it was to do is done."""

    def _inside(self, action):
        """Runs `action` with this worker's state in place."""
        global _worker_info
        before, outer = _random_state(), _worker_info
        _worker_info = self._info
        try:
            if self._state is None:
                if "random" in sys.modules:
                    sys.modules["random"].seed(self._info.seed)
                torch.manual_seed(self._info.seed)
            else:
                _set_random_state(self._state)
            return action()
        finally:
            self._state = _random_state()
            _worker_info = outer
            _set_random_state(before)

    def _start(self):
        if self._shared_seed is not None:
            self._dataset = pipes.seeded(self._dataset, self._shared_seed)
        pipes.shard(self._dataset, self._info.num_workers, self._id)
        if self._init_fn is not None:
            self._init_fn(self._id)
        self.resume()

    def resume(self):
        """Begins the data set anew: what a worker that outlives an epoch does."""
        self._fetcher = self._create_fetcher(self._dataset)
        self.is_ended = False

    def restart(self, shared_seed=None):
        """The same from outside."""
        self.is_ended = False
        if shared_seed is not None:
            self._dataset = pipes.seeded(self._dataset, shared_seed)
        if self._fetcher is not None:
            try:
                self._inside(self.resume)
            except Exception as error:
                self._failed_start = _failure(error, self._id)

    def fetch(self, index, is_iterable):
        """A batch, an ExceptionWrapper, or None where an iterable data set has ended."""

        def action():
            if self._fetcher is None and self._failed_start is None:
                try:
                    self._start()
                except Exception as error:
                    self._failed_start = _failure(error, self._id)
            if self._failed_start is not None:
                failure, self._failed_start = self._failed_start, None
                return failure
            try:
                return self._fetcher.fetch(index)
            except StopIteration as error:
                if not is_iterable:
                    return _failure(error, self._id)
                self.is_ended = True
                return None
            except Exception as error:
                return _failure(error, self._id)

        return self._inside(action)
