"""What `.metadata` of a distributed checkpoint has. Behaviour: torch/distributed/checkpoint/metadata.py; the same classes, so
that the pickle is the same."""
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Optional

import torch

__all__ = ["BytesStorageMetadata", "ChunkStorageMetadata", "Metadata", "MetadataIndex", "StorageMeta", "TensorProperties",
           "TensorStorageMetadata"]


@dataclass
class ChunkStorageMetadata:
    """Where a part of a tensor lies in it."""

    offsets: torch.Size
    sizes: torch.Size


class _MEM_FORMAT_ENCODING(Enum):
    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


@dataclass
class TensorProperties:
    dtype: torch.dtype = field(default_factory=torch.get_default_dtype)
    layout: torch.layout = field(default=torch.strided)
    requires_grad: bool = False
    memory_format: torch.memory_format = field(default=torch.contiguous_format)
    pin_memory: bool = False

    def __getstate__(self):
        formats = {torch.contiguous_format: _MEM_FORMAT_ENCODING.TORCH_CONTIGUOUS_FORMAT,
                   torch.channels_last: _MEM_FORMAT_ENCODING.TORCH_CHANNELS_LAST,
                   torch.preserve_format: _MEM_FORMAT_ENCODING.TORCH_PRESERVE_FORMAT}
        if self.memory_format not in formats:
            raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")
        return (self.dtype, self.layout, self.requires_grad, formats[self.memory_format], self.pin_memory)

    def __setstate__(self, state):
        self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory = state
        formats = (torch.contiguous_format, torch.channels_last, torch.preserve_format)
        self.memory_format = formats[encoded.value]

    @staticmethod
    def create_from_tensor(tensor):
        return TensorProperties(dtype=tensor.dtype, layout=tensor.layout, requires_grad=tensor.requires_grad,
                                memory_format=torch.contiguous_format, pin_memory=False)


@dataclass
class TensorStorageMetadata:
    properties: TensorProperties
    size: torch.Size
    chunks: list


@dataclass
class BytesStorageMetadata:
    """Something that is no tensor."""


@dataclass
class StorageMeta:
    checkpoint_id: Any = None
    save_id: Optional[str] = None
    load_id: Optional[str] = None
    modules: list = field(default_factory=list)


@dataclass
class Metadata:
    """state_dict_metadata: {name: what it is}; planner_data: {name: the keys that lead to it}; storage_data:
    {MetadataIndex: where its bytes are}."""

    state_dict_metadata: dict
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: Optional[StorageMeta] = None
    version: Optional[str] = None


class MetadataIndex:
    """A part of something: its name, where the part begins, and (a hint) its number. Neither is changed."""

    def __init__(self, fqn, offset=None, index=None):
        self.fqn, self.index = fqn, index
        self.offset = torch.Size(offset) if offset is not None else None

    def __eq__(self, other):
        return isinstance(other, MetadataIndex) and self.fqn == other.fqn and self.offset == other.offset

    def __hash__(self):
        return hash((self.fqn, self.offset))

    def __repr__(self):
        return f"MetadataIndex(fqn={self.fqn!r}, offset={self.offset!r}, index={self.index!r})"
