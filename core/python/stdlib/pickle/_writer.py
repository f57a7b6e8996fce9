"""The writer of pickles."""
import copyreg
import sys

from _pickle import float_bytes

import _compat_pickle
from pickle import _opcodes as op
from pickle._opcodes import HIGHEST_PROTOCOL, PicklingError, encode_long
from pickle._text import to_raw_unicode_escape

# What a list or dict writes between two MARKs.
_BATCH = 1000
_FRAME_TARGET = 64 * 1024
_FRAME_LEAST = 4

_absent = object()


def _type_text(obj):
    cls = type(obj)
    if cls.__module__ in (None, "builtins", "__main__"):
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


def _attribute(module, dotted_path):
    found = module
    for part in dotted_path:
        found = getattr(found, part)
    return found


def whichmodule(obj, name):
    """The module in which `obj` is found as `name`. Errors: PicklingError  in none."""
    path = name.split(".")
    module_name = getattr(obj, "__module__", None)
    if not isinstance(obj, type) and "__module__" not in getattr(obj, "__dict__", ()):
        # What its class says of itself is not where a function of C++ is found.
        module_name = None if module_name == type(obj).__module__ == "builtins" else module_name
    if path[0] == "_VariableFunctionsClass":
        # Functions of torch, whose class stands in no module of Python's.
        module_name = "torch._C"
    if "<locals>" in path:
        raise PicklingError(f"Can't pickle local object {obj!r}")
    if module_name is None:
        for module_name, module in list(sys.modules.items()):
            if module_name in ("__main__", "__mp_main__") or module is None:
                continue
            try:
                if _attribute(module, path) is obj:
                    return module_name
            except AttributeError:
                pass
        module_name = "__main__"
    try:
        __import__(module_name, level=0)
        module = sys.modules[module_name]
    except (ImportError, ValueError, KeyError) as error:
        raise PicklingError(f"Can't pickle {obj!r}: {error!s}") from None
    try:
        if _attribute(module, path) is obj:
            return module_name
    except AttributeError:
        raise PicklingError(f"Can't pickle {obj!r}: it's not found as {module_name}.{name}") from None
    raise PicklingError(f"Can't pickle {obj!r}: it's not the same object as {module_name}.{name}")


class Pickler:
    """Writes objects to a file; those that it has met are written once."""

    def __init__(self, file, protocol=None, *, fix_imports=True, buffer_callback=None):
        if protocol is None:
            protocol = 5
        elif protocol < 0:
            protocol = HIGHEST_PROTOCOL
        elif protocol > HIGHEST_PROTOCOL:
            raise ValueError(f"pickle protocol must be <= {HIGHEST_PROTOCOL}")
        if buffer_callback is not None and protocol < 5:
            raise ValueError("buffer_callback needs protocol >= 5")
        if not callable(getattr(file, "write", None)):
            raise TypeError("file must have a 'write' attribute")
        self._buffer_callback = buffer_callback
        self._file_write = file.write
        # What is not in the file yet: from protocol 4 on it becomes a frame.
        self._out = bytearray()
        self.write = self._out.extend
        self.memo = {}
        self.proto = int(protocol)
        self.bin = protocol >= 1
        self.fast = 0
        self.fix_imports = fix_imports and protocol < 3

    def clear_memo(self):
        self.memo.clear()

    def dump(self, obj):
        if not hasattr(self, "_out"):
            raise PicklingError(f"Pickler.__init__() was not called by {self.__class__.__name__}.__init__()")
        # Who has none of these is not asked for each object.
        self._has_ids = "persistent_id" in self.__dict__ or type(self).persistent_id is not Pickler.persistent_id
        self._has_override = type(self).reducer_override is not Pickler.reducer_override
        if self.proto >= 2:
            (self._file_write if self.proto >= 4 else self.write)(op.PROTO + bytes((self.proto,)))
        try:
            self.save(obj)
            self.write(op.STOP)
            self._commit()
        finally:
            self._out.clear()

    def _commit(self):
        """Gives the file what was written."""
        data = bytes(self._out)
        self._out.clear()
        if self.proto >= 4 and len(data) >= _FRAME_LEAST:
            self._file_write(op.FRAME + len(data).to_bytes(8, "little"))
        if data:
            self._file_write(data)

    def _write_large(self, header, payload):
        """Bytes that a frame would only copy."""
        self._commit()
        self._file_write(header)
        self._file_write(payload)

    def persistent_id(self, obj):
        return None

    def reducer_override(self, obj):
        return NotImplemented

    # Objects that were met: their number, and they themselves so that no other takes their id.

    def memoize(self, obj):
        if self.fast:
            return
        index = len(self.memo)
        if self.proto >= 4:
            self.write(op.MEMOIZE)
        elif not self.bin:
            self.write(op.PUT + f"{index}\n".encode("ascii"))
        elif index < 256:
            self.write(op.BINPUT + bytes((index,)))
        else:
            self.write(op.LONG_BINPUT + index.to_bytes(4, "little"))
        self.memo[id(obj)] = index, obj

    def get(self, index):
        if not self.bin:
            return op.GET + f"{index}\n".encode("ascii")
        if index < 256:
            return op.BINGET + bytes((index,))
        return op.LONG_BINGET + index.to_bytes(4, "little")

    def save(self, obj, save_persistent_id=True):
        if len(self._out) >= _FRAME_TARGET:
            self._commit()
        if self._has_ids and save_persistent_id:
            identity = self.persistent_id(obj)
            if identity is not None:
                self.save_pers(identity)
                return
        known = self.memo.get(id(obj))
        if known is not None:
            self.write(self.get(known[0]))
            return
        reduced = self.reducer_override(obj) if self._has_override else NotImplemented
        if reduced is NotImplemented:
            cls = type(obj)
            own = self.dispatch.get(cls)
            if own is not None:
                own(self, obj)
                return
            reducer = getattr(self, "dispatch_table", copyreg.dispatch_table).get(cls)
            if reducer is not None:
                reduced = reducer(obj)
            elif issubclass(cls, type):
                self.save_global(obj)
                return
            else:
                reduced = obj.__reduce_ex__(self.proto)
        if isinstance(reduced, str):
            self.save_global(obj, reduced)
            return
        try:
            if not isinstance(reduced, tuple):
                raise PicklingError(f"__reduce__ must return a string or tuple, not {_type_text(reduced)}")
            if not 2 <= len(reduced) <= 6:
                raise PicklingError("tuple returned by __reduce__ must contain 2 through 6 elements")
            self.save_reduce(obj=obj, *reduced)
        except BaseException as error:
            error.add_note(f"when serializing {_type_text(obj)} object")
            raise

    def save_pers(self, identity):
        if self.bin:
            self.save(identity, save_persistent_id=False)
            self.write(op.BINPERSID)
            return
        try:
            self.write(op.PERSID + str(identity).encode("ascii") + b"\n")
        except UnicodeEncodeError:
            raise PicklingError("persistent IDs in protocol 0 must be ASCII strings") from None

    def _save_part(self, part, note):
        try:
            self.save(part)
        except BaseException as error:
            error.add_note(note)
            raise

    def save_reduce(self, func, args, state=None, listitems=None, dictitems=None, state_setter=None, *, obj=None):
        if not callable(func):
            raise PicklingError(f"first item of the tuple returned by __reduce__ must be callable, "
                                f"not {_type_text(func)}")
        if not isinstance(args, tuple):
            raise PicklingError(f"second item of the tuple returned by __reduce__ must be a tuple, "
                                f"not {_type_text(args)}")
        name = _type_text(obj)
        maker = getattr(func, "__name__", "")
        if self.proto >= 2 and maker in ("__newobj__", "__newobj_ex__"):
            self._save_new_object(maker, args, obj, name)
        else:
            self._save_part(func, f"when serializing {name} reconstructor")
            self._save_part(args, f"when serializing {name} reconstructor arguments")
            self.write(op.REDUCE)
        if obj is not None:
            known = self.memo.get(id(obj))
            if known is not None:
                # It holds itself by way of its arguments: there is one already.
                self.write(op.POP + self.get(known[0]))
            else:
                self.memoize(obj)
        if listitems is not None:
            self._batch_appends(listitems, name)
        if dictitems is not None:
            self._batch_setitems(dictitems, name)
        if state is None:
            return
        if state_setter is None:
            self._save_part(state, f"when serializing {name} state")
            self.write(op.BUILD)
            return
        self._save_part(state_setter, f"when serializing {name} state setter")
        self._save_part(obj, f"when serializing {name} state")
        self._save_part(state, f"when serializing {name} state")
        self.write(op.TUPLE2 + op.REDUCE + op.POP)

    def _save_new_object(self, maker, args, obj, name):
        cls = args[0] if args else None
        if not hasattr(cls, "__new__"):
            raise PicklingError(f"first argument to {maker}() must be a class, not {_type_text(cls)}")
        if obj is not None and cls is not obj.__class__:
            raise PicklingError(f"first argument to {maker}() must be {obj.__class__!r}, not {cls!r}")
        if maker == "__newobj__":
            self._save_part(cls, f"when serializing {name} class")
            self._save_part(args[1:], f"when serializing {name} __new__ arguments")
            self.write(op.NEWOBJ)
            return
        _, positional, named = args
        if self.proto >= 4:
            for part in (cls, positional, named):
                self._save_part(part, f"when serializing {name} __new__ arguments")
            self.write(op.NEWOBJ_EX)
            return
        import functools
        self.save(functools.partial(cls.__new__, cls, *positional, **named))
        self.write(op.EMPTY_TUPLE + op.REDUCE)

    dispatch = {}

    def save_none(self, obj):
        self.write(op.NONE)

    dispatch[type(None)] = save_none

    def save_bool(self, obj):
        if self.proto >= 2:
            self.write(op.NEWTRUE if obj else op.NEWFALSE)
        else:
            self.write(op.TRUE if obj else op.FALSE)

    dispatch[bool] = save_bool

    def save_long(self, obj):
        if self.bin:
            if 0 <= obj <= 0xFF:
                self.write(op.BININT1 + bytes((obj,)))
                return
            if 0 <= obj <= 0xFFFF:
                self.write(op.BININT2 + obj.to_bytes(2, "little"))
                return
            if -0x80000000 <= obj <= 0x7FFFFFFF:
                self.write(op.BININT + obj.to_bytes(4, "little", signed=True))
                return
        if self.proto >= 2:
            encoded = encode_long(obj)
            size = len(encoded)
            if size < 256:
                self.write(op.LONG1 + bytes((size,)) + encoded)
            else:
                self.write(op.LONG4 + size.to_bytes(4, "little") + encoded)
        elif -0x80000000 <= obj <= 0x7FFFFFFF:
            self.write(op.INT + repr(obj).encode("ascii") + b"\n")
        else:
            self.write(op.LONG + repr(obj).encode("ascii") + b"L\n")

    dispatch[int] = save_long

    def save_float(self, obj):
        if self.bin:
            self.write(op.BINFLOAT + float_bytes(obj))
        else:
            self.write(op.FLOAT + repr(obj).encode("ascii") + b"\n")

    dispatch[float] = save_float

    def _save_sized(self, payload, short, long, longer):
        """Bytes behind their length, with the shortest of three opcodes."""
        size = len(payload)
        if size <= 0xFF and short is not None:
            self.write(short + bytes((size,)) + payload)
        elif size > 0xFFFFFFFF and self.proto >= 4:
            self._write_large(longer + size.to_bytes(8, "little"), payload)
        elif size >= _FRAME_TARGET:
            self._write_large(long + size.to_bytes(4, "little"), payload)
        else:
            self.write(long + size.to_bytes(4, "little") + payload)

    def save_bytes(self, obj):
        if self.proto < 3:
            if not obj:
                self.save_reduce(bytes, (), obj=obj)
            else:
                from _codecs import encode
                self.save_reduce(encode, (obj.decode("latin1"), "latin1"), obj=obj)
            return
        self._save_sized(obj, op.SHORT_BINBYTES, op.BINBYTES, op.BINBYTES8)
        self.memoize(obj)

    dispatch[bytes] = save_bytes

    def save_bytearray(self, obj):
        if self.proto < 5:
            self.save_reduce(bytearray, (bytes(obj),) if obj else (), obj=obj)
            return
        header = op.BYTEARRAY8 + len(obj).to_bytes(8, "little")
        if len(obj) >= _FRAME_TARGET:
            self._write_large(header, bytes(obj))
        else:
            self.write(header + bytes(obj))
        self.memoize(obj)

    dispatch[bytearray] = save_bytearray

    def save_str(self, obj):
        if self.bin:
            self._save_sized(obj.encode("utf-8", "surrogatepass"), op.SHORT_BINUNICODE if self.proto >= 4 else None,
                             op.BINUNICODE, op.BINUNICODE8)
        else:
            # A line of its own: what would end it, and escapes, are escaped.
            for char, escaped in (("\\", "\\u005c"), ("\0", "\\u0000"), ("\n", "\\u000a"), ("\r", "\\u000d"),
                                  ("\x1a", "\\u001a")):
                obj = obj.replace(char, escaped)
            self.write(op.UNICODE + to_raw_unicode_escape(obj) + b"\n")
        self.memoize(obj)

    dispatch[str] = save_str

    def save_tuple(self, obj):
        if not obj:
            self.write(op.EMPTY_TUPLE if self.bin else op.MARK + op.TUPLE)
            return
        size = len(obj)
        name = _type_text(obj)
        is_short = size <= 3 and self.proto >= 2
        if not is_short:
            self.write(op.MARK)
        for i, item in enumerate(obj):
            self._save_part(item, f"when serializing {name} item {i}")
        known = self.memo.get(id(obj))
        if known is not None:
            # It holds itself by way of its items: there is one already.
            found = self.get(known[0])
            if is_short:
                self.write(op.POP * size + found)
            elif self.bin:
                self.write(op.POP_MARK + found)
            else:
                self.write(op.POP * (size + 1) + found)
            return
        self.write((op.TUPLE1, op.TUPLE2, op.TUPLE3)[size - 1] if is_short else op.TUPLE)
        self.memoize(obj)

    dispatch[tuple] = save_tuple

    def save_list(self, obj):
        self.write(op.EMPTY_LIST if self.bin else op.MARK + op.LIST)
        self.memoize(obj)
        self._batch_appends(obj, _type_text(obj))

    dispatch[list] = save_list

    def _batch_appends(self, items, name):
        number = 0
        for batch in _batches(items, 1 if not self.bin else _BATCH):
            if len(batch) > 1:
                self.write(op.MARK)
            for item in batch:
                try:
                    self.save(item)
                except BaseException as error:
                    error.add_note(f"when serializing {name} item {number}")
                    raise
                number += 1
            self.write(op.APPENDS if len(batch) > 1 else op.APPEND)

    def save_dict(self, obj):
        self.write(op.EMPTY_DICT if self.bin else op.MARK + op.DICT)
        self.memoize(obj)
        self._batch_setitems(obj.items(), _type_text(obj))

    dispatch[dict] = save_dict

    def _batch_setitems(self, items, name):
        for batch in _batches(items, 1 if not self.bin else _BATCH):
            if len(batch) > 1:
                self.write(op.MARK)
            for key, value in batch:
                self.save(key)
                try:
                    self.save(value)
                except BaseException as error:
                    error.add_note(f"when serializing {name} item {key!r}")
                    raise
            self.write(op.SETITEMS if len(batch) > 1 else op.SETITEM)

    def save_set(self, obj):
        if self.proto < 4:
            self.save_reduce(set, (list(obj),), obj=obj)
            return
        self.write(op.EMPTY_SET)
        self.memoize(obj)
        for batch in _batches(obj, _BATCH):
            self.write(op.MARK)
            for item in batch:
                self._save_part(item, f"when serializing {_type_text(obj)} element")
            self.write(op.ADDITEMS)

    dispatch[set] = save_set

    def save_frozenset(self, obj):
        if self.proto < 4:
            self.save_reduce(frozenset, (list(obj),), obj=obj)
            return
        self.write(op.MARK)
        for item in obj:
            self._save_part(item, f"when serializing {_type_text(obj)} element")
        known = self.memo.get(id(obj))
        if known is not None:
            self.write(op.POP_MARK + self.get(known[0]))
            return
        self.write(op.FROZENSET)
        self.memoize(obj)

    dispatch[frozenset] = save_frozenset

    def save_global(self, obj, name=None):
        if name is None:
            name = getattr(obj, "__qualname__", None)
            if name is None:
                name = obj.__name__
        module_name = whichmodule(obj, name)
        if self.proto >= 2:
            code = copyreg._extension_registry.get((module_name, name))
            if code is not None:
                if code <= 0xFF:
                    self.write(op.EXT1 + bytes((code,)))
                elif code <= 0xFFFF:
                    self.write(op.EXT2 + code.to_bytes(2, "little"))
                else:
                    self.write(op.EXT4 + code.to_bytes(4, "little", signed=True))
                return
        if self.proto >= 4:
            self.save(module_name)
            self.save(name)
            self.write(op.STACK_GLOBAL)
        elif "." in name:
            # Older protocols name no attributes of classes.
            parent, last = name.rsplit(".", 1)
            module = sys.modules[module_name]
            self.save_reduce(getattr, (_attribute(module, parent.split(".")), last))
        else:
            self._save_old_global(obj, module_name, name)
        self.memoize(obj)

    def _save_old_global(self, obj, module_name, name):
        if self.fix_imports:
            # Protocols below 3 are read by Python 2, where some modules have other names.
            if (module_name, name) in _compat_pickle.REVERSE_NAME_MAPPING:
                module_name, name = _compat_pickle.REVERSE_NAME_MAPPING[(module_name, name)]
            elif module_name in _compat_pickle.REVERSE_IMPORT_MAPPING:
                module_name = _compat_pickle.REVERSE_IMPORT_MAPPING[module_name]
        try:
            encoded = f"{module_name}\n{name}\n".encode("utf-8" if self.proto >= 3 else "ascii")
        except UnicodeEncodeError:
            raise PicklingError(f"can't pickle global identifier '{module_name}.{name}' using pickle protocol "
                                f"{self.proto}") from None
        self.write(op.GLOBAL + encoded)

    def save_type(self, obj):
        if obj is type(None):
            self.save_reduce(type, (None,), obj=obj)
        elif obj is type(NotImplemented):
            self.save_reduce(type, (NotImplemented,), obj=obj)
        elif obj is type(...):
            self.save_reduce(type, (...,), obj=obj)
        else:
            self.save_global(obj)

    dispatch[type] = save_type
    dispatch[type(lambda: None)] = save_global


class PickleBuffer:
    """Bytes that may stay outside of a pickle."""

    def __init__(self, object):
        if not isinstance(object, (bytes, bytearray)):
            raise TypeError(f"a bytes-like object is required, not '{type(object).__name__}'")
        self._object = object

    def raw(self):
        if self._object is None:
            raise ValueError("operation forbidden on released PickleBuffer object")
        return self._object

    def release(self):
        self._object = None


def _save_picklebuffer(pickler, obj):
    if pickler.proto < 5:
        raise PicklingError("PickleBuffer can only be pickled with protocol >= 5")
    data = obj.raw()
    is_kept = pickler._buffer_callback is None or bool(pickler._buffer_callback(obj))
    if not is_kept:
        pickler.write(op.NEXT_BUFFER + (op.READONLY_BUFFER if isinstance(data, bytes) else b""))
    elif isinstance(data, bytes):
        pickler.save_bytes(data)
    else:
        pickler.save_bytearray(data)


Pickler.dispatch[PickleBuffer] = _save_picklebuffer


def _batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
