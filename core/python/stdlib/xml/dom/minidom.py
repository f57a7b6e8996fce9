"""A small tree of nodes. Behaviour: CPython 3.14, Lib/xml/dom/minidom.py: what programs use to read, build and print XML.

Names keep their prefixes as they are written; getElementsByTagNameNS and attributes by address are not there."""
from xml import _reader
from xml.dom import HierarchyRequestErr, Node as _Kinds, NotFoundErr
from xml.parsers.expat import ExpatError


def _escaped(text, is_attribute=False):
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    if is_attribute:
        text = text.replace('"', "&quot;").replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#09;")
    return text.replace(">", "&gt;")


class Node(_Kinds):
    """Something in a document."""

    parentNode = ownerDocument = nodeValue = attributes = None
    namespaceURI = prefix = localName = None

    def __init__(self):
        self.childNodes = []

    def __bool__(self):
        return True

    firstChild = property(lambda self: self.childNodes[0] if self.childNodes else None)
    lastChild = property(lambda self: self.childNodes[-1] if self.childNodes else None)

    def _sibling(self, step):
        if self.parentNode is None:
            return None
        nodes = self.parentNode.childNodes
        at = next(at for at, one in enumerate(nodes) if one is self) + step
        return nodes[at] if 0 <= at < len(nodes) else None

    nextSibling = property(lambda self: self._sibling(1))
    previousSibling = property(lambda self: self._sibling(-1))

    def hasChildNodes(self):
        return bool(self.childNodes)

    def _takes(self, node):
        return node.nodeType in (self.ELEMENT_NODE, self.TEXT_NODE, self.CDATA_SECTION_NODE, self.COMMENT_NODE,
                                 self.PROCESSING_INSTRUCTION_NODE)

    def insertBefore(self, newChild, refChild):
        if newChild.nodeType == self.DOCUMENT_FRAGMENT_NODE:
            for one in list(newChild.childNodes):
                self.insertBefore(one, refChild)
            return newChild
        if not self._takes(newChild):
            raise HierarchyRequestErr("%s cannot be child of %s" % (repr(newChild), repr(self)))
        if newChild.parentNode is not None:
            newChild.parentNode.removeChild(newChild)
        if refChild is None:
            self.childNodes.append(newChild)
        else:
            self.childNodes.insert(self._place(refChild), newChild)
        newChild.parentNode = self
        return newChild

    def _place(self, node):
        for at, one in enumerate(self.childNodes):
            if one is node:
                return at
        raise NotFoundErr()

    def appendChild(self, node):
        return self.insertBefore(node, None)

    def replaceChild(self, newChild, oldChild):
        self.insertBefore(newChild, oldChild)
        return self.removeChild(oldChild)

    def removeChild(self, oldChild):
        del self.childNodes[self._place(oldChild)]
        oldChild.parentNode = None
        return oldChild

    def normalize(self):
        """Joins texts that are beside each other, and takes empty ones out."""
        kept = []
        for one in self.childNodes:
            if one.nodeType == self.TEXT_NODE:
                if not one.data:
                    continue
                if kept and kept[-1].nodeType == self.TEXT_NODE:
                    kept[-1].data += one.data
                    continue
            else:
                one.normalize()
            kept.append(one)
        self.childNodes[:] = kept

    def cloneNode(self, deep):
        made = self._twin()
        made.ownerDocument = self.ownerDocument
        if deep:
            for one in self.childNodes:
                made.appendChild(one.cloneNode(True))
        return made

    def isSameNode(self, other):
        return self is other

    def unlink(self):
        for one in self.childNodes:
            one.unlink()
        self.childNodes = []
        self.parentNode = self.ownerDocument = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.unlink()

    def toxml(self, encoding=None, standalone=None):
        return self.toprettyxml("", "", encoding, standalone)

    def toprettyxml(self, indent="\t", newl="\n", encoding=None, standalone=None):
        parts = []
        if self.nodeType == self.DOCUMENT_NODE:
            self._write(parts.append, "", indent, newl, encoding, standalone)
        else:
            self._write(parts.append, "", indent, newl)
        text = "".join(parts)
        return text if encoding is None else text.encode(encoding, "xmlcharrefreplace")

    def writexml(self, writer, indent="", addindent="", newl=""):
        self._write(writer.write, indent, addindent, newl)

    def getElementsByTagName(self, name):
        found = []
        for one in self.childNodes:
            if one.nodeType == self.ELEMENT_NODE:
                if name in ("*", one.tagName):
                    found.append(one)
                found.extend(one.getElementsByTagName(name))
        return found


class DocumentFragment(Node):
    nodeType, nodeName = Node.DOCUMENT_FRAGMENT_NODE, "#document-fragment"

    def _twin(self):
        return DocumentFragment()

    def _write(self, write, indent, addindent, newl):
        for one in self.childNodes:
            one._write(write, indent, addindent, newl)


class Attr(Node):
    nodeType = Node.ATTRIBUTE_NODE

    def __init__(self, name, value="", owner=None):
        super().__init__()
        self.name = self.nodeName = name
        self.value, self.ownerElement = value, owner

    nodeValue = property(lambda self: self.value)


class NamedNodeMap:
    """The attributes of an element."""

    def __init__(self, attributes):
        self._attributes = attributes

    def __len__(self):
        return len(self._attributes)

    length = property(__len__)

    def item(self, index):
        names = list(self._attributes)
        return self._attributes[names[index]] if 0 <= index < len(names) else None

    def items(self):
        return [(name, one.value) for name, one in self._attributes.items()]

    def keys(self):
        return self._attributes.keys()

    def values(self):
        return list(self._attributes.values())

    def get(self, name, value=None):
        return self._attributes.get(name, value)

    getNamedItem = get

    def __contains__(self, name):
        return name in self._attributes

    def __getitem__(self, name):
        return self._attributes[name]


class Element(Node):
    nodeType = Node.ELEMENT_NODE

    def __init__(self, tagName, namespaceURI=None, prefix=None, localName=None):
        super().__init__()
        self.tagName = self.nodeName = tagName
        self.prefix, colon, self.localName = tagName.partition(":")
        if not colon:
            self.prefix, self.localName = None, tagName
        self._attrs = {}

    attributes = property(lambda self: NamedNodeMap(self._attrs))

    def _twin(self):
        made = Element(self.tagName)
        for name, one in self._attrs.items():
            made.setAttribute(name, one.value)
        return made

    def getAttribute(self, attname):
        found = self._attrs.get(attname)
        return "" if found is None else found.value

    def setAttribute(self, attname, value):
        self._attrs[attname] = Attr(attname, value, self)

    def hasAttribute(self, name):
        return name in self._attrs

    def hasAttributes(self):
        return bool(self._attrs)

    def getAttributeNode(self, attrname):
        return self._attrs.get(attrname)

    def removeAttribute(self, name):
        if name not in self._attrs:
            raise NotFoundErr()
        del self._attrs[name]

    def __repr__(self):
        return "<DOM Element: %s at %#x>" % (self.tagName, id(self))

    def _write(self, write, indent, addindent, newl):
        write(indent + "<" + self.tagName)
        for name, one in self._attrs.items():
            write(' %s="%s"' % (name, _escaped(one.value, True)))
        nodes = self.childNodes
        if not nodes:
            write("/>" + newl)
            return
        write(">")
        if len(nodes) == 1 and nodes[0].nodeType in (self.TEXT_NODE, self.CDATA_SECTION_NODE):
            nodes[0]._write(write, "", "", "")
        else:
            write(newl)
            for one in nodes:
                one._write(write, indent + addindent, addindent, newl)
            write(indent)
        write("</" + self.tagName + ">" + newl)


class CharacterData(Node):
    """What has a text."""

    def __init__(self, data=""):
        super().__init__()
        self.data = data

    nodeValue = property(lambda self: self.data, lambda self, value: setattr(self, "data", value))
    length = property(lambda self: len(self.data))

    def __len__(self):
        return len(self.data)

    def _takes(self, node):
        return False

    def _twin(self):
        return type(self)(self.data)

    def appendData(self, arg):
        self.data += arg

    def __repr__(self):
        return '<DOM %s node "%r%s">' % (type(self).__name__, self.data[:10], "..." if len(self.data) > 10 else "")


class Text(CharacterData):
    nodeType, nodeName = Node.TEXT_NODE, "#text"

    def _write(self, write, indent, addindent, newl):
        write(indent + _escaped(self.data) + newl)


class CDATASection(Text):
    nodeType, nodeName = Node.CDATA_SECTION_NODE, "#cdata-section"

    def _write(self, write, indent, addindent, newl):
        if "]]>" in self.data:
            raise ValueError("']]>' not allowed in a CDATA section")
        write("<![CDATA[%s]]>" % self.data)


class Comment(CharacterData):
    nodeType, nodeName = Node.COMMENT_NODE, "#comment"

    def _write(self, write, indent, addindent, newl):
        if "--" in self.data:
            raise ValueError("'--' is not allowed in a comment node")
        write("%s<!--%s-->%s" % (indent, self.data, newl))


class ProcessingInstruction(CharacterData):
    nodeType = Node.PROCESSING_INSTRUCTION_NODE

    def __init__(self, target, data):
        super().__init__(data)
        self.target = self.nodeName = target

    def _twin(self):
        return ProcessingInstruction(self.target, self.data)

    def _write(self, write, indent, addindent, newl):
        write("%s<?%s %s?>%s" % (indent, self.target, self.data, newl))


class Document(Node):
    nodeType, nodeName = Node.DOCUMENT_NODE, "#document"

    documentElement = property(lambda self: next((one for one in self.childNodes if one.nodeType == self.ELEMENT_NODE), None))

    def _takes(self, node):
        if node.nodeType == self.ELEMENT_NODE and self.documentElement is not None and node is not self.documentElement:
            raise HierarchyRequestErr("two document elements disallowed")
        return node.nodeType in (self.ELEMENT_NODE, self.COMMENT_NODE, self.PROCESSING_INSTRUCTION_NODE)

    def _twin(self):
        return Document()

    def _owned(self, node):
        node.ownerDocument = self
        return node

    def createElement(self, tagName):
        return self._owned(Element(tagName))

    def createTextNode(self, data):
        if not isinstance(data, str):
            raise TypeError("node contents must be a string")
        return self._owned(Text(data))

    def createCDATASection(self, data):
        return self._owned(CDATASection(data))

    def createComment(self, data):
        return self._owned(Comment(data))

    def createProcessingInstruction(self, target, data):
        return self._owned(ProcessingInstruction(target, data))

    def createDocumentFragment(self):
        return self._owned(DocumentFragment())

    def createAttribute(self, qName):
        return self._owned(Attr(qName))

    def _write(self, write, indent="", addindent="", newl="", encoding=None, standalone=None):
        declared = "" if encoding is None else f' encoding="{encoding}"'
        if standalone is not None:
            declared += f' standalone="{"yes" if standalone else "no"}"'
        write(f'<?xml version="1.0" {declared.lstrip()}?>{newl}' if declared else f'<?xml version="1.0" ?>{newl}')
        for one in self.childNodes:
            one._write(write, indent, addindent, newl)


class _Builder:
    """Makes nodes of what the reader tells."""

    def __init__(self):
        self.document = Document()
        self._open = [self.document]

    def _add(self, node):
        node.ownerDocument = self.document
        self._open[-1].appendChild(node)

    def start(self, tag, attributes):
        made = Element(tag)
        for name, value in attributes:
            made.setAttribute(name, value)
        self._add(made)
        self._open.append(made)

    def end(self, tag):
        self._open.pop()

    def data(self, text):
        last = self._open[-1].lastChild
        if last is not None and last.nodeType == Node.TEXT_NODE:
            last.data += text
        else:
            self._add(Text(text))

    def cdata(self, text):
        self._add(CDATASection(text))

    def comment(self, text):
        self._add(Comment(text))

    def pi(self, target, text):
        self._add(ProcessingInstruction(target, text))


def parseString(string, parser=None):
    """The document of a text or bytes. Errors: ExpatError."""
    if parser is not None:
        raise NotImplementedError("xml.dom.minidom with a parser of xml.sax is not in nnscope")
    builder = _Builder()
    reader = _reader.Reader(builder, with_namespaces=False)
    try:
        reader.feed(string if isinstance(string, str) else _reader.decoded(string))
        reader.close()
    except _reader.NotWellFormed as error:
        made = ExpatError(str(error))
        made.code, made.lineno, made.offset = error.code, error.line, error.column
        raise made from None
    return builder.document


def parse(file, parser=None, bufsize=None):
    """That of a file."""
    if hasattr(file, "read"):
        return parseString(file.read(), parser)
    with open(file, "rb") as opened:
        return parseString(opened.read(), parser)


class DOMImplementation:
    def createDocument(self, namespaceURI, qualifiedName, doctype):
        if doctype is not None:
            raise NotImplementedError("document types are not in nnscope")
        made = Document()
        if qualifiedName:
            made.appendChild(made.createElement(qualifiedName))
            if namespaceURI:
                made.documentElement.namespaceURI = namespaceURI
        return made

    def hasFeature(self, feature, version):
        return feature.lower() in ("core", "xml") and version in (None, "", "1.0", "2.0")


def getDOMImplementation(features=None):
    return DOMImplementation()
