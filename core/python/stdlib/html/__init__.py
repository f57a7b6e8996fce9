"""Texts in HTML. Behaviour: CPython Lib/html. Of named references there are those of XML and of Latin-1."""
import re as _re

_LATIN = ("nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute "
          "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring "
          "AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml "
          "times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil "
          "egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash "
          "ugrave uacute ucirc uuml yacute thorn yuml")
_NAMED = {name: chr(0xA0 + at) for at, name in enumerate(_LATIN.split())}
_NAMED.update({"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "ndash": "\u2013", "mdash": "\u2014",
               "lsquo": "\u2018", "rsquo": "\u2019", "ldquo": "\u201c", "rdquo": "\u201d", "bull": "\u2022",
               "hellip": "\u2026", "euro": "\u20ac", "trade": "\u2122", "minus": "\u2212", "infin": "\u221e",
               "le": "\u2264", "ge": "\u2265", "ne": "\u2260", "larr": "\u2190", "rarr": "\u2192", "sum": "\u2211"})
# What numbers 128 to 159 mean: those of Windows-1252.
_WINDOWS = ("\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019"
            "\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178")
_REFERENCE = _re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")


def escape(s, quote=True):
    """The text as HTML that shows it."""
    s = s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return s.replace('"', "&quot;").replace("'", "&#x27;") if quote else s


def _meaning(found):
    text = found.group(1)
    if text[0] == "#":
        digits = text[1:].rstrip(";")
        number = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
        if 0x80 <= number <= 0x9F:
            return _WINDOWS[number - 0x80]
        if number == 0 or 0xD800 <= number <= 0xDFFF or number > 0x10FFFF:
            return "\ufffd"
        if number == 0x0D:
            return "\r"
        if number < 0x20 and number not in (9, 10, 12) or number & 0xFFFE == 0xFFFE or 0xFDD0 <= number <= 0xFDEF:
            return ""
        return chr(number)
    name = text.rstrip(";")
    if text.endswith(";") and name in _NAMED:
        return _NAMED[name]
    # Without a semicolon the longest name of old that begins there.
    for length in range(len(name), 1, -1):
        if name[:length] in ("amp", "lt", "gt", "quot") or name[:length] in _LATIN.split():
            return _NAMED[name[:length]] + text[length:]
    return "&" + text


def unescape(s):
    """The text that HTML shows."""
    return _REFERENCE.sub(_meaning, s) if "&" in s else s
