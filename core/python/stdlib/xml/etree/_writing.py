"""Elements as text. Behaviour: CPython 3.14, Lib/xml/etree/ElementTree.py."""
import re as _re

from xml.etree._element import Comment, ProcessingInstruction, QName

_prefixes = {"http://www.w3.org/XML/1998/namespace": "xml", "http://www.w3.org/1999/xhtml": "html",
             "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://schemas.xmlsoap.org/wsdl/": "wsdl",
             "http://www.w3.org/2001/XMLSchema": "xs", "http://www.w3.org/2001/XMLSchema-instance": "xsi",
             "http://purl.org/dc/elements/1.1/": "dc"}
_HTML_WITHOUT_END = {"area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "isindex", "link",
                     "meta", "param", "source", "track", "wbr", "plaintext"}


def register_namespace(prefix, uri):
    """The prefix under which names of an address are written. Errors: ValueError."""
    if _re.match(r"ns\d+$", prefix):
        raise ValueError("Prefix format reserved for internal use")
    for known, name in list(_prefixes.items()):
        if known == uri or name == prefix:
            del _prefixes[known]
    _prefixes[uri] = prefix


def _refused(text):
    raise TypeError("cannot serialize %r (type %s)" % (text, type(text).__name__))


def escaped_data(text):
    if not isinstance(text, str):
        _refused(text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped_attribute(text):
    text = escaped_data(text).replace('"', "&quot;")
    return text.replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#09;")


def _escaped_html_attribute(text):
    if not isinstance(text, str):
        _refused(text)
    return text.replace("&", "&amp;").replace(">", "&gt;").replace('"', "&quot;")


def _names(root, default_namespace):
    """({name: how it is written}, {address: prefix}) of all below. Errors: ValueError."""
    written, used = {None: None}, {}
    if default_namespace:
        used[default_namespace] = ""

    def add(name):
        if not isinstance(name, str):
            _refused(name)
        if name in written:
            return
        if name[:1] == "{":
            uri, _, local = name[1:].rpartition("}")
            prefix = used.get(uri)
            if prefix is None:
                prefix = _prefixes.get(uri)
                if prefix is None:
                    prefix = "ns%d" % len(used)
                if prefix != "xml":
                    used[uri] = prefix
            written[name] = "%s:%s" % (prefix, local) if prefix else local
        elif default_namespace:
            raise ValueError("cannot use non-qualified names with default_namespace option")
        else:
            written[name] = name

    for one in root.iter():
        if isinstance(one.tag, QName):
            add(one.tag.text)
        elif isinstance(one.tag, str):
            add(one.tag)
        elif one.tag is not None and one.tag is not Comment and one.tag is not ProcessingInstruction:
            _refused(one.tag)
        for key, value in one.items():
            add(key.text if isinstance(key, QName) else key)
            if isinstance(value, QName):
                add(value.text)
        if isinstance(one.text, QName):
            add(one.text.text)
    return written, used


def _attributes(write, one, written, declared, escape):
    for uri, prefix in sorted(declared.items(), key=lambda pair: pair[1]):
        write(' xmlns%s="%s"' % (":" + prefix if prefix else "", escape(uri)))
    for key, value in one.items():
        key = key.text if isinstance(key, QName) else key
        value = written[value.text] if isinstance(value, QName) else escape(value)
        write(' %s="%s"' % (written[key], value))


def _write_xml(write, one, written, declared, short):
    tag, text = one.tag, one.text
    if tag is Comment:
        write("<!--%s-->" % text)
    elif tag is ProcessingInstruction:
        write("<?%s?>" % text)
    else:
        tag = written[tag.text if isinstance(tag, QName) else tag]
        if tag is None:
            if text:
                write(escaped_data(text))
            for child in one:
                _write_xml(write, child, written, {}, short)
        else:
            write("<" + tag)
            _attributes(write, one, written, declared, escaped_attribute)
            if text or len(one) or not short:
                write(">")
                if text:
                    write(written[text.text] if isinstance(text, QName) else escaped_data(text))
                for child in one:
                    _write_xml(write, child, written, {}, short)
                write("</" + tag + ">")
            else:
                write(" />")
    if one.tail:
        write(escaped_data(one.tail))


def _write_html(write, one, written, declared, short):
    tag, text = one.tag, one.text
    if tag is Comment:
        write("<!--%s-->" % escaped_data(text))
    elif tag is ProcessingInstruction:
        write("<?%s?>" % escaped_data(text))
    else:
        tag = written[tag.text if isinstance(tag, QName) else tag]
        if tag is not None:
            write("<" + tag)
            _attributes(write, one, written, declared, _escaped_html_attribute)
            write(">")
        if text:
            write(text if tag is not None and tag.lower() in ("script", "style") else escaped_data(text))
        for child in one:
            _write_html(write, child, written, {}, short)
        if tag is not None and tag.lower() not in _HTML_WITHOUT_END:
            write("</" + tag + ">")
    if one.tail:
        write(escaped_data(one.tail))


def written(root, encoding, xml_declaration, default_namespace, method, short_empty_elements):
    """The text of an element. Errors: ValueError, TypeError."""
    method = method or "xml"
    if method not in ("xml", "html", "text", "c14n"):
        raise ValueError("unknown method %r" % method)
    if method == "c14n":
        raise NotImplementedError("method='c14n' is not in nnscope")
    parts = []
    lower = encoding.lower()
    if method == "xml" and (xml_declaration or xml_declaration is None and lower not in ("utf-8", "us-ascii", "unicode")):
        parts.append("<?xml version='1.0' encoding='%s'?>\n" % ("utf-8" if lower == "unicode" else encoding))
    if method == "text":
        parts.extend(root.itertext())
        if root.tail:
            parts.append(root.tail)
    else:
        names, used = _names(root, default_namespace)
        (_write_xml if method == "xml" else _write_html)(parts.append, root, names, used, short_empty_elements)
    return "".join(parts)
