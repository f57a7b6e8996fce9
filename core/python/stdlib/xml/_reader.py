"""A reader of XML 1.0 with namespaces, which takes the text in pieces. Behaviour: what expat tells, the parser of CPython.

It calls `start(tag, [(name, value)])`, `end(tag)`, `data(text)`, `cdata(text)` (else `data`), `comment(text)`, `pi(target, text)`, `doctype(name, public,
system)`, `start_ns(prefix, uri)` and `end_ns(prefix)` of its target, those that there are. Entities that a document declares
are replaced where they are text; those with markup, and default values of attributes, are refused by name."""
import re as _re

MESSAGES = {2: "syntax error", 3: "no element found", 4: "not well-formed (invalid token)", 5: "unclosed token", 7: "mismatched tag",
            8: "duplicate attribute", 9: "junk after document element", 11: "undefined entity", 12: "recursive entity reference",
            14: "reference to invalid character number", 17: "XML or text declaration not at start of entity",
            18: "unknown encoding", 20: "unclosed CDATA section", 27: "unbound prefix",
            43: "limit on input amplification factor (from DTD and entities) breached"}
_NAME = r"[:_A-Za-z\x80-\U0010ffff][-.:_0-9A-Za-z\x80-\U0010ffff]*"
_NAME_AT = _re.compile(_NAME)
_ATTRIBUTE = _re.compile(rf"\s+({_NAME})\s*=\s*(\"[^<\"]*\"|'[^<']*')")
_TAG_END = _re.compile(r"\s*(/?)>")
_REFERENCE = _re.compile(rf"&(?:#([0-9]+)|#x([0-9A-Fa-f]+)|({_NAME}));")
_BAD = _re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ENTITY = _re.compile(rf"<!ENTITY\s+(%\s+)?({_NAME})\s+(?:(\"[^\"]*\"|'[^']*')|(SYSTEM|PUBLIC)[^>]*)\s*>")
_DECLARATION = _re.compile(r"<\?xml\s+version\s*=\s*[\"']([^\"']*)[\"'](?:\s+encoding\s*=\s*[\"']([^\"']*)[\"'])?"
                           r"(?:\s+standalone\s*=\s*[\"'](?:yes|no)[\"'])?\s*\?>")
_DOCTYPE = _re.compile(rf"<!DOCTYPE\s+({_NAME})(?:\s+SYSTEM\s+(\"[^\"]*\"|'[^']*')|\s+PUBLIC\s+(\"[^\"]*\"|'[^']*')"
                       r"\s+(\"[^\"]*\"|'[^']*'))?\s*(\[)?")
_PREDEFINED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_XML_URI = "http://www.w3.org/XML/1998/namespace"
_MOST_EXPANDED = 8 * 1024 * 1024  # from where on expat asks how much larger entities made the text


class NotWellFormed(Exception):
    """`code`, `line` from 1, `column` from 0."""

    def __init__(self, code, line, column):
        super().__init__(f"{MESSAGES[code]}: line {line}, column {column}")
        self.code, self.line, self.column = code, line, column


def decoded(data, encoding=None):
    """The text of bytes, by their mark, their declaration or as UTF-8. Errors: NotWellFormed."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            data, encoding = data[len(mark):], encoding or name
    if encoding is None:
        found = _re.match(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']", data)
        encoding = found[1].decode() if found else "utf-8"
    try:
        return data.decode(encoding)
    except LookupError:
        raise NotWellFormed(18, 1, 30) from None
    except UnicodeDecodeError as error:
        before = data[:error.start]
        raise NotWellFormed(4, before.count(b"\n") + 1, len(before) - before.rfind(b"\n") - 1) from None


class Reader:
    def __init__(self, target, with_namespaces=True):
        self.text, self.at = "", 0
        self.with_namespaces = with_namespaces
        self.open = []  # [(name as written, tag, prefixes that it declared, what they were before)]
        self.prefixes = {"xml": _XML_URI}
        self.entities = {}
        self.expanded = 0
        self.has_root = self.has_begun = self.has_doctype = False
        self.held = ""  # a "\r" at the end of a piece
        for name in ("start", "end", "data", "comment", "pi", "doctype", "start_ns", "end_ns", "cdata"):
            setattr(self, "_" + name, getattr(target, name, None))

    def fail(self, code, at):
        before = self.text[:at]
        raise NotWellFormed(code, before.count("\n") + 1, at - before.rfind("\n") - 1)

    def feed(self, piece):
        piece = self.held + piece
        self.held = "\r" if piece.endswith("\r") else ""
        piece = piece[:len(piece) - len(self.held)]
        self.text += piece.replace("\r\n", "\n").replace("\r", "\n")
        self.go_on(False)

    def close(self):
        self.text += "\n" if self.held else ""
        self.held = ""
        self.go_on(True)
        if self.at < len(self.text):
            self.fail(5, self.at)
        if self.open or not self.has_root:
            self.fail(3, len(self.text))

    def go_on(self, is_last):
        """Reads what is complete."""
        if not self.has_begun:
            if not is_last and len(self.text) < 5 and "<?xml".startswith(self.text):
                return
            if self.text.startswith("<?xml") and self.text[5:6].isspace():
                end = self.text.find("?>")
                if end < 0:
                    return
                if not _DECLARATION.match(self.text):
                    self.fail(4, 5)
                self.at = end + 2
            self.has_begun = True
        while self.at < len(self.text):
            before = self.at
            if self.text[self.at] == "<":
                self.markup(is_last)
            else:
                self.characters(is_last)
            if self.at == before:
                return

    def characters(self, is_last):
        text, begin = self.text, self.at
        end = text.find("<", begin)
        if end < 0:
            if not is_last:
                return  # a reference, or "]]>", may be cut
            end = len(text)
        part = text[begin:end]
        if not self.open:
            stripped = part.lstrip(" \t\n")
            if stripped:
                self.fail(9 if self.has_root else 2, end - len(stripped))
            self.at = end
            return
        closing = part.find("]]>")
        if closing >= 0:
            self.fail(4, begin + closing + 2)
        bad = _BAD.search(part)
        if bad:
            self.fail(4, begin + bad.start())
        self.at = end
        if self._data:
            self._data(self.replaced(part, begin) if "&" in part else part)

    def replaced(self, part, begin, within=()):
        """A text with what its references stand for."""
        made, at = [], 0
        while True:
            next_at = part.find("&", at)
            if next_at < 0:
                made.append(part[at:])
                return "".join(made)
            made.append(part[at:next_at])
            found = _REFERENCE.match(part, next_at)
            if found is None:
                name = _NAME_AT.match(part, next_at + 1)
                self.fail(4, begin + (name.end() if name else next_at + 1))
            made.append(self.reference(found, begin + next_at, within))
            at = found.end()

    def reference(self, found, at, within):
        name = found[3]
        if name is None:
            number = int(found[1]) if found[1] else int(found[2], 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000 or number in (0, 0xFFFE, 0xFFFF) or number < 32 and number not in (9, 10, 13):
                self.fail(14, at)
            return chr(number)
        if name in _PREDEFINED:
            return _PREDEFINED[name]
        if name not in self.entities:
            self.fail(11, at)
        if name in within:
            self.fail(12, at)
        value = self.entities[name]
        if value is None or "<" in value:
            raise NotImplementedError(f"the entity &{name}; is a file of its own or has markup: nnscope replaces texts only")
        made = self.replaced(value, at, (*within, name)) if "&" in value else value
        self.expanded += len(made)
        if self.expanded > _MOST_EXPANDED and self.expanded > 100 * len(self.text):
            self.fail(43, at)
        return made

    def markup(self, is_last):
        text, at = self.text, self.at
        if text.startswith("<!--", at):
            self.enclosed(at, 4, "-->", self.found_comment)
        elif text.startswith("<![CDATA[", at):
            if not self.open:
                self.fail(9 if self.has_root else 4, at if self.has_root else at + 1)
            end = text.find("]]>", at + 9)
            if end < 0:
                if is_last:
                    self.fail(20, len(text))
                return
            self.at = end + 3
            tell = self._cdata or self._data
            if tell and end > at + 9:
                tell(text[at + 9:end])
        elif text.startswith("<?", at):
            self.enclosed(at, 2, "?>", self.found_pi)
        elif text.startswith("<!DOCTYPE", at):
            self.doctype(at)
        elif text.startswith("<!", at):
            if len(text) - at < 9 and any(one.startswith(text[at:]) for one in ("<!--", "<![CDATA[", "<!DOCTYPE")):
                return
            self.fail(4, at + 2)
        else:
            self.tag(at, is_last)

    def enclosed(self, at, skipped, ending, found):
        end = self.text.find(ending, at + skipped)
        if end >= 0:
            found(at, self.text[at + skipped:end])
            self.at = end + len(ending)

    def found_comment(self, at, part):
        double = part.find("--")
        if double >= 0 or part.endswith("-"):
            self.fail(4, at + 4 + (double if double >= 0 else len(part) - 1) + 2)
        if self._comment:
            self._comment(part)

    def found_pi(self, at, part):
        name = _NAME_AT.match(part)
        if name is None:
            self.fail(4, at + 2)
        if name[0].lower() == "xml":
            self.fail(17, at)
        if self._pi:
            self._pi(name[0], part[name.end():].lstrip())

    def doctype(self, at):
        found = _DOCTYPE.match(self.text, at)
        if self.has_root or self.has_doctype:
            self.fail(4, at)
        if found is None:
            return
        end = found.end()
        if found[5]:
            close = self.text.find("]", end)
            # A "]" within a text does not end the declarations.
            while close >= 0 and (self.text.count('"', end, close) % 2 or self.text.count("'", end, close) % 2
                                  and not self.text.count('"', end, close)):
                close = self.text.find("]", close + 1)
            if close < 0:
                return
            self.declarations(self.text[end:close])
            end = close + 1
        finish = self.text.find(">", end)
        if finish < 0:
            return
        if self.text[end:finish].strip():
            self.fail(4, end)
        self.has_doctype = True
        self.at = finish + 1
        if self._doctype:
            system, public = found[2] or found[4], found[3]
            self._doctype(found[1], public[1:-1] if public else None, system[1:-1] if system else None)

    def declarations(self, part):
        for found in _ENTITY.finditer(part):
            if found[1]:
                raise NotImplementedError("entities of parameters (<!ENTITY % ...>) are not in nnscope")
            value = found[3][1:-1] if found[3] else None
            if value is not None:
                value = _REFERENCE.sub(lambda one: chr(int(one[1]) if one[1] else int(one[2], 16)) if not one[3] else one[0], value)
            self.entities.setdefault(found[2], value)
        if _re.search(r"<!ATTLIST[^>]*[\"']", part):
            raise NotImplementedError("default values of attributes (<!ATTLIST ...>) are not in nnscope")

    def tag(self, at, is_last):
        text = self.text
        is_end = text.startswith("</", at)
        begin = at + (2 if is_end else 1)
        name = _NAME_AT.match(text, begin)
        if name is None:
            if begin < len(text):
                self.fail(4, begin)
            return
        if is_end:
            end = _re.compile(r"\s*>").match(text, name.end())
            if end is None:
                rest = text[name.end():].lstrip(" \t\n")
                if rest:
                    self.fail(4, len(text) - len(rest))
                return
            if not self.open or self.open[-1][0] != name[0]:
                self.fail(7 if self.open else 9 if self.has_root else 4, begin if self.open else at if self.has_root else at + 1)
            self.at = end.end()
            self.close_tag()
            return
        attributes, here = [], name.end()
        while True:
            found = _ATTRIBUTE.match(text, here)
            if found is None:
                break
            attributes.append((found[1], found[2][1:-1], found.start(1), found.start(2) + 1))
            here = found.end()
        end = _TAG_END.match(text, here)
        if end is None:
            self.unfinished_tag(here, is_last)
            return
        if not self.open and self.has_root:
            self.fail(9, at)
        self.at = end.end()
        self.open_tag(name[0], attributes, at)
        if end[1]:
            self.close_tag()

    def unfinished_tag(self, here, is_last):
        """A tag whose end has not come, or that cannot go on like this."""
        text = self.text
        rest = _re.compile(rf"\s*(?:/|(?<=\s)(?:{_NAME}(?:\s*(?:=\s*(?:\"[^<\"]*|'[^<']*)?)?)?)?)?").match(text, here)
        if rest.end() < len(text):
            self.fail(4, rest.end())

    def open_tag(self, name, attributes, at):
        seen, plain, declared = set(), [], {}
        for key, value, key_at, value_at in attributes:
            if key in seen:
                self.fail(8, key_at)
            seen.add(key)
            bad = _BAD.search(value)
            if bad:
                self.fail(4, value_at + bad.start())
            value = value.replace("\n", " ").replace("\t", " ")
            if "&" in value:
                value = self.replaced(value, value_at)
            if self.with_namespaces and (key == "xmlns" or key.startswith("xmlns:")):
                declared[key[6:]] = value
            else:
                plain.append((key, value))
        before = self.prefixes
        if declared:
            self.prefixes = {**before, **declared}
            if self._start_ns:
                for prefix, uri in declared.items():
                    self._start_ns(prefix or None, uri)
        tag = self.full_name(name, True, at)
        made = [(self.full_name(key, False, at), value) for key, value in plain]
        if len({key for key, _ in made}) != len(made):
            self.fail(8, at)
        self.open.append((name, tag, list(declared), before))
        self.has_root = True
        if self._start:
            self._start(tag, made)

    def full_name(self, name, takes_default, at):
        """{address}name for a name with a prefix, or where there is an address of names without one."""
        if not self.with_namespaces:
            return name
        prefix, colon, local = name.partition(":")
        if not colon:
            uri = self.prefixes.get("") if takes_default else None
            return f"{{{uri}}}{name}" if uri else name
        if prefix not in self.prefixes:
            self.fail(27, at)
        return f"{{{self.prefixes[prefix]}}}{local}"

    def close_tag(self):
        _, tag, declared, self.prefixes = self.open.pop()
        if self._end:
            self._end(tag)
        if self._end_ns:
            for prefix in reversed(declared):
                self._end_ns(prefix or None)
