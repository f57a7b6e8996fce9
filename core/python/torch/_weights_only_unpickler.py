"""The reader of pickles that makes weights and nothing else: it calls what is on a list, and sets states of what is.

Behaviour: torch/_weights_only_unpickler.py."""
import warnings
from collections import Counter, OrderedDict

import _compat_pickle
import torch
from _codecs import encode
from _pickle import bytes_float
from pickle import UnpicklingError, _opcodes as op, decode_long

# Not even a program that trusts them may load from these.
_blocklisted_modules = ["sys", "os", "posix", "nt"]

_marked_safe_globals_set = set()


def _add_safe_globals(safe_globals):
    global _marked_safe_globals_set
    _marked_safe_globals_set = _marked_safe_globals_set.union(set(safe_globals))


def _get_safe_globals():
    return list(_marked_safe_globals_set)


def _clear_safe_globals():
    global _marked_safe_globals_set
    _marked_safe_globals_set = set()


def _remove_safe_globals(globals_to_remove):
    global _marked_safe_globals_set
    _marked_safe_globals_set = _marked_safe_globals_set - set(globals_to_remove)


class _safe_globals:
    def __init__(self, safe_globals):
        self.safe_globals = safe_globals

    def __enter__(self):
        _add_safe_globals(self.safe_globals)

    def __exit__(self, type, value, tb):
        _remove_safe_globals(self.safe_globals)


def _get_user_allowed_globals():
    allowed = {}
    for one in _marked_safe_globals_set:
        if not isinstance(one, tuple):
            allowed[f"{one.__module__}.{one.__qualname__}"] = one
            continue
        if len(one) != 2:
            raise ValueError("Expected tuple of length 2 (global, str of callable full path), "
                             f"but got tuple of length: {len(one)}")
        if type(one[1]) is not str:
            raise TypeError("Expected second item in tuple to be str of callable full path, "
                            f"but got: {type(one[1])}")
        allowed[one[1]] = one[0]
    return allowed


_allowed_globals = None

_REBUILDERS = (
    "_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_qtensor", "_rebuild_tensor",
    "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_sparse_tensor", "_rebuild_meta_tensor_no_storage",
    "_rebuild_wrapper_subclass", "_rebuild_device_tensor_from_numpy", "_rebuild_device_tensor_from_cpu_tensor")


def _get_allowed_globals():
    global _allowed_globals
    if _allowed_globals is not None:
        return _allowed_globals
    allowed = {
        "collections.OrderedDict": OrderedDict,
        "collections.Counter": Counter,
        "torch.nn.parameter.Parameter": torch.nn.Parameter,
        "torch.serialization._get_layout": torch.serialization._get_layout,
        "torch.Size": torch.Size,
        "torch.Tensor": torch.Tensor,
        "torch.device": torch.device,
        "_codecs.encode": encode,
        "builtins.bytearray": bytearray,
        "builtins.set": set,
        "builtins.complex": complex,
        "torch.storage.UntypedStorage": torch.UntypedStorage,
        "torch.storage.TypedStorage": torch.storage.TypedStorage,
        "torch._tensor._rebuild_from_type_v2": torch._tensor._rebuild_from_type_v2,
    }
    for dtype in (*torch.storage._dtype_to_storage_type_map(), *torch.storage._new_dtypes()):
        allowed[str(dtype)] = dtype
    for name in torch.storage._storage_type_to_dtype_map():
        allowed[f"torch.{name}"] = torch.serialization.StorageType(name)
    for name in _REBUILDERS:
        allowed[f"torch._utils.{name}"] = getattr(torch._utils, name)
    _allowed_globals = allowed
    return allowed


def _is_among(value, allowed):
    # By identity: a class of the program may say what it likes about equality.
    return any(one is value for one in allowed.values())


def _is_allowed(value):
    return _is_among(value, _get_user_allowed_globals()) or _is_among(value, _get_allowed_globals())


_DTENSOR_GLOBALS = {
    "torch.distributed.device_mesh.DeviceMesh",
    "torch.distributed.tensor._dtensor_spec.DTensorSpec",
    "torch.distributed.tensor._dtensor_spec.TensorMeta",
    "torch.distributed.tensor.DTensor",
    "torch.distributed.tensor.placement_types.Partial",
    "torch.distributed.tensor.placement_types.Replicate",
    "torch.distributed.tensor.placement_types.Shard",
}


def _read_global(readline):
    lines = []
    for _ in range(2):
        line = readline()
        if line[-1:] != b"\n":
            raise IndexError("index out of range")
        lines.append(line[:-1].decode("utf-8"))
    module, name = lines
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[(module, name)]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


def _allowed_global(module, name):
    full_path = f"{module}.{name}"
    if module in _blocklisted_modules:
        raise UnpicklingError(f"Trying to load unsupported GLOBAL {full_path} whose module {module} is blocked.")
    for allowed in (_get_allowed_globals(), _get_user_allowed_globals()):
        if full_path in allowed:
            return allowed[full_path]
    if full_path in _DTENSOR_GLOBALS:
        raise UnpicklingError("``torch.distributed.tensor`` must be imported to load DTensors")
    shown = full_path.removeprefix("builtins.")
    raise UnpicklingError(
        f"Unsupported global: GLOBAL {shown} was not an allowed global by default. "
        f"Please use `torch.serialization.add_safe_globals([{shown}])` or the "
        f"`torch.serialization.safe_globals([{shown}])` context manager to allowlist this global "
        "if you trust this class/function.")


class _ShortRead(Exception):
    pass


_PLAIN_SIZES = {op.BININT[0]: 4, op.BININT1[0]: 1, op.BININT2[0]: 2, op.BINFLOAT[0]: 8, op.BINGET[0]: 1,
                op.LONG_BINGET[0]: 4, op.BINPUT[0]: 1, op.LONG_BINPUT[0]: 4, op.PROTO[0]: 1}
_PLAIN_OPCODES = {code[0] for code in (
    op.NEWOBJ, op.REDUCE, op.BUILD, op.APPEND, op.APPENDS, op.SETITEM, op.SETITEMS, op.MARK, op.TUPLE, op.TUPLE1,
    op.TUPLE2, op.TUPLE3, op.NONE, op.NEWFALSE, op.NEWTRUE, op.EMPTY_TUPLE, op.EMPTY_LIST, op.EMPTY_DICT,
    op.EMPTY_SET, op.BINPERSID)}


def get_globals_in_pkl(file):
    """The names that a pickle would look up; nothing is looked up or made."""
    found = set()
    while True:
        code = file.read(1)
        if not code:
            raise EOFError
        code = code[0]
        if code == op.GLOBAL[0]:
            found.add(".".join(_read_global(file.readline)))
        elif code in _PLAIN_SIZES:
            file.read(_PLAIN_SIZES[code])
        elif code == op.BINUNICODE[0]:
            file.read(int.from_bytes(file.read(4), "little"))
        elif code in (op.SHORT_BINSTRING[0], op.LONG1[0]):
            file.read(file.read(1)[0])
        elif code == op.STOP[0]:
            return found
        elif code not in _PLAIN_OPCODES:
            raise UnpicklingError(f"Unsupported operand {code}")


class Unpickler:
    def __init__(self, file, *, encoding="bytes"):
        self.encoding = encoding
        self._file = file
        self.memo = {}
        self.proto = -1

    def persistent_load(self, pid):
        raise UnpicklingError("unsupported persistent id encountered")

    def load(self):
        try:
            return self._load()
        except (IndexError, KeyError, UnicodeDecodeError, _ShortRead) as error:
            kind = "error" if isinstance(error, _ShortRead) else type(error).__name__
            raise UnpicklingError(
                f"Failed to load pickle data ({kind}: {error}); "
                "this usually means the input is corrupted or truncated, "
                "but it can also be a genuine error raised while "
                "reconstructing an object. See the exception's __cause__ "
                "for the original traceback.") from error

    def read(self, size):
        data = self._file.read(size)
        if len(data) < size:
            if size == 1:
                raise IndexError("index out of range")
            raise _ShortRead(f"unpack requires a buffer of {size} bytes")
        return data

    def number(self, size, signed=False):
        return int.from_bytes(self.read(size), "little", signed=signed)

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        if not self.stack:
            raise IndexError("pop from empty list")
        return self.stack.pop()

    def top(self):
        if not self.stack:
            raise IndexError("list index out of range")
        return self.stack[-1]

    def pop_mark(self):
        items = self.stack
        if not self.metastack:
            raise IndexError("pop from empty list")
        self.stack = self.metastack.pop()
        return items

    def pop_tuple(self, size):
        if len(self.stack) < size:
            raise IndexError("list index out of range")
        items = tuple(self.stack[-size:])
        del self.stack[-size:]
        self.push(items)

    def _load(self):
        self.metastack = []
        self.stack = []
        while True:
            code = self._file.read(1)
            if not code:
                raise EOFError
            if code == op.STOP:
                return self.pop()
            action = self.dispatch.get(code[0])
            if action is None:
                raise UnpicklingError(f"Unsupported operand {code[0]}")
            action(self)

    def load_global(self):
        self.push(_allowed_global(*_read_global(self._file.readline)))

    def load_newobj(self):
        args = self.pop()
        cls = self.pop()
        if cls is torch.nn.Parameter:
            self.push(torch.nn.Parameter(*args))
        elif _is_allowed(cls):
            self.push(cls.__new__(cls, *args))
        else:
            raise UnpicklingError("Can only create new object for nn.Parameter or classes allowlisted "
                                  f"via `add_safe_globals` but got {cls}")

    def load_reduce(self):
        args = self.pop()
        func = self.top()
        if not _is_allowed(func):
            message = f"Trying to call reduce for unrecognized function {func}"
            if hasattr(func, "__self__"):
                message += f" which belongs to {func.__self__}"
            raise UnpicklingError(message)
        self.stack[-1] = func(*args)

    def load_build(self):
        state = self.pop()
        made = self.top()
        cls = type(made)
        if cls is torch.Tensor:
            made.set_(*state)
        elif cls is torch.nn.Parameter:
            made.__setstate__(state)
        elif cls is OrderedDict:
            made.__dict__.update(state)
        elif not _is_allowed(cls):
            raise UnpicklingError("Can only build Tensor, Parameter, OrderedDict or types allowlisted "
                                  f"via `add_safe_globals`, but got {cls}")
        elif hasattr(made, "__setstate__"):
            made.__setstate__(state)
        else:
            slots = None
            if isinstance(state, tuple) and len(state) == 2:
                state, slots = state
            if state:
                made.__dict__.update(state)
            for name, value in (slots or {}).items():
                setattr(made, name, value)

    def _append_target(self):
        target = self.top()
        if type(target) is not list and not (isinstance(target, list)
                                             and _is_among(type(target), _get_user_allowed_globals())):
            raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
        return target

    def load_append(self):
        item = self.pop()
        self._append_target().append(item)

    def load_appends(self):
        items = self.pop_mark()
        self._append_target().extend(items)

    def _item_target(self, name):
        target = self.top()
        if type(target) not in (dict, OrderedDict, Counter):
            raise UnpicklingError(f"Can only {name} for dict, collections.OrderedDict, "
                                  f"collections.Counter, but got {type(target)}")
        return target

    def load_setitem(self):
        value = self.pop()
        key = self.pop()
        self._item_target("SETITEM")[key] = value

    def load_setitems(self):
        items = self.pop_mark()
        target = self._item_target("SETITEMS")
        if len(items) % 2:
            raise IndexError("list index out of range")
        for i in range(0, len(items), 2):
            target[items[i]] = items[i + 1]

    def load_mark(self):
        self.metastack.append(self.stack)
        self.stack = []

    def load_tuple(self):
        items = self.pop_mark()
        self.push(tuple(items))

    def load_binunicode(self):
        size = self.number(4)
        text = self._file.read(size)
        self.push(text.decode("utf-8", "surrogatepass"))

    def load_short_binstring(self):
        data = self._file.read(self.read(1)[0])
        self.push(data if self.encoding == "bytes" else data.decode(self.encoding, "strict"))

    def load_binpersid(self):
        pid = self.pop()
        if type(pid) is not tuple and type(pid) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and torch.serialization._maybe_decode_ascii(pid[0]) != "storage":
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self.push(self.persistent_load(pid))

    def load_long1(self):
        self.push(decode_long(self._file.read(self.read(1)[0])))

    def load_proto(self):
        self.proto = self.read(1)[0]
        if self.proto != 2:
            warnings.warn(
                f"Detected pickle protocol {self.proto} in the checkpoint, which was "
                "not the default pickle protocol used by `torch.load` (2). The weights_only "
                "Unpickler might not support all instructions implemented by this protocol, "
                "please file an issue for adding support if you encounter this.", stacklevel=2)

    def _put(self, index):
        self.memo[index] = self.top()

    dispatch = {
        op.GLOBAL[0]: load_global,
        op.NEWOBJ[0]: load_newobj,
        op.REDUCE[0]: load_reduce,
        op.BUILD[0]: load_build,
        op.APPEND[0]: load_append,
        op.APPENDS[0]: load_appends,
        op.SETITEM[0]: load_setitem,
        op.SETITEMS[0]: load_setitems,
        op.MARK[0]: load_mark,
        op.TUPLE[0]: load_tuple,
        op.TUPLE1[0]: lambda self: self.pop_tuple(1),
        op.TUPLE2[0]: lambda self: self.pop_tuple(2),
        op.TUPLE3[0]: lambda self: self.pop_tuple(3),
        op.NONE[0]: lambda self: self.push(None),
        op.NEWFALSE[0]: lambda self: self.push(False),
        op.NEWTRUE[0]: lambda self: self.push(True),
        op.EMPTY_TUPLE[0]: lambda self: self.push(()),
        op.EMPTY_LIST[0]: lambda self: self.push([]),
        op.EMPTY_DICT[0]: lambda self: self.push({}),
        op.EMPTY_SET[0]: lambda self: self.push(set()),
        op.BININT[0]: lambda self: self.push(self.number(4, signed=True)),
        op.BININT1[0]: lambda self: self.push(self.read(1)[0]),
        op.BININT2[0]: lambda self: self.push(self.number(2)),
        op.BINFLOAT[0]: lambda self: self.push(bytes_float(self.read(8))),
        op.BINUNICODE[0]: load_binunicode,
        op.SHORT_BINSTRING[0]: load_short_binstring,
        op.BINPERSID[0]: load_binpersid,
        op.BINGET[0]: lambda self: self.push(self.memo[self.read(1)[0]]),
        op.LONG_BINGET[0]: lambda self: self.push(self.memo[self.number(4)]),
        op.BINPUT[0]: lambda self: self._put(self.read(1)[0]),
        op.LONG_BINPUT[0]: lambda self: self._put(self.number(4)),
        op.LONG1[0]: load_long1,
        op.PROTO[0]: load_proto,
    }


def load(file, *, encoding="ASCII"):
    return Unpickler(file, encoding=encoding).load()
