"""Trees of elements. Behaviour: CPython 3.14, Lib/xml/etree/ElementTree.py. canonicalize() is refused by its name."""
import io as _io
import sys as _sys

from xml.etree._element import Comment, Element, PI, ProcessingInstruction, QName, SubElement, indent, iselement
from xml.etree._parsing import ParseError, TreeBuilder, XMLParser, XMLPullParser
from xml.etree._writing import register_namespace, written as _written

VERSION = "1.3.0"
__all__ = ["C14NWriterTarget", "Comment", "Element", "ElementTree", "PI", "ParseError", "ProcessingInstruction", "QName",
           "SubElement", "TreeBuilder", "VERSION", "XML", "XMLID", "XMLParser", "XMLPullParser", "canonicalize", "dump",
           "fromstring", "fromstringlist", "indent", "iselement", "iterparse", "parse", "register_namespace", "tostring",
           "tostringlist"]


class ElementTree:
    """A document: its root, and how it is read and written."""

    def __init__(self, element=None, file=None):
        if element is not None and not iselement(element):
            raise TypeError("expected an Element, not %s" % type(element).__name__)
        self._root = element
        if file:
            self.parse(file)

    def getroot(self):
        return self._root

    def _setroot(self, element):
        if not iselement(element):
            raise TypeError("expected an Element, not %s" % type(element).__name__)
        self._root = element

    def parse(self, source, parser=None):
        """Reads a file (or that of a name) and gives its root. Errors: ParseError."""
        opened = None if hasattr(source, "read") else open(source, "rb")
        try:
            parser = parser or XMLParser()
            file = opened or source
            while data := file.read(65536):
                parser.feed(data)
            self._root = parser.close()
            return self._root
        finally:
            if opened:
                opened.close()

    def iter(self, tag=None):
        return self._root.iter(tag)

    def _path(self, path):
        if path[:1] == "/":
            import warnings
            path = "." + path
            warnings.warn("This search is broken in 1.3 and earlier, and will be fixed in a future version.  If you rely on "
                          "the current behaviour, change it to %r" % path, FutureWarning, stacklevel=3)
        return path

    def find(self, path, namespaces=None):
        return self._root.find(self._path(path), namespaces)

    def findtext(self, path, default=None, namespaces=None):
        return self._root.findtext(self._path(path), default, namespaces)

    def findall(self, path, namespaces=None):
        return self._root.findall(self._path(path), namespaces)

    def iterfind(self, path, namespaces=None):
        return self._root.iterfind(self._path(path), namespaces)

    def write(self, file_or_filename, encoding=None, xml_declaration=None, default_namespace=None, method=None, *,
              short_empty_elements=True):
        if self._root is None:
            raise TypeError("ElementTree not initialized")
        encoding = encoding or ("utf-8" if method == "c14n" else "us-ascii")
        text = _written(self._root, encoding, xml_declaration, default_namespace, method, short_empty_elements)
        data = text if encoding.lower() == "unicode" else text.encode(encoding, "xmlcharrefreplace")
        if hasattr(file_or_filename, "write"):
            try:
                file_or_filename.write(data)
            except TypeError:
                if isinstance(data, str):
                    raise
                file_or_filename.write(data.decode(encoding))  # a file of text
        elif isinstance(data, str):
            with open(file_or_filename, "w", encoding="utf-8") as file:
                file.write(data)
        else:
            with open(file_or_filename, "wb") as file:
                file.write(data)


def tostring(element, encoding=None, method=None, *, xml_declaration=None, default_namespace=None, short_empty_elements=True):
    """An element as bytes, or as str with encoding="unicode"."""
    stream = _io.StringIO() if encoding and encoding.lower() == "unicode" else _io.BytesIO()
    ElementTree(element).write(stream, encoding, xml_declaration=xml_declaration, default_namespace=default_namespace,
                               method=method, short_empty_elements=short_empty_elements)
    return stream.getvalue()


def tostringlist(element, encoding=None, method=None, **options):
    return [tostring(element, encoding, method, **options)]


def dump(elem):
    """Prints an element, for tests."""
    tree = elem if isinstance(elem, ElementTree) else ElementTree(elem)
    tree.write(_sys.stdout, encoding="unicode")
    tail = tree.getroot().tail
    if not tail or tail[-1] != "\n":
        _sys.stdout.write("\n")


def parse(source, parser=None):
    tree = ElementTree()
    tree.parse(source, parser)
    return tree


def XML(text, parser=None):
    """The root of a document in a text. Errors: ParseError."""
    parser = parser or XMLParser()
    parser.feed(text)
    return parser.close()


fromstring = XML


def fromstringlist(sequence, parser=None):
    parser = parser or XMLParser()
    for text in sequence:
        parser.feed(text)
    return parser.close()


def XMLID(text, parser=None):
    """(root, {id: element})."""
    root = XML(text, parser)
    return root, {one.get("id"): one for one in root.iter() if one.get("id")}


class _Events:
    """What iterparse() gives."""

    def __init__(self, source, events, parser):
        self._pull = XMLPullParser(events=events, _parser=parser)
        self._opened = None if hasattr(source, "read") else open(source, "rb")
        self._source = self._opened or source
        self.root = None
        self._steps = self._run()

    def _run(self):
        try:
            while data := self._source.read(16384):
                self._pull.feed(data)
                yield from self._pull.read_events()
            self._pull.close()
            yield from self._pull.read_events()
            self.root = self._pull._root
        finally:
            self.close()

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._steps)

    def close(self):
        if self._opened:
            self._opened.close()


def iterparse(source, events=None, parser=None):
    """(event, element) while a file is read."""
    return _Events(source, events, parser)


def canonicalize(*args, **kwargs):
    raise NotImplementedError("xml.etree.ElementTree.canonicalize is not in nnscope: tostring() writes XML")


class C14NWriterTarget:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("xml.etree.ElementTree.C14NWriterTarget is not in nnscope")
