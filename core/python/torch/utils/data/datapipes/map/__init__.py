"""Pipes of samples by a key. Behaviour: torch/utils/data/datapipes/map."""
import copy as _copy
import random as _random

import torch as _torch
from torch.utils.data.datapipes._decorator import functional_datapipe as _functional_datapipe
from torch.utils.data.datapipes.datapipe import DataChunk as _DataChunk, IterDataPipe as _IterDataPipe, MapDataPipe

__all__ = ["Batcher", "Concater", "MapDataPipe", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


class SequenceWrapper(MapDataPipe):
    """What a sequence or a dictionary has; `deepcopy`: of a copy."""

    def __init__(self, sequence, deepcopy=True):
        self.sequence = _copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)


@_functional_datapipe("map")
class Mapper(MapDataPipe):
    def __init__(self, datapipe, fn=lambda one: one):
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])

    def __len__(self):
        return len(self.datapipe)


@_functional_datapipe("batch")
class Batcher(MapDataPipe):
    """`batch_size` samples each."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=_DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __getitem__(self, index):
        indices = range(index * self.batch_size, (index + 1) * self.batch_size)
        count = len(self.datapipe)
        if indices[0] < 0 or indices[0] >= count or self.drop_last and indices[-1] >= count:
            raise IndexError(f"Index {index} is out of bound.")
        return self.wrapper_class([self.datapipe[one] for one in indices if one < count])

    def __len__(self):
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else (count + self.batch_size - 1) // self.batch_size


@_functional_datapipe("concat")
class Concater(MapDataPipe):
    """One behind the other."""

    def __init__(self, *datapipes):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(one, MapDataPipe) for one in datapipes):
            raise TypeError("Expected all inputs to be `MapDataPipe`")
        self.datapipes = datapipes

    def __getitem__(self, index):
        offset = 0
        for one in self.datapipes:
            if index - offset < len(one):
                return one[index - offset]
            offset += len(one)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(len(one) for one in self.datapipes)


@_functional_datapipe("zip")
class Zipper(MapDataPipe):
    """Tuples of the samples of one key."""

    def __init__(self, *datapipes):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __getitem__(self, index):
        made = []
        for one in self.datapipes:
            try:
                made.append(one[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {one}.") from error
        return tuple(made)

    def __len__(self):
        return min(len(one) for one in self.datapipes)


class Shuffler(_IterDataPipe):
    """The samples in another order, as a pipe of samples in an order."""

    def __init__(self, datapipe, *, indices=None):
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled, self._seed, self._rng = True, None, _random.Random()

    def set_shuffle(self, shuffle=True):
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        self._seed = seed
        return self

    def reset(self):
        if self._enabled:
            seed = int(_torch.empty((), dtype=_torch.int64).random_().item()) if self._seed is None else self._seed
            self._seed = None
            self._rng.seed(seed)

    def __iter__(self):
        order = self._rng.sample(self.indices, len(self.indices)) if self._enabled else self.indices
        for one in order:
            yield self.datapipe[one]

    def __len__(self):
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)
