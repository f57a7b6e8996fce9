"""Storages that know the dtype of their items.

Behaviour: torch/storage.py."""
import io
import warnings

import torch
from torch import UntypedStorage
from torch._utils import _element_size

__all__ = ["TypedStorage", "UntypedStorage"]

# The class that older files name for a dtype. Dtypes that came later have none: their tensors name the dtype.
_NAMES = {
    torch.float64: "DoubleStorage",
    torch.float32: "FloatStorage",
    torch.float16: "HalfStorage",
    torch.int64: "LongStorage",
    torch.int32: "IntStorage",
    torch.int16: "ShortStorage",
    torch.int8: "CharStorage",
    torch.uint8: "ByteStorage",
    torch.bool: "BoolStorage",
    torch.bfloat16: "BFloat16Storage",
    torch.complex128: "ComplexDoubleStorage",
    torch.complex64: "ComplexFloatStorage",
    torch.quint8: "QUInt8Storage",
    torch.qint8: "QInt8Storage",
    torch.qint32: "QInt32Storage",
}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}


def _new_dtypes():
    return {torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz,
            torch.float8_e8m0fnu, torch.float4_e2m1fn_x2, torch.complex32, torch.uint16, torch.uint32, torch.uint64}


def _dtype_to_storage_type_map():
    return dict(_NAMES)


def _storage_type_to_dtype_map():
    return dict(_DTYPES)


def _get_dtype_from_pickle_storage_type(name):
    if name not in _DTYPES:
        raise KeyError(f'pickle storage type "{name}" is not recognized')
    return _DTYPES[name]


def _warn_typed_storage_removal(stacklevel=2):
    warnings.warn("TypedStorage is deprecated. It will be removed in the future and "
                  "UntypedStorage will be the only storage class. This should only matter "
                  "to you if you are using storages directly.  To access UntypedStorage "
                  "directly, use tensor.untyped_storage() instead of tensor.storage()",
                  UserWarning, stacklevel=stacklevel + 1)


def _load_from_bytes(b):
    return torch.load(io.BytesIO(b), weights_only=False)


class TypedStorage:
    """An UntypedStorage and the dtype of what is in it."""

    is_sparse = False

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if wrap_storage is None:
            own = dtype or getattr(type(self), "dtype", None) or torch.get_default_dtype()
            if len(args) > 1:
                raise RuntimeError(f"expected at most one positional argument, but got {len(args)}")
            data = torch.tensor(list(args[0]) if args and not isinstance(args[0], int) else [], dtype=own)
            if args and isinstance(args[0], int):
                data = torch.empty(args[0], dtype=own)
            wrap_storage, dtype = data.to(device or "cpu").untyped_storage(), own
        if not isinstance(wrap_storage, (UntypedStorage)):
            raise TypeError(f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")
        self.dtype = dtype
        self._untyped_storage = wrap_storage

    def untyped(self):
        return self._untyped_storage

    def _tensor(self):
        return torch._C._rebuild_tensor(self._untyped_storage, 0, (self._size(),), (1,), self.dtype)

    def _element_size(self):
        return _element_size(self.dtype)

    element_size = _element_size

    def _size(self):
        return self._untyped_storage.nbytes() // self._element_size()

    size = __len__ = _size

    def nbytes(self):
        return self._untyped_storage.nbytes()

    def data_ptr(self):
        return self._untyped_storage.data_ptr()

    @property
    def device(self):
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._tensor()[index].item()

    def __setitem__(self, index, value):
        self._tensor()[index] = value

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self):
        return self._tensor().tolist()

    def fill_(self, value):
        self._tensor().fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        other = source._tensor() if isinstance(source, TypedStorage) else source
        if isinstance(other, UntypedStorage):
            self._untyped_storage.copy_(other)
        else:
            self._tensor().copy_(other)
        return self

    def _with(self, storage):
        return TypedStorage(wrap_storage=storage, dtype=self.dtype, _internal=True)

    def clone(self):
        return self._with(self._untyped_storage.clone())

    def cpu(self):
        return self._with(self._untyped_storage.cpu())

    def cuda(self, device=None, non_blocking=False):
        return self._with(self._untyped_storage.cuda(device, non_blocking))

    def to(self, *, device, non_blocking=False):
        return self._with(self._untyped_storage.to(device=device))

    def is_shared(self):
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        self._tensor().share_memory_()
        return self

    def _pickle_storage_type(self):
        if self.dtype not in _NAMES:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return _NAMES[self.dtype]

    pickle_storage_type = _pickle_storage_type

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self._cdata == other._cdata

    __hash__ = object.__hash__

    def __repr__(self):
        items = "".join(f" {item}\n" for item in ([...] if self.device.type == "meta" else self.tolist()))
        return f"{items}[{torch.typename(self)}(dtype={self.dtype}, device={self.device}) of size {len(self)}]"

    def __reduce__(self):
        buffer = io.BytesIO()
        torch.save(self, buffer, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (buffer.getvalue(),)


TypedStorage.__module__ = "torch.storage"


class _LegacyStorage(TypedStorage):
    """torch.FloatStorage and its like."""


def _make_legacy(name, dtype):
    return type(name, (_LegacyStorage,), {"dtype": dtype, "__module__": "torch"})


globals().update({name: _make_legacy(name, dtype) for name, dtype in _DTYPES.items()})
