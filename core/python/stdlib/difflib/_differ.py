"""Differ: differences for people, with marks below what changed within a line. Behaviour: CPython Lib/difflib.py."""
from difflib._matcher import SequenceMatcher

_WINDOW = 10  # how far from its own place a similar line is looked for


def IS_LINE_JUNK(line, pat=None):
    """Whether a line is blank, or a single "#"."""
    if pat is None:
        return line.strip() in ("", "#")
    return pat(line) is not None


def IS_CHARACTER_JUNK(ch, ws=" \t"):
    return ch in ws


class Differ:
    __module__ = "difflib"

    def __init__(self, linejunk=None, charjunk=None):
        self.linejunk, self.charjunk = linejunk, charjunk

    def compare(self, a, b):
        """Lines that begin with "- ", "+ ", "  " or, for marks, "? "."""
        for tag, alo, ahi, blo, bhi in SequenceMatcher(self.linejunk, a, b).get_opcodes():
            if tag == "replace":
                yield from self._similar(a, alo, ahi, b, blo, bhi)
            elif tag == "delete":
                yield from self._dump("-", a, alo, ahi)
            elif tag == "insert":
                yield from self._dump("+", b, blo, bhi)
            else:
                yield from self._dump(" ", a, alo, ahi)

    def _dump(self, sign, lines, low, high):
        for at in range(low, high):
            yield f"{sign} {lines[at]}"

    def _plain(self, a, alo, ahi, b, blo, bhi):
        """Lines that have nothing to do with each other: the shorter part goes first."""
        parts = [("+", b, blo, bhi), ("-", a, alo, ahi)] if bhi - blo < ahi - alo else [("-", a, alo, ahi), ("+", b, blo, bhi)]
        for part in parts:
            yield from self._dump(*part)

    def _similar(self, a, alo, ahi, b, blo, bhi):
        """Each line of b goes with the most similar line of a near it, if one is similar enough."""
        matcher = SequenceMatcher(self.charjunk)
        next_a, next_b = alo, blo
        for j in range(blo, bhi):
            own = alo + j - blo
            near = range(max(own - _WINDOW, next_a), min(own + _WINDOW + 1, ahi))
            if not near:
                break
            matcher.set_seq2(b[j])
            best, partner = 0.74999, None
            for i in near:
                matcher.set_seq1(a[i])
                if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
                    best, partner = matcher.ratio(), i
            if partner is None:
                continue
            yield from self._between(a, next_a, partner, b, next_b, j)
            yield from self._marked(matcher, a[partner], b[j])
            next_a, next_b = partner + 1, j + 1
        yield from self._between(a, next_a, ahi, b, next_b, bhi)

    def _between(self, a, alo, ahi, b, blo, bhi):
        if alo < ahi and blo < bhi:
            yield from self._plain(a, alo, ahi, b, blo, bhi)
        else:
            yield from self._dump("-", a, alo, ahi)
            yield from self._dump("+", b, blo, bhi)

    def _marked(self, matcher, old, new):
        if old == new:
            yield "  " + old
            return
        marks_old = marks_new = ""
        matcher.set_seqs(old, new)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            sign_old, sign_new = {"replace": "^^", "delete": "- ", "insert": " +", "equal": "  "}[tag]
            marks_old += sign_old * (i2 - i1)
            marks_new += sign_new * (j2 - j1)
        for sign, line, marks in (("- ", old, marks_old), ("+ ", new, marks_new)):
            yield sign + line
            marks = _below(line, marks)
            if marks:
                yield f"? {marks}\n"


def _below(line, marks):
    """Marks with the tabs of the line, so that they stay below it."""
    return "".join(text if mark == " " and text.isspace() else mark for text, mark in zip(line, marks)).rstrip()


def ndiff(a, b, linejunk=None, charjunk=IS_CHARACTER_JUNK):
    """What Differ tells."""
    return Differ(linejunk, charjunk).compare(a, b)


def restore(delta, which):
    """The lines of one side (1 or 2) of what ndiff() told. Errors: ValueError."""
    try:
        sign = {1: "- ", 2: "+ "}[int(which)]
    except KeyError:
        raise ValueError("unknown delta choice (must be 1 or 2): %r" % which) from None
    for line in delta:
        if line[:2] in ("  ", sign):
            yield line[2:]
