"""Pipes of samples in an order. Behaviour: torch/utils/data/datapipes/iter."""
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.combining import Concater, Multiplexer, Zipper
from torch.utils.data.datapipes.iter.grouping import Batcher, Grouper, ShardingFilter, UnBatcher
from torch.utils.data.datapipes.iter.sources import FileLister, FileOpener, IterableWrapper
from torch.utils.data.datapipes.iter.transforms import Collator, Filter, Mapper, Sampler, Shuffler

__all__ = ["Batcher", "Collator", "Concater", "FileLister", "FileOpener", "Filter", "Grouper", "IterDataPipe",
           "IterableWrapper", "Mapper", "Multiplexer", "Sampler", "ShardingFilter", "Shuffler", "UnBatcher", "Zipper"]


def __getattr__(name):
    if name in ("Forker", "Demultiplexer", "RoutedDecoder", "StreamReader", "TarArchiveReader", "ZipArchiveReader"):
        raise NotImplementedError(f"torch.utils.data.datapipes.iter.{name} is not in nnscope")
    raise AttributeError(f"module 'torch.utils.data.datapipes.iter' has no attribute {name!r}")
