"""Regular expressions. Patterns are Python's; PCRE2 matches them (_re_pattern writes them down for it)."""

import _re
import enum
from _re import Match, Pattern
from _re_pattern import translate as _translate
from _re_reader import PatternError, read_template as _read_template
from types import MappingProxyType as _Proxy

__all__ = ["match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer", "compile", "purge", "escape",
           "error", "Pattern", "Match", "A", "I", "L", "M", "S", "X", "U", "ASCII", "IGNORECASE", "LOCALE", "MULTILINE",
           "DOTALL", "VERBOSE", "UNICODE", "NOFLAG", "RegexFlag", "PatternError"]

error = PatternError


@enum.global_enum
class RegexFlag(enum.IntFlag, boundary=enum.KEEP):
    """What a pattern's flags say."""

    NOFLAG = 0
    ASCII = A = 256
    IGNORECASE = I = 2
    LOCALE = L = 4
    UNICODE = U = 32
    MULTILINE = M = 8
    DOTALL = S = 16
    VERBOSE = X = 64
    DEBUG = 128

    __str__ = object.__str__
    _numeric_repr_ = hex


_known = {}
_MOST_KNOWN = 512


def _compiled(pattern, flags):
    if isinstance(flags, RegexFlag):
        flags = flags.value
    key = type(pattern), pattern, flags
    try:
        known = _known.get(key)
    except TypeError:
        known = None
    if known is not None:
        return known
    if isinstance(pattern, Pattern):
        if flags:
            raise ValueError("cannot process flags argument with a compiled pattern")
        return pattern
    if not isinstance(pattern, (str, bytes, bytearray)):
        raise TypeError("first argument must be string or compiled pattern")
    given = bytes(pattern) if isinstance(pattern, bytearray) else pattern
    text, all_flags, ignores_case, groups, names = _translate(given, flags)
    try:
        made = _re.compile(given, all_flags, text, ignores_case, groups, names, _Proxy(names))
    except ValueError as problem:
        raise PatternError(f"{problem}: {pattern!r}") from None
    if flags & RegexFlag.DEBUG.value:
        print(text)
    elif key[0] in (str, bytes):
        if len(_known) >= _MOST_KNOWN:
            del _known[next(iter(_known))]
        _known[key] = made
    return made


class _Unset(int):
    """What count, maxsplit and flags are while nobody gave them."""


_unset = _Unset()


def _positional(name, required, given, names, keywords):
    """What count, maxsplit and flags are where they may be given without their names, which is deprecated."""
    if given:
        if len(given) > len(names):
            raise TypeError(f"{name}() takes from {required} to {required + len(names)} positional arguments but "
                            f"{required + len(given)} were given")
        for at in range(len(given)):
            if keywords[at] is not _unset:
                raise TypeError(f"{name}() got multiple values for argument {names[at]!r}")
        import warnings
        warnings.warn(f"{names[0]!r} is passed as positional argument", DeprecationWarning, stacklevel=3)
    return [0 if one is _unset else one for one in (*given, *keywords[len(given):])]


def match(pattern, string, flags=0):
    """The match at the beginning of the text, or None."""
    return _compiled(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    """The match of the whole text, or None."""
    return _compiled(pattern, flags).fullmatch(string)


def search(pattern, string, flags=0):
    """The first match anywhere in the text, or None."""
    return _compiled(pattern, flags).search(string)


def sub(pattern, repl, string, *args, count=_unset, flags=_unset):
    """The text with its matches replaced, from the left; `repl` is a template, or is called with each match."""
    count, flags = _positional("sub", 3, args, ("count", "flags"), [count, flags])
    return _compiled(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, *args, count=_unset, flags=_unset):
    """(what sub() gives, how many were replaced)"""
    count, flags = _positional("subn", 3, args, ("count", "flags"), [count, flags])
    return _compiled(pattern, flags).subn(repl, string, count)


def split(pattern, string, *args, maxsplit=_unset, flags=_unset):
    """The texts between matches; what groups matched stands between them."""
    maxsplit, flags = _positional("split", 2, args, ("maxsplit", "flags"), [maxsplit, flags])
    return _compiled(pattern, flags).split(string, maxsplit)


def findall(pattern, string, flags=0):
    """All matches that do not overlap: as texts, of several groups as tuples of texts."""
    return _compiled(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    """An iterator over the same as matches."""
    return _compiled(pattern, flags).finditer(string)


def compile(pattern, flags=0):
    """The pattern as an object."""
    return _compiled(pattern, flags)


def purge():
    """Forgets the patterns that were compiled."""
    _known.clear()


_ESCAPED = {code: "\\" + chr(code) for code in b"()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


def escape(pattern):
    """The pattern that matches this very text."""
    if isinstance(pattern, str):
        return pattern.translate(_ESCAPED)
    return str(pattern, "latin1").translate(_ESCAPED).encode("latin1")


def _compile_template(pattern, repl):
    return _read_template(pattern, repl)
