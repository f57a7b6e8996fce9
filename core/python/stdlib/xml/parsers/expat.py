"""What programs catch of the parser. Behaviour: CPython Modules/pyexpat.c. Its handlers are refused: xml.etree has a parser."""


class ExpatError(Exception):
    """What is not well-formed: `code`, `lineno`, `offset`."""


error = ExpatError


def ErrorString(code, /):
    from xml._reader import MESSAGES
    return MESSAGES.get(code)


def ParserCreate(*args, **kwargs):
    raise NotImplementedError("xml.parsers.expat.ParserCreate is not in nnscope: xml.etree.ElementTree.XMLParser reads XML")
