# Pipes of samples, one behind the other.
import torch
from torch.utils.data import DataLoader, IterDataPipe, MapDataPipe, functional_datapipe
from torch.utils.data.datapipes.iter import IterableWrapper, Zipper
from torch.utils.data.datapipes.map import SequenceWrapper

pipe = IterableWrapper(range(10)).filter(lambda one: one % 2 == 0).map(lambda one: one * 10).batch(2)
print(list(pipe), list(pipe))
print(len(IterableWrapper(range(7)).batch(3)), len(IterableWrapper(range(7)).batch(3, drop_last=True)), list(IterableWrapper(range(4)).batch(3).unbatch()))
print(list(IterableWrapper([1, 2]).concat(IterableWrapper([3]))), list(IterableWrapper([1, 2]).zip(IterableWrapper("ab"))), list(IterableWrapper([1, 2, 3]).mux(IterableWrapper([10, 20]))))
shuffled = IterableWrapper(range(20)).shuffle(buffer_size=5).set_seed(3)
print(sorted(shuffled) == list(range(20)), list(IterableWrapper(range(5)).shuffle().set_shuffle(False)))
print(list(IterableWrapper([(1, 2), (3, 4)]).map(lambda one: -one, input_col=1)), list(IterableWrapper([(1, 2)]).map(lambda a, b: a + b, input_col=[0, 1], output_col=-1)))
print(list(IterableWrapper(["a1", "b1", "a2"]).groupby(lambda one: one[0])), list(IterableWrapper([[1, 2], [3, 4]]).collate()))
sharded = IterableWrapper(range(7)).sharding_filter()
sharded.apply_sharding(3, 1)
print(list(sharded), len(sharded), type(pipe).__name__, repr(pipe))
mapped = SequenceWrapper([5, 6, 7]).map(lambda one: one + 1)
print(mapped[2], len(mapped), [list(mapped.batch(2)[at]) for at in range(2)], mapped.zip(SequenceWrapper("xyz"))[0], mapped.concat(mapped)[4])


@functional_datapipe("twice")
class Twice(IterDataPipe):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        for one in self.source:
            yield one
            yield one


print(list(IterableWrapper([1, 2]).twice()))
print([batch.tolist() for batch in DataLoader(IterableWrapper(range(5)), batch_size=2)])
pipe = IterableWrapper([1, 2])
first = iter(pipe)
next(first)
iter(pipe).__next__()
for wrong in (lambda: next(first), lambda: IterableWrapper([1]).nothing, lambda: Zipper(), lambda: functional_datapipe("map")(Twice), lambda: list(IterableWrapper([1]).filter(lambda one: 1))):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[0])
