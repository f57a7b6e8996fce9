"""What reads patterns and templates of module re piece by piece, and the error that it raises."""


class PatternError(Exception):
    """A pattern or a template that can't be read. `pos`, `lineno` and `colno` say where."""

    __module__ = "re"

    def __init__(self, msg, pattern=None, pos=None):
        self.msg = msg
        self.pattern = pattern
        self.pos = pos
        self.lineno = self.colno = None
        if pattern is not None and pos is not None:
            msg = f"{msg} at position {pos}"
            line_end = "\n" if isinstance(pattern, str) else b"\n"
            self.lineno = pattern.count(line_end, 0, pos) + 1
            self.colno = pos - pattern.rfind(line_end, 0, pos)
            if line_end in pattern:
                msg = f"{msg} (line {self.lineno}, column {self.colno})"
        super().__init__(msg)


class Reader:
    """Gives characters, and a backslash together with what follows it. Bytes are read as the code points below 256."""

    def __init__(self, given):
        self.given = given
        self.is_text = isinstance(given, str)
        self.text = given if self.is_text else str(given, "latin-1")
        self.end = 0
        self.next = None
        self.advance()

    def advance(self):
        """Reads the next piece."""
        text, at = self.text, self.end
        if at >= len(text):
            self.next = None
            return
        piece = text[at]
        if piece == "\\":
            if at + 1 >= len(text):
                raise PatternError("bad escape (end of pattern)", self.given, len(text) - 1)
            piece = text[at:at + 2]
        self.end = at + len(piece)
        self.next = piece

    def take(self):
        """The next piece, None at the end."""
        piece = self.next
        self.advance()
        return piece

    def match(self, piece):
        """Whether that comes next; then it is taken."""
        if self.next != piece:
            return False
        self.advance()
        return True

    def take_while(self, most, characters):
        """The next pieces out of `characters`, not more than `most`."""
        taken = ""
        while len(taken) < most and self.next is not None and self.next in characters:
            taken += self.take()
        return taken

    def take_until(self, end, what):
        """What comes before `end`, which is taken too."""
        taken = ""
        while True:
            piece = self.take()
            if piece is None:
                if not taken:
                    raise self.error(f"missing {what}")
                raise self.error(f"missing {end}, unterminated name", len(taken))
            if piece == end:
                if not taken:
                    raise self.error(f"missing {what}", 1)
                return taken
            taken += piece

    @property
    def pos(self):
        """Where the next piece begins."""
        return self.end - len(self.next or "")

    def seek(self, pos):
        """Goes on from there."""
        self.end = pos
        self.advance()

    def error(self, msg, behind=0):
        """The error for what stands `behind` characters before the next piece."""
        if not self.is_text:
            msg = msg.encode("ascii", "backslashreplace").decode("ascii")
        return PatternError(msg, self.given, self.pos - behind)

    def check_name(self, name, behind):
        """Refuses a name of a group that is no identifier."""
        if not (self.is_text or name.isascii()):
            shown = ascii(name.encode("latin-1"))[1:]
            raise self.error(f"bad character in group name {shown}", len(name) + behind)
        if not name.isidentifier():
            raise self.error(f"bad character in group name {name!r}", len(name) + behind)


_OCTAL = "01234567"
_DIGITS = "0123456789"
_ESCAPES = {"\\a": "\a", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\v": "\v", "\\\\": "\\"}


def read_template(pattern, template):
    """The parts of what sub() puts in a match's place: literals, and the numbers of groups."""
    reader = Reader(template)
    parts, literal = [], []

    def flush():
        if literal:
            text = "".join(literal)
            parts.append(text if reader.is_text else text.encode("latin-1"))
            literal.clear()

    def add_group(number, behind):
        if number > pattern.groups:
            raise reader.error(f"invalid group reference {number}", behind)
        flush()
        parts.append(number)

    while True:
        piece = reader.take()
        if piece is None:
            break
        if piece[0] != "\\":
            literal.append(piece)
            continue
        letter = piece[1]
        if letter == "g":
            if not reader.match("<"):
                raise reader.error("missing <")
            name = reader.take_until(">", "group name")
            if name.isdecimal() and name.isascii():
                number = int(name)
            else:
                reader.check_name(name, 1)
                if name not in pattern.groupindex:
                    raise IndexError(f"unknown group name {name!r}")
                number = pattern.groupindex[name]
            add_group(number, len(name) + 1)
        elif letter == "0":
            piece += reader.take_while(2, _OCTAL)
            literal.append(chr(int(piece[1:], 8) & 0xFF))
        elif letter in _DIGITS:
            piece += reader.take_while(1, _DIGITS)
            if len(piece) == 3 and letter in _OCTAL and piece[2] in _OCTAL and reader.next in tuple(_OCTAL):
                piece += reader.take()
                code = int(piece[1:], 8)
                if code > 0o377:
                    raise reader.error(f"octal escape value {piece} outside of range 0-0o377", len(piece))
                literal.append(chr(code))
            else:
                add_group(int(piece[1:]), len(piece) - 1)
        elif piece in _ESCAPES:
            literal.append(_ESCAPES[piece])
        elif letter.isascii() and letter.isalpha():
            raise reader.error(f"bad escape {piece}", len(piece))
        else:
            literal.append(piece)
    flush()
    return parts
