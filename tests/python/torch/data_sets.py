"""Data sets, samplers, loaders: what PyTorch prints. Numbers of workers follow from base_seed + worker id."""
import collections
import warnings

import torch
from torch.utils import data
from torch.utils.data import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset, DistributedSampler,
                              IterableDataset, RandomSampler, Sampler, SequentialSampler, StackDataset, Subset,
                              SubsetRandomSampler, TensorDataset, WeightedRandomSampler, default_collate,
                              default_convert, get_worker_info, random_split)


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print("# data sets")
pairs = TensorDataset(torch.arange(4), torch.arange(4) * 10)
print(pairs[1], len(pairs), pairs[torch.tensor([0, 2])])
refused(lambda: TensorDataset(torch.ones(2), torch.ones(3)))
both = ConcatDataset([range(3), range(10, 12)])
print(len(both), [both[i] for i in range(-5, 5)], both.cumulative_sizes)
refused(lambda: both[-6])
refused(lambda: ConcatDataset([]))
print(len(pairs + pairs), (pairs + pairs)[5])
part = Subset(range(10, 20), [3, 1, 2])
print(list(part), len(part), part[0], part.__getitems__([0, 2]))
print(StackDataset(range(3), "abc")[1], StackDataset(n=range(3), c="abc")[2], len(StackDataset(range(3))))
print(StackDataset(part, range(3)).__getitems__([2, 0]), StackDataset(a=part).__getitems__([1]))
refused(lambda: StackDataset(range(3), range(4)))
refused(lambda: StackDataset())
refused(lambda: StackDataset(range(2), b=range(2)))
refused(lambda: Dataset()[0])


class Count(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            return iter(range(self.start, self.end))
        return iter(range(self.start + info.id, self.end, info.num_workers))


class Sized(Count):
    def __len__(self):
        return self.end - self.start


print(list(Count(0, 2) + Count(5, 7)), len(ChainDataset([Sized(0, 2), Sized(0, 3)])))
refused(lambda: list(ChainDataset([range(3)])))
refused(lambda: ConcatDataset([Count(0, 1)]))

print("# splits")
g = torch.Generator().manual_seed(42)
print([list(one) for one in random_split(range(10), [7, 3], generator=g)])
for count, fractions in ((10, [0.5, 0.3, 0.2]), (7, [0.4, 0.6])):
    print([len(one) for one in random_split(range(count), fractions)])
refused(lambda: random_split(range(10), [7, 4]))
refused(lambda: random_split(range(10), [-0.5, 1.5]))

print("# samplers")
torch.manual_seed(0)
print(list(RandomSampler(range(5))), list(RandomSampler(range(5), num_samples=8)))
print(len(list(RandomSampler(range(5), replacement=True, num_samples=70))), list(SequentialSampler("abc")))
print(sorted(SubsetRandomSampler([5, 7, 9])), set(WeightedRandomSampler([0, 0, 3.0], 4)))
print(list(BatchSampler(range(5), 2, False)), list(BatchSampler(range(5), 2, True)))
print(len(BatchSampler(range(5), 2, False)), len(BatchSampler(range(5), 2, True)))
g = torch.Generator().manual_seed(3)
same = torch.Generator().manual_seed(3)
print(list(RandomSampler(range(6), generator=g)) == torch.randperm(6, generator=same).tolist())
for rank in range(3):
    print(list(DistributedSampler(range(10), 3, rank, shuffle=False)),
          list(DistributedSampler(range(10), 3, rank, shuffle=False, drop_last=True)))
sampler = DistributedSampler(range(4), num_replicas=2, rank=0, seed=5)
sampler.set_epoch(2)
print(list(sampler) == torch.randperm(4, generator=torch.Generator().manual_seed(7)).tolist()[::2], len(sampler))
print(list(DistributedSampler(range(2), 5, 4, shuffle=False)))
refused(lambda: RandomSampler(range(0)))
refused(lambda: RandomSampler(range(3), replacement=1))
refused(lambda: WeightedRandomSampler([1.0], 0))
refused(lambda: WeightedRandomSampler([[1.0]], 1))
refused(lambda: BatchSampler(range(3), True, False))
refused(lambda: BatchSampler(range(3), 2, 0))
refused(lambda: DistributedSampler(range(3), 2, 2))
refused(lambda: iter(Sampler()))

print("# collation")
Point = collections.namedtuple("Point", "x y")
print(default_collate([1, 2]), default_collate([1.5, 2.5]), default_collate([True, False]), default_collate(["a", "b"]))
print(default_collate([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]), default_collate([Point(1, 2.0), Point(3, 4.0)]))
print(default_collate([(1, "a"), (2, "b")]), default_collate([[1, 2], [3, 4]]))
print(default_collate([torch.zeros(2), torch.ones(2)]), default_collate([b"x", b"y"]))
print(type(default_collate([collections.OrderedDict(a=1)])).__name__, default_convert([1, (2, "c")]))
refused(lambda: default_collate([None]))
refused(lambda: default_collate([(1, 2), (3,)]))
refused(lambda: default_collate([torch.zeros(2), torch.zeros(3)]))

print("# loaders")
print([b[0].tolist() for b in DataLoader(pairs, 3)], [b[0].tolist() for b in DataLoader(pairs, 3, drop_last=True)])
print(list(DataLoader(range(3), batch_size=None)), list(DataLoader(range(4), batch_sampler=[[0, 3], [1]])))
print(list(DataLoader(range(4), 2, sampler=[3, 2, 1, 0])), list(DataLoader(range(4), 2, collate_fn=sum)))
print(list(DataLoader(Count(0, 5), 2)), list(DataLoader(Count(0, 5), 2, drop_last=True)))
print(list(DataLoader(Count(0, 3), batch_size=None)), len(DataLoader(Sized(0, 5), 2)), len(DataLoader(pairs, 3)))
# A new order each time, and the program's own numbers depend on how often there was one.
torch.manual_seed(0)
loader = DataLoader(range(6), 3, shuffle=True)
first = [b.tolist() for b in loader]
second = [b.tolist() for b in loader]
after = torch.rand(1).item()
torch.manual_seed(0)
base, seed = (torch.empty((), dtype=torch.int64).random_().item() for _ in range(2))
order = torch.randperm(6, generator=torch.Generator().manual_seed(seed)).tolist()
print(sum(first, []) == order, first != second)
torch.empty((), dtype=torch.int64).random_()
torch.empty((), dtype=torch.int64).random_()
print(torch.rand(1).item() == after)
for options in (dict(num_workers=-1), dict(prefetch_factor=2), dict(persistent_workers=True), dict(batch_size=0),
                dict(shuffle=True, sampler=[1]), dict(batch_size=None, drop_last=True), dict(timeout=-1),
                dict(batch_sampler=[[1]], shuffle=True), dict(multiprocessing_context="fork")):
    refused(lambda: DataLoader(range(3), **options))
refused(lambda: DataLoader(Count(0, 3), shuffle=True))
refused(lambda: setattr(loader, "batch_size", 2))
refused(lambda: list(DataLoader(range(3), timeout=1)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    loader = DataLoader(Sized(0, 2), 1)
    loader.dataset.end = 3
    len(loader)
    loader.dataset.end = 5
    list(loader)
    list(DataLoader(range(2), pin_memory=True))
print(len(caught), str(caught[-1].message))

print("# workers")
warnings.simplefilter("ignore")


class Draws(Dataset):
    def __init__(self):
        self.seen = []

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self.seen.append(i)
        return i, torch.randint(0, 1000, ()).item(), get_worker_info().id, len(self.seen)


draws = Draws()
torch.manual_seed(1)
batches = [[one.tolist() for one in batch] for batch in DataLoader(draws, 2, num_workers=2)]
torch.manual_seed(1)
base = torch.empty((), dtype=torch.int64).random_().item()
workers = [torch.Generator().manual_seed(base + i) for i in range(2)]
expected = [torch.randint(0, 1000, (), generator=workers[i % 2]).item() for i in (0, 0, 1, 1, 0, 0)]
print([b[0] for b in batches], [b[2] for b in batches], [b[3] for b in batches])
print(sum((b[1] for b in batches), []) == expected)
print(draws.seen, get_worker_info())
print(list(DataLoader(Count(0, 7), 2, num_workers=2)), list(DataLoader(Count(0, 5), batch_size=None, num_workers=3)))


def begin(worker_id):
    info = get_worker_info()
    print("begin", worker_id, info.num_workers, info.id, type(info.dataset).__name__)


loader = DataLoader(Draws(), 3, num_workers=1, worker_init_fn=begin, persistent_workers=True)
print([b[3].tolist() for b in loader], [b[3].tolist() for b in loader])


class Bad(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        raise KeyError(f"no {i}")


try:
    list(DataLoader(Bad(), num_workers=1))
except KeyError as error:
    lines = str(error).splitlines()
    print(lines[0], lines[1], lines[-1])
print(data.DataLoader is DataLoader, torch.utils.data.dataset.Subset is Subset)
