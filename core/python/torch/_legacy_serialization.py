"""The format of torch.save before 1.6: pickles one after the other, then the storages.

Behaviour: torch/serialization.py, _legacy_save and _legacy_load."""
import sys
import warnings

import torch
from torch import _utils

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def legacy_save(obj, f, pickle_module, pickle_protocol):
    from torch.serialization import StorageTable, location_tag
    table = StorageTable()
    storages = {}
    containers = set()

    class TorchPickler(pickle_module.Pickler):
        def persistent_id(self, obj):
            if isinstance(obj, type) and issubclass(obj, torch.nn.Module):
                if obj in containers:
                    return None
                containers.add(obj)
                warnings.warn("Couldn't retrieve source code for container of "
                              "type " + obj.__name__ + ". It won't be checked "
                              "for correctness upon loading.", stacklevel=2)
                return "module", obj, None, None
            parts = table.parts(obj)
            if parts is None:
                return None
            storage, cls, count, dtype = parts
            key = str(storage._cdata)
            storages.setdefault(key, (storage, dtype))
            return "storage", cls, key, location_tag(storage), count, None

    system = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little",
              "type_sizes": {"short": 2, "int": 4, "long": 8}}
    for part in (MAGIC_NUMBER, PROTOCOL_VERSION, system):
        pickle_module.dump(part, f, protocol=pickle_protocol)
    TorchPickler(f, protocol=pickle_protocol).dump(obj)
    keys = sorted(storages)
    pickle_module.dump(keys, f, protocol=pickle_protocol)
    for key in keys:
        storage, dtype = storages[key]
        f.write((storage.nbytes() // _utils._element_size(dtype)).to_bytes(8, "little"))
        f.write(storage._to_bytes())


def _is_tar(f):
    start = f.tell()
    first = f.read(265)
    f.seek(start)
    return first[257:262] == b"ustar"


def _size_from_here(f):
    start = f.tell()
    f.seek(0, 2)
    end = f.tell()
    f.seek(start)
    return end - start


def legacy_load(f, restore_location, pickle_module, weights_only, **pickle_load_args):
    from torch.serialization import UNSAFE_MESSAGE, _maybe_decode_ascii, storage_dtype, unpickler_class
    from torch.storage import TypedStorage
    if _is_tar(f):
        if weights_only:
            raise RuntimeError("Cannot use ``weights_only=True`` with files saved in the "
                               "legacy .tar format. " + UNSAFE_MESSAGE)
        raise NotImplementedError("nnscope does not load files of torch 0.1.10 and older (tar)")
    # No storage is larger than the file.
    most_bytes = _size_from_here(f)
    loaded = {}

    def typed(storage, dtype):
        return TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)

    def load_storage(storage_type, root_key, location, numel, view_metadata):
        dtype = storage_dtype(storage_type)
        width = _utils._element_size(dtype)
        if root_key not in loaded:
            if not 0 <= numel * width <= most_bytes:
                raise RuntimeError(f"storage {root_key!r} of {numel * width} bytes in a file of {most_bytes} bytes")
            storage = restore_location(torch.UntypedStorage(numel * width), _maybe_decode_ascii(location))
            if isinstance(storage, TypedStorage):
                storage = storage._untyped_storage
            loaded[root_key] = typed(storage, dtype)
        if view_metadata is None:
            found = loaded[root_key]
            # Those without bytes may be of several dtypes.
            return found if found._nbytes() != 0 else typed(found._untyped_storage, dtype)
        view_key, offset, size = view_metadata
        if view_key not in loaded:
            whole = loaded[root_key]._untyped_storage
            loaded[view_key] = typed(whole._part(offset * width, size * width), dtype)
        return loaded[view_key]

    def persistent_load(saved_id):
        if not isinstance(saved_id, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(saved_id)}")
        kind, *data = saved_id
        kind = _maybe_decode_ascii(kind)
        if kind == "module":
            # The source that is saved beside a class is not compared with the program's.
            return data[0]
        if kind == "storage":
            return load_storage(*data)
        raise RuntimeError(f"Unknown saved id type: {saved_id[0]}")

    if pickle_module.load(f, **pickle_load_args) != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = pickle_module.load(f, **pickle_load_args)
    if version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    pickle_module.load(f, **pickle_load_args)
    unpickler = unpickler_class(pickle_module)(f, **pickle_load_args)
    unpickler.persistent_load = persistent_load
    result = unpickler.load()
    for key in pickle_module.load(f, **pickle_load_args):
        if key not in loaded:
            raise AssertionError(f"storage key {key!r} is in the list of storages and not in the pickle")
        _read_storage(f, loaded[key])
    return result


def _read_storage(f, typed_storage):
    storage = typed_storage._untyped_storage
    numel = int.from_bytes(f.read(8), "little", signed=True)
    if numel * _utils._element_size(typed_storage.dtype) != storage.nbytes():
        raise RuntimeError(f"storage has wrong byte size: expected {storage.nbytes()} got "
                           f"{numel * _utils._element_size(typed_storage.dtype)}")
    data = f.read(storage.nbytes())
    if len(data) < storage.nbytes():
        raise RuntimeError(f"unexpected EOF, expected {storage.nbytes() - len(data)} more bytes. "
                           "The file might be corrupted.")
    if storage.device.type != "meta":
        storage.copy_(torch.UntypedStorage._from_bytes(data))
