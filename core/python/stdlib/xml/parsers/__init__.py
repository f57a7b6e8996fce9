"""Parsers of XML. Behaviour: CPython Lib/xml/parsers."""
