"""Several pipes as one. Behaviour: torch/utils/data/datapipes/iter/combining.py."""
from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe


class _Several(IterDataPipe):
    def __init__(self, *datapipes):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(one, IterDataPipe) for one in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes


@functional_datapipe("concat")
class Concater(_Several):
    """One behind the other."""

    def __iter__(self):
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self):
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class Zipper(_Several):
    """Tuples of one sample each, while all have some."""

    def __iter__(self):
        yield from zip(*self.datapipes)

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes)


@functional_datapipe("mux")
class Multiplexer(IterDataPipe):
    """One of each in turn, until the first has none."""

    def __init__(self, *datapipes):
        self.datapipes = datapipes

    def __iter__(self):
        for row in zip(*self.datapipes):
            yield from row

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes) * len(self.datapipes)
