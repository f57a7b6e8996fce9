"""XML. Behaviour: CPython 3.14, Lib/xml."""
__all__ = ["dom", "etree", "parsers"]
