"""What is done to each sample, and in which order they come. Behaviour: torch/utils/data/datapipes/iter/{callable,selecting,
combinatorics}.py."""
import random

import torch
from torch.utils.data.dataloader import default_collate
from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import DataChunk, IterDataPipe
from torch.utils.data.sampler import SequentialSampler


@functional_datapipe("map")
class Mapper(IterDataPipe):
    """fn(sample); with input_col of those parts of it, whose results stand in output_col (or in their place)."""

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        if not callable(fn):
            raise TypeError(f"A callable function is expected, but got {type(fn)}")
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.datapipe, self.fn, self.input_col, self.output_col = datapipe, fn, input_col, output_col

    def _apply_fn(self, data):
        if self.input_col is None:
            return self.fn(data)
        many = isinstance(self.input_col, (list, tuple))
        result = self.fn(*(data[one] for one in self.input_col)) if many else self.fn(data[self.input_col])
        is_tuple = isinstance(data, tuple)
        data = list(data) if is_tuple else data
        if self.output_col is not None:
            if self.output_col == -1:
                data.append(result)
            else:
                data[self.output_col] = result
        elif many:
            data[self.input_col[0]] = result
            for one in sorted(self.input_col[1:], reverse=True):
                del data[one]
        else:
            data[self.input_col] = result
        return tuple(data) if is_tuple else data

    def __iter__(self):
        for data in self.datapipe:
            yield self._apply_fn(data)

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("collate")
class Collator(Mapper):
    """Batches as tensors."""

    def __init__(self, datapipe, conversion=None, collate_fn=None):
        if isinstance(conversion, dict):
            raise NotImplementedError("Collator: conversion by columns")
        super().__init__(datapipe, fn=collate_fn or conversion or default_collate)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The samples for which filter_fn is true."""

    def __init__(self, datapipe, filter_fn, input_col=None):
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def _holds(self, data):
        if self.input_col is None:
            found = self.filter_fn(data)
        elif isinstance(self.input_col, (list, tuple)):
            found = self.filter_fn(*(data[one] for one in self.input_col))
        else:
            found = self.filter_fn(data[self.input_col])
        if not isinstance(found, (bool, torch.Tensor)):
            raise ValueError(f"Boolean output is required for `filter_fn` of {type(self).__name__}, got {type(found)}")
        return found

    def __iter__(self):
        for data in self.datapipe:
            if isinstance(data, DataChunk):
                kept = [one for one in data if self._holds(one)]
                if kept:
                    yield DataChunk(kept)
            elif self._holds(data):
                yield data


@functional_datapipe("shuffle")
class Shuffler(IterDataPipe):
    """In another order: each sample goes through a buffer from which one is drawn."""

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._enabled, self._seed, self._rng = True, None, random.Random()

    def set_shuffle(self, shuffle=True):
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        self._seed = seed
        return self

    def reset(self):
        if self._enabled:
            if self._seed is None:
                self._seed = int(torch.empty((), dtype=torch.int64).random_().item())
            self._rng.seed(self._seed)
            self._seed = None

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        buffer = []
        for data in self.datapipe:
            if len(buffer) == self.buffer_size:
                at = self._rng.randint(0, len(buffer) - 1)
                drawn, buffer[at] = buffer[at], data
                yield drawn
            else:
                buffer.append(data)
        while buffer:
            yield buffer.pop(self._rng.randint(0, len(buffer) - 1))

    def __len__(self):
        return len(self.datapipe)


class Sampler(IterDataPipe):
    """The numbers that a sampler draws."""

    def __init__(self, datapipe, sampler=SequentialSampler, sampler_args=None, sampler_kwargs=None):
        self.datapipe = datapipe
        self.sampler = sampler(*(sampler_args or ()), **{**(sampler_kwargs or {}), "data_source": datapipe})

    def __iter__(self):
        return iter(self.sampler)

    def __len__(self):
        return len(self.sampler)
