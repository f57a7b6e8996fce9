"""Samples together. Behaviour: torch/utils/data/datapipes/iter/{grouping,sharding}.py."""
from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import DataChunk, IterDataPipe


@functional_datapipe("batch")
class Batcher(IterDataPipe):
    """`batch_size` samples each."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __iter__(self):
        batch = []
        for one in self.datapipe:
            batch.append(one)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self):
        count = len(self.datapipe)
        return count // self.batch_size if self.drop_last else (count + self.batch_size - 1) // self.batch_size


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """What is in batches; -1: at any depth."""

    def __init__(self, datapipe, unbatch_level=1):
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self):
        for one in self.datapipe:
            yield from self._inside(one, self.unbatch_level)

    def _inside(self, one, level):
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or level == -1 and not isinstance(one, (list, DataChunk)):
            yield one
        elif isinstance(one, (list, DataChunk)):
            for each in one:
                yield from self._inside(each, -1 if level == -1 else level - 1)
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")


@functional_datapipe("groupby")
class Grouper(IterDataPipe):
    """Samples of one key together, as soon as there are group_size of them, the others when the buffer is full."""

    def __init__(self, datapipe, group_key_fn, *, keep_key=False, buffer_size=10000, group_size=None,
                 guaranteed_group_size=None, drop_remaining=False):
        if buffer_size is not None and buffer_size <= 0:
            raise ValueError("Unbatch level must be -1 or >= 0")
        if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError
        if guaranteed_group_size is not None and (group_size is None or not 0 < guaranteed_group_size <= group_size):
            raise AssertionError
        self.datapipe, self.group_key_fn, self.keep_key, self.buffer_size = datapipe, group_key_fn, keep_key, buffer_size
        self.group_size, self.drop_remaining = group_size, drop_remaining
        self.guaranteed_group_size = group_size if group_size is not None and buffer_size is not None else guaranteed_group_size
        if guaranteed_group_size is not None:
            self.guaranteed_group_size = guaranteed_group_size

    def _made(self, key, group):
        made = DataChunk(group)
        return (key, made) if self.keep_key else made

    def __iter__(self):
        groups, size = {}, 0
        for one in self.datapipe:
            key = self.group_key_fn(one)
            groups.setdefault(key, []).append(one)
            size += 1
            if self.group_size is not None and self.group_size == len(groups[key]):
                yield self._made(key, groups[key])
                size -= len(groups.pop(key))
            if size == self.buffer_size:
                key = max(groups, key=lambda one: len(groups[one]))
                group = groups.pop(key)
                if self.guaranteed_group_size is not None and len(group) < self.guaranteed_group_size and not self.drop_remaining:
                    raise RuntimeError("Failed to group items")
                size -= len(group)
                if self.guaranteed_group_size is None or len(group) >= self.guaranteed_group_size:
                    yield self._made(key, group)
        for key, group in groups.items():
            yield self._made(key, group)


@functional_datapipe("sharding_filter")
class ShardingFilter(IterDataPipe):
    """Of `num_of_instances` readers each has every so-many-th sample."""

    def __init__(self, source_datapipe, sharding_group_filter=None):
        self.source_datapipe = source_datapipe
        self.num_of_instances, self.instance_id = 1, 0

    def is_shardable(self):
        return True

    def apply_sharding(self, num_of_instances, instance_id, sharding_group=None):
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        self.num_of_instances, self.instance_id = num_of_instances, instance_id

    def __iter__(self):
        for at, one in enumerate(self.source_datapipe):
            if at % self.num_of_instances == self.instance_id:
                yield one

    def __len__(self):
        count = len(self.source_datapipe)
        return count // self.num_of_instances + (1 if self.instance_id < count % self.num_of_instances else 0)
