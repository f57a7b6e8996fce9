"""save(). Behaviour: torch/distributed/checkpoint/state_dict_saver.py."""
import os
from dataclasses import dataclass
from enum import Enum
from typing import Any

from torch.distributed.checkpoint import _plan
from torch.distributed.checkpoint._nested_dict import flatten_state_dict
from torch.distributed.checkpoint._ranks import Ranks
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.checkpoint.metadata import Metadata, MetadataIndex, TensorStorageMetadata
from torch.distributed.checkpoint.stateful import Stateful

__all__ = ["async_save", "save", "save_state_dict"]


def _writer(storage_writer, checkpoint_id):
    if storage_writer is None:
        if not checkpoint_id:
            raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
        return FileSystemWriter(checkpoint_id)
    if not isinstance(storage_writer, FileSystemWriter):
        raise NotImplementedError("checkpoints are written by FileSystemWriter only")
    storage_writer.reset(checkpoint_id)
    return storage_writer


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True):
    """Writes a state, of each DTensor the parts of the ranks, of what all have one. Gives the metadata (rank 0: of all)."""
    if planner is not None:
        raise NotImplementedError("torch.distributed.checkpoint.save: planner")
    writer = _writer(storage_writer, checkpoint_id)
    ranks = Ranks(process_group, no_dist)
    states = {key: one.state_dict() if isinstance(one, Stateful) else one for key, one in state_dict.items()}

    def plan():
        flat, paths = flatten_state_dict(states)
        if ranks.rank == 0:
            writer.set_up()
        return _plan.write_items(flat), paths

    items, paths = ranks.step("plan", plan)
    told = ranks.all_of(([(index, what) for index, what, _ in items], paths))
    plans = [one[0] for one in told]
    owner = _plan.shared_out(plans)
    written = ranks.step("write", lambda: writer.write(
        ranks.rank, [(index, value) for index, _, value in items if owner[index] == ranks.rank]))
    places = dict(pair for part in ranks.all_of(written) for pair in part)
    metadata = Metadata(_plan.joined(plans), planner_data={name: path for one in told for name, path in one[1].items()})
    metadata.storage_data = {_numbered(index, metadata): place for index, place in places.items()}
    ranks.step("finish", lambda: writer.finish(metadata) if ranks.rank == 0 else None)
    return metadata


def _numbered(index, metadata):
    """With the number of the part among those of its tensor."""
    what = metadata.state_dict_metadata[index.fqn]
    if not isinstance(what, TensorStorageMetadata):
        return index
    at = next(at for at, chunk in enumerate(what.chunks) if chunk.offsets == index.offset)
    return MetadataIndex(index.fqn, index.offset, at)


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """The older name of save()."""
    return save(state_dict, storage_writer=storage_writer, process_group=process_group, no_dist=no_dist, planner=planner)


class AsyncCheckpointerType(Enum):
    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """What async_save gives with an asynchronous stager."""

    staging_completion: Any
    upload_completion: Any


def async_save(*args, **kwargs):
    raise NotImplementedError("torch.distributed.checkpoint.async_save is not in nnscope: save() writes at once")
