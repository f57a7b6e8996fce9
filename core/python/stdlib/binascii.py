"""Bytes as text. Behaviour: CPython Modules/binascii.c."""
from _zlib import crc32


class Error(ValueError):
    """The text is no such encoding."""


class Incomplete(Exception):
    """The text ends too early."""


Error.__module__ = Incomplete.__module__ = "binascii"
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {code: at for at, code in enumerate(_ALPHABET)}


def _bytes_of(data, may_be_text=False):
    if isinstance(data, (bytes, bytearray)):
        return bytes(data)
    if isinstance(data, str) and may_be_text:
        if not data.isascii():
            raise ValueError("string argument should contain only ASCII characters")
        return data.encode("ascii")
    if may_be_text:
        raise TypeError(f"argument should be bytes, buffer or ASCII string, not '{type(data).__name__}'")
    if hasattr(data, "tobytes"):
        return data.tobytes()
    raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")


def hexlify(data, sep=None, bytes_per_sep=1):
    data = _bytes_of(data)
    text = data.hex() if sep is None else data.hex(sep, bytes_per_sep)
    return text.encode("ascii")


def unhexlify(hexstr, /):
    text = _bytes_of(hexstr, True)
    if len(text) % 2:
        raise Error("Odd-length string")
    try:
        digits = [b"0123456789abcdef".index(code) for code in text.lower()]
    except ValueError:
        raise Error("Non-hexadecimal digit found") from None
    return bytes(high << 4 | low for high, low in zip(digits[::2], digits[1::2]))


b2a_hex, a2b_hex = hexlify, unhexlify


def b2a_base64(data, /, *, newline=True):
    data = _bytes_of(data)
    parts = []
    for at in range(0, len(data) - len(data) % 3, 3):
        word = data[at] << 16 | data[at + 1] << 8 | data[at + 2]
        parts += (_ALPHABET[word >> 18], _ALPHABET[word >> 12 & 63], _ALPHABET[word >> 6 & 63], _ALPHABET[word & 63])
    rest = data[len(data) - len(data) % 3:]
    if len(rest) == 1:
        parts += (_ALPHABET[rest[0] >> 2], _ALPHABET[(rest[0] & 3) << 4], 61, 61)
    elif len(rest) == 2:
        word = rest[0] << 8 | rest[1]
        parts += (_ALPHABET[word >> 10], _ALPHABET[word >> 4 & 63], _ALPHABET[(word & 15) << 2], 61)
    if newline:
        parts.append(10)
    return bytes(parts)


def a2b_base64(data, /, *, strict_mode=False):
    text = _bytes_of(data, True)
    if strict_mode and text[:1] == b"=":
        raise Error("Leading padding not allowed")
    made = bytearray()
    count = pads = word = 0
    for at, code in enumerate(text):
        if code == 61:
            if count >= 2:
                pads += 1
                if count + pads >= 4:
                    if strict_mode and at + 1 < len(text):
                        raise Error("Excess data after padding")
                    word = count = 0
                    return bytes(made)
            elif strict_mode:
                raise Error("Discontinuous padding not allowed" if count else "Excess padding not allowed")
            continue
        value = _VALUES.get(code)
        if value is None:
            if strict_mode:
                raise Error("Only base64 data is allowed")
            continue
        if strict_mode and pads:
            raise Error("Discontinuous padding not allowed")
        pads = 0
        if count == 0:
            word, count = value, 1
        elif count == 1:
            made.append(word << 2 | value >> 4)
            word, count = value & 15, 2
        elif count == 2:
            made.append(word << 4 | value >> 2)
            word, count = value & 3, 3
        else:
            made.append(word << 6 | value)
            word = count = 0
    if count == 1:
        raise Error("Invalid base64-encoded string: number of data characters "
                    f"({(len(made) // 3) * 4 + 1}) cannot be 1 more than a multiple of 4")
    if count:
        raise Error("Incorrect padding")
    return bytes(made)


def crc_hqx(data, value, /):
    """CRC-CCITT of 16 bits, polynomial x^16 + x^12 + x^5 + 1."""
    for code in _bytes_of(data):
        value ^= code << 8
        for _ in range(8):
            value = value << 1 ^ (0x1021 if value & 0x8000 else 0)
        value &= 0xFFFF
    return value
