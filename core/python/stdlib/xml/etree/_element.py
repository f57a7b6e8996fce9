"""Elements. Behaviour: CPython 3.14, Modules/_elementtree.c, Lib/xml/etree/ElementTree.py."""
import warnings as _warnings

from xml.etree._paths import iterfind as _iterfind, tag_test as _tag_test


class Element:
    """A tag with attributes, text, the elements in it, and `tail`, the text behind it."""

    __module__ = "xml.etree.ElementTree"
    text = tail = None

    def __init__(self, tag, attrib={}, **extra):
        if not isinstance(attrib, dict):
            raise TypeError("attrib must be dict, not %s" % type(attrib).__name__)
        self.tag = tag
        self.attrib = {**attrib, **extra}
        self._children = []

    def __repr__(self):
        return "<Element %r at %#x>" % (self.tag, id(self))

    def makeelement(self, tag, attrib, /):
        return self.__class__(tag, attrib)

    def __copy__(self):
        made = self.makeelement(self.tag, self.attrib)
        made.text, made.tail = self.text, self.tail
        made._children[:] = self._children
        return made

    def __len__(self):
        return len(self._children)

    def __bool__(self):
        _warnings.warn("Testing an element's truth value will always return True in future versions.  "
                       "Use specific 'len(elem)' or 'elem is not None' test instead.", DeprecationWarning, stacklevel=2)
        return len(self._children) != 0

    def __getitem__(self, index):
        return self._children[index]

    def __setitem__(self, index, element):
        if isinstance(index, slice):
            element = list(element)
            for one in element:
                _check(one)
        else:
            _check(element)
        self._children[index] = element

    def __delitem__(self, index):
        del self._children[index]

    def __iter__(self):
        return iter(self._children)

    def append(self, subelement, /):
        _check_argument(subelement, "append() argument")
        self._children.append(subelement)

    def extend(self, elements, /):
        for one in elements:
            if not isinstance(one, Element):
                raise TypeError('expected an Element, not "%s"' % type(one).__name__)
            self._children.append(one)

    def insert(self, index, subelement, /):
        _check_argument(subelement, "insert() argument 2")
        self._children.insert(index, subelement)

    def remove(self, subelement, /):
        """Takes an element out. Errors: ValueError."""
        for at, one in enumerate(self._children):
            if one is subelement:
                del self._children[at]
                return
        raise ValueError("Element.remove(x): element not found")

    def find(self, path, namespaces=None):
        return next(_iterfind(self, path, namespaces), None)

    def findtext(self, path, default=None, namespaces=None):
        found = self.find(path, namespaces)
        return default if found is None else found.text or ""

    def findall(self, path, namespaces=None):
        return list(_iterfind(self, path, namespaces))

    def iterfind(self, path, namespaces=None):
        return _iterfind(self, path, namespaces)

    def clear(self):
        self.attrib.clear()
        self._children = []
        self.text = self.tail = None

    def get(self, key, default=None):
        return self.attrib.get(key, default)

    def set(self, key, value, /):
        self.attrib[key] = value

    def keys(self):
        return list(self.attrib.keys())

    def items(self):
        return list(self.attrib.items())

    def iter(self, tag=None):
        """This element and all below it, or those of a tag."""
        test = None if tag in (None, "*") else _tag_test(tag) if isinstance(tag, str) else lambda one: one.tag == tag
        open_elements = [self]
        while open_elements:
            one = open_elements.pop()
            if test is None or test(one):
                yield one
            open_elements.extend(reversed(one._children))

    def itertext(self):
        """All texts in it."""
        if self.text:
            yield self.text
        for one in self._children:
            yield from one.itertext()
            if one.tail:
                yield one.tail


def _check(one):
    if not isinstance(one, Element):
        raise TypeError("expected an Element, not %s" % type(one).__name__)


def _check_argument(one, what):
    if not isinstance(one, Element):
        raise TypeError(f"{what} must be xml.etree.ElementTree.Element, not {type(one).__name__}")


def SubElement(parent, tag, attrib={}, **extra):
    """A new element, put behind those in `parent`."""
    made = parent.makeelement(tag, {**attrib, **extra})
    parent.append(made)
    return made


def Comment(text=None):
    made = Element(Comment)
    made.text = text
    return made


def ProcessingInstruction(target, text=None):
    made = Element(ProcessingInstruction)
    made.text = target + (" " + text if text else "")
    return made


PI = ProcessingInstruction


def iselement(element):
    return hasattr(element, "tag")


class QName:
    """A name with its address."""

    __module__ = "xml.etree.ElementTree"

    def __init__(self, text_or_uri, tag=None):
        self.text = text_or_uri if tag is None else "{%s}%s" % (text_or_uri, tag)

    def __str__(self):
        return self.text

    def __repr__(self):
        return "<%s %r>" % (self.__class__.__name__, self.text)

    def __hash__(self):
        return hash(self.text)

    def _way(name):
        def compare(self, other):
            return getattr(self.text, name)(other.text if isinstance(other, QName) else other)

        return compare

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(_way, ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"))


def indent(tree, space="  ", level=0):
    """Puts each element on a line of its own. Errors: ValueError."""
    root = getattr(tree, "getroot", lambda: tree)()
    if level < 0:
        raise ValueError(f"Initial indentation level must be >= 0, got {level}")

    def visit(one, depth):
        inner = "\n" + space * (depth + 1)
        if not one.text or not one.text.strip():
            one.text = inner
        for child in one:
            if len(child):
                visit(child, depth + 1)
            if not child.tail or not child.tail.strip():
                child.tail = inner
        if not child.tail.strip():
            child.tail = "\n" + space * depth

    if len(root):
        visit(root, level)
