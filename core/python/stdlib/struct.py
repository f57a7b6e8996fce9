"""Values as bytes, by a format. Behaviour: CPython Modules/_struct.c. The machine is one of 64 bits, little-endian."""
import functools as _functools

from _zlib import bytes_float as _bytes_float, float_bytes as _float_bytes


class error(Exception):
    """The format, or what it is given, does not fit."""


error.__module__ = "struct"
# letter: (size natively, size with a mark of order); what it holds says the letter.
_SIZES = {"x": (1, 1), "c": (1, 1), "b": (1, 1), "B": (1, 1), "?": (1, 1), "h": (2, 2), "H": (2, 2), "i": (4, 4),
          "I": (4, 4), "l": (8, 4), "L": (8, 4), "q": (8, 8), "Q": (8, 8), "n": (8, None), "N": (8, None), "e": (2, 2),
          "f": (4, 4), "d": (8, 8), "s": (1, 1), "p": (1, 1), "P": (8, None)}
_NAMES = {"b": "byte", "B": "ubyte", "h": "short", "H": "ushort"}


@_functools.lru_cache(256)
def _plan(format):
    """[(letter, count, offset, size)], the number of values, the size, whether the lowest byte comes first."""
    order, text = "@", format
    if text[:1] in ("@", "=", "<", ">", "!"):
        order, text = text[0], text[1:]
    is_native, is_little = order == "@", order in "@=<"
    parts, offset, values, at = [], 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter in " \t\n\r\v\f":
            at += 1
            continue
        count = 1
        if letter.isdigit():
            end = at
            while end < len(text) and text[end].isdigit():
                end += 1
            count, at = int(text[at:end]), end
            if at == len(text):
                raise error("repeat count given without format specifier")
            letter = text[at]
        if letter not in _SIZES or (not is_native and _SIZES[letter][1] is None):
            raise error("bad char in struct format")
        size = _SIZES[letter][0 if is_native else 1]
        if is_native:
            offset += -offset % size
        parts.append((letter, count, offset, size))
        offset += count * size
        values += 0 if letter == "x" else 1 if letter in "sp" else count
        at += 1
    return parts, values, offset, is_little


def _text_of(format):
    if isinstance(format, (bytes, bytearray)):
        return format.decode("ascii")
    if isinstance(format, str):
        return format
    raise TypeError(f"Struct() argument 1 must be a str or bytes object, not {type(format).__name__}")


def _integer(value, letter, size, order):
    if not isinstance(value, int):
        if not hasattr(type(value), "__index__"):
            raise error("required argument is not an integer")
        value = value.__index__()
    bits = 8 * size
    signed = letter in "bhilqn"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        if size == 8:
            raise error("int too large to convert" if signed or value > 0 else "argument out of range")
        raise error(f"'{letter}' format requires {low} <= number <= {high}")
    return int(value).to_bytes(size, order, signed=signed)


def _packed(value, letter, size, order):
    if letter == "c":
        if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
            raise error("char format requires a bytes object of length 1")
        return bytes(value)
    if letter == "?":
        return b"\x01" if value else b"\x00"
    if letter in "efd":
        if not isinstance(value, (int, float)) and not hasattr(type(value), "__float__"):
            raise error("required argument is not a float")
        made = _float_bytes(float(value), size)
        return made if order == "little" else made[::-1]
    return _integer(value, letter, size, order)


def pack(format, /, *v):
    """The bytes of the values."""
    return _pack(_text_of(format), v, "pack")


def _pack(format, v, called):
    parts, values, total, is_little = _plan(format)
    if len(v) != values:
        raise error(f"{called} expected {values} items for packing (got {len(v)})")
    order = "little" if is_little else "big"
    made, at = bytearray(), 0
    for letter, count, offset, size in parts:
        made += bytes(offset - len(made))
        if letter == "x":
            made += bytes(count)
        elif letter in "sp":
            given = v[at]
            at += 1
            if not isinstance(given, (bytes, bytearray)):
                raise error(f"argument for '{letter}' must be a bytes object")
            if letter == "s":
                made += bytes(given[:count]).ljust(count, b"\x00")
            elif count:
                kept = bytes(given[:min(count - 1, 255)])
                made += (bytes([len(kept)]) + kept).ljust(count, b"\x00")
        else:
            for _ in range(count):
                made += _packed(v[at], letter, size, order)
                at += 1
    return bytes(made)


def _unpacked(data, format):
    parts, _, _, is_little = _plan(format)
    order = "little" if is_little else "big"
    made = []
    for letter, count, offset, size in parts:
        if letter == "x":
            continue
        if letter == "s":
            made.append(data[offset:offset + count])
            continue
        if letter == "p":
            length = min(data[offset], count - 1) if count else 0
            made.append(data[offset + 1:offset + 1 + length])
            continue
        for i in range(count):
            one = data[offset + i * size:offset + (i + 1) * size]
            if letter == "c":
                made.append(one)
            elif letter == "?":
                made.append(one != b"\x00")
            elif letter in "efd":
                made.append(_bytes_float(one if is_little else one[::-1]))
            else:
                made.append(int.from_bytes(one, order, signed=letter in "bhilqn"))
    return tuple(made)


def _buffer(given):
    if isinstance(given, bytes):
        return given
    if isinstance(given, bytearray):
        return bytes(given)
    if hasattr(given, "tobytes"):
        return given.tobytes()
    raise TypeError(f"a bytes-like object is required, not '{type(given).__name__}'")


def unpack(format, buffer, /):
    """The values that the bytes hold."""
    format, data = _text_of(format), _buffer(buffer)
    size = _plan(format)[2]
    if len(data) != size:
        raise error(f"unpack requires a buffer of {size} bytes")
    return _unpacked(data, format)


def unpack_from(format, /, buffer, offset=0):
    format, data = _text_of(format), _buffer(buffer)
    size = _plan(format)[2]
    if offset < 0:
        if offset + size > 0:
            raise error(f"not enough data to unpack {size} bytes")
        if offset + len(data) < 0:
            raise error(f"offset {offset} out of range for {len(data)}-byte buffer")
        offset += len(data)
    if len(data) - offset < size:
        raise error(f"unpack_from requires a buffer of at least {size + offset} bytes for unpacking {size} bytes at "
                    f"offset {offset} (actual buffer size is {len(data)})")
    return _unpacked(data[offset:offset + size], format)


def pack_into(format, buffer, offset, /, *v):
    made = _pack(_text_of(format), v, "pack_into")
    size = len(made)
    if not isinstance(buffer, bytearray):
        raise TypeError(f"argument must be read-write bytes-like object, not {type(buffer).__name__}")
    if offset < 0:
        if offset + size > 0:
            raise error(f"no space to pack {size} bytes at offset {offset}")
        if offset + len(buffer) < 0:
            raise error(f"offset {offset} out of range for {len(buffer)}-byte buffer")
        offset += len(buffer)
    if len(buffer) - offset < size:
        raise error(f"pack_into requires a buffer of at least {size + offset} bytes for packing {size} bytes at offset "
                    f"{offset} (actual buffer size is {len(buffer)})")
    buffer[offset:offset + size] = made


def iter_unpack(format, buffer, /):
    format, data = _text_of(format), _buffer(buffer)
    size = _plan(format)[2]
    if size == 0:
        raise error("cannot iteratively unpack with a struct of length 0")
    if len(data) % size:
        raise error(f"iterative unpacking requires a buffer of a multiple of {size} bytes")
    return (_unpacked(data[at:at + size], format) for at in range(0, len(data), size))


def calcsize(format, /):
    return _plan(_text_of(format))[2]


class Struct:
    """A format that is used again and again."""

    def __init__(self, format):
        self.format = _text_of(format)
        self.size = _plan(self.format)[2]

    def pack(self, *v):
        return _pack(self.format, v, "pack")

    def pack_into(self, buffer, offset, /, *v):
        pack_into(self.format, buffer, offset, *v)

    def unpack(self, buffer, /):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer, /):
        return iter_unpack(self.format, buffer)

    def __repr__(self):
        return f"Struct({self.format!r})"


Struct.__module__ = "_struct"
