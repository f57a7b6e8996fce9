"""Classes of characters as PCRE2 reads them: what \\w, \\d, \\s and [...] of Python's patterns mean."""

_DIGIT = {True: r"\p{Nd}", False: "0-9"}
_NO_DIGIT = {True: r"\P{Nd}", False: r"\x00-/:-\x{TOP}"}
_SPACE = {True: r"\x09-\x0d\x1c-\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}",
          False: r"\x09-\x0d\x20"}
_NO_SPACE = {True: r"\x00-\x08\x0e-\x1b\x21-\x84\x86-\x9f\xa1-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
                   r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}",
             False: r"\x00-\x08\x0e-\x1f\x21-\x{TOP}"}
# The ASCII part is in the others too, but found quicker.
_WORD = {True: r"a-zA-Z0-9_\p{L}\p{N}", False: "a-zA-Z0-9_"}
# All categories but letters and numbers; of connecting punctuation all but the underscore.
_NO_WORD = {True: r"\p{M}\p{S}\p{Z}\p{C}\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\x{203f}\x{2040}\x{2054}\x{fe33}\x{fe34}"
                  r"\x{fe4d}-\x{fe4f}\x{ff3f}",
            False: r"\x00-/:-@\[-\^`\{-\x{TOP}"}
_CATEGORIES = {"d": _DIGIT, "D": _NO_DIGIT, "s": _SPACE, "S": _NO_SPACE, "w": _WORD, "W": _NO_WORD}


def category(letter, is_unicode, top):
    """What stands inside of [] for \\d, \\D, \\s, \\S, \\w, \\W. `top`: the largest code in the texts."""
    return _CATEGORIES[letter][is_unicode].replace("TOP", f"{top:x}")


def category_item(letter, is_unicode):
    """The same by itself."""
    if letter.islower():
        return f"[{category(letter, is_unicode, 0)}]"
    return f"[^{category(letter.lower(), is_unicode, 0)}]"


def boundary(is_inside, is_unicode):
    """\\b, and \\B if `is_inside`: whether a word begins or ends here."""
    word = category_item("w", is_unicode)
    if is_inside:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


def character(code):
    """One character, with nothing that PCRE2 could read as more; inside of [] and outside."""
    text = chr(code)
    return text if text.isascii() and text.isalnum() else f"\\x{{{code:x}}}"


def character_range(low, high):
    """The same for a range inside of []."""
    return character(low) if low == high else f"{character(low)}-{character(high)}"


# Dotted and dotless i: one letter for Python where cases are ignored, three for PCRE2.
_I_VARIANTS = (0x49, 0x69, 0x130, 0x131)


def other_cases(low, high, folds_ascii):
    """What cases that are ignored add to a range. `folds_ascii`: only a to z have cases, and PCRE2 ignores none."""
    if not folds_ascii:
        if any(low <= one <= high for one in _I_VARIANTS):
            return "".join(map(character, _I_VARIANTS))
        return ""
    added = ""
    for first, last, distance in ((0x41, 0x5A, 32), (0x61, 0x7A, -32)):
        begin, end = max(low, first), min(high, last)
        if begin <= end:
            added += character_range(begin + distance, end + distance)
    return added
