"""Texts in TOML 1.0. Behaviour: CPython 3.14, Lib/tomllib/_parser.py, https://toml.io/en/v1.0.0."""
from tomllib._values import date_at, number_at

_CONTROLS = frozenset(map(chr, (*range(32), 127)))
_IN_LINE = _CONTROLS - {"\t"}
_IN_LINES = _CONTROLS - {"\t", "\n"}
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class TOMLDecodeError(ValueError):
    """What is no TOML: `msg`, `doc`, `pos`, `lineno`, `colno`."""

    def __init__(self, msg, doc, pos):
        line = doc.count("\n", 0, pos) + 1
        column = pos - doc.rfind("\n", 0, pos) if line > 1 else pos + 1
        place = "end of document" if pos >= len(doc) else f"line {line}, column {column}"
        super().__init__(f"{msg} (at {place})")
        self.msg, self.doc, self.pos, self.lineno, self.colno = msg, doc, pos, line, column


TOMLDecodeError.__module__ = "tomllib"


class Reader:
    def __init__(self, text, parse_float):
        self.text, self.at = text, 0
        self.parse_float = parse_float
        self.data = {}
        self.declared = set()  # keys (tuples) of tables that may not be declared again
        self.pending = []  # of dotted keys: they are declared when the next header comes
        self.frozen = set()  # keys of inline tables and arrays

    def fail(self, message, at=None):
        raise TOMLDecodeError(message, self.text, self.at if at is None else at)

    def peek(self, length=1):
        return self.text[self.at:self.at + length]

    def skip(self, letters):
        text, at = self.text, self.at
        while at < len(text) and text[at] in letters:
            at += 1
        self.at = at

    def skip_comment(self):
        if self.peek() == "#":
            end = self.text.find("\n", self.at)
            self.check_letters(self.at + 1, len(self.text) if end < 0 else end, _IN_LINE)
            self.at = len(self.text) if end < 0 else end

    def check_letters(self, begin, end, refused):
        for at in range(begin, end):
            if self.text[at] in refused:
                self.fail(f"Found invalid character {self.text[at]!r}", at)

    def skip_blanks_and_comments(self):
        while True:
            before = self.at
            self.skip(" \t\n")
            self.skip_comment()
            if self.at == before:
                return

    def is_frozen(self, key):
        return any(key[:count] in self.frozen for count in range(1, len(key) + 1))

    def read(self):
        header = ()
        while True:
            self.skip(" \t")
            letter = self.peek()
            if not letter:
                return self.data
            if letter == "\n":
                self.at += 1
                continue
            if letter in _BARE or letter in "\"'":
                self.pair(header)
                self.skip(" \t")
            elif letter == "[":
                self.declared.update(self.pending)
                self.pending.clear()
                header = self.list_header() if self.peek(2) == "[[" else self.table_header()
                self.skip(" \t")
            elif letter != "#":
                self.fail("Invalid statement")
            self.skip_comment()
            letter = self.peek()
            if not letter:
                return self.data
            if letter != "\n":
                self.fail("Expected newline or end of document after a statement")
            self.at += 1

    def table(self, key, enters_lists=True):
        """The table of a key, made where it is not there. Errors: KeyError  something else is."""
        found = self.data
        for part in key:
            found = found.setdefault(part, {})
            if enters_lists and isinstance(found, list):
                found = found[-1]
            if not isinstance(found, dict):
                raise KeyError("There is no nest behind this key")
        return found

    def table_header(self):
        self.at += 1
        self.skip(" \t")
        key = self.key()
        if key in self.declared or self.is_frozen(key):
            self.fail(f"Cannot declare {key} twice")
        self.declared.add(key)
        try:
            self.table(key)
        except KeyError:
            self.fail("Cannot overwrite a value")
        if self.peek() != "]":
            self.fail("Expected ']' at the end of a table declaration")
        self.at += 1
        return key

    def list_header(self):
        self.at += 2
        self.skip(" \t")
        key = self.key()
        if self.is_frozen(key):
            self.fail(f"Cannot mutate immutable namespace {key}")
        # A new element: what was said of the tables below the last one does not count.
        self.declared = {one for one in self.declared if one[:len(key)] != key} | {key}
        self.frozen = {one for one in self.frozen if one[:len(key)] != key}
        try:
            parent = self.table(key[:-1])
            found = parent.setdefault(key[-1], [])
            if not isinstance(found, list):
                raise KeyError(key)
        except KeyError:
            self.fail("Cannot overwrite a value")
        found.append({})
        if self.peek(2) != "]]":
            self.fail("Expected ']]' at the end of an array declaration")
        self.at += 2
        return key

    def key_and_value(self):
        key = self.key()
        if self.peek() != "=":
            self.fail("Expected '=' after a key in a key/value pair")
        self.at += 1
        self.skip(" \t")
        return key, self.value()

    def pair(self, header):
        key, value = self.key_and_value()
        parent = header + key[:-1]
        for count in range(1, len(key)):
            dotted = header + key[:count]
            if dotted in self.declared:
                self.fail(f"Cannot redefine namespace {dotted}")
            self.pending.append(dotted)
        if self.is_frozen(parent):
            self.fail(f"Cannot mutate immutable namespace {parent}")
        try:
            table = self.table(parent)
        except KeyError:
            self.fail("Cannot overwrite a value")
        if key[-1] in table:
            self.fail("Cannot overwrite a value")
        if isinstance(value, (dict, list)):
            self.frozen.add(header + key)
        table[key[-1]] = value

    def key(self):
        parts = [self.key_part()]
        self.skip(" \t")
        while self.peek() == ".":
            self.at += 1
            self.skip(" \t")
            parts.append(self.key_part())
            self.skip(" \t")
        return tuple(parts)

    def key_part(self):
        letter = self.peek()
        if letter and letter in _BARE:
            begin = self.at
            self.skip(_BARE)
            return self.text[begin:self.at]
        if letter == "'":
            return self.literal()
        if letter == '"':
            return self.basic()
        return self.fail("Invalid initial character for a key part")

    def value(self):
        letter = self.peek()
        if letter == '"':
            return self.long_basic() if self.peek(3) == '"""' else self.basic()
        if letter == "'":
            return self.long_literal() if self.peek(3) == "'''" else self.literal()
        if letter == "[":
            return self.array()
        if letter == "{":
            return self.inline_table()
        for word, value in (("true", True), ("false", False)):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        try:
            found = date_at(self.text, self.at)
        except ValueError as error:
            raise TOMLDecodeError("Invalid date or datetime", self.text, self.at) from error
        found = found or number_at(self.text, self.at, self.parse_float)
        if found is None:
            self.fail("Invalid value")
        value, self.at = found
        return value

    def array(self):
        self.at += 1
        made = []
        self.skip_blanks_and_comments()
        while self.peek() != "]":
            made.append(self.value())
            self.skip_blanks_and_comments()
            if self.peek() == "]":
                break
            if self.peek() != ",":
                self.fail("Unclosed array")
            self.at += 1
            self.skip_blanks_and_comments()
        self.at += 1
        return made

    def inline_table(self):
        self.at += 1
        made, frozen = {}, set()
        self.skip(" \t")
        if self.peek() == "}":
            self.at += 1
            return made
        while True:
            key, value = self.key_and_value()
            if any(key[:count] in frozen for count in range(1, len(key))):
                self.fail(f"Cannot mutate immutable namespace {key}")
            table = made
            for part in key[:-1]:
                table = table.setdefault(part, {})
                if not isinstance(table, dict):
                    self.fail("Cannot overwrite a value")
            if key[-1] in table:
                self.fail(f"Duplicate inline table key {key[-1]!r}")
            table[key[-1]] = value
            self.skip(" \t")
            if self.peek() == "}":
                self.at += 1
                return made
            if self.peek() != ",":
                self.fail("Unclosed inline table")
            if isinstance(value, (dict, list)):
                frozen.add(key)
            self.at += 1
            self.skip(" \t")

    def literal(self):
        end = self.text.find("'", self.at + 1)
        self.check_letters(self.at + 1, len(self.text) if end < 0 else end, _IN_LINE)
        if end < 0:
            self.fail("Expected \"'\"", len(self.text))
        made = self.text[self.at + 1:end]
        self.at = end + 1
        return made

    def long_literal(self):
        begin = self.at + 3
        begin += self.text.startswith("\n", begin)
        end = self.text.find("'''", begin)
        self.check_letters(begin, len(self.text) if end < 0 else end, _IN_LINES)
        if end < 0:
            self.fail("Expected \"'''\"", len(self.text))
        self.at = end + 3
        return self.text[begin:end] + self.more_quotes("'")

    def more_quotes(self, quote):
        """Up to two more quotes before the three that end a text belong to it."""
        count = 0
        while count < 2 and self.peek() == quote:
            count += 1
            self.at += 1
        return quote * count

    def basic(self):
        self.at += 1
        return self.letters('"', _IN_LINE)

    def long_basic(self):
        self.at += 3
        self.at += self.peek() == "\n"
        return self.letters('"""', _IN_LINES) + self.more_quotes('"')

    def letters(self, quotes, refused):
        parts, begin = [], self.at
        text = self.text
        while True:
            if self.at >= len(text):
                self.fail("Unterminated string")
            letter = text[self.at]
            if letter == '"' and text.startswith(quotes, self.at):
                parts.append(text[begin:self.at])
                self.at += len(quotes)
                return "".join(parts)
            if letter == "\\":
                parts.append(text[begin:self.at])
                parts.append(self.escape(len(quotes) == 3))
                begin = self.at
                continue
            if letter in refused:
                self.fail(f"Illegal character {letter!r}")
            self.at += 1

    def escape(self, is_long):
        letter = self.text[self.at + 1:self.at + 2]
        self.at += 2
        if is_long and letter and letter in " \t\n":
            # A backslash at the end of a line takes the blanks and line ends behind it along.
            if letter != "\n":
                self.skip(" \t")
                if self.at >= len(self.text):
                    return ""
                if self.peek() != "\n":
                    self.fail("Unescaped '\\' in a string")
                self.at += 1
            self.skip(" \t\n")
            return ""
        if letter in ("u", "U"):
            return self.number_of_letter(4 if letter == "u" else 8)
        if letter not in _ESCAPED:
            if not letter:
                self.at = len(self.text)
                self.fail("Unterminated string")
            self.fail("Unescaped '\\' in a string")
        return _ESCAPED[letter]

    def number_of_letter(self, length):
        digits = self.peek(length)
        if len(digits) != length or any(one not in "0123456789abcdefABCDEF" for one in digits):
            self.fail("Invalid hex value")
        number = int(digits, 16)
        self.at += length
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            self.fail("Escaped character is not a Unicode scalar value")
        return chr(number)


def _checked(parse_float):
    """What makes floats may not make tables or arrays. Errors: ValueError."""
    if parse_float is float:
        return float

    def checked(text):
        made = parse_float(text)
        if isinstance(made, (dict, list)):
            raise ValueError("parse_float must not return dicts or lists")
        return made

    return checked


def loads(s, /, *, parse_float=float):
    """The table that a text is. Errors: TOMLDecodeError."""
    if not isinstance(s, str):
        raise TypeError(f"Expected str object, not '{type(s).__qualname__}'")
    return Reader(s.replace("\r\n", "\n"), _checked(parse_float)).read()


def load(fp, /, *, parse_float=float):
    """That of a file of bytes."""
    read = fp.read()
    if not isinstance(read, (bytes, bytearray)):
        raise TypeError("File must be opened in binary mode, e.g. use `open('foo.toml', 'rb')`")
    return loads(read.decode(), parse_float=parse_float)
