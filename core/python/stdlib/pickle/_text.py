"""Texts as protocol 0 has them: with escapes."""


def to_raw_unicode_escape(text):
    """Latin-1, and \\u or \\U for all other characters."""
    parts = []
    for char in text:
        code = ord(char)
        parts.append(char.encode("latin1") if code < 256 else
                     (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}").encode("ascii"))
    return b"".join(parts)


_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}


def unescape(data):
    """Bytes of a str of Python 2 as repr() wrote them."""
    if b"\\" not in data:
        return data
    text, made, at = data.decode("latin1"), bytearray(), 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\":
            made.append(ord(char))
            continue
        if at == len(text):
            raise ValueError("Trailing \\ in string")
        char = text[at]
        at += 1
        if char in _ESCAPES:
            made.append(_ESCAPES[char])
        elif char == "x":
            digits = text[at:at + 2]
            if len(digits) < 2 or any(one not in "0123456789abcdefABCDEF" for one in digits):
                raise ValueError(f"invalid \\x escape at position {at - 2}")
            made.append(int(digits, 16))
            at += 2
        elif char in "01234567":
            end = at
            while end < len(text) and end < at + 2 and text[end] in "01234567":
                end += 1
            made.append(int(text[at - 1:end], 8) & 0xFF)
            at = end
        elif char != "\n":
            made += b"\\" + char.encode("latin1")
    return bytes(made)


def from_raw_unicode_escape(data):
    text, parts, at = data.decode("latin1"), [], 0
    while (found := text.find("\\", at)) >= 0:
        # Only an odd number of backslashes before u begins an escape.
        end = found
        while end < len(text) and text[end] == "\\":
            end += 1
        kind = text[end:end + 1]
        if (end - found) % 2 == 0 or kind not in ("u", "U"):
            parts.append(text[at:end])
            at = end
            continue
        width = 4 if kind == "u" else 8
        digits = text[end + 1:end + 1 + width]
        if len(digits) < width or any(one not in "0123456789abcdefABCDEF" for one in digits):
            raise UnicodeDecodeError("rawunicodeescape", data, end - 1, len(data),
                                     "truncated \\uXXXX escape" if width == 4 else "truncated \\UXXXXXXXX escape")
        parts.append(text[at:end - 1] + chr(int(digits, 16)))
        at = end + 1 + width
    return "".join(parts) + text[at:]
