"""Objects to JSON."""

INFINITY = float("inf")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES.update((chr(code), f"\\u{code:04x}") for code in range(32) if chr(code) not in _ESCAPES)
_TABLE = {ord(char): text for char, text in _ESCAPES.items()}


def py_encode_basestring(s):
    """A text in quotes."""
    return f'"{s.translate(_TABLE)}"'


def py_encode_basestring_ascii(s):
    """A text in quotes, with escapes for all that is not ASCII."""
    s = s.translate(_TABLE)
    if s.isascii() and "\x7f" not in s:
        return f'"{s}"'
    parts = []
    for char in s:
        code = ord(char)
        if code < 127:
            parts.append(char)
        elif code < 0x10000:
            parts.append(f"\\u{code:04x}")
        else:
            code -= 0x10000
            parts.append(f"\\u{0xD800 | code >> 10:04x}\\u{0xDC00 | code & 0x3FF:04x}")
    return f'"{"".join(parts)}"'


encode_basestring = py_encode_basestring
encode_basestring_ascii = py_encode_basestring_ascii


class JSONEncoder:
    """Makes texts; default() says what becomes of other objects."""

    item_separator = ", "
    key_separator = ": "

    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, sort_keys=False,
                 indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        elif indent is not None:
            self.item_separator = ","
        if default is not None:
            self.default = default

    def default(self, o):
        """What an object that JSON has not becomes. Errors: TypeError."""
        raise TypeError(f"Object of type {o.__class__.__name__} is not JSON serializable")

    def encode(self, o):
        """The text of an object."""
        if isinstance(o, str):
            return (py_encode_basestring_ascii if self.ensure_ascii else py_encode_basestring)(o)
        parts = []
        _Writer(self, parts.append).write(o, 0)
        return "".join(parts)

    def iterencode(self, o, _one_shot=False):
        """The text of an object in pieces."""
        parts = []
        _Writer(self, parts.append).write(o, 0)
        return iter(parts)


class _Writer:
    """Hands the pieces of one text to `add`."""

    def __init__(self, encoder, add):
        self.encoder = encoder
        self.add = add
        self.quote = py_encode_basestring_ascii if encoder.ensure_ascii else py_encode_basestring
        indent = encoder.indent
        self.indent = " " * indent if isinstance(indent, int) and not isinstance(indent, bool) else indent
        self.active = set() if encoder.check_circular else None

    def number(self, value):
        if value != value:
            text = "NaN"
        elif value == INFINITY:
            text = "Infinity"
        elif value == -INFINITY:
            text = "-Infinity"
        else:
            return float.__repr__(value)
        if not self.encoder.allow_nan:
            raise ValueError("Out of range float values are not JSON compliant: " + repr(value))
        return text

    def scalar(self, value):
        """The text of what has no parts, or None."""
        if isinstance(value, str):
            return self.quote(value)
        if value is None:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return self.number(value)
        return None

    def enter(self, value):
        if self.active is not None:
            if id(value) in self.active:
                raise ValueError("Circular reference detected")
            self.active.add(id(value))

    def leave(self, value):
        if self.active is not None:
            self.active.discard(id(value))

    def write(self, value, depth):
        text = self.scalar(value)
        if text is not None:
            self.add(text)
        elif isinstance(value, (list, tuple)):
            self.sequence(value, depth)
        elif isinstance(value, dict):
            self.mapping(value, depth)
        else:
            self.enter(value)
            given = self.encoder.default(value)
            try:
                self.write(given, depth)
            except BaseException as error:
                self.note(error, value, "")
                raise
            self.leave(value)

    @staticmethod
    def note(error, value, part):
        kind = type(value).__name__
        module = type(value).__module__
        name = kind if module == "builtins" else f"{module}.{kind}"
        if hasattr(error, "add_note"):
            error.add_note(f"when serializing {name} {part or 'object'}")

    def line(self, depth):
        return "" if self.indent is None else "\n" + self.indent * depth

    def sequence(self, items, depth):
        if not items:
            self.add("[]")
            return
        self.enter(items)
        between = self.encoder.item_separator + self.line(depth + 1)
        self.add("[" + self.line(depth + 1))
        is_first = True
        for at, item in enumerate(items):
            if is_first:
                is_first = False
            else:
                self.add(between)
            try:
                self.write(item, depth + 1)
            except BaseException as error:
                self.note(error, items, f"item {at}")
                raise
        self.add(self.line(depth) + "]")
        self.leave(items)

    def mapping(self, mapping, depth):
        if not mapping:
            self.add("{}")
            return
        self.enter(mapping)
        between = self.encoder.item_separator + self.line(depth + 1)
        colon = self.encoder.key_separator
        self.add("{")
        is_first = True
        pairs = sorted(mapping.items()) if self.encoder.sort_keys else mapping.items()
        for key, value in pairs:
            if not isinstance(key, str):
                text = self.scalar(key)
                if text is None:
                    if self.encoder.skipkeys:
                        continue
                    raise TypeError(f"keys must be str, int, float, bool or None, not {key.__class__.__name__}")
                name = text
            else:
                name = key
            if is_first:
                is_first = False
                self.add(self.line(depth + 1))
            else:
                self.add(between)
            self.add(self.quote(name))
            self.add(colon)
            try:
                self.write(value, depth + 1)
            except BaseException as error:
                self.note(error, mapping, f"item {key!r}")
                raise
        if not is_first:
            self.add(self.line(depth))
        self.add("}")
        self.leave(mapping)
