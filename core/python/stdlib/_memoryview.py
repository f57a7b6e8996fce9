"""The builtin memoryview: items of bytes, a bytearray, an array or an ndarray, seen without a copy.

Behaviour: Objects/memoryobject.c of CPython 3.14. Differs: views of more dimensions than one are of what lies in rows.
"""
import struct

_FORMATS = "?cbBhHiIlLqQnNefdP"


class _OfBytes:
    """The bytes of a sequence of items, each `size` long."""

    def __init__(self, items, code):
        self._items, self._code, self._size = items, _native(code), struct.calcsize(_native(code))

    def __len__(self):
        return len(self._items) * self._size

    def __getitem__(self, place):
        return struct.pack(self._code, self._items[place // self._size])[place % self._size]

    def __setitem__(self, place, value):
        whole = bytearray(struct.pack(self._code, self._items[place // self._size]))
        whole[place % self._size] = value
        self._items[place // self._size] = struct.unpack(self._code, bytes(whole))[0]


class _OfItems:
    """The items of a format that bytes hold."""

    def __init__(self, held, code):
        self._held, self._code, self._size = held, _native(code), struct.calcsize(_native(code))

    def __len__(self):
        return len(self._held) // self._size

    def __getitem__(self, place):
        begin = place * self._size
        return struct.unpack(self._code, bytes(self._held[begin + at] for at in range(self._size)))[0]

    def __setitem__(self, place, value):
        for at, byte in enumerate(struct.pack(self._code, value)):
            self._held[place * self._size + at] = byte


class _Part:
    """Items of a sequence at some places."""

    def __init__(self, items, places):
        self._items, self._places = items, places

    def __len__(self):
        return len(self._places)

    def __getitem__(self, place):
        return self._items[self._places[place]]

    def __setitem__(self, place, value):
        self._items[self._places[place]] = value


def _native(code):
    return "@" + code


def _source(obj):
    """(items, format, shape, whether they may not be written) of what has bytes."""
    if isinstance(obj, (bytes, bytearray)):
        return obj, "B", (len(obj),), isinstance(obj, bytes)
    kind = type(obj).__module__.partition(".")[0]
    if kind == "array":
        return obj, obj.typecode, (len(obj),), False
    if kind == "numpy" and hasattr(obj, "reshape"):
        code = obj.dtype.char if obj.dtype.char in _FORMATS else {"D": "Zd", "F": "Zf"}.get(obj.dtype.char, obj.dtype.char)
        return obj.reshape(-1), code, tuple(obj.shape), not getattr(getattr(obj, "flags", None), "writeable", True)
    raise TypeError(f"memoryview: a bytes-like object is required, not '{type(obj).__name__}'")


class memoryview:
    def __init__(self, object):
        if isinstance(object, memoryview):
            object._check()
            self._take(object.obj, object._items, object.format, object.shape, object.readonly)
        else:
            self._take(object, *_source(object))

    def _take(self, obj, items, code, shape, readonly):
        self.obj, self._items, self.format, self.shape, self.readonly = obj, items, code, shape, readonly
        self._is_released = False

    def _like(self, items, code, shape):
        made = memoryview.__new__(memoryview)
        made._take(self.obj, items, code, shape, self.readonly)
        return made

    def _check(self):
        if self._is_released:
            raise ValueError("operation forbidden on released memoryview object")

    @property
    def itemsize(self):
        return {"Zf": 8, "Zd": 16}.get(self.format) or struct.calcsize(_native(self.format))

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def nbytes(self):
        return len(self._items) * self.itemsize

    @property
    def strides(self):
        made, step = [], self.itemsize
        for size in reversed(self.shape):
            made.insert(0, step)
            step *= size
        return tuple(made)

    suboffsets = ()
    contiguous = c_contiguous = property(lambda self: not isinstance(self._items, _Part) or abs(self._items._places.step) == 1)
    f_contiguous = property(lambda self: self.ndim <= 1 and self.contiguous)

    def _place(self, key):
        places = key if isinstance(key, tuple) else (key,)
        if len(places) != self.ndim:
            if self.ndim == 0 and places == ((),):
                return 0
            if not isinstance(key, tuple):
                raise NotImplementedError("multi-dimensional sub-views are not implemented")
            if len(places) < self.ndim:
                raise NotImplementedError("sub-views are not implemented")
            raise TypeError(f"cannot index {self.ndim}-dimension view with {len(places)}-element tuple")
        found = 0
        for dimension, (place, size) in enumerate(zip(places, self.shape)):
            if not hasattr(place, "__index__"):
                raise TypeError("memoryview: invalid slice key")
            place = place.__index__()
            if not -size <= place < size:
                raise IndexError("index out of bounds on dimension 1" if self.ndim == 1
                                 else f"index out of bounds on dimension {dimension + 1}")
            found = found * size + place % size
        return found

    def __getitem__(self, key):
        self._check()
        if isinstance(key, slice):
            if self.ndim != 1:
                raise NotImplementedError("multi-dimensional slicing is not implemented" if self.ndim else "invalid indexing of 0-dim memory")
            places = range(len(self._items))[key]
            return self._like(_Part(self._items, places), self.format, (len(places),))
        value = self._items[self._place(key)]
        return bytes([value]) if self.format == "c" and isinstance(value, int) else value

    def __setitem__(self, key, value):
        self._check()
        if self.readonly:
            raise TypeError("cannot modify read-only memory")
        if isinstance(key, slice):
            part, given = self[key], memoryview(value)
            if given.format != self.format or given.shape != part.shape:
                raise ValueError("memoryview assignment: lvalue and rvalue have different structures")
            for place, one in enumerate(list(given._items)):
                part._items[place] = one
            return
        if self.format == "B":
            if not hasattr(value, "__index__"):
                raise TypeError(f"memoryview: invalid type for format '{self.format}'")
            if not 0 <= value.__index__() <= 255:
                raise ValueError(f"memoryview: invalid value for format '{self.format}'")
        self._items[self._place(key)] = value

    def __delitem__(self, key):
        raise TypeError("cannot delete memory")

    def __len__(self):
        self._check()
        if self.ndim == 0:
            raise TypeError("0-dim memory has no length")
        return self.shape[0]

    def __iter__(self):
        self._check()
        return iter([self[place] for place in range(len(self))])

    def __eq__(self, other):
        if self is other:
            return True
        try:
            other = memoryview(other)
        except TypeError:
            return NotImplemented
        return self.shape == other.shape and self.tolist() == other.tolist()

    def __hash__(self):
        if not self.readonly:
            raise ValueError("cannot hash writable memoryview object")
        return hash(self.tobytes())

    def tolist(self):
        self._check()
        made = [bytes([one]) if self.format == "c" and isinstance(one, int) else one for one in self._items]
        for size in reversed(self.shape[1:]):
            made = [made[at:at + size] for at in range(0, len(made), size)] if size else []
        return made if self.ndim else made[0]

    def tobytes(self, order="C"):
        self._check()
        if self.format in "Bc":
            return bytes(self._items) if not isinstance(self._items, (bytes, bytearray)) else bytes(self._items)
        if self.format in ("Zf", "Zd"):
            return b"".join(struct.pack("=" + self.format[1] * 2, one.real, one.imag) for one in self._items)
        return b"".join(struct.pack(_native(self.format), one) for one in self._items)

    def __bytes__(self):
        return self.tobytes()

    def __buffer__(self, flags):
        self._check()
        return self

    # b"" + memoryview: in CPython bytes read the buffer.
    def __radd__(self, other):
        return other + self.tobytes() if isinstance(other, (bytes, bytearray)) else NotImplemented

    def hex(self, *args):
        return self.tobytes().hex(*args)

    def cast(self, format, shape=None):
        """The same bytes as items of another format, and in another shape. One of the two formats is of bytes."""
        self._check()
        code = format.removeprefix("@")
        if code not in _FORMATS or not code:
            raise ValueError("memoryview: destination format must be a native single character format prefixed with an optional '@'")
        if not self.contiguous:
            raise TypeError("memoryview: casts are restricted to C-contiguous views")
        if self.format not in ("B", "b", "c") and code not in ("B", "b", "c"):
            raise TypeError("memoryview: cannot cast between two non-byte formats")
        held = self._items if self.format in ("B", "c") else _OfBytes(self._items, self.format)
        size = struct.calcsize(_native(code))
        if len(held) % size:
            raise TypeError("memoryview: length is not a multiple of itemsize")
        items = held if code in ("B", "c") else _OfItems(held, code)
        shape = (len(items),) if shape is None else tuple(shape)
        count = 1
        for one in shape:
            count *= one
        if count != len(items):
            raise TypeError("memoryview: product(shape) * itemsize != buffer size")
        return self._like(items, code, shape)

    def toreadonly(self):
        made = self._like(self._items, self.format, self.shape)
        made.readonly = True
        return made

    def release(self):
        self._is_released = True

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *error):
        self.release()

    def count(self, value):
        return sum(one == value for one in self)

    def index(self, value, start=0, stop=None):
        for place in range(*slice(start, stop).indices(len(self))):
            if self[place] == value:
                return place
        raise ValueError("memoryview.index(x): x not found")

    def __repr__(self):
        return f"<{'released memory' if self._is_released else 'memory'} at 0x{id(self):x}>"


memoryview.__module__ = "builtins"
