"""JSON: texts from objects and objects from texts."""

__all__ = ["dump", "dumps", "load", "loads", "JSONDecoder", "JSONDecodeError", "JSONEncoder"]

from json.decoder import JSONDecodeError, JSONDecoder
from json.encoder import JSONEncoder

_encoder = JSONEncoder()
_decoder = JSONDecoder()


def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None,
          separators=None, default=None, sort_keys=False, **kw):
    """The text of an object. Errors: TypeError for what JSON has not, ValueError for cycles."""
    if not skipkeys and ensure_ascii and check_circular and allow_nan and cls is None and indent is None and \
            separators is None and default is None and not sort_keys and not kw:
        return _encoder.encode(obj)
    return (cls or JSONEncoder)(skipkeys=skipkeys, ensure_ascii=ensure_ascii, check_circular=check_circular,
                                allow_nan=allow_nan, indent=indent, separators=separators, default=default,
                                sort_keys=sort_keys, **kw).encode(obj)


def dump(obj, fp, **kw):
    """Writes the text of an object to a file. Arguments: those of dumps()."""
    fp.write(dumps(obj, **kw))


def loads(s, *, cls=None, object_hook=None, parse_float=None, parse_int=None, parse_constant=None, object_pairs_hook=None,
          **kw):
    """The object of a text. Errors: JSONDecodeError, TypeError."""
    if isinstance(s, (bytes, bytearray)):
        s = bytes(s).decode("utf-8")
        if s.startswith("\ufeff"):
            s = s[1:]
    elif not isinstance(s, str):
        raise TypeError(f"the JSON object must be str, bytes or bytearray, not {type(s).__name__}")
    elif s.startswith("\ufeff"):
        raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    if cls is None and object_hook is None and parse_float is None and parse_int is None and parse_constant is None and \
            object_pairs_hook is None and not kw:
        return _decoder.decode(s)
    return (cls or JSONDecoder)(object_hook=object_hook, parse_float=parse_float, parse_int=parse_int,
                                parse_constant=parse_constant, object_pairs_hook=object_pairs_hook, **kw).decode(s)


def load(fp, **kw):
    """The object of a file's text. Arguments: those of loads()."""
    return loads(fp.read(), **kw)
