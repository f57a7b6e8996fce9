"""The reader of pickles. It keeps no call for a value within a value, so any depth is read."""
import copyreg
import io
import sys

from _pickle import bytes_float

import _compat_pickle
from pickle import _opcodes as op
from pickle._opcodes import HIGHEST_PROTOCOL, UnpicklingError, decode_long
from pickle._text import from_raw_unicode_escape, unescape


class _Stop(Exception):
    def __init__(self, value):
        self.value = value


class Unpickler:
    """Reads one pickle from a file."""

    def __init__(self, file, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
        for name in ("read", "readline"):
            if not callable(getattr(file, name, None)):
                raise TypeError("file must have 'read' and 'readline' attributes")
        self._buffers = iter(buffers) if buffers is not None else None
        self._file = file
        self._file_read = file.read
        self._file_readline = file.readline
        self.memo = {}
        self.encoding = encoding
        self.errors = errors
        self.proto = 0
        self.fix_imports = fix_imports

    def load(self):
        if not hasattr(self, "_file_read"):
            raise UnpicklingError(f"Unpickler.__init__() was not called by {self.__class__.__name__}.__init__()")
        self._marks = []
        self.stack = []
        # A file in memory is read in place, and stands behind the pickle afterwards.
        is_in_memory = type(self._file) is io.BytesIO and self.read.__func__ is Unpickler.read
        self._data = self._file._data if is_in_memory else None
        self._at = self._file.tell() if is_in_memory else 0
        try:
            self._run()
        except _Stop as stop:
            return stop.value
        finally:
            if is_in_memory:
                self._file.seek(self._at)
                self._data = None

    def _run(self):
        dispatch = self.dispatch
        while True:
            code = self._opcode()
            action = dispatch.get(code)
            if action is None:
                shown = chr(code)
                if not (0x20 <= code <= 0x7E) or shown in "'\\":
                    shown = f"\\x{code:02x}"
                raise UnpicklingError(f"invalid load key, '{shown}'.")
            action(self)

    def persistent_load(self, pid):
        raise UnpicklingError("A load persistent id instruction was encountered, "
                              "but no persistent_load function was specified.")

    # Bytes.

    def _opcode(self):
        if self._data is None:
            code = self._file_read(1)
        else:
            code = self._data[self._at:self._at + 1]
            self._at += 1
        if not code:
            raise EOFError("Ran out of input")
        return code[0]

    def read(self, size):
        if self._data is None:
            data = self._file_read(size)
        else:
            data = bytes(self._data[self._at:self._at + size])
            self._at += len(data)
        if len(data) < size:
            raise UnpicklingError("pickle data was truncated")
        return data

    def readline(self):
        if self._data is None:
            data = self._file_readline()
        else:
            end = self._data.find(b"\n", self._at) + 1
            data = bytes(self._data[self._at:end]) if end else b""
            self._at += len(data)
        if data[-1:] != b"\n":
            raise UnpicklingError("pickle data was truncated")
        return data[:-1]

    def number(self, size, signed=False):
        return int.from_bytes(self.read(size), "little", signed=signed)

    # The stack; what lies above the last mark is in `stack`.

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        if not self.stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "unpickling stack underflow")
        return self.stack.pop()

    def top(self):
        if not self.stack:
            raise UnpicklingError("unexpected MARK found" if self._marks else "unpickling stack underflow")
        return self.stack[-1]

    def pop_mark(self):
        if not self._marks:
            raise UnpicklingError("could not find MARK")
        items = self.stack
        self.stack = self._marks.pop()
        return items

    def pop_tuple(self, size):
        if len(self.stack) < size:
            raise UnpicklingError("unexpected MARK found" if self._marks else "unpickling stack underflow")
        items = tuple(self.stack[-size:])
        del self.stack[-size:]
        self.push(items)

    dispatch = {}

    def load_proto(self):
        proto = self.read(1)[0]
        if proto > HIGHEST_PROTOCOL:
            raise ValueError(f"unsupported pickle protocol: {proto}")
        self.proto = proto

    dispatch[op.PROTO[0]] = load_proto

    def load_frame(self):
        # Frames only say how much may be read at once.
        size = self.number(8)
        if size > sys.maxsize:
            raise OverflowError(f"FRAME length exceeds system's maximum of {sys.maxsize} bytes")
        if self._data is not None and size > len(self._data) - self._at:
            raise UnpicklingError("pickle data was truncated")

    dispatch[op.FRAME[0]] = load_frame

    def load_persid(self):
        try:
            pid = self.readline().decode("ascii")
        except UnicodeDecodeError:
            raise UnpicklingError("persistent IDs in protocol 0 must be ASCII strings") from None
        self.push(self.persistent_load(pid))

    dispatch[op.PERSID[0]] = load_persid

    dispatch[op.BINPERSID[0]] = lambda self: self.push(self.persistent_load(self.pop()))
    dispatch[op.NONE[0]] = lambda self: self.push(None)
    dispatch[op.NEWFALSE[0]] = lambda self: self.push(False)
    dispatch[op.NEWTRUE[0]] = lambda self: self.push(True)

    def load_int(self):
        data = self.readline()
        if data in (b"00", b"01"):
            self.push(data == b"01")
            return
        try:
            self.push(int(data.decode("ascii"), 0))
        except (ValueError, UnicodeDecodeError):
            raise ValueError("could not convert string to int") from None

    dispatch[op.INT[0]] = load_int

    dispatch[op.BININT[0]] = lambda self: self.push(self.number(4, signed=True))
    dispatch[op.BININT1[0]] = lambda self: self.push(self.read(1)[0])
    dispatch[op.BININT2[0]] = lambda self: self.push(self.number(2))

    def load_long(self):
        data = self.readline()
        if data[-1:] == b"L":
            data = data[:-1]
        self.push(int(data.decode("ascii"), 0))

    dispatch[op.LONG[0]] = load_long

    dispatch[op.LONG1[0]] = lambda self: self.push(decode_long(self.read(self.read(1)[0])))

    def load_long4(self):
        size = self.number(4, signed=True)
        if size < 0:
            raise UnpicklingError("LONG pickle has negative byte count")
        self.push(decode_long(self.read(size)))

    dispatch[op.LONG4[0]] = load_long4

    def load_float(self):
        text = self.readline().decode("ascii", "replace")
        try:
            self.push(float(text))
        except ValueError:
            raise ValueError("could not convert string to float") from None

    dispatch[op.FLOAT[0]] = load_float

    dispatch[op.BINFLOAT[0]] = lambda self: self.push(bytes_float(self.read(8)))

    def _old_text(self, data):
        """A str of Python 2."""
        return data if self.encoding == "bytes" else data.decode(self.encoding, self.errors)

    def load_string(self):
        data = self.readline()
        if len(data) < 2 or data[0] != data[-1] or data[0] not in b"\"'":
            raise UnpicklingError("the STRING opcode argument must be quoted")
        self.push(self._old_text(unescape(data[1:-1])))

    dispatch[op.STRING[0]] = load_string

    def load_binstring(self):
        size = self.number(4, signed=True)
        if size < 0:
            raise UnpicklingError("BINSTRING pickle has negative byte count")
        self.push(self._old_text(self.read(size)))

    dispatch[op.BINSTRING[0]] = load_binstring

    dispatch[op.SHORT_BINSTRING[0]] = lambda self: self.push(self._old_text(self.read(self.read(1)[0])))
    dispatch[op.UNICODE[0]] = lambda self: self.push(from_raw_unicode_escape(self.readline()))

    def _sized(self, width, name):
        size = self.number(width)
        if size > sys.maxsize:
            raise UnpicklingError(f"{name} exceeds system's maximum size of {sys.maxsize} bytes")
        return self.read(size)

    def _push_text(self, width, name):
        self.push(self._sized(width, name).decode("utf-8", "surrogatepass"))

    dispatch[op.SHORT_BINUNICODE[0]] = lambda self: self._push_text(1, "SHORT_BINUNICODE")
    dispatch[op.BINUNICODE[0]] = lambda self: self._push_text(4, "BINUNICODE")
    dispatch[op.BINUNICODE8[0]] = lambda self: self._push_text(8, "BINUNICODE8")
    dispatch[op.SHORT_BINBYTES[0]] = lambda self: self.push(bytes(self._sized(1, "SHORT_BINBYTES")))
    dispatch[op.BINBYTES[0]] = lambda self: self.push(bytes(self._sized(4, "BINBYTES")))
    dispatch[op.BINBYTES8[0]] = lambda self: self.push(bytes(self._sized(8, "BINBYTES8")))
    dispatch[op.BYTEARRAY8[0]] = lambda self: self.push(bytearray(self._sized(8, "BYTEARRAY8")))

    def load_next_buffer(self):
        if self._buffers is None:
            raise UnpicklingError("pickle stream refers to out-of-band data "
                                  "but no *buffers* argument was given")
        for buffer in self._buffers:
            self.push(buffer.raw() if hasattr(buffer, "raw") else buffer)
            return
        raise UnpicklingError("not enough out-of-band buffers")

    dispatch[op.NEXT_BUFFER[0]] = load_next_buffer

    def load_readonly_buffer(self):
        if isinstance(self.top(), bytearray):
            self.stack[-1] = bytes(self.stack[-1])

    dispatch[op.READONLY_BUFFER[0]] = load_readonly_buffer

    def load_tuple(self):
        items = self.pop_mark()
        self.push(tuple(items))

    dispatch[op.TUPLE[0]] = load_tuple

    dispatch[op.EMPTY_TUPLE[0]] = lambda self: self.push(())
    dispatch[op.TUPLE1[0]] = lambda self: self.pop_tuple(1)
    dispatch[op.TUPLE2[0]] = lambda self: self.pop_tuple(2)
    dispatch[op.TUPLE3[0]] = lambda self: self.pop_tuple(3)
    dispatch[op.EMPTY_LIST[0]] = lambda self: self.push([])

    def load_list(self):
        items = self.pop_mark()
        self.push(items)

    dispatch[op.LIST[0]] = load_list

    dispatch[op.EMPTY_DICT[0]] = lambda self: self.push({})

    def load_dict(self):
        items = self.pop_mark()
        self.push(dict(_pairs(items, "DICT")))

    dispatch[op.DICT[0]] = load_dict

    dispatch[op.EMPTY_SET[0]] = lambda self: self.push(set())

    def load_frozenset(self):
        items = self.pop_mark()
        self.push(frozenset(items))

    dispatch[op.FROZENSET[0]] = load_frozenset

    # Globals, and what they make.

    def find_class(self, module, name):
        if self.proto < 3 and self.fix_imports:
            if (module, name) in _compat_pickle.NAME_MAPPING:
                module, name = _compat_pickle.NAME_MAPPING[(module, name)]
            elif module in _compat_pickle.IMPORT_MAPPING:
                module = _compat_pickle.IMPORT_MAPPING[module]
        __import__(module, level=0)
        found = sys.modules[module]
        if self.proto < 4 or "." not in name:
            return getattr(found, name)
        try:
            for part in name.split("."):
                found = getattr(found, part)
        except AttributeError:
            raise AttributeError(f"Can't resolve path {name!r} on module {sys.modules[module]!r}") from None
        return found

    def _name(self):
        return self.readline().decode("utf-8")

    def load_global(self):
        module = self._name()
        name = self._name()
        self.push(self.find_class(module, name))

    dispatch[op.GLOBAL[0]] = load_global

    def load_stack_global(self):
        name = self.pop()
        module = self.pop()
        if type(name) is not str or type(module) is not str:
            raise UnpicklingError("STACK_GLOBAL requires str")
        self.push(self.find_class(module, name))

    dispatch[op.STACK_GLOBAL[0]] = load_stack_global

    def _extension(self, code):
        if code in copyreg._extension_cache:
            self.push(copyreg._extension_cache[code])
            return
        if code <= 0:
            raise UnpicklingError("EXT specifies code <= 0")
        key = copyreg._inverted_registry.get(code)
        if key is None:
            raise ValueError(f"unregistered extension code {code}")
        found = self.find_class(*key)
        copyreg._extension_cache[code] = found
        self.push(found)

    dispatch[op.EXT1[0]] = lambda self: self._extension(self.number(1))
    dispatch[op.EXT2[0]] = lambda self: self._extension(self.number(2))
    dispatch[op.EXT4[0]] = lambda self: self._extension(self.number(4, signed=True))

    def _instantiate(self, cls, args):
        if args or not isinstance(cls, type) or hasattr(cls, "__getinitargs__"):
            return cls(*args)
        return cls.__new__(cls)

    def load_inst(self):
        module = self._name()
        name = self._name()
        args = self.pop_mark()
        self.push(self._instantiate(self.find_class(module, name), args))

    dispatch[op.INST[0]] = load_inst

    def load_obj(self):
        args = self.pop_mark()
        if not args:
            raise UnpicklingError("unpickling stack underflow")
        self.push(self._instantiate(args[0], args[1:]))

    dispatch[op.OBJ[0]] = load_obj

    def load_newobj(self):
        args = self.pop()
        cls = self.pop()
        if not isinstance(cls, type):
            raise UnpicklingError(f"NEWOBJ class argument must be a type, not {type(cls).__name__}")
        if not isinstance(args, tuple):
            raise UnpicklingError(f"NEWOBJ args argument must be a tuple, not {type(args).__name__}")
        self.push(cls.__new__(cls, *args))

    dispatch[op.NEWOBJ[0]] = load_newobj

    def load_newobj_ex(self):
        named = self.pop()
        args = self.pop()
        cls = self.pop()
        if not isinstance(cls, type):
            raise UnpicklingError(f"NEWOBJ_EX class argument must be a type, not {type(cls).__name__}")
        if not isinstance(args, tuple):
            raise UnpicklingError(f"NEWOBJ_EX args argument must be a tuple, not {type(args).__name__}")
        if not isinstance(named, dict):
            raise UnpicklingError(f"NEWOBJ_EX kwargs argument must be a dict, not {type(named).__name__}")
        self.push(cls.__new__(cls, *args, **named))

    dispatch[op.NEWOBJ_EX[0]] = load_newobj_ex

    def load_reduce(self):
        args = self.pop()
        func = self.pop()
        if not isinstance(args, tuple):
            raise TypeError("argument list must be a tuple")
        self.push(func(*args))

    dispatch[op.REDUCE[0]] = load_reduce

    def load_build(self):
        state = self.pop()
        made = self.top()
        setter = getattr(made, "__setstate__", None)
        if setter is not None:
            setter(state)
            return
        slots = None
        if isinstance(state, tuple) and len(state) == 2:
            state, slots = state
        if state is not None and state != {}:
            if not isinstance(state, dict):
                raise UnpicklingError("state is not a dictionary")
            attributes = made.__dict__
            for name, value in state.items():
                attributes[name] = value
        if slots is not None:
            if not isinstance(slots, dict):
                raise UnpicklingError("slot state is not a dictionary")
            for name, value in slots.items():
                setattr(made, name, value)

    dispatch[op.BUILD[0]] = load_build

    # Items.

    def _extend(self, items):
        if not items:
            return
        into = self.top()
        if type(into) is list:
            into.extend(items)
            return
        extend = getattr(into, "extend", None)
        if extend is not None:
            extend(items)
            return
        append = into.append
        for item in items:
            append(item)

    def load_append(self):
        item = self.pop()
        into = self.top()
        into.append(item)

    dispatch[op.APPEND[0]] = load_append

    def load_appends(self):
        items = self.pop_mark()
        self._extend(items)

    dispatch[op.APPENDS[0]] = load_appends

    def load_setitem(self):
        value = self.pop()
        key = self.pop()
        self.top()[key] = value

    dispatch[op.SETITEM[0]] = load_setitem

    def load_setitems(self):
        items = self.pop_mark()
        into = self.top()
        for key, value in _pairs(items, "SETITEMS"):
            into[key] = value

    dispatch[op.SETITEMS[0]] = load_setitems

    def load_additems(self):
        items = self.pop_mark()
        into = self.top()
        if isinstance(into, set):
            into.update(items)
            return
        add = into.add
        for item in items:
            add(item)

    dispatch[op.ADDITEMS[0]] = load_additems

    # The stack and the memo.

    def load_mark(self):
        self._marks.append(self.stack)
        self.stack = []

    dispatch[op.MARK[0]] = load_mark

    def load_pop(self):
        if self.stack:
            del self.stack[-1]
        elif self._marks:
            self.pop_mark()
        else:
            raise UnpicklingError("unpickling stack underflow")

    dispatch[op.POP[0]] = load_pop

    dispatch[op.POP_MARK[0]] = lambda self: self.pop_mark()
    dispatch[op.DUP[0]] = lambda self: self.push(self.top())

    def _recall(self, index):
        if index not in self.memo:
            raise UnpicklingError(f"Memo value not found at index {index}")
        self.push(self.memo[index])

    dispatch[op.GET[0]] = lambda self: self._recall(int(self.readline().decode("ascii")))
    dispatch[op.BINGET[0]] = lambda self: self._recall(self.read(1)[0])
    dispatch[op.LONG_BINGET[0]] = lambda self: self._recall(self.number(4))

    def load_put(self):
        index = int(self.readline().decode("ascii"))
        value = self.top()
        if index < 0:
            raise ValueError("negative PUT argument")
        self.memo[index] = value

    dispatch[op.PUT[0]] = load_put

    def load_binput(self):
        self.memo[self.read(1)[0]] = self.top()

    dispatch[op.BINPUT[0]] = load_binput

    def load_long_binput(self):
        self.memo[self.number(4)] = self.top()

    dispatch[op.LONG_BINPUT[0]] = load_long_binput

    def load_memoize(self):
        self.memo[len(self.memo)] = self.top()

    dispatch[op.MEMOIZE[0]] = load_memoize

    def load_stop(self):
        raise _Stop(self.pop())

    dispatch[op.STOP[0]] = load_stop


def _pairs(items, name):
    if len(items) % 2:
        raise UnpicklingError(f"odd number of items for {name}")
    return zip(items[::2], items[1::2])
