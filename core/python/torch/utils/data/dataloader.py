"""DataLoader: batches of a data set, in the order of a sampler.

Behaviour: torch/utils/data/dataloader.py."""
import itertools
import math
import warnings
from typing import Generic, TypeVar

import torch
from torch._utils import ExceptionWrapper
from torch.utils.data import _utils
from torch.utils.data._utils import pipes as _pipes
from torch.utils.data.dataset import IterableDataset
from torch.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

# Whoever watches a training is told when a batch is made.
try:
    import _training
except ImportError:
    _training = None

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

_T_co = TypeVar("_T_co", covariant=True)

default_collate = _utils.collate.default_collate
default_convert = _utils.collate.default_convert
get_worker_info = _utils.worker.get_worker_info

# Behaviour: multiprocessing.get_all_start_methods() of Python 3.14 on Linux.
_START_METHODS = ["forkserver", "fork", "spawn"]


class _DatasetKind:
    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        maker = _utils.fetch._MapDatasetFetcher if kind == _DatasetKind.Map else _utils.fetch._IterableDatasetFetcher
        return maker(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """None without end: how often an iterable data set is asked is its own affair."""

    def __iter__(self):
        while True:
            yield None


class DataLoader(Generic[_T_co]):
    """Gives the batches of a data set, one iteration an epoch."""

    _iterator = None
    __initialized = False
    _FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None, persistent_workers=False,
                 pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; "
                             "use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing."
                             "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None.")
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        elif prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")

        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order

        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            start = "DataLoader with IterableDataset: expected unspecified"
            if _pipes.is_ordered_pipe(dataset):
                # A pipe shuffles by itself.
                self.dataset = _pipes.shuffled(dataset, shuffle)
            elif shuffle not in {False, None}:
                raise ValueError(f"{start} shuffle option, but got shuffle={shuffle}")
            if sampler is not None:
                raise ValueError(f"{start} sampler option, but got sampler={sampler}")
            if batch_sampler is not None:
                raise ValueError(f"{start} batch_sampler option, but got batch_sampler={batch_sampler}")
        else:
            shuffle = bool(shuffle)
            self._dataset_kind = _DatasetKind.Map

        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive "
                                 "with batch_size, shuffle, sampler, and "
                                 "drop_last")
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching "
                             "and is mutually exclusive with drop_last")
        if sampler is None:
            if self._dataset_kind == _DatasetKind.Iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)

        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_collate if self._auto_collation else default_convert
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called = None
        self._iterator = None
        self.check_worker_number_rationality()

    def check_worker_number_rationality(self):
        """Says what becomes of workers here, where there are no processes."""
        if self.num_workers > 0:
            warnings.warn(f"This DataLoader has num_workers={self.num_workers}; nnscope starts no processes. It runs "
                          "its workers in turn in this one: batches and random numbers are the same, "
                          "nothing is loaded ahead of time.", stacklevel=3)

    @property
    def multiprocessing_context(self):
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, value):
        if value is not None:
            if self.num_workers <= 0:
                raise ValueError("multiprocessing_context can only be used with "
                                 "multi-process loading (num_workers > 0), but got "
                                 f"num_workers={self.num_workers}")
            if not isinstance(value, str) and not callable(getattr(value, "get_start_method", None)):
                raise TypeError("multiprocessing_context option should be a valid context "
                                "object or a string specifying the start method, but got "
                                f"multiprocessing_context={value}")
            if isinstance(value, str) and value not in _START_METHODS:
                raise ValueError("multiprocessing_context option "
                                 f"should specify a valid start method in {_START_METHODS!r}, but got "
                                 f"multiprocessing_context={value!r}")
        self.__multiprocessing_context = value

    def __setattr__(self, attr, val):
        if self.__initialized and attr in self._FIXED:
            raise ValueError(f"{attr} attribute should not be set after {self.__class__.__name__} is initialized")
        super().__setattr__(attr, val)

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        return _WorkersDataLoaderIter(self)

    def __iter__(self):
        # Workers that are kept belong to one iterator, which begins anew.
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self):
        if self._dataset_kind != _DatasetKind.Iterable:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)


class _BaseDataLoaderIter:
    def __init__(self, loader):
        self._dataset = loader.dataset
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        if loader.pin_memory and loader.pin_memory_device:
            warnings.warn("pin_memory_device is deprecated, the current accelerator will be used as the device,"
                          f"ignore pin_memory_device='{loader.pin_memory_device}'.", stacklevel=5)
        if loader.pin_memory and not torch.cuda.is_available():
            warnings.warn("'pin_memory' argument is set as true but no accelerator is found, "
                          "then device pinned memory won't be used.", stacklevel=5)
        self._pin_memory = loader.pin_memory and torch.cuda.is_available()
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._seed_pipes(loader)
        self._sampler_iter = iter(self._index_sampler)
        # Drawn for each iteration, with workers or without: what comes after depends on it.
        self._base_seed = torch.empty((), dtype=torch.int64).random_(generator=loader.generator).item()
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0
        self._length = None

    def __iter__(self):
        return self

    def _seed_pipes(self, loader):
        """Pipes draw from seeds of the epoch, which all workers and ranks have in common."""
        self._shared_seed = None
        if _pipes.is_ordered_pipe(self._dataset):
            self._shared_seed = _pipes.shared_seed(loader.generator)
            self._dataset = _pipes.seeded(self._dataset, self._shared_seed)

    def _create_fetcher(self, dataset):
        return _DatasetKind.create_fetcher(self._dataset_kind, dataset, self._auto_collation, self._collate_fn,
                                           self._drop_last)

    def _reset(self, loader):
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._seed_pipes(loader)

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self):
        if _training is None:
            data = self._next_data()
        else:
            data = self._next_watched()
        if self._pin_memory:
            data = _utils.pin_memory.pin_memory(data)
        self._num_yielded += 1
        announced = self._IterableDataset_len_called
        if self._dataset_kind == _DatasetKind.Iterable and announced is not None and self._num_yielded > announced:
            message = (f"Length of IterableDataset {self._dataset} was reported to be {announced}"
                       f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. ")
            if self._num_workers > 0:
                message += ("For multiprocessing data-loading, this could be caused by not properly configuring the "
                            "IterableDataset replica at each worker. Please see "
                            "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.")
            warnings.warn(message, stacklevel=2)
        return data

    def _next_watched(self):
        if self._length is None:
            try:
                self._length = len(self._index_sampler)
            except (TypeError, NotImplementedError):
                self._length = 0
        _training.data_began(id(self), self._length)
        data, is_end = None, True
        try:
            data = self._next_data()
            is_end = False
        finally:
            _training.data_ended(id(self), data, is_end)
        return data

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", self.__class__.__name__)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        _pipes.shard(self._dataset, 1, 0)
        self._dataset_fetcher = self._create_fetcher(self._dataset)

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._next_index())


class _WorkersDataLoaderIter(_BaseDataLoaderIter):
    """Hands the batches out to workers in turn, as the iterator over processes does; a batch is made when it is due."""

    def __init__(self, loader):
        super().__init__(loader)
        self._prefetch_factor = loader.prefetch_factor
        self._workers = [
            _utils.worker.Worker(number, self._num_workers, self._base_seed, self._dataset, loader.worker_init_fn,
                                 self._create_fetcher, self._shared_seed) for number in range(self._num_workers)]
        self._hand_out_first()

    def _reset(self, loader):
        super()._reset(loader)
        for worker in self._workers:
            worker.restart(self._shared_seed)
        self._hand_out_first()

    def _shutdown_workers(self):
        for worker in self._workers:
            worker.terminate()
        self._tasks = []

    def _hand_out_first(self):
        self._tasks = []
        self._turn = itertools.cycle(range(self._num_workers))
        # Indices are drawn this far ahead.
        for _ in range(self._prefetch_factor * self._num_workers):
            self._hand_out()

    def _hand_out(self):
        try:
            index = self._next_index()
        except StopIteration:
            return
        for _ in range(self._num_workers):
            worker = self._workers[next(self._turn)]
            if not worker.is_ended:
                self._tasks.append((worker, index))
                return

    def _next_data(self):
        is_iterable = self._dataset_kind == _DatasetKind.Iterable
        while self._tasks:
            worker, index = self._tasks.pop(0)
            if worker.is_ended:
                continue
            data = worker.fetch(index, is_iterable)
            self._hand_out()
            if worker.is_ended:
                continue
            if isinstance(data, ExceptionWrapper):
                data.reraise()
            return data
        raise StopIteration
