"""Elements from text. Behaviour: CPython 3.14, Modules/_elementtree.c, Lib/xml/etree/ElementTree.py."""
from xml import _reader
from xml.etree._element import Comment, Element, ProcessingInstruction


class ParseError(SyntaxError):
    """What is not well-formed: `code` and `position`, (line from 1, column from 0)."""

    __module__ = "xml.etree.ElementTree"


class TreeBuilder:
    """Makes elements of what a parser tells."""

    __module__ = "xml.etree.ElementTree"

    def __init__(self, element_factory=None, *, comment_factory=None, pi_factory=None, insert_comments=False, insert_pis=False):
        self._make = element_factory or Element
        self._make_comment, self._make_pi = comment_factory or Comment, pi_factory or ProcessingInstruction
        self.insert_comments, self.insert_pis = insert_comments, insert_pis
        self._texts, self._open, self._last, self._root, self._is_behind = [], [], None, None, False

    def close(self):
        """The root."""
        return self._root

    def _flush(self):
        if self._texts:
            if self._last is not None:
                text = "".join(self._texts)
                if self._is_behind:
                    self._last.tail = text
                else:
                    self._last.text = text
            self._texts = []

    def data(self, data, /):
        self._texts.append(data)

    def _place(self, made):
        if self._open:
            self._open[-1].append(made)

    def start(self, tag, attrs, /):
        self._flush()
        self._last = made = self._make(tag, attrs)
        self._place(made)
        if self._root is None:
            self._root = made
        self._open.append(made)
        self._is_behind = False
        return made

    def end(self, tag, /):
        self._flush()
        self._last = self._open.pop()
        self._is_behind = True
        return self._last

    def _single(self, made, is_inserted):
        if is_inserted:
            self._flush()
            self._last = made
            self._place(made)
            self._is_behind = True
        return made

    def comment(self, text, /):
        return self._single(self._make_comment(text), self.insert_comments)

    def pi(self, target, text=None, /):
        return self._single(self._make_pi(target, text), self.insert_pis)


class XMLParser:
    """Feeds a target, a TreeBuilder if none is given."""

    __module__ = "xml.etree.ElementTree"

    def __init__(self, *, target=None, encoding=None):
        self.target = TreeBuilder() if target is None else target
        self._encoding, self._bytes = encoding, b""
        self.entity, self.version = {}, "Expat 2.7.3"
        self._reader = _reader.Reader(_Told(self.target))
        self._reader.entities = self.entity

    def _guarded(self, do):
        try:
            return do()
        except _reader.NotWellFormed as error:
            made = ParseError(str(error))
            made.code, made.position = error.code, (error.line, error.column)
            raise made from None

    def feed(self, data, /):
        """A piece of the document. Errors: ParseError."""
        if isinstance(data, str):
            self._guarded(lambda: self._reader.feed(data))
        else:
            self._feed_bytes(bytes(data))

    def _feed_bytes(self, data):
        """Letters that are cut wait for their other bytes; UTF-8 goes on at once, anything else when all has come."""
        self._bytes += data
        begin = self._bytes[:200]
        if self._encoding is not None or begin[:1] != b"<" or b"encoding" in begin.split(b"?>")[0] and b"utf-8" not in begin.lower():
            return
        if begin.startswith(b"<?xml") and b"?>" not in begin:
            return
        whole = len(self._bytes)
        while whole and whole > len(self._bytes) - 4 and self._bytes[whole - 1] & 0xC0 == 0x80:
            whole -= 1
        if whole and self._bytes[whole - 1] >= 0xC0:
            whole -= 1
        elif whole != len(self._bytes):
            whole = len(self._bytes)
        part, self._bytes = self._bytes[:whole], self._bytes[whole:]
        text = self._guarded(lambda: _reader.decoded(part, "utf-8"))
        self._encoding = None
        self._guarded(lambda: self._reader.feed(text))

    def flush(self):
        """What has come is told at once as it is."""

    def close(self):
        """What the target makes of it. Errors: ParseError."""
        if self._bytes:
            rest, self._bytes = self._bytes, b""
            text = self._guarded(lambda: _reader.decoded(rest, self._encoding))
            self._guarded(lambda: self._reader.feed(text))
        self._guarded(self._reader.close)
        close = getattr(self.target, "close", None)
        return close() if close else None


class _Told:
    """What the reader calls: attributes come as a dict."""

    def __init__(self, target):
        for name in ("end", "data", "comment", "pi", "doctype", "start_ns", "end_ns"):
            given = getattr(target, name, None)
            if given is not None:
                setattr(self, name, (lambda prefix, uri, call=given: call(prefix or "", uri)) if name == "start_ns" else
                        (lambda prefix, call=given: call(prefix or "")) if name == "end_ns" else given)
        start = getattr(target, "start", None)
        if start is not None:
            self.start = lambda tag, attributes: start(tag, dict(attributes))


class _Noting:
    """A target that notes events and hands on."""

    def __init__(self, target, events, noted):
        self._target = target
        for name in ("data", "close"):
            if hasattr(target, name):
                setattr(self, name, getattr(target, name))

        def noting(kind, call, value):
            def told(*given):
                made = call(*given) if call else None
                if kind in events:
                    noted.append((kind, value(made, given)))
                return made

            return told

        element = lambda made, given: made  # noqa: E731
        for kind, name, value in (("start", "start", element), ("end", "end", element), ("comment", "comment", element),
                                  ("pi", "pi", element), ("start-ns", "start_ns", lambda made, given: made or tuple(given)),
                                  ("end-ns", "end_ns", element)):
            call = getattr(target, name, None)
            if call or kind in events:
                setattr(self, name, noting(kind, call, value))


class XMLPullParser:
    """A parser that is asked what has come: (event, element)."""

    __module__ = "xml.etree.ElementTree"

    def __init__(self, events=None, *, _parser=None):
        self._noted = []
        events = ("end",) if events is None else tuple(events)
        for event in events:
            if event not in ("start", "end", "comment", "pi", "start-ns", "end-ns"):
                raise ValueError("unknown event %r" % event)
        target = _parser.target if _parser else TreeBuilder()
        self._parser = XMLParser(target=_Noting(target, events, self._noted))
        self._root = None

    def feed(self, data):
        if self._parser is None:
            raise ValueError("feed() called after end of stream")
        try:
            self._parser.feed(data)
        except SyntaxError as error:
            self._noted.append(error)

    def close(self):
        self._root = self._parser.close()
        self._parser = None

    def flush(self):
        if self._parser is None:
            raise ValueError("flush() called after end of stream")

    def read_events(self):
        while self._noted:
            one = self._noted.pop(0)
            if isinstance(one, Exception):
                raise one
            yield one
