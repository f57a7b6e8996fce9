"""Names that match patterns of the shell: * ? [...]"""

import re
from functools import lru_cache

__all__ = ["filter", "filterfalse", "fnmatch", "fnmatchcase", "translate"]


def _class_text(inside):
    """What stands in [...], for a pattern of module re; None for a class of nothing."""
    if "-" not in inside:
        text = inside.replace("\\", "\\\\")
    else:
        chunks = []
        at, look = 0, 2 if inside[0] == "!" else 1
        while True:
            found = inside.find("-", look)
            if found < 0:
                break
            chunks.append(inside[at:found])
            at, look = found + 1, found + 3
        rest = inside[at:]
        if rest:
            chunks.append(rest)
        elif chunks:
            chunks[-1] += "-"
        # Ranges that go backwards match nothing.
        for place in range(len(chunks) - 1, 0, -1):
            if chunks[place - 1][-1] > chunks[place][0]:
                chunks[place - 1] = chunks[place - 1][:-1] + chunks[place][1:]
                del chunks[place]
        text = "-".join(one.replace("\\", "\\\\").replace("-", "\\-") for one in chunks)
    if not text:
        return None
    text = re.sub(r"([&~|])", r"\\\1", text)
    if text[0] == "!":
        return "^" + text[1:]
    return "\\" + text if text[0] in "^[" else text


def translate(pat):
    """The pattern as one of module re."""
    parts = []
    at = 0
    while at < len(pat):
        letter = pat[at]
        at += 1
        if letter == "*":
            if not parts or parts[-1] != ".*":
                parts.append(".*")
        elif letter == "?":
            parts.append(".")
        elif letter == "[":
            end = at + (pat[at:at + 1] == "!")
            end = pat.find("]", end + 1) if pat[end:end + 1] == "]" else pat.find("]", end)
            if end < 0:
                parts.append("\\[")
                continue
            inside = pat[at:end]
            at = end + 1
            text = _class_text(inside)
            parts.append("(?!)" if text is None else "." if text == "^" else f"[{text}]")
        else:
            parts.append(re.escape(letter))
    return f"(?s:{''.join(parts)})\\z"


@lru_cache(maxsize=1024)
def _matcher(pat):
    if isinstance(pat, bytes):
        return re.compile(translate(str(pat, "latin-1")).encode("latin-1")).match
    return re.compile(translate(pat)).match


def fnmatchcase(name, pat):
    """Whether the name matches."""
    return _matcher(pat)(name) is not None


def fnmatch(name, pat):
    """Whether the name matches."""
    import os
    return fnmatchcase(os.path.normcase(name), os.path.normcase(pat))


def filter(names, pat):
    """The names that match."""
    matches = _matcher(pat)
    return [one for one in names if matches(one)]


def filterfalse(names, pat):
    """The names that do not match."""
    matches = _matcher(pat)
    return [one for one in names if not matches(one)]
