"""Documents as trees of nodes. Behaviour: CPython Lib/xml/dom; minidom is the one that there is."""


class Node:
    (ELEMENT_NODE, ATTRIBUTE_NODE, TEXT_NODE, CDATA_SECTION_NODE, ENTITY_REFERENCE_NODE, ENTITY_NODE,
     PROCESSING_INSTRUCTION_NODE, COMMENT_NODE, DOCUMENT_NODE, DOCUMENT_TYPE_NODE, DOCUMENT_FRAGMENT_NODE,
     NOTATION_NODE) = range(1, 13)


class DOMException(Exception):
    """What nodes do not do."""


class NotFoundErr(DOMException):
    """A node is not where it was looked for."""


class HierarchyRequestErr(DOMException):
    """A node cannot be put there."""


XML_NAMESPACE, XMLNS_NAMESPACE = "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2000/xmlns/"
EMPTY_NAMESPACE = EMPTY_PREFIX = None
