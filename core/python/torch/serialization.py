"""torch.save and torch.load.

Behaviour: torch/serialization.py. Files of torch 0.1.10 and older (tar) and TorchScript archives are not read here."""
import io
import os
import pickle
import sys
import warnings

import torch
from torch import _utils, _weights_only_unpickler, storage as _storage
from torch._archive_files import (MAP_SHARED, _is_path, _is_zipfile, _open_archive, _open_file_like, _open_zipfile_reader,
                                  _open_zipfile_writer, get_crc32_options, get_default_mmap_options, set_crc32_options,
                                  set_default_mmap_options, skip_data, skips_data)
from torch._legacy_serialization import MAGIC_NUMBER, PROTOCOL_VERSION, legacy_load, legacy_save
from torch._weights_only_unpickler import _safe_globals

__all__ = ["add_safe_globals", "clear_safe_globals", "default_restore_location", "get_crc32_options",
           "get_default_load_endianness", "get_default_mmap_options",
           "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "LoadEndianness", "location_tag",
           "normalize_storage_type", "register_package", "safe_globals", "save", "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data",
           "SourceChangeWarning", "StorageType", "validate_cuda_device"]

DEFAULT_PROTOCOL = 2
_STORAGE_ALIGNMENT = 64

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, "
    "but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source.")
_DOCS_MESSAGE = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html.")


class SourceChangeWarning(Warning):
    pass


_default_load_endian = None


def __getattr__(name):
    # Made when it is asked for: few programs do, and the module enum takes a while.
    if name != "LoadEndianness":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in globals():
        return globals()[name]
    from enum import Enum
    made = Enum("LoadEndianness", {"NATIVE": 1, "LITTLE": 2, "BIG": 3}, module=__name__)
    globals()[name] = made
    return made


def get_default_load_endianness():
    return _default_load_endian


def set_default_load_endianness(endianness):
    global _default_load_endian
    if endianness is not None and not isinstance(endianness, __getattr__("LoadEndianness")):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _default_load_endian = endianness


def add_safe_globals(safe_globals):
    _weights_only_unpickler._add_safe_globals(safe_globals)


def get_safe_globals():
    return _weights_only_unpickler._get_safe_globals()


def clear_safe_globals():
    _weights_only_unpickler._clear_safe_globals()


class safe_globals(_safe_globals):
    """with safe_globals([SomeClass]): torch.load(...)."""


class StorageType:
    """What stands for torch.FloatStorage and its like while a pickle is read."""

    def __init__(self, name):
        self._dtype = _storage._get_dtype_from_pickle_storage_type(name)

    @property
    def dtype(self):
        return self._dtype

    def __str__(self):
        return f"StorageType(dtype={self.dtype})"


def _get_layout(name):
    found = getattr(torch, name.removeprefix("torch."), None)
    if found is None:
        raise KeyError(name)
    return found


def normalize_storage_type(storage_type):
    return getattr(torch, storage_type.__name__)


def _maybe_decode_ascii(text):
    """Keys of our own in files of Python 2 are bytes."""
    return text.decode("ascii") if isinstance(text, bytes) else text


# Where storages are and come back to.

_package_registry = []


def register_package(priority, tagger, deserializer):
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda row: row[0])


def validate_cuda_device(location):
    if not torch.cuda.is_available():
        raise RuntimeError("Attempting to deserialize object on a CUDA "
                           "device but torch.cuda.is_available() is False. "
                           "If you are running on a CPU-only machine, "
                           "please use torch.load with map_location=torch.device('cpu') "
                           "to map your storages to the CPU.")
    device = int(location[5:] or 0) if location.startswith("cuda:") else 0
    count = torch.cuda.device_count()
    if device >= count:
        raise RuntimeError("Attempting to deserialize object on CUDA device "
                           f"{device} but torch.cuda.device_count() is {count}. Please use "
                           "torch.load with map_location to map your storages "
                           "to an existing device.")
    return device


def _tag(kind):
    def tag(obj):
        device = obj.device
        if device.type != kind:
            return None
        return kind if device.index is None else f"{kind}:{device.index}"

    return tag


def _cuda_deserialize(obj, location):
    if location.startswith("cuda"):
        return obj.cuda(validate_cuda_device(location))
    return None


register_package(10, _tag("cpu"), lambda obj, location: obj if location == "cpu" else None)
register_package(20, _tag("cuda"), _cuda_deserialize)
register_package(22, _tag("meta"), lambda obj, location: (
    torch.UntypedStorage(obj.nbytes(), device="meta") if location == "meta" else None))


def location_tag(storage):
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError("don't know how to determine data location of " + torch.typename(storage))


def default_restore_location(storage, location):
    for _, _, deserializer in _package_registry:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError("don't know how to restore data location of " + torch.typename(storage) +
                       " (tagged with " + location + ")")


def _get_restore_location(map_location):
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        return lambda storage, location: default_restore_location(storage, _maybe_decode_ascii(map_location))
    if isinstance(map_location, torch.device):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore_location(storage, location):
        result = map_location(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return restore_location


# Saving.

def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False):
    if not _is_path(f) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with "
                             "a 'write' attribute")
    if _is_path(f):
        f = os.fspath(f)
    if not _use_new_zipfile_serialization:
        if skips_data():
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        with _open_file_like(f, "wb") as opened_file:
            legacy_save(obj, opened_file, pickle_module, pickle_protocol)
        return
    with _open_zipfile_writer(f) as archive:
        _save(obj, archive, pickle_module, pickle_protocol, _disable_byteorder_record)


class StorageTable:
    """The storages that a pickle names: what stands for each in it, and that all of one memory have one dtype."""

    def __init__(self):
        self._dtypes = {}

    def parts(self, obj):
        """(storage, the class that stands for it, count of items, its dtype); None for what is no storage."""
        if isinstance(obj, _storage.TypedStorage):
            storage, dtype, count = obj._untyped_storage, obj.dtype, obj._size()
            cls = getattr(_storage, obj._pickle_storage_type())
        elif isinstance(obj, torch.UntypedStorage):
            storage, dtype, count, cls = obj, torch.uint8, obj.nbytes(), torch.UntypedStorage
        else:
            return None
        place = 0 if storage.device.type == "meta" else storage.data_ptr()
        if place != 0 and self._dtypes.setdefault(place, dtype) != dtype:
            raise RuntimeError("Cannot save multiple tensors or storages that "
                               "view the same data as different types")
        return storage, cls, count, dtype


def _save(obj, archive, pickle_module, pickle_protocol, without_byteorder):
    table = StorageTable()
    keys, storages = {}, []

    class TorchPickler(pickle_module.Pickler):
        def persistent_id(self, obj):
            parts = table.parts(obj)
            if parts is None:
                return None
            storage, cls, count, _ = parts
            if storage._cdata not in keys:
                keys[storage._cdata] = str(len(keys))
                storages.append(storage)
            return "storage", cls, keys[storage._cdata], location_tag(storage), count

    buffer = io.BytesIO()
    TorchPickler(buffer, protocol=pickle_protocol).dump(obj)
    archive.write_record("data.pkl", buffer.getvalue())
    archive.write_record(".format_version", b"1")
    archive.write_record(".storage_alignment", str(_STORAGE_ALIGNMENT).encode())
    if not without_byteorder:
        archive.write_record("byteorder", sys.byteorder.encode())
    for key, storage in enumerate(storages):
        if skips_data():
            archive.write_record_metadata(f"data/{key}", storage.nbytes())
            continue
        archive.write_record(f"data/{key}", storage if storage.device.type == "cpu" else storage.cpu())
    archive.write_record("version", b"3\n")
    archive.write_record(".data/serialization_id", archive.serialization_id().encode())


# Loading.

def _between(text, before, after):
    """The word between the two; None without them."""
    start = text.find(before)
    end = text.find(after, start + len(before)) if start >= 0 else -1
    word = text[start + len(before):end] if end > 0 else ""
    return word if word and not any(one.isspace() for one in word) else None


def _get_wo_message(message):
    """What torch.load says where only weights were wanted."""
    if _between(message, "GLOBAL ", " was not an allowed global by default"):
        updated = ("Weights only load failed. This file can still be loaded, to do so you have two options, "
                   "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. "
                   f"\n\t(1) {UNSAFE_MESSAGE}\n\t(2) Alternatively, to load with `weights_only=True` please check "
                   "the recommended steps in the following error message.\n\tWeightsUnpickler error: " + message)
    elif _between(message, " must be ", " to load"):
        return f"Weights only load failed. {message}\n {UNSAFE_MESSAGE}\n"
    else:
        updated = f"Weights only load failed. {UNSAFE_MESSAGE}\n"
        if not _between(message, "whose module ", " is blocked"):
            updated += ("Please file an issue with the following so that we can make "
                        "`weights_only=True` compatible with your use case: WeightsUnpickler error: ")
        updated += "\n\n" + message
    return updated + _DOCS_MESSAGE


def _forced_weights_only(given):
    """What the environment says of weights_only, else `given`."""
    def is_set(name):
        return os.environ.get(name, "0") in ("1", "y", "yes", "true")

    forces, forces_not = is_set("TORCH_FORCE_WEIGHTS_ONLY_LOAD"), is_set("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    if forces and forces_not:
        raise RuntimeError("Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
                           "should be set, but both were set.")
    if forces:
        return True
    if forces_not and given is None:
        warnings.warn("Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
                      "`weights_only` argument was not explicitly passed to `torch.load`, forcing weights_only=False.",
                      UserWarning, stacklevel=3)
        return False
    return given


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """The object in a file. `mmap`: storages are read when the file is loaded, unless set_default_mmap_options(MAP_SHARED) makes
    them parts of it; what the program sees is the same."""
    weights_only = _forced_weights_only(weights_only)
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only:
        if pickle_module is not None:
            raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
        if pickle_load_args != {}:
            warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    elif pickle_module is None:
        pickle_module = pickle
    reader = _weights_only_unpickler if weights_only else pickle_module
    pickle_load_args.setdefault("encoding", "utf-8")
    with _open_file_like(f, "rb") as opened_file:
        try:
            if _is_zipfile(opened_file):
                archive = _open_archive(opened_file)
                _check_archive(archive, f, weights_only, mmap)
                shared = None
                if mmap and get_default_mmap_options() == MAP_SHARED:
                    shared = torch.UntypedStorage.from_file(os.fspath(f), True, os.path.getsize(f))
                return _load(archive, map_location, reader, shared, **pickle_load_args)
            if mmap:
                name = "" if not isinstance(f, str) else f"{f}, "
                raise RuntimeError("mmap can only be used with files saved with "
                                   f"`torch.save({name}_use_new_zipfile_serialization=True), "
                                   "please torch.save your checkpoint with this option in order to use mmap.")
            return legacy_load(opened_file, _get_restore_location(map_location), reader, weights_only,
                               **pickle_load_args)
        except pickle.UnpicklingError as error:
            if not weights_only:
                raise
            raise pickle.UnpicklingError(_get_wo_message(str(error))) from None


def _is_torchscript_zip(zip_file):
    return "constants.pkl" in zip_file.get_all_records()


def _check_archive(archive, f, weights_only, mmap):
    if _is_torchscript_zip(archive):
        warnings.warn("'torch.load' received a zip file that looks like a TorchScript archive"
                      " dispatching to 'torch.jit.load' (call 'torch.jit.load' directly to"
                      " silence this warning)", UserWarning, stacklevel=3)
        if weights_only:
            raise RuntimeError("Cannot use ``weights_only=True`` with TorchScript archives passed to "
                               "``torch.load``. " + UNSAFE_MESSAGE)
        raise NotImplementedError("nnscope does not run TorchScript: there is no torch.jit.load")
    if mmap and not _is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")


def _swaps_bytes(archive):
    """Whether the numbers of the archive have the other byte order."""
    order = "native" if _default_load_endian is None else _default_load_endian.name.lower()
    if archive.has_record("byteorder"):
        mark = archive.get_record("byteorder")
        if mark not in (b"little", b"big"):
            raise ValueError("Unknown endianness type: " + mark.decode())
        order = mark.decode()
    return order not in ("native", sys.byteorder)


def unpickler_class(pickle_module):
    """The reader of the module, which finds classes under the names of today."""

    class TorchUnpickler(pickle_module.Unpickler):
        def find_class(self, mod_name, name):
            if type(name) is str and "Storage" in name:
                try:
                    return StorageType(name)
                except KeyError:
                    pass
            return super().find_class("torch._tensor" if mod_name == "torch.tensor" else mod_name, name)

    return TorchUnpickler


def storage_dtype(storage_type):
    return torch.uint8 if storage_type is torch.UntypedStorage else storage_type.dtype


def _stored(archive, name, size, shared):
    """The storage of a record; `shared`: the archive's own bytes, where it is a part of them."""
    if skips_data():
        return torch.UntypedStorage(size)
    if shared is None:
        return archive.get_storage(name, size)
    begin = archive.get_record_offset(name)
    return shared[begin:begin + size]


def _load(archive, map_location, pickle_module, shared=None, **pickle_load_args):
    restore_location = _get_restore_location(map_location)
    swaps = _swaps_bytes(archive)
    loaded = {}

    def persistent_load(saved_id):
        if not isinstance(saved_id, tuple):
            raise AssertionError(f"saved_id must be a tuple, got {type(saved_id)}")
        kind = _maybe_decode_ascii(saved_id[0])
        if kind != "storage":
            raise AssertionError(f"Unknown typename for persistent_load, expected 'storage' but got '{kind}'")
        storage_type, key, location, numel = saved_id[1:]
        if key in loaded:
            return loaded[key]
        dtype = storage_dtype(storage_type)
        width = _utils._element_size(dtype)
        storage = _stored(archive, f"data/{key}", numel * width, shared)
        if swaps:
            storage._swap_bytes(width // 2 if dtype.is_complex else width)
        storage = restore_location(storage, _maybe_decode_ascii(location))
        if isinstance(storage, _storage.TypedStorage):
            storage = storage._untyped_storage
        typed = _storage.TypedStorage(wrap_storage=storage, dtype=dtype, _internal=True)
        # Those without bytes may be of several dtypes.
        if storage.data_ptr() != 0:
            loaded[key] = typed
        return typed

    unpickler = unpickler_class(pickle_module)(io.BytesIO(archive.get_record("data.pkl")), **pickle_load_args)
    unpickler.persistent_load = persistent_load
    _utils._map_location = map_location
    try:
        return unpickler.load()
    finally:
        _utils._map_location = None


def get_unsafe_globals_in_checkpoint(f):
    """The names in a checkpoint that weights_only=True would not load."""
    with _open_file_like(f, "rb") as opened_file:
        if not _is_zipfile(opened_file):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        archive = _open_archive(opened_file)
        if _is_torchscript_zip(archive):
            raise ValueError("Expected input to be a checkpoint returned by torch.save but got a torchscript checkpoint")
        found = _weights_only_unpickler.get_globals_in_pkl(io.BytesIO(archive.get_record("data.pkl")))
        return list(found.difference(_weights_only_unpickler._get_allowed_globals(),
                                     _weights_only_unpickler._get_user_allowed_globals()))
