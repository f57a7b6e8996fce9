"""Storages that know the dtype of their items.

Behaviour: torch/storage.py."""
import collections.abc
import copy
import io
import numbers
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
    torch.quint4x2: "QUInt4x2Storage",
    torch.quint2x4: "QUInt2x4Storage",
}
_DTYPES = {name: dtype for dtype, name in _NAMES.items()}
# What the items of quantized storages are seen as.
_PLAIN = {torch.quint8: torch.uint8, torch.quint4x2: torch.uint8, torch.quint2x4: torch.uint8,
          torch.qint32: torch.int32, torch.qint8: torch.int8}


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


_always_warn_typed_storage_removal = False
_has_warned = False


def _get_always_warn_typed_storage_removal():
    return _always_warn_typed_storage_removal


def _set_always_warn_typed_storage_removal(always_warn):
    global _always_warn_typed_storage_removal
    assert isinstance(always_warn, bool)
    _always_warn_typed_storage_removal = always_warn


def _warn_typed_storage_removal(stacklevel=2):
    global _has_warned
    if _has_warned and not _always_warn_typed_storage_removal:
        return
    _has_warned = True
    warnings.warn("TypedStorage is deprecated. It will be removed in the future and "
                  "UntypedStorage will be the only storage class. This should only matter "
                  "to you if you are using storages directly.  To access UntypedStorage "
                  "directly, use tensor.untyped_storage() instead of tensor.storage()",
                  UserWarning, stacklevel=stacklevel + 1)


def _reset_warn_typed_storage_removal():
    global _has_warned
    _has_warned = False


def _load_from_bytes(b):
    return torch.load(io.BytesIO(b), weights_only=False)


def _is_size(given):
    return isinstance(given, numbers.Integral)


def _device_of_module(module):
    return "cuda" if module == "torch.cuda" else "cpu"


def _untyped_of(args, dtype, device, shown):
    """What TypedStorage(*args) is to hold."""
    if len(args) > 1:
        raise RuntimeError(shown + "\nToo many positional arguments")
    if device.type not in ("cpu", "cuda", "meta"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {device.type}")
    if not args:
        return UntypedStorage(0, device=device)
    if _is_size(args[0]):
        return UntypedStorage(int(args[0]) * _element_size(dtype), device=device)
    if not isinstance(args[0], collections.abc.Sequence):
        raise TypeError(shown + f"\nArgument type not recognized: {type(args[0])}")
    return torch.tensor(args[0], dtype=_PLAIN.get(dtype, dtype), device=device).untyped_storage()


class TypedStorage:
    """An UntypedStorage and the dtype of what is in it. Public methods warn that it goes away; those with an underscore
    are for what does not ask for it."""

    is_sparse = False

    _SHOWN = ("TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
              " * (*, torch.device device, torch.dtype dtype)\n"
              " * (int size, *, torch.device device, torch.dtype dtype)\n"
              " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
              " * (*, UntypedStorage wrap_storage, torch.dtype dtype)")

    def __new__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        if not _internal:
            _warn_typed_storage_removal()
        if cls is _LegacyStorage:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        if cls is TypedStorage:
            return super().__new__(cls)
        return cls._made(args, wrap_storage, dtype, device)

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        shown = TypedStorage._SHOWN
        if wrap_storage is None:
            self.dtype = torch.get_default_dtype() if dtype is None else dtype
            device = _device("cpu" if device is None else device)
            if self.dtype in _PLAIN and device.type == "cuda":
                raise RuntimeError("Cannot create CUDA storage with quantized dtype")
            self._untyped_storage = _untyped_of(args, self.dtype, device, shown)
            return
        if args:
            raise RuntimeError(shown + "\nNo positional arguments should be given when using 'wrap_storage'")
        if dtype is None:
            raise RuntimeError(shown + "\nArgument 'dtype' must be specified")
        if not isinstance(dtype, torch.dtype):
            raise TypeError(shown + f"\nArgument 'dtype' must be torch.dtype, not {type(dtype)}")
        if device is not None:
            raise RuntimeError(shown + "\nArgument 'device' should not be specified when 'wrap_storage' is given")
        if not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(shown + f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        self.dtype = dtype
        self._untyped_storage = wrap_storage

    @property
    def _dtype(self):
        return self.dtype

    @property
    def filename(self):
        return self._untyped_storage.filename

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    @property
    def device(self):
        _warn_typed_storage_removal()
        return self._untyped_storage.device

    @property
    def is_cuda(self):
        _warn_typed_storage_removal()
        return self._untyped_storage.device.type == "cuda"

    def untyped(self):
        _warn_typed_storage_removal()
        return self._untyped_storage

    def _with(self, storage):
        return TypedStorage(wrap_storage=storage, dtype=self.dtype, _internal=True)

    _new_wrapped_storage = _with

    def _tensor(self):
        return torch._C._rebuild_tensor(self._untyped_storage, 0, (self._size(),), (1,), _PLAIN.get(self.dtype, self.dtype))

    def _size(self):
        return self._untyped_storage.nbytes() // self._element_size()

    def __len__(self):
        _warn_typed_storage_removal()
        return self._size()

    def size(self):
        _warn_typed_storage_removal()
        return self._size()

    def _element_size(self):
        return _element_size(self.dtype)

    def _nbytes(self):
        return self._untyped_storage.nbytes()

    def _data_ptr(self):
        return self._untyped_storage.data_ptr()

    def _check_index(self, idx):
        if not isinstance(idx, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(idx)}")

    def __setitem__(self, idx, value):
        _warn_typed_storage_removal()
        return self._setitem(idx, value)

    def _setitem(self, idx, value):
        self._check_index(idx)
        if isinstance(value, (TypedStorage, UntypedStorage)):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        self._tensor()[idx] = value

    def fill_(self, value):
        _warn_typed_storage_removal()
        self._setitem(slice(0, self._size()), value)
        return self

    def __getitem__(self, idx):
        _warn_typed_storage_removal()
        return self._getitem(idx)

    def _getitem(self, idx):
        if self._untyped_storage.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        if isinstance(idx, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        self._check_index(idx)
        size = self._size()
        if not -size <= idx < size:
            raise IndexError(f"index {idx} out of range for storage of size {size}")
        return self._tensor()[idx].item()

    def _items(self):
        if self._untyped_storage.device.type == "meta":
            raise NotImplementedError("Not available for 'meta' device type")
        return self._tensor().tolist()

    def __iter__(self):
        _warn_typed_storage_removal()
        return iter(self._items())

    def tolist(self):
        _warn_typed_storage_removal()
        return self._items()

    def copy_(self, source, non_blocking=None):
        _warn_typed_storage_removal()
        self._untyped_storage.copy_(source._untyped_storage if isinstance(source, TypedStorage) else source, non_blocking)
        return self

    def type(self, dtype=None, non_blocking=False):
        _warn_typed_storage_removal()
        if dtype is not None:
            return self._untyped_storage.type(dtype, non_blocking)
        legacy = self._get_legacy_storage_class()
        return f"{self.__module__}.{type(self).__name__}" if legacy is None else f"{legacy.__module__}.{legacy.__name__}"

    def _get_legacy_storage_class(self):
        kind = self._untyped_storage.device.type
        if self.dtype not in _NAMES or kind not in ("cpu", "cuda"):
            return None
        return getattr(torch if kind == "cpu" else torch.cuda, _NAMES[self.dtype], None)

    def cuda(self, device=None, non_blocking=False):
        _warn_typed_storage_removal()
        if self.dtype in _PLAIN:
            raise RuntimeError("Cannot create CUDA storage with quantized dtype")
        return self._with(self._untyped_storage.cuda(device, non_blocking))

    def to(self, *, device, non_blocking=False):
        _warn_typed_storage_removal()
        if self.dtype in _PLAIN:
            raise RuntimeError(f"Cannot create {torch.device(device).type.upper()} storage with quantized dtype")
        return self._with(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    def clone(self):
        _warn_typed_storage_removal()
        return self._with(self._untyped_storage.clone())

    def __copy__(self):
        _warn_typed_storage_removal()
        return self._with(copy.copy(self._untyped_storage))

    def __deepcopy__(self, memo):
        _warn_typed_storage_removal()
        return self._deepcopy(memo)

    def _deepcopy(self, memo):
        return self._with(self._untyped_storage.__deepcopy__(memo))

    def __sizeof__(self):
        _warn_typed_storage_removal()
        return self._untyped_storage.__sizeof__()

    def _share_memory_(self):
        self._untyped_storage.share_memory_()
        return self

    def share_memory_(self):
        _warn_typed_storage_removal()
        return self._share_memory_()

    def _is_shared(self):
        return self._untyped_storage.is_shared()

    def _new_shared(self, size, *, device=None):
        return self._with(UntypedStorage._new_shared(size * self._element_size(), device=device or "cpu"))

    def _pickle_storage_type(self):
        if self.dtype not in _NAMES:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return _NAMES[self.dtype]

    def _resize_(self, size):
        self._untyped_storage.resize_(size * self._element_size())

    def resize_(self, size):
        _warn_typed_storage_removal()
        self._resize_(size)

    def _write_file(self, *args, **kwargs):
        return self._untyped_storage._write_file(*args, **kwargs)

    def _share_fd_cpu_(self):
        return self._untyped_storage._share_fd_cpu_()

    def _share_filename_cpu_(self):
        return self._untyped_storage._share_filename_cpu_()

    def _to(self, dtype):
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")
        made = self._tensor().to(dtype)._typed_storage()
        return made._with(made._untyped_storage.clone()) if made._data_ptr() == self._data_ptr() else made

    @classmethod
    def from_buffer(cls, *args, **kwargs):
        _warn_typed_storage_removal()
        return cls._from_buffer(*args, **kwargs)

    @classmethod
    def _from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        if cls is TypedStorage:
            dtype = torch.get_default_dtype() if dtype is None else dtype
            if torch.device(device or "cpu").type != "cpu":
                raise RuntimeError(f"TypedStorage.from_buffer: Not available for device {torch.device(device).type}")
        else:
            for name, given in (("dtype", dtype is not None or len(args) == 5), ("device", device is not None)):
                if given:
                    raise RuntimeError(f"from_buffer: '{name}' can only be specified in UntypedStorage.from_buffer and "
                                       "TypedStorage.from_buffer")
            dtype = cls._dtype
        return TypedStorage(wrap_storage=UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs), dtype=dtype,
                            _internal=True)

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        _warn_typed_storage_removal()
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes")
        return cls(wrap_storage=UntypedStorage.from_file(filename, shared, size * _element_size(cls._dtype)))

    def __eq__(self, other):
        return isinstance(other, TypedStorage) and self._cdata == other._cdata and self.dtype == other.dtype

    __hash__ = object.__hash__

    def __str__(self):
        _warn_typed_storage_removal()
        device = self._untyped_storage.device
        size = f"[{torch.typename(self)}(dtype={self.dtype}, device={device}) of size {self._size()}]"
        if device.type == "meta":
            return "...\n" + size
        return " " + "\n ".join(str(item) for item in self._items()) + "\n" + size

    __repr__ = __str__

    def __reduce__(self):
        buffer = io.BytesIO()
        torch.save(self, buffer, _use_new_zipfile_serialization=False)
        return _load_from_bytes, (buffer.getvalue(),)


def _device(given):
    """torch.device(given); what is none of this program's is named by its type."""
    try:
        return torch.device(given)
    except RuntimeError:
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {given}") from None


def _public(name, private):
    def method(self, *args, **kwargs):
        _warn_typed_storage_removal()
        return private(self, *args, **kwargs)
    method.__name__ = name
    method.__qualname__ = f"TypedStorage.{name}"
    return method


for _name in ("element_size", "nbytes", "data_ptr", "is_shared", "pickle_storage_type"):
    setattr(TypedStorage, _name, _public(_name, getattr(TypedStorage, "_" + _name)))
for _name in ("get_device", "resizable", "is_pinned"):
    setattr(TypedStorage, _name, _public(_name, lambda self, *args, _name=_name, **kwargs:
                                         getattr(self._untyped_storage, _name)(*args, **kwargs)))
for _name in ("cpu", "pin_memory"):
    setattr(TypedStorage, _name, _public(_name, lambda self, *args, _name=_name, **kwargs:
                                         self._with(getattr(self._untyped_storage, _name)(*args, **kwargs))))
for _name, _dtype in (("double", torch.float64), ("float", torch.float32), ("half", torch.float16), ("long", torch.int64),
                      ("int", torch.int32), ("short", torch.int16), ("char", torch.int8), ("byte", torch.uint8),
                      ("bool", torch.bool), ("bfloat16", torch.bfloat16), ("complex_double", torch.complex128),
                      ("complex_float", torch.complex64), ("float8_e5m2", torch.float8_e5m2),
                      ("float8_e4m3fn", torch.float8_e4m3fn), ("float8_e5m2fnuz", torch.float8_e5m2fnuz),
                      ("float8_e4m3fnuz", torch.float8_e4m3fnuz)):
    setattr(TypedStorage, _name, _public(_name, lambda self, _dtype=_dtype: self._to(_dtype)))

TypedStorage.__module__ = "torch.storage"


class _LegacyStorageMeta(type):
    """Storages of the dtype and the device are instances of the class; none has it as its class."""

    def __instancecheck__(cls, instance):
        return (type(instance) is TypedStorage and "_dtype" in vars(cls) and instance.dtype == cls._dtype
                and _device_of_module(cls.__module__) == instance._untyped_storage.device.type)

    @property
    def dtype(cls):
        _warn_typed_storage_removal()
        return cls._dtype


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """torch.FloatStorage and its like."""

    @classmethod
    def _made(cls, args, wrap_storage, dtype, device):
        shown = (f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n"
                 " * (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)")
        if device is not None:
            raise RuntimeError(shown + "\nKeyword argument 'device' cannot be specified")
        if dtype is not None:
            raise RuntimeError(shown + "\nKeyword argument 'dtype' cannot be specified")
        own_device = _device_of_module(cls.__module__)
        if wrap_storage is None:
            untyped = _untyped_of(args, cls._dtype, torch.device(own_device), shown)
            return TypedStorage(wrap_storage=untyped, dtype=cls._dtype, _internal=True)
        if args:
            raise RuntimeError(shown + "\nNo positional arguments should be given when using 'wrap_storage'")
        if not isinstance(wrap_storage, UntypedStorage):
            raise TypeError(shown + f"\nArgument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        if wrap_storage.device.type != own_device:
            raise RuntimeError(shown + f"\nDevice of 'wrap_storage' must be {own_device}, but got "
                                       f"{wrap_storage.device.type}")
        return TypedStorage(wrap_storage=wrap_storage, dtype=cls._dtype, _internal=True)

    @classmethod
    def _new_shared(cls, size):
        return cls(wrap_storage=UntypedStorage._new_shared(size * _element_size(cls._dtype)))


class _CudaLegacyStorage(_LegacyStorage):
    """torch.cuda.FloatStorage and its like."""

    @classmethod
    def _unavailable(cls, name):
        _warn_typed_storage_removal()
        raise RuntimeError(f"{name}: Not available for CUDA storage")

    @classmethod
    def from_buffer(cls, *args, **kwargs):
        cls._unavailable("from_buffer")

    @classmethod
    def _new_with_weak_ptr(cls, *args, **kwargs):
        cls._unavailable("_new_with_weak_ptr")

    @classmethod
    def _new_shared_filename(cls, manager, obj, size, *, device=None, dtype=None):
        cls._unavailable("_new_shared_filename")


def _make_legacy(name, base, module):
    return _LegacyStorageMeta(name, (base,), {"_dtype": _DTYPES[name], "__module__": module})


globals().update({name: _make_legacy(name, _LegacyStorage, "torch") for name in _DTYPES})
_cuda_classes = {name: _make_legacy(name, _CudaLegacyStorage, "torch.cuda") for name in _DTYPES if not name.startswith("Q")}
_storage_classes = {UntypedStorage, TypedStorage, *(globals()[name] for name in _DTYPES), *_cuda_classes.values()}
