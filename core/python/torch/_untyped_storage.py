"""Methods of torch.UntypedStorage that are made of others.

Behaviour: torch/storage.py, _StorageBase; torch/csrc/StorageMethods.cpp, from_buffer; torch/_utils.py, _type."""
import builtins
import importlib

import torch
from torch._utils import _element_size

# What CPython takes for the object beside its bytes.
_OWN_SIZE = 48
# Items of these have no order of bytes.
_SINGLE_BYTES = ("uint8", "int8", "float8_e5m2", "float8_e5m2fnuz", "float8_e4m3fn", "float8_e4m3fnuz")


def type(self, dtype=None, non_blocking=False):
    own = builtins.type(self)
    if dtype is None:
        return f"{own.__module__}.{own.__name__}"
    if isinstance(dtype, str):
        module, _, name = dtype.rpartition(".")
        dtype = getattr(importlib.import_module(module), name)
    if dtype == own:
        return self
    if dtype.is_sparse:
        raise RuntimeError("Cannot cast dense tensor to sparse tensor")
    return dtype(self.size()).copy_(self, non_blocking)


def get_device(self):
    return self.device.index


def __str__(self):
    size = f"[{torch.typename(self)}(device={self.device}) of size {len(self)}]"
    if self.device.type == "meta":
        return "...\n" + size
    return " " + "\n ".join(str(one) for one in self) + "\n" + size


__repr__ = __str__


def __iter__(self):
    return iter([self[i] for i in range(self.size())])


def __copy__(self):
    return self.clone()


def __sizeof__(self):
    return _OWN_SIZE + self.nbytes()


def _cast(self, dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError(f"Argument 'dtype' must be torch.dtype, not {builtins.type(dtype)}")
    own = torch.tensor([], dtype=torch.uint8, device=self.device).set_(self)
    made = own.to(dtype)._typed_storage()
    return made.clone() if made._data_ptr() == self.data_ptr() else made


_to = _cast


def _casting(dtype):
    def cast(self):
        return _cast(self, dtype)
    return cast


double, float, half = _casting(torch.float64), _casting(torch.float32), _casting(torch.float16)
long, int, short = _casting(torch.int64), _casting(torch.int32), _casting(torch.int16)
char, byte, bool = _casting(torch.int8), _casting(torch.uint8), _casting(torch.bool)
bfloat16, complex_double, complex_float = (_casting(torch.bfloat16), _casting(torch.complex128),
                                           _casting(torch.complex64))
float8_e5m2, float8_e4m3fn = _casting(torch.float8_e5m2), _casting(torch.float8_e4m3fn)
float8_e5m2fnuz, float8_e4m3fnuz = _casting(torch.float8_e5m2fnuz), _casting(torch.float8_e4m3fnuz)


def is_pinned(self, device="cuda"):
    return torch.tensor([], dtype=torch.uint8, device=self.device).set_(self).is_pinned()


def pin_memory(self, device="cuda"):
    if self.device.type != "cpu":
        raise TypeError(f"cannot pin '{self.type()}' only CPU memory can be pinned")
    return torch.tensor([], dtype=torch.uint8).set_(self).pin_memory().untyped_storage()


def byteswap(self, dtype):
    """The parts of complex numbers keep their order."""
    size = _element_size(dtype)
    self._swap_bytes(max(size // 2, 1) if dtype.is_complex else size)


def _write_file(self, f, is_real_file=False, save_size=True, element_size=1):
    """The bytes, behind the count of items if `save_size`."""
    if hasattr(self, "_wrapper_device"):
        raise RuntimeError("Attempted to call _write_file() on an invalid python storage.")
    if self.device.type == "meta":
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if save_size:
        f.write((self.nbytes() // element_size).to_bytes(8, "little"))
    f.write(self._to_bytes())


def _refuse_sharing(name):
    def share(self):
        if self.device.type != "cpu":
            raise RuntimeError(f"{name}: only available on CPU")
        raise NotImplementedError(f"UntypedStorage.{name}: nnscope starts no processes that memory could be shared with")
    return share


_share_fd_cpu_, _share_filename_cpu_ = _refuse_sharing("_share_fd_cpu_"), _refuse_sharing("_share_filename_cpu_")


def _new_shared(size, *, device="cpu"):
    return torch.UntypedStorage(size, device=device).share_memory_()


def _as_bools(given):
    return bytes([one != 0 for one in given])


def from_buffer(buffer, byte_order=None, count=-1, offset=0, dtype=None):
    if dtype is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    if not isinstance(dtype, torch.dtype):
        raise RuntimeError("argument 'dtype' must be of type torch.dtype")
    is_single = str(dtype).removeprefix("torch.") in _SINGLE_BYTES
    if not is_single:
        if byte_order is None:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in ("native", "big", "little"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    given = memoryview(buffer).tobytes()
    size = _element_size(dtype)
    if offset < 0 or offset > len(given):
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(given)}) , but got {offset}")
    if count < 0:
        if (len(given) - offset) % size:
            raise ValueError(f"buffer size ({len(given)}) must be a multiple of element size ({size})")
        count = (len(given) - offset) // size
    if offset + count * size > len(given):
        raise ValueError(f"buffer has only {len(given) - offset} elements after offset {offset}, but specified a size of "
                         f"{count}")
    wanted = given[offset:offset + count * size]
    made = torch.UntypedStorage._from_bytes(_as_bools(wanted) if dtype == torch.bool else wanted)
    if byte_order == "big" and not is_single:
        made.byteswap(dtype)
    return made
