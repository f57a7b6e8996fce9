"""Python's regular expressions written down as PCRE2's, which say more explicitly what they mean.

The text that is made has only ASCII characters. It is meant for these options: DOTALL (. is any character, \\N one that
ends no line), MULTILINE with ALT_CIRCUMFLEX (^ and $ are of lines, \\A and \\Z of the text), newline LF.
Behaviour: CPython Lib/re/_parser.py.
"""

import _re_classes as classes
from _re_reader import PatternError, Reader

IGNORECASE, LOCALE, MULTILINE, DOTALL, UNICODE, VERBOSE, DEBUG, ASCII = 2, 4, 8, 16, 32, 64, 128, 256
_FLAGS = {"i": IGNORECASE, "L": LOCALE, "m": MULTILINE, "s": DOTALL, "x": VERBOSE, "a": ASCII, "u": UNICODE}
_TYPES = ASCII | LOCALE | UNICODE
_SPECIAL = ".\\[{()*+?^$|"
_DIGITS = "0123456789"
_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"
_CONTROLS = {"\\a": 7, "\\b": 8, "\\f": 12, "\\n": 10, "\\r": 13, "\\t": 9, "\\v": 11, "\\\\": 92}
_MOST = 4294967295
# What the library counts to, and how deep its groups nest.
_MOST_REPETITIONS = 65535
_MOST_NESTED = 200
# Widths beyond this are not told apart.
_WIDE = 1 << 40


class _Item:
    """A part of a pattern: its text, how many characters it matches, and what may not be repeated about it."""

    __slots__ = ("text", "low", "high", "kind")

    def __init__(self, text, low, high, kind="item"):
        self.text = text
        self.low = low
        self.high = high
        self.kind = kind


def _sum(items):
    return _Item("".join([item.text for item in items]), min(sum([item.low for item in items]), _WIDE),
                 min(sum([item.high for item in items]), _WIDE))


def checked_flags(flags, is_text):
    """The flags with UNICODE where it holds. Errors: ValueError for those that do not go together."""
    if is_text:
        if flags & LOCALE:
            raise ValueError("cannot use LOCALE flag with a str pattern")
        if flags & ASCII and flags & UNICODE:
            raise ValueError("ASCII and UNICODE flags are incompatible")
        return flags if flags & ASCII else flags | UNICODE
    if flags & UNICODE:
        raise ValueError("cannot use UNICODE flag with a bytes pattern")
    if flags & LOCALE and flags & ASCII:
        raise ValueError("ASCII and LOCALE flags are incompatible")
    return flags


class _Translator:
    def __init__(self, pattern, flags):
        self.reader = Reader(pattern)
        self.flags = flags
        # By number: None while the group is open, then its widths. The first is the whole match.
        self.groups = [None]
        self.names = {}
        # The first number that groups of the lookbehind have that is being read.
        self.in_lookbehind = None
        self.has_loose_lookbehind = False
        # Groups that (?(1)...) asks for, and where.
        self.asked = {}
        self.depth = 0

    def error(self, message, behind=0):
        return self.reader.error(message, behind)

    def is_unicode(self, flags):
        return self.reader.is_text and not flags & ASCII

    def folds_ascii(self, flags):
        """Whether only a to z have cases while PCRE2 would fold all of Unicode: then cases are written out."""
        return self.reader.is_text and bool(flags & ASCII)

    def is_caseless(self, flags):
        """Whether PCRE2 is to ignore cases."""
        return bool(flags & IGNORECASE) and not self.folds_ascii(flags)

    @property
    def top(self):
        return 0x10FFFF if self.reader.is_text else 0xFF

    def whole(self):
        """The pattern, its flags, and whether PCRE2 ignores cases in it."""
        reader = self.reader
        self.depth += 1
        item = self.alternatives(self.flags, True)
        self.flags = checked_flags(self.flags, reader.is_text)
        if reader.next is not None:
            raise self.error("unbalanced parenthesis")
        for number, pos in self.asked.items():
            if number >= len(self.groups):
                raise PatternError(f"invalid group reference {number}", reader.given, pos)
        if self.has_loose_lookbehind:
            raise PatternError("look-behind requires fixed-width pattern")
        return item.text, self.flags, self.is_caseless(self.flags)

    def alternatives(self, flags, is_first=False):
        """a|b|c"""
        if self.depth > _MOST_NESTED:
            raise self.error(f"groups nest deeper than nnscope's {_MOST_NESTED}")
        branches = []
        while True:
            branches.append(self.sequence(self.flags if is_first else flags, is_first and not branches))
            if not self.reader.match("|"):
                break
        if len(branches) == 1:
            return branches[0]
        return _Item("|".join([branch.text for branch in branches]), min([branch.low for branch in branches]),
                     max([branch.high for branch in branches]))

    def sequence(self, flags, is_first=False):
        """What stands between |, and between parentheses."""
        reader = self.reader
        items = []
        while True:
            piece = reader.next
            if piece is None or piece in "|)":
                break
            reader.advance()
            if flags & VERBOSE:
                if piece in " \t\n\r\v\f":
                    continue
                if piece == "#":
                    while True:
                        piece = reader.take()
                        if piece is None or piece == "\n":
                            break
                    continue
            if piece[0] == "\\":
                items.append(self.escape(piece, flags))
            elif piece not in _SPECIAL:
                items.append(self.literal(ord(piece), flags))
            elif piece == "[":
                items.append(self.character_class(flags))
            elif piece in "*+?{":
                self.repeat(piece, items, flags)
            elif piece == ".":
                items.append(_Item("." if flags & DOTALL else r"\N", 1, 1))
            elif piece == "^":
                items.append(_Item("^" if flags & MULTILINE else r"\A", 0, 0, "place"))
            elif piece == "$":
                items.append(_Item("$" if flags & MULTILINE else r"\Z", 0, 0, "place"))
            else:
                item = self.group(flags, is_first and not items)
                if item is not None:
                    items.append(item)
                elif is_first:
                    # Flags for the whole pattern may have stood there.
                    flags = self.flags
        return _sum(items)

    def literal(self, code, flags):
        text = classes.character(code)
        if flags & IGNORECASE:
            others = classes.other_cases(code, code, self.folds_ascii(flags)) if self.reader.is_text else ""
            if others:
                text = f"[{text}{others}]"
        return _Item(text, 1, 1)

    def repeat(self, piece, items, flags):
        """Puts a quantifier behind the last item."""
        reader = self.reader
        here = reader.pos
        low, high = {"?": (0, 1), "*": (0, _MOST), "+": (1, _MOST), "{": (0, _MOST)}[piece]
        if piece == "{":
            if reader.next == "}":
                items.append(self.literal(ord(piece), flags))
                return
            least = reader.take_while(1 << 30, _DIGITS)
            most = reader.take_while(1 << 30, _DIGITS) if reader.match(",") else least
            if not reader.match("}"):
                items.append(self.literal(ord(piece), flags))
                reader.seek(here)
                return
            if least:
                low = self.count(least)
            if most:
                high = self.count(most)
                if high < low:
                    raise self.error("min repeat greater than max repeat", reader.pos - here)
        if not items or items[-1].kind == "place":
            raise self.error("nothing to repeat", reader.pos - here + len(piece))
        item = items.pop()
        if item.kind == "repeat":
            raise self.error("multiple repeat", reader.pos - here + len(piece))
        if low > _MOST_REPETITIONS or _MOST_REPETITIONS < high < _MOST:
            raise self.error(f"nnscope repeats at most {_MOST_REPETITIONS} times", reader.pos - here + len(piece))
        if piece != "{":
            quantifier = piece
        elif high == _MOST:
            quantifier = f"{{{low},}}"
        else:
            quantifier = f"{{{low}}}" if low == high else f"{{{low},{high}}}"
        if reader.match("?"):
            quantifier += "?"
        elif reader.match("+"):
            quantifier += "+"
        items.append(_Item(item.text + quantifier, min(item.low * low, _WIDE), min(item.high * high, _WIDE), "repeat"))

    def count(self, digits):
        if len(digits) > 10 and len(digits.lstrip("0")) > 10 or int(digits) >= _MOST:
            raise OverflowError("the repetition number is too large")
        return int(digits)

    def code_of(self, escape, flags):
        """The character that \\x41, \\u0041, \\U00000041 or \\n stands for, None if it is none of these."""
        reader = self.reader
        letter = escape[1]
        sizes = {"x": 2, "u": 4, "U": 8} if reader.is_text else {"x": 2}
        if letter in sizes:
            escape += reader.take_while(sizes[letter], _HEX)
            if len(escape) != sizes[letter] + 2:
                raise self.error(f"incomplete escape {escape}", len(escape))
            code = int(escape[2:], 16)
            if code > 0x10FFFF:
                raise self.error(f"bad escape {escape}", len(escape))
            return code
        if letter == "N" and reader.is_text:
            if not reader.match("{"):
                raise self.error("missing {")
            name = reader.take_until("}", "character name")
            import unicodedata  # only a few patterns name characters
            try:
                return ord(unicodedata.lookup(name))
            except (KeyError, TypeError):
                raise self.error(f"undefined character name {name!r}", len(name) + len("\\N{}")) from None
        return None

    def escape(self, escape, flags):
        """What a backslash and what follows it stand for outside of [...]."""
        reader = self.reader
        letter = escape[1]
        is_unicode = self.is_unicode(flags)
        if letter in "dDsSwW":
            return _Item(classes.category_item(letter, is_unicode), 1, 1)
        if letter in "bB":
            return _Item(classes.boundary(letter == "B", is_unicode), 0, 0, "place")
        if letter == "A":
            return _Item(r"\A", 0, 0, "place")
        if letter in "Zz":
            return _Item(r"\z", 0, 0, "place")
        if escape in _CONTROLS:
            return self.literal(_CONTROLS[escape], flags)
        code = self.code_of(escape, flags)
        if code is not None:
            return self.literal(code, flags)
        if letter == "0":
            escape += reader.take_while(2, _OCTAL)
            return self.literal(int(escape[1:], 8), flags)
        if letter in _DIGITS:
            escape += reader.take_while(1, _DIGITS)
            if len(escape) == 3 and letter in _OCTAL and escape[2] in _OCTAL and reader.next in tuple(_OCTAL):
                escape += reader.take()
                code = int(escape[1:], 8)
                if code > 0o377:
                    raise self.error(f"octal escape value {escape} outside of range 0-0o377", len(escape))
                return self.literal(code, flags)
            return self.reference(int(escape[1:]), len(escape), flags)
        if letter.isascii() and letter.isalpha():
            raise self.error(f"bad escape {escape}", len(escape))
        return self.literal(ord(letter), flags)

    def reference(self, number, behind, flags):
        """The same text as a group matched."""
        if number >= len(self.groups):
            raise self.error(f"invalid group reference {number}", behind - 1)
        widths = self.groups[number]
        if widths is None:
            raise self.error("cannot refer to an open group", behind)
        self.check_lookbehind(number)
        text = f"\\g{{{number}}}"
        if flags & IGNORECASE and self.folds_ascii(flags):
            text = f"(?i:{text})"
        return _Item(text, *widths)

    def check_lookbehind(self, number):
        if self.in_lookbehind is None:
            return
        if number >= len(self.groups) or self.groups[number] is None:
            raise self.error("cannot refer to an open group")
        if number >= self.in_lookbehind:
            raise self.error("cannot refer to group defined in the same lookbehind subpattern")

    def class_escape(self, escape):
        """A character or the letter of a category in [...]."""
        reader = self.reader
        letter = escape[1]
        if letter in "dDsSwW":
            return letter
        if escape in _CONTROLS:
            return _CONTROLS[escape]
        code = self.code_of(escape, 0)
        if code is not None:
            return code
        if letter in _OCTAL:
            escape += reader.take_while(2, _OCTAL)
            code = int(escape[1:], 8)
            if code > 0o377:
                raise self.error(f"octal escape value {escape} outside of range 0-0o377", len(escape))
            return code
        if letter in _DIGITS or letter.isascii() and letter.isalpha():
            raise self.error(f"bad escape {escape}", len(escape))
        return ord(letter)

    def character_class(self, flags):
        """[...]"""
        reader = self.reader
        here = reader.pos - 1
        is_negated = reader.match("^")
        parts = []
        is_first = True
        is_unicode = self.is_unicode(flags)

        def unterminated():
            return self.error("unterminated character set", reader.pos - here)

        def add(low, high):
            parts.append(classes.character_range(low, high))
            if flags & IGNORECASE and reader.is_text:
                parts.append(classes.other_cases(low, high, self.folds_ascii(flags)))

        def member(piece):
            return self.class_escape(piece) if piece[0] == "\\" else ord(piece)

        def add_member(given):
            if isinstance(given, str):
                parts.append(classes.category(given, is_unicode, self.top))
            else:
                add(given, given)

        while True:
            piece = reader.take()
            if piece is None:
                raise unterminated()
            if piece == "]" and not is_first:
                break
            is_first = False
            low = member(piece)
            if not reader.match("-"):
                add_member(low)
                continue
            last = reader.take()
            if last is None:
                raise unterminated()
            if last == "]":
                add_member(low)
                add(0x2D, 0x2D)
                break
            high = member(last)
            if isinstance(low, str) or isinstance(high, str) or high < low:
                raise self.error(f"bad character range {piece}-{last}", len(piece) + 1 + len(last))
            add(low, high)
        return _Item(f"[{'^' if is_negated else ''}{''.join(parts)}]", 1, 1)

    def group(self, flags, may_set_flags):
        """What begins with a parenthesis; None for what matches nothing: comments, flags of the whole pattern."""
        reader = self.reader
        start = reader.pos - 1
        opening, is_capturing, name = "(?:", True, None
        if reader.match("?"):
            kind = reader.take()
            if kind is None:
                raise self.error("unexpected end of pattern")
            if kind == "P":
                if reader.match("<"):
                    name = reader.take_until(">", "group name")
                    reader.check_name(name, 1)
                elif reader.match("="):
                    return self.named_reference(flags)
                else:
                    kind = reader.take()
                    if kind is None:
                        raise self.error("unexpected end of pattern")
                    raise self.error("unknown extension ?P" + kind, len(kind) + 2)
            elif kind == ":":
                is_capturing = False
            elif kind == "#":
                while True:
                    if reader.next is None:
                        raise self.error("missing ), unterminated comment", reader.pos - start)
                    if reader.take() == ")":
                        return None
            elif kind in "=!<":
                return self.look_around(kind, start, flags)
            elif kind == "(":
                return self.conditional(start, flags)
            elif kind == ">":
                opening, is_capturing = "(?>", False
            elif kind in _FLAGS or kind == "-":
                changed = self.inline_flags(kind)
                if changed is None:
                    if not may_set_flags:
                        raise self.error("global flags not at the start of the expression", reader.pos - start)
                    return None
                added, removed = changed
                is_capturing = False
                was_caseless = self.is_caseless(flags)
                if added & _TYPES:
                    flags &= ~_TYPES
                flags = (flags | added) & ~removed
                if self.is_caseless(flags) != was_caseless:
                    opening = "(?-i:" if was_caseless else "(?i:"
            else:
                raise self.error("unknown extension ?" + kind, len(kind) + 1)
        if is_capturing:
            opening = "("
            number = self.open_group(name)
        body = self.nested(flags)
        if not reader.match(")"):
            raise self.error("missing ), unterminated subpattern", reader.pos - start)
        if is_capturing:
            self.groups[number] = (body.low, body.high)
        return _Item(f"{opening}{body.text})", body.low, body.high)

    def nested(self, flags):
        self.depth += 1
        body = self.alternatives(flags)
        self.depth -= 1
        return body

    def open_group(self, name):
        number = len(self.groups)
        self.groups.append(None)
        if number > _MOST_REPETITIONS:
            raise self.error("too many groups")
        if name is not None:
            known = self.names.get(name)
            if known is not None:
                raise self.error(f"redefinition of group name {name!r} as group {number}; was group {known}",
                                 len(name) + 1)
            self.names[name] = number
        return number

    def named_reference(self, flags):
        """(?P=name)"""
        reader = self.reader
        name = reader.take_until(")", "group name")
        reader.check_name(name, 1)
        number = self.names.get(name)
        if number is None:
            raise self.error(f"unknown group name {name!r}", len(name) + 1)
        return self.reference(number, len(name) + 1, flags)

    def look_around(self, kind, start, flags):
        """(?=...), (?!...), (?<=...), (?<!...)"""
        reader = self.reader
        is_behind = kind == "<"
        outer = self.in_lookbehind
        if is_behind:
            kind = reader.take()
            if kind is None:
                raise self.error("unexpected end of pattern")
            if kind not in "=!":
                raise self.error("unknown extension ?<" + kind, len(kind) + 2)
            if outer is None:
                self.in_lookbehind = len(self.groups)
        body = self.nested(flags)
        if is_behind:
            self.in_lookbehind = outer
        if not reader.match(")"):
            raise self.error("missing ), unterminated subpattern", reader.pos - start)
        if is_behind and body.low != body.high:
            self.has_loose_lookbehind = True
        return _Item(f"(?{'<' if is_behind else ''}{kind}{body.text})", 0, 0)

    def conditional(self, start, flags):
        """(?(group)yes|no)"""
        reader = self.reader
        name = reader.take_until(")", "group name")
        if name.isdecimal() and name.isascii():
            number = self.count(name)
            if number == 0:
                raise self.error("bad group number", len(name) + 1)
            if number > _MOST_REPETITIONS:
                raise self.error(f"invalid group reference {number}", len(name) + 1)
            if number not in self.asked:
                self.asked[number] = reader.pos - len(name) - 1
        else:
            reader.check_name(name, 1)
            number = self.names.get(name)
            if number is None:
                raise self.error(f"unknown group name {name!r}", len(name) + 1)
        self.check_lookbehind(number)
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise self.error(f"groups nest deeper than nnscope's {_MOST_NESTED}")
        yes = self.sequence(flags)
        no = _Item("", 0, 0)
        if reader.match("|"):
            no = self.sequence(flags)
            if reader.next == "|":
                raise self.error("conditional backref with more than two branches")
        self.depth -= 1
        if not reader.match(")"):
            raise self.error("missing ), unterminated subpattern", reader.pos - start)
        return _Item(f"(?({number}){yes.text}|{no.text})", min(yes.low, no.low), max(yes.high, no.high))

    def inline_flags(self, letter):
        """What (?i-s: adds and removes; None: the flags were those of the whole pattern."""
        reader = self.reader
        added = removed = 0

        def following(missing):
            piece = reader.take()
            if piece is None:
                raise self.error(missing)
            return piece

        def refuse(piece, missing):
            raise self.error("unknown flag" if piece.isalpha() else missing, len(piece))

        if letter != "-":
            while True:
                flag = _FLAGS[letter]
                if reader.is_text and letter == "L":
                    raise self.error("bad inline flags: cannot use 'L' flag with a str pattern")
                if not reader.is_text and letter == "u":
                    raise self.error("bad inline flags: cannot use 'u' flag with a bytes pattern")
                added |= flag
                if flag & _TYPES and added & _TYPES != flag:
                    raise self.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible")
                letter = following("missing -, : or )")
                if letter in ")-:":
                    break
                if letter not in _FLAGS:
                    refuse(letter, "missing -, : or )")
        if letter == ")":
            self.flags |= added
            return None
        if letter == "-":
            letter = following("missing flag")
            if letter not in _FLAGS:
                refuse(letter, "missing flag")
            while True:
                flag = _FLAGS[letter]
                if flag & _TYPES:
                    raise self.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
                removed |= flag
                letter = following("missing :")
                if letter == ":":
                    break
                if letter not in _FLAGS:
                    refuse(letter, "missing :")
        if added & removed:
            raise self.error("bad inline flags: flag turned on and off", 1)
        return added, removed


def translate(pattern, flags):
    """(text for PCRE2, flags, whether it ignores cases, number of groups, numbers of groups by name)"""
    translator = _Translator(pattern, flags)
    text, flags, is_caseless = translator.whole()
    return text, flags, is_caseless, len(translator.groups) - 1, translator.names
