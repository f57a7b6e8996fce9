"""Checkpoints in a folder: a file for each rank, and `.metadata` that tells where everything is. Behaviour:
torch/distributed/checkpoint/filesystem.py."""
import io
import os
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import torch
from torch.distributed.checkpoint.metadata import BytesStorageMetadata

__all__ = ["FileSystemReader", "FileSystemWriter", "StorageReader", "StorageWriter"]


@dataclass
class _StorageInfo:
    """Where bytes are: the file below the folder, and the place in it."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Optional[list] = None

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if value is not None}


class StorageWriter:
    """Something that checkpoints are written to: FileSystemWriter is the one that there is."""


class StorageReader:
    """Something that checkpoints are read from."""


class FileSystemWriter(StorageWriter):
    """Writes into a folder, which is made."""

    def __init__(self, path, single_file_per_rank=True, sync_files=True, thread_count=1, per_thread_copy_ahead=10_000_000,
                 cache_staged_state_dict=False, overwrite=True, _extensions=None, serialization_format=None):
        if _extensions or serialization_format is not None and getattr(serialization_format, "value", "") != "torch_save":
            raise NotImplementedError("FileSystemWriter: other formats than that of torch.save are not in nnscope")
        self.path, self.single_file_per_rank, self.overwrite = Path(path), single_file_per_rank, overwrite

    def reset(self, checkpoint_id=None):
        if checkpoint_id:
            self.path = Path(checkpoint_id)

    @property
    def checkpoint_id(self):
        return self.path

    @property
    def metadata_path(self):
        return self.path / ".metadata"

    def set_up(self):
        """Before anything is written. Errors: RuntimeError  a checkpoint is there, and may not be overwritten."""
        os.makedirs(self.path, exist_ok=True)
        if self.metadata_path.exists() and not self.overwrite:
            raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")

    def write(self, rank, items):
        """[(index, value)] -> [(index, where it is)]."""
        found, file, count = [], None, 0
        try:
            for index, value in items:
                if file is None:
                    name = f"__{rank}_{count}.distcp"
                    file, at, count = open(self.path / name, "wb"), 0, count + 1
                stream = io.BytesIO()
                torch.save(value, stream)
                data = stream.getvalue()
                file.write(data)
                found.append((index, _StorageInfo(name, at, len(data))))
                at += len(data)
                if not self.single_file_per_rank:
                    file.close()
                    file = None
        finally:
            if file is not None:
                file.close()
        return found

    def finish(self, metadata):
        """Names the checkpoint complete: `.metadata` is there at once, or not."""
        metadata.version = "1.0.0"
        temporary = self.path / ".metadata.tmp"
        with open(temporary, "wb") as file:
            file.write(pickle.dumps(metadata))
        os.replace(temporary, self.metadata_path)


class FileSystemReader(StorageReader):
    """Reads what FileSystemWriter wrote."""

    def __init__(self, path, _extension_registry=None):
        self.path = Path(path)

    def reset(self, checkpoint_id=None):
        if checkpoint_id:
            self.path = Path(checkpoint_id)

    @property
    def checkpoint_id(self):
        return self.path

    def read_metadata(self):
        with open(self.path / ".metadata", "rb") as file:
            return pickle.loads(file.read())

    def read(self, metadata, index):
        """The value of one part."""
        place = metadata.storage_data[index]
        with open(self.path / place.relative_path, "rb") as file:
            file.seek(place.offset)
            data = file.read(place.length)
        is_object = isinstance(metadata.state_dict_metadata[index.fqn], BytesStorageMetadata)
        return torch.load(io.BytesIO(data), map_location="cpu", weights_only=not is_object)
