"""Trees of elements. Behaviour: CPython Lib/xml/etree."""
