"""Differences as lines of the formats "unified" and "context". Behaviour: CPython Lib/difflib.py."""
from difflib._matcher import SequenceMatcher


def _check(a, b, *texts):
    """Errors: TypeError for lines or names that are no str."""
    for lines in (a, b):
        if lines and not isinstance(lines[0], str):
            raise TypeError(f"lines to compare must be str, not {type(lines[0]).__name__} ({lines[0]!r})")
    if isinstance(a, str) or isinstance(b, str):
        raise TypeError("input must be a sequence of strings, not str")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"all arguments must be str, not: {text!r}")


def _range_unified(begin, end):
    length = end - begin
    if length == 1:
        return str(begin + 1)
    return f"{begin + 1 if length else begin},{length}"


def _range_context(begin, end):
    length = end - begin
    first = begin + 1 if length else begin
    return str(first) if length <= 1 else f"{first},{first + length - 1}"


def _dated(date):
    return f"\t{date}" if date else ""


def unified_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    """Lines that begin with blank, - or +, in groups that @@ begins."""
    _check(a, b, fromfile, tofile, fromfiledate, tofiledate, lineterm)
    has_begun = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not has_begun:
            has_begun = True
            yield f"--- {fromfile}{_dated(fromfiledate)}{lineterm}"
            yield f"+++ {tofile}{_dated(tofiledate)}{lineterm}"
        yield (f"@@ -{_range_unified(group[0][1], group[-1][2])} +{_range_unified(group[0][3], group[-1][4])} @@"
               f"{lineterm}")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for line in a[i1:i2]:
                    yield " " + line
                continue
            if tag != "insert":
                for line in a[i1:i2]:
                    yield "-" + line
            if tag != "delete":
                for line in b[j1:j2]:
                    yield "+" + line


def context_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    """First what was there, then what is: lines that begin with blank, !, - or +."""
    _check(a, b, fromfile, tofile, fromfiledate, tofiledate, lineterm)
    signs = {"insert": "+ ", "delete": "- ", "replace": "! ", "equal": "  "}
    has_begun = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not has_begun:
            has_begun = True
            yield f"*** {fromfile}{_dated(fromfiledate)}{lineterm}"
            yield f"--- {tofile}{_dated(tofiledate)}{lineterm}"
        yield "***************" + lineterm
        for lines, at, edge, absent in ((a, 1, "***", "insert"), (b, 3, "---", "delete")):
            yield f"{edge} {_range_context(group[0][at], group[-1][at + 1])} {'****' if edge == '***' else '----'}{lineterm}"
            shown = "delete" if absent == "insert" else "insert"
            if any(code[0] in ("replace", shown) for code in group):
                for code in group:
                    if code[0] != absent:
                        for line in lines[code[at]:code[at + 1]]:
                            yield signs[code[0]] + line


def diff_bytes(dfunc, a, b, fromfile=b"", tofile=b"", fromfiledate=b"", tofiledate=b"", n=3, lineterm=b"\n"):
    """What a function of this module tells of lines of bytes."""
    def text(one):
        try:
            return one.decode("ascii", "surrogateescape")
        except AttributeError as error:
            raise TypeError(f"all arguments must be bytes, not {type(one).__name__} ({one!r})") from error

    lines = dfunc(list(map(text, a)), list(map(text, b)), text(fromfile), text(tofile), text(fromfiledate),
                  text(tofiledate), n, text(lineterm))
    for line in lines:
        yield line.encode("ascii", "surrogateescape")
