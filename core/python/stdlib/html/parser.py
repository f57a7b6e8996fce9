"""A parser of HTML that calls methods. Behaviour: CPython 3.14, Lib/html/parser.py.

It takes whatever comes: what is no tag is text, and nothing is checked for matching ends."""
import re as _re
from html import unescape as _unescape

_NAME = _re.compile(r"[a-zA-Z][^\t\n\r\f />]*")
_ATTRIBUTE = _re.compile(r"((?<=['\"\t\n\r\f /])[^\t\n\r\f />][^\t\n\r\f /=>]*)([\t\n\r\f ]*=[\t\n\r\f ]*('[^']*'|\"[^\"]*\"|(?!['\"])[^>\t\n\r\f ]*))?"
                         r"(?:[\t\n\r\f ]|/(?!>))*")
_START = _re.compile(r"<[a-zA-Z][^\t\n\r\f />]*(?:[\t\n\r\f /]*(?:(?<=['\"\t\n\r\f /])[^\t\n\r\f />][^\t\n\r\f /=>]*"
                     r"(?:=[\t\n\r\f ]*(?:'[^']*'|\"[^\"]*\"|(?!['\"])[^>\t\n\r\f ]*)?)?[\t\n\r\f /]*)*)?[\t\n\r\f ]*")
_REFERENCE = _re.compile(r"&#(?:[0-9]+|[xX][0-9a-fA-F]+)[^0-9a-fA-F]|&([a-zA-Z][-.a-zA-Z0-9]*)[^a-zA-Z0-9]")


class HTMLParser:
    """Programs derive from it and define handle_starttag, handle_endtag, handle_data and so on."""

    CDATA_CONTENT_ELEMENTS = ("script", "style")
    RCDATA_CONTENT_ELEMENTS = ("textarea", "title")

    def __init__(self, *, convert_charrefs=True, scripting=False):
        self.convert_charrefs, self.scripting = convert_charrefs, scripting
        self.reset()

    def reset(self):
        """Forgets what has not been told yet."""
        self.rawdata = ""
        self.lasttag = "???"
        self.cdata_elem = None
        self._is_escapable = False
        self.lineno, self.offset = 1, 0
        self.__starttag_text = None

    def feed(self, data):
        self.rawdata += data
        self.goahead(False)

    def close(self):
        """The end has come: what waits is told."""
        self.goahead(True)

    def getpos(self):
        """(line from 1, column from 0)."""
        return self.lineno, self.offset

    def get_starttag_text(self):
        return self.__starttag_text

    def set_cdata_mode(self, elem, *, escapable=False):
        """All is text until the end of this element."""
        self.cdata_elem, self._is_escapable = elem.lower(), escapable

    def clear_cdata_mode(self):
        self.cdata_elem, self._is_escapable = None, False

    def updatepos(self, i, j):
        part = self.rawdata[i:j]
        lines = part.count("\n")
        self.lineno += lines
        self.offset = len(part) - part.rfind("\n") - 1 if lines else self.offset + len(part)
        return j

    def goahead(self, end):
        """Tells what is complete; with `end` all of it."""
        raw, at = self.rawdata, 0
        while at < len(raw):
            next_at = self._next_markup(at, end)
            if next_at < 0:
                break
            if next_at > at:
                self._tell_text(raw[at:next_at])
                at = self.updatepos(at, next_at)
                if at == len(raw):
                    break
            if raw[at] == "&":
                after = self._reference(at, end)
            else:
                after = self._markup(at, end)
            if after < 0:
                break
            at = self.updatepos(at, after)
        if end and at < len(raw):
            self._tell_text(raw[at:])
            at = self.updatepos(at, len(raw))
        self.rawdata = raw[at:]

    def _tell_text(self, text):
        is_plain = not self.convert_charrefs or self.cdata_elem and not self._is_escapable
        self.handle_data(text if is_plain else _unescape(text))

    def _next_markup(self, at, end):
        """Where text ends; -1 where more has to come."""
        raw = self.rawdata
        if self.cdata_elem:
            found = _re.compile(r"</%s(?=[\t\n\r\f />])" % self.cdata_elem, _re.IGNORECASE).search(raw, at)
            if found:
                return found.start()
            if end:
                return len(raw)
            cut = raw.rfind("<", at)
            return cut if cut > at and not self.convert_charrefs else -1
        if not self.convert_charrefs:
            found = _re.compile("[&<]").search(raw, at)
            return found.start() if found else len(raw)
        found = raw.find("<", at)
        if found >= 0:
            return found
        if end:
            return len(raw)
        # A reference at the end may go on.
        last = raw.rfind("&", max(at, len(raw) - 34))
        return len(raw) if last < 0 or _re.compile(r"[\t\n\r\f ;]").search(raw, last) else -1

    def _reference(self, at, end):
        raw = self.rawdata
        found = _REFERENCE.match(raw + ("\n" if end else ""), at)
        if found:
            after = found.end() - 1
            if found[1]:
                self.handle_entityref(found[1])
            else:
                self.handle_charref(raw[at + 2:after])
            return after + 1 if raw.startswith(";", after) else after
        if not end and _re.compile(r"&(?:#[0-9a-zA-Z]*|[a-zA-Z][-.a-zA-Z0-9]*)?").match(raw, at).end() == len(raw):
            return -1
        self.handle_data("&")
        return at + 1

    def _markup(self, at, end):
        raw = self.rawdata
        if raw.startswith("</", at):
            after = self.parse_endtag(at)
        elif _NAME.match(raw, at + 1):
            after = self.parse_starttag(at)
        elif raw.startswith("<!--", at):
            after = self._comment(at)
        elif raw.startswith("<?", at):
            close = raw.find(">", at + 2)
            after = close + 1
            if close >= 0:
                self.handle_pi(raw[at + 2:close])
            else:
                after = -1
        elif raw.startswith("<!", at):
            after = self._declaration(at)
        elif at + 1 < len(raw) or end:
            self.handle_data("<")
            return at + 1
        else:
            return -1
        if after >= 0 or not end:
            return after
        return self._cut(at)

    def _cut(self, at):
        """The end of the document within a tag or comment."""
        raw = self.rawdata
        if raw.startswith("<!--", at):
            rest = raw[at + 4:]
            for ending in ("--!", "--", "-"):
                if rest.endswith(ending):
                    rest = rest[:-len(ending)]
                    break
            self.handle_comment(rest)
        elif raw.startswith("<![CDATA[", at):
            self.unknown_decl(raw[at + 3:])
        elif raw[at:at + 9].lower() == "<!doctype":
            self.handle_decl(raw[at + 2:])
        elif raw.startswith("<!", at) or raw.startswith("</", at) and not _NAME.match(raw, at + 2) and len(raw) > at + 2:
            self.handle_comment(raw[at + 2:])
        elif raw.startswith("<?", at):
            self.handle_pi(raw[at + 2:])
        elif raw in ("<", "</") or len(raw) - at <= 2 and raw[at:] in ("<", "</"):
            self.handle_data(raw[at:])
        return len(raw)

    def _comment(self, at):
        raw = self.rawdata
        short = _re.compile(r"<!--(?:-?>)").match(raw, at)
        if short:
            self.handle_comment("")
            return short.end()
        found = _re.compile(r"--!?>").search(raw, at + 4)
        if not found:
            return -1
        self.handle_comment(raw[at + 4:found.start()])
        return found.end()

    def _declaration(self, at):
        raw = self.rawdata
        close = raw.find(">", at + 2)
        if raw.startswith("<![CDATA[", at):
            found = raw.find("]]>", at + 9)
            if found >= 0 and self._support_cdata:
                self.unknown_decl(raw[at + 3:found])
                return found + 3
        if close < 0:
            return -1
        if raw[at:at + 9].lower() == "<!doctype":
            self.handle_decl(raw[at + 2:close])
        else:
            self.handle_comment(raw[at + 2:close])
        return close + 1

    _support_cdata = True

    def parse_starttag(self, i):
        self.__starttag_text = None
        raw = self.rawdata
        whole = _START.match(raw, i)
        end = whole.end()
        if end == len(raw):
            return -1
        if raw[end] == ">":
            end += 1
        elif raw.startswith("/>", end):
            end += 2
        else:
            # No way to go on as a tag: all up to the next ">" belongs to it.
            end = raw.find(">", end) + 1
            if not end:
                return -1
        self.__starttag_text = raw[i:end]
        name = _NAME.match(raw, i + 1)
        self.lasttag = tag = name[0].lower()
        attributes = []
        at = name.end()
        at = _re.compile(r"(?:[\t\n\r\f ]|/(?!>))*").match(raw, at).end()
        while at < end:
            found = _ATTRIBUTE.match(raw, at)
            if not found or found.end() == at:
                break
            key, rest, value = found.group(1, 2, 3)
            if not rest:
                value = None
            elif value[:1] in ("'", '"') and value[:1] == value[-1:] and len(value) > 1:
                value = value[1:-1]
            attributes.append((key.lower(), _unescape(value) if value else value))
            at = found.end()
        if raw[at:end].strip() not in (">", "/>"):
            self.handle_data(raw[i:end])
            return end
        if raw[at:end].strip() == "/>":
            self.handle_startendtag(tag, attributes)
        else:
            self.handle_starttag(tag, attributes)
            if tag in self.CDATA_CONTENT_ELEMENTS:
                self.set_cdata_mode(tag)
            elif tag in self.RCDATA_CONTENT_ELEMENTS:
                self.set_cdata_mode(tag, escapable=True)
        return end

    def parse_endtag(self, i):
        raw = self.rawdata
        close = raw.find(">", i + 2)
        if close < 0:
            return -1
        name = _NAME.match(raw, i + 2)
        if name is None:
            if close > i + 2:
                self.handle_comment(raw[i + 2:close])
            return close + 1
        self.handle_endtag(name[0].lower())
        self.clear_cdata_mode()
        return close + 1

    # What programs define.

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_starttag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        pass

    def handle_charref(self, name):
        pass

    def handle_entityref(self, name):
        pass

    def handle_data(self, data):
        pass

    def handle_comment(self, data):
        pass

    def handle_decl(self, decl):
        pass

    def handle_pi(self, data):
        pass

    def unknown_decl(self, data):
        pass
