"""Data sets, samplers and the loader that makes batches of them."""
from torch.utils.data import _utils
from torch.utils.data.dataloader import DataLoader, default_collate, default_convert, get_worker_info
from torch.utils.data.dataset import (ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset,
                                      TensorDataset, random_split)
from torch.utils.data.distributed import DistributedSampler
from torch.utils.data.sampler import (BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler,
                                      WeightedRandomSampler)
from torch.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe
from torch.utils.data.datapipes._decorator import (argument_validation, functional_datapipe, non_deterministic,
                                                   runtime_validation)

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataChunk", "DataLoader", "Dataset", "DistributedSampler", "IterDataPipe", "IterableDataset", "MapDataPipe",
    "RandomSampler", "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "default_collate", "default_convert", "argument_validation", "functional_datapipe",
    "get_worker_info", "non_deterministic", "random_split", "runtime_validation",
]
