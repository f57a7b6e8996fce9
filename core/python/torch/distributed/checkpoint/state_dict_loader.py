"""load(). Behaviour: torch/distributed/checkpoint/state_dict_loader.py."""
import torch
from torch.distributed.checkpoint import _plan
from torch.distributed.checkpoint._nested_dict import flatten_state_dict, set_element
from torch.distributed.checkpoint._ranks import Ranks
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import MetadataIndex, TensorStorageMetadata
from torch.distributed.checkpoint.stateful import Stateful

__all__ = ["load", "load_state_dict"]


def _reader(storage_reader, checkpoint_id):
    if storage_reader is None:
        if not checkpoint_id:
            raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
        return FileSystemReader(checkpoint_id)
    if not isinstance(storage_reader, FileSystemReader):
        raise NotImplementedError("checkpoints are read by FileSystemReader only")
    storage_reader.reset(checkpoint_id)
    return storage_reader


def _filled(state_dict, reader, allows_partial):
    """Reads into the tensors of a state, and puts what is no tensor in its place. Errors: RuntimeError  a name is missing."""
    metadata = reader.read_metadata()
    flat, paths = flatten_state_dict(state_dict)
    for name, value in flat.items():
        what = metadata.state_dict_metadata.get(name)
        if what is None:
            if allows_partial:
                continue
            raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
        if isinstance(what, TensorStorageMetadata):
            if not isinstance(value, torch.Tensor):
                raise ValueError(f"{name} is a tensor in the checkpoint, and {type(value).__name__} here")
            _plan.read_into(value, name, what, lambda index: reader.read(metadata, index))
        else:
            set_element(state_dict, paths[name], reader.read(metadata, MetadataIndex(name)))


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    """Fills a state from a checkpoint in place: each rank reads the parts that it needs, however they were sharded."""
    from torch.distributed.checkpoint.default_planner import DefaultLoadPlanner
    if planner is not None and type(planner) is not DefaultLoadPlanner:
        raise NotImplementedError("torch.distributed.checkpoint.load: planners of programs")
    reader = _reader(storage_reader, checkpoint_id)
    ranks = Ranks(process_group, no_dist)
    states = {key: one.state_dict() if isinstance(one, Stateful) else one for key, one in state_dict.items()}
    ranks.step("load", lambda: _filled(states, reader, planner is not None and planner.allow_partial_load))
    for key, one in list(state_dict.items()):
        if isinstance(one, Stateful):
            one.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """The older name of load()."""
    return load(state_dict, storage_reader=storage_reader, process_group=process_group, no_dist=no_dist, planner=planner)
