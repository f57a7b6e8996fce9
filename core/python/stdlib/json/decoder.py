"""JSON to objects. Behaviour: RFC 8259, and NaN, Infinity, -Infinity."""

_WHITESPACE = " \t\n\r"
_DIGITS = "0123456789"
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class JSONDecodeError(ValueError):
    """Where and why a text is no JSON."""

    def __init__(self, msg, doc, pos):
        lineno = doc.count("\n", 0, pos) + 1
        colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {lineno} column {colno} (char {pos})")
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = lineno
        self.colno = colno

    def __reduce__(self):
        return self.__class__, (self.msg, self.doc, self.pos)


def _skip(s, at):
    """Where there is something again."""
    end = len(s)
    while at < end and s[at] in _WHITESPACE:
        at += 1
    return at


def py_scanstring(s, end, strict=True):
    """(text, place behind it) of a string whose first character is at `end`."""
    begin = end - 1
    parts = []
    while True:
        quote = s.find('"', end)
        slash = s.find("\\", end, quote if quote >= 0 else len(s))
        stop = slash if slash >= 0 else quote
        chunk = s[end:stop] if stop >= 0 else s[end:]
        if strict and not chunk.isprintable():
            for at, char in enumerate(chunk, end):
                if char < " ":
                    raise JSONDecodeError("Invalid control character at", s, at)
        if stop < 0:
            raise JSONDecodeError("Unterminated string starting at", s, begin)
        parts.append(chunk)
        if slash < 0:
            return "".join(parts), quote + 1
        if slash + 1 >= len(s):
            raise JSONDecodeError("Unterminated string starting at", s, begin)
        char = s[slash + 1]
        end = slash + 2
        if char != "u":
            if char not in _ESCAPES:
                raise JSONDecodeError("Invalid \\escape", s, slash)
            parts.append(_ESCAPES[char])
            continue
        code = _hex(s, slash + 2)
        end += 4
        if 0xD800 <= code <= 0xDBFF and s[end:end + 2] == "\\u":
            low = _hex(s, end + 2)
            if 0xDC00 <= low <= 0xDFFF:
                code = 0x10000 + ((code - 0xD800) << 10 | low - 0xDC00)
                end += 6
        parts.append(chr(code))


scanstring = py_scanstring


def _hex(s, at):
    digits = s[at:at + 4]
    # The quote that ends the text has to follow at some time.
    if at + 4 < len(s) and all(char in "0123456789abcdefABCDEF" for char in digits):
        return int(digits, 16)
    raise JSONDecodeError("Invalid \\uXXXX escape", s, at - 1)


class JSONDecoder:
    """Reads texts; hooks say what becomes of objects and numbers."""

    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, strict=True,
                 object_pairs_hook=None):
        self.object_hook = object_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant or _CONSTANTS.__getitem__
        self.strict = strict
        self.object_pairs_hook = object_pairs_hook

    def decode(self, s):
        """The object of a text. Errors: JSONDecodeError."""
        value, end = self.raw_decode(s, _skip(s, 0))
        end = _skip(s, end)
        if end != len(s):
            raise JSONDecodeError("Extra data", s, end)
        return value

    def raw_decode(self, s, idx=0):
        """(object, place behind it) at a place of a text. Errors: JSONDecodeError."""
        return self._value(s, idx)

    def _value(self, s, at):
        char = s[at:at + 1]
        if char == '"':
            return py_scanstring(s, at + 1, self.strict)
        if char == "{":
            return self._object(s, at + 1)
        if char == "[":
            return self._array(s, at + 1)
        if char == "n" and s.startswith("null", at):
            return None, at + 4
        if char == "t" and s.startswith("true", at):
            return True, at + 4
        if char == "f" and s.startswith("false", at):
            return False, at + 5
        if char == "N" and s.startswith("NaN", at):
            return self.parse_constant("NaN"), at + 3
        if char == "I" and s.startswith("Infinity", at):
            return self.parse_constant("Infinity"), at + 8
        if char == "-" and s.startswith("-Infinity", at):
            return self.parse_constant("-Infinity"), at + 9
        if char and (char in _DIGITS or char == "-"):
            return self._number(s, at)
        raise JSONDecodeError("Expecting value", s, at)

    def _number(self, s, start):
        size = len(s)
        at = start + (s[start] == "-")
        if at >= size or s[at] not in _DIGITS:
            raise JSONDecodeError("Expecting value", s, start)
        if s[at] == "0":
            at += 1
        else:
            while at < size and s[at] in _DIGITS:
                at += 1
        end = at
        is_float = False
        if at + 1 < size and s[at] == "." and s[at + 1] in _DIGITS:
            at += 1
            while at < size and s[at] in _DIGITS:
                at += 1
            end = at
            is_float = True
        if at < size and s[at] in "eE":
            at += 1
            if at < size and s[at] in "+-":
                at += 1
            if at < size and s[at] in _DIGITS:
                while at < size and s[at] in _DIGITS:
                    at += 1
                end = at
                is_float = True
        return (self.parse_float if is_float else self.parse_int)(s[start:end]), end

    def _object(self, s, at):
        pairs = []
        at = _skip(s, at)
        char = s[at:at + 1]
        if char != '"' and char != "}":
            raise JSONDecodeError("Expecting property name enclosed in double quotes", s, at)
        while char != "}":
            key, at = py_scanstring(s, at + 1, self.strict)
            at = _skip(s, at)
            if s[at:at + 1] != ":":
                raise JSONDecodeError("Expecting ':' delimiter", s, at)
            value, at = self._value(s, _skip(s, at + 1))
            pairs.append((key, value))
            at = _skip(s, at)
            char = s[at:at + 1]
            if char == "}":
                break
            if char != ",":
                raise JSONDecodeError("Expecting ',' delimiter", s, at)
            comma = at
            at = _skip(s, at + 1)
            char = s[at:at + 1]
            if char != '"':
                if char == "}":
                    raise JSONDecodeError("Illegal trailing comma before end of object", s, comma)
                raise JSONDecodeError("Expecting property name enclosed in double quotes", s, at)
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs), at + 1
        made = dict(pairs)
        return made if self.object_hook is None else self.object_hook(made), at + 1

    def _array(self, s, at):
        items = []
        at = _skip(s, at)
        if s[at:at + 1] == "]":
            return items, at + 1
        while True:
            value, at = self._value(s, at)
            items.append(value)
            at = _skip(s, at)
            char = s[at:at + 1]
            if char == "]":
                return items, at + 1
            if char != ",":
                raise JSONDecodeError("Expecting ',' delimiter", s, at)
            comma = at
            at = _skip(s, at + 1)
            if s[at:at + 1] == "]":
                raise JSONDecodeError("Illegal trailing comma before end of array", s, comma)
