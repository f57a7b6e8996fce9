"""From a distributed checkpoint to a file of torch.save, and back. Behaviour: torch/distributed/checkpoint/format_utils.py."""
import torch
from torch.distributed.checkpoint._nested_dict import unflatten_state_dict
from torch.distributed.checkpoint._plan import read_into
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import MetadataIndex, TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_saver import save

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]


def _read_all(reader):
    """The whole state of a checkpoint, nested as it was."""
    metadata = reader.read_metadata()
    flat = {}
    for name, what in metadata.state_dict_metadata.items():
        if isinstance(what, TensorStorageMetadata):
            flat[name] = torch.empty(what.size, dtype=what.properties.dtype)
            read_into(flat[name], name, what, lambda index: reader.read(metadata, index))
        else:
            flat[name] = reader.read(metadata, MetadataIndex(name))
    return unflatten_state_dict(flat, metadata.planner_data)


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    torch.save(_read_all(FileSystemReader(dcp_checkpoint_dir)), torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    state_dict = torch.load(torch_save_path, weights_only=False)
    save(state_dict, checkpoint_id=dcp_checkpoint_dir, no_dist=True)
