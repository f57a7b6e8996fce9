"""Words as a shell splits them. Behaviour: CPython Lib/shlex.py; of class shlex there is what split() does."""
import re as _re

_UNSAFE = _re.compile(r"[^\w@%+=:,./-]", _re.ASCII)


def split(s, comments=False, posix=True):
    """The words of a line, of which quotes and backslashes are parts."""
    if s is None:
        raise ValueError("s argument must not be None")
    words, word, quote, at, begun = [], "", "", 0, False
    while at < len(s):
        char = s[at]
        at += 1
        if quote:
            if char == quote:
                quote = ""
                if not posix:
                    # A quoted text is a word by itself there, quotes and all.
                    words.append(word + char)
                    word, begun = "", False
            elif char == "\\" and quote == '"' and posix:
                if at == len(s):
                    raise ValueError("No escaped character")
                following = s[at]
                at += 1
                word += following if following in '"\\' else "\\" + following
            else:
                word += char
        elif char in " \t\r\n":
            if begun:
                words.append(word)
            word, begun = "", False
        elif comments and char == "#" and not begun:
            end = s.find("\n", at)
            at = len(s) if end < 0 else end
        elif char in "\"'" and (posix or not begun):
            quote, begun = char, True
            if not posix:
                word += char
        elif char == "\\" and posix:
            if at == len(s):
                raise ValueError("No escaped character")
            word, begun = word + s[at], True
            at += 1
        else:
            word, begun = word + char, True
    if quote:
        raise ValueError("No closing quotation")
    if begun:
        words.append(word)
    return words


def quote(s):
    """A word of a shell that means this text."""
    if not s:
        return "''"
    if not isinstance(s, str):
        raise TypeError(f"expected string object, got {type(s).__name__!r}")
    if _UNSAFE.search(s) is None:
        return s
    return "'" + s.replace("'", "'\"'\"'") + "'"


def join(split_command):
    return " ".join(quote(word) for word in split_command)
