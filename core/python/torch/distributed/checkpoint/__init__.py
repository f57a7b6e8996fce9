"""Checkpoints that ranks write and read together. Behaviour: torch/distributed/checkpoint/__init__.py.

A folder with a file for each rank, in PyTorch's format: what is read may have been sharded in another way. Differs: save()
writes at once (async_save is refused), planners and storages of programs are refused."""
from _stand_in import lacking
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, StorageReader, StorageWriter
from torch.distributed.checkpoint.metadata import (BytesStorageMetadata, ChunkStorageMetadata, Metadata,
                                                   TensorStorageMetadata)
from torch.distributed.checkpoint.state_dict_loader import load, load_state_dict
from torch.distributed.checkpoint.state_dict_saver import async_save, save, save_state_dict
from torch.distributed.checkpoint.stateful import Stateful

__getattr__ = lacking(__name__, "DefaultSavePlanner SavePlanner SavePlan LoadPlanner LoadPlan HuggingFaceStorageReader "
                      "HuggingFaceStorageWriter load_sharded_optimizer_state_dict FsspecReader FsspecWriter staging "
                      "QuantizedHuggingFaceStorageReader")
