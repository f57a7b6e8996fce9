"""Numbers of one type, side by side. Behaviour: CPython Modules/arraymodule.c."""
import struct as _struct
import sys as _sys

typecodes = "bBuwhHiIlLqQfd"
# letter: letter of module struct, bytes
_KINDS = {"b": "b", "B": "B", "h": "h", "H": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "q": "q", "Q": "Q", "f": "f",
          "d": "d"}
_SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "f": 4, "d": 8, "u": 4, "w": 4}
_NAMES = {"b": "signed char", "B": "unsigned byte integer", "h": "signed short", "H": "unsigned short",
          "i": "signed integer", "I": "unsigned int", "l": "signed long", "L": "unsigned long"}


class array:
    """array(typecode[, initializer])"""

    def __init__(self, typecode, initializer=(), /):
        if not isinstance(typecode, str) or len(typecode) != 1:
            raise TypeError(f"array() argument 1 must be a unicode character, not {type(typecode).__name__}")
        if typecode not in _SIZES:
            raise ValueError("bad typecode (must be b, B, u, w, h, H, i, I, l, L, q, Q, f or d)")
        self.typecode, self.itemsize, self._items = typecode, _SIZES[typecode], []
        if isinstance(initializer, (bytes, bytearray)):
            self.frombytes(initializer)
        elif isinstance(initializer, str):
            if typecode not in "uw":
                raise TypeError(f"cannot use a str to initialize an array with typecode '{typecode}'")
            self._items = list(initializer)
        else:
            self.extend(initializer)

    def _checked(self, value):
        if self.typecode in "uw":
            if not isinstance(value, str) or len(value) != 1:
                raise TypeError(f"array item must be a unicode character, not {type(value).__name__}")
            return value
        if self.typecode in "fd":
            if not isinstance(value, (int, float)) and not hasattr(type(value), "__float__"):
                raise TypeError(f"must be real number, not {type(value).__name__}")
            value = float(value)
            if self.typecode == "f" and abs(value) < 3.4e38:
                value = _struct.unpack("<f", _struct.pack("<f", value))[0]
            return value
        if not isinstance(value, int):
            if not hasattr(type(value), "__index__"):
                raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
            value = value.__index__()
        bits = 8 * self.itemsize
        low, high = (0, (1 << bits) - 1) if self.typecode.isupper() else (-(1 << bits - 1), (1 << bits - 1) - 1)
        if value < low:
            raise OverflowError(f"{_NAMES.get(self.typecode, 'int')} is less than minimum")
        if value > high:
            raise OverflowError(f"{_NAMES.get(self.typecode, 'int')} is greater than maximum")
        return int(value)

    def _other(self, given, doing):
        if not isinstance(given, array):
            raise TypeError(f'can only {doing} array (not "{type(given).__name__}") to array')
        if given.typecode != self.typecode:
            raise TypeError("bad argument type for built-in operation")
        return given._items

    def _like(self, items):
        made = array(self.typecode)
        made._items = items
        return made

    def append(self, v, /):
        self._items.append(self._checked(v))

    def extend(self, bb, /):
        if isinstance(bb, array):
            if bb.typecode != self.typecode:
                raise TypeError("can only extend with array of same kind")
            self._items.extend(bb._items)
        else:
            self._items.extend([self._checked(one) for one in bb])

    def insert(self, i, v, /):
        self._items.insert(i, self._checked(v))

    def pop(self, i=-1, /):
        if not self._items:
            raise IndexError("pop from empty array")
        return self._items.pop(i)

    def remove(self, v, /):
        if v not in self._items:
            raise ValueError("array.remove(x): x not in array")
        self._items.remove(v)

    def clear(self):
        self._items.clear()

    def index(self, v, start=0, stop=_sys.maxsize, /):
        for at in range(*slice(start, stop).indices(len(self._items))):
            if self._items[at] == v:
                return at
        raise ValueError("array.index(x): x not in array")

    def count(self, v, /):
        return self._items.count(v)

    def reverse(self):
        self._items.reverse()

    def tolist(self):
        return list(self._items)

    def fromlist(self, list, /):
        self.extend(list)

    def tobytes(self):
        if self.typecode in "uw":
            return "".join(self._items).encode("utf-32-le")
        return _struct.pack(f"<{len(self._items)}{_KINDS[self.typecode]}", *self._items)

    def frombytes(self, buffer, /):
        data = bytes(buffer)
        if len(data) % self.itemsize:
            raise ValueError("bytes length not a multiple of item size")
        if self.typecode in "uw":
            self._items.extend(data.decode("utf-32-le"))
        else:
            self._items.extend(_struct.unpack(f"<{len(data) // self.itemsize}{_KINDS[self.typecode]}", data))

    def tofile(self, f, /):
        f.write(self.tobytes())

    def fromfile(self, f, n, /):
        data = f.read(n * self.itemsize)
        self.frombytes(data[:len(data) // self.itemsize * self.itemsize])
        if len(data) < n * self.itemsize:
            raise EOFError("read() didn't return enough bytes")

    def tounicode(self):
        if self.typecode not in "uw":
            raise ValueError("tounicode() may only be called on unicode type arrays ('u' or 'w')")
        return "".join(self._items)

    def byteswap(self):
        kind = _KINDS.get(self.typecode, "I")
        self._items = list(_struct.unpack(f">{len(self._items)}{kind}", self.tobytes()))

    def buffer_info(self):
        return id(self), len(self._items)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def __contains__(self, value):
        return value in self._items

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._like(self._items[index])
        if not hasattr(type(index), "__index__"):
            raise TypeError("array indices must be integers")
        try:
            return self._items[index]
        except IndexError:
            raise IndexError("array index out of range") from None

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            self._items[index] = self._other(value, "assign")
            return
        try:
            self._items[index] = self._checked(value)
        except IndexError:
            raise IndexError("array assignment index out of range") from None

    def __delitem__(self, index):
        del self._items[index]

    def __add__(self, other):
        return self._like(self._items + self._other(other, "append"))

    def __iadd__(self, other):
        if not isinstance(other, array):
            raise TypeError(f'can only extend with array (not "{type(other).__name__}")')
        self.extend(other)
        return self

    def __mul__(self, count):
        return self._like(self._items * count)

    __rmul__ = __mul__

    def __imul__(self, count):
        self._items *= count
        return self

    def _compared(self, other, compare):
        return compare(self._items, other._items) if isinstance(other, array) else NotImplemented

    def __eq__(self, other):
        return self._compared(other, lambda a, b: a == b)

    def __lt__(self, other):
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compared(other, lambda a, b: a >= b)

    __hash__ = None

    def __copy__(self):
        return self._like(list(self._items))

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return array, (self.typecode, list(self._items))

    def __repr__(self):
        if not self._items:
            return f"array('{self.typecode}')"
        if self.typecode in "uw":
            return f"array('{self.typecode}', {''.join(self._items)!r})"
        return f"array('{self.typecode}', {self._items!r})"


ArrayType = array
