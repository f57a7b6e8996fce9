"""SequenceMatcher: what two sequences have in common. Behaviour: CPython Lib/difflib.py.

The longest common run (the first of several) is found, then the same is done to its left and to its right. Items that come
in more than 1 % of a long second sequence ("popular" ones) begin no run."""
from collections import namedtuple as _namedtuple

Match = _namedtuple("Match", "a b size")
Match.__module__ = "difflib"


def _ratio(matches, length):
    return 2.0 * matches / length if length else 1.0


class SequenceMatcher:
    __module__ = "difflib"

    def __init__(self, isjunk=None, a="", b="", autojunk=True):
        self.isjunk, self.autojunk = isjunk, autojunk
        self.a = self.b = None
        self.set_seqs(a, b)

    def set_seqs(self, a, b):
        self.set_seq1(a)
        self.set_seq2(b)

    def set_seq1(self, a):
        if a is not self.a:
            self.a = a
            self.matching_blocks = self.opcodes = None

    def set_seq2(self, b):
        if b is not self.b:
            self.b = b
            self.matching_blocks = self.opcodes = self.fullbcount = None
            self._index()

    def _index(self):
        """Where each item of b is, without junk and popular ones."""
        places = {}
        for at, item in enumerate(self.b):
            places.setdefault(item, []).append(at)
        self.bjunk = {item for item in places if self.isjunk(item)} if self.isjunk else set()
        for item in self.bjunk:
            del places[item]
        self.bpopular = set()
        count = len(self.b)
        if self.autojunk and count >= 200:
            most = count // 100 + 1
            self.bpopular = {item for item, found in places.items() if len(found) > most}
            for item in self.bpopular:
                del places[item]
        self.b2j = places

    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        """The longest run of a[alo:ahi] that is in b[blo:bhi], the one that begins first in a, then in b."""
        a, b, junk = self.a, self.b, self.bjunk
        ahi = len(a) if ahi is None else ahi
        bhi = len(b) if bhi is None else bhi
        best_a, best_b, size = alo, blo, 0
        ending = {}  # place in b -> length of the run that ends there and at the item of a before
        for i in range(alo, ahi):
            now = {}
            for j in self.b2j.get(a[i], ()):
                if j < blo:
                    continue
                if j >= bhi:
                    break
                run = now[j] = ending.get(j - 1, 0) + 1
                if run > size:
                    best_a, best_b, size = i - run + 1, j - run + 1, run
            ending = now
        # Popular items lengthen the run at both ends; then junk does, where it touches it.
        for takes_junk in (False, True):
            while best_a > alo and best_b > blo and (b[best_b - 1] in junk) == takes_junk and a[best_a - 1] == b[best_b - 1]:
                best_a, best_b, size = best_a - 1, best_b - 1, size + 1
            while (best_a + size < ahi and best_b + size < bhi and (b[best_b + size] in junk) == takes_junk
                   and a[best_a + size] == b[best_b + size]):
                size += 1
        return Match(best_a, best_b, size)

    def get_matching_blocks(self):
        """All common runs in their order, and behind them one of no items at both ends."""
        if self.matching_blocks is not None:
            return self.matching_blocks
        open_ranges, found = [(0, len(self.a), 0, len(self.b))], []
        while open_ranges:
            alo, ahi, blo, bhi = open_ranges.pop()
            i, j, size = self.find_longest_match(alo, ahi, blo, bhi)
            if size:
                found.append((i, j, size))
                if alo < i and blo < j:
                    open_ranges.append((alo, i, blo, j))
                if i + size < ahi and j + size < bhi:
                    open_ranges.append((i + size, ahi, j + size, bhi))
        found.sort()
        joined = []
        for i, j, size in found:
            if joined and joined[-1][0] + joined[-1][2] == i and joined[-1][1] + joined[-1][2] == j:
                joined[-1] = (*joined[-1][:2], joined[-1][2] + size)
            else:
                joined.append((i, j, size))
        joined.append((len(self.a), len(self.b), 0))
        self.matching_blocks = [Match(*one) for one in joined]
        return self.matching_blocks

    def get_opcodes(self):
        """[(what, alo, ahi, blo, bhi)] that make b of a: replace, delete, insert, equal."""
        if self.opcodes is not None:
            return self.opcodes
        self.opcodes = made = []
        i = j = 0
        for at_a, at_b, size in self.get_matching_blocks():
            if i < at_a or j < at_b:
                tag = "replace" if i < at_a and j < at_b else "delete" if i < at_a else "insert"
                made.append((tag, i, at_a, j, at_b))
            i, j = at_a + size, at_b + size
            if size:
                made.append(("equal", at_a, i, at_b, j))
        return made

    def get_grouped_opcodes(self, n=3):
        """The same in groups, with up to n equal items around what changes."""
        codes = list(self.get_opcodes()) or [("equal", 0, 1, 0, 1)]
        if codes[0][0] == "equal":
            tag, i1, i2, j1, j2 = codes[0]
            codes[0] = tag, max(i1, i2 - n), i2, max(j1, j2 - n), j2
        if codes[-1][0] == "equal":
            tag, i1, i2, j1, j2 = codes[-1]
            codes[-1] = tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n)
        group = []
        for tag, i1, i2, j1, j2 in codes:
            if tag == "equal" and i2 - i1 > 2 * n:
                group.append((tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n)))
                yield group
                group = []
                i1, j1 = max(i1, i2 - n), max(j1, j2 - n)
            group.append((tag, i1, i2, j1, j2))
        if group and not (len(group) == 1 and group[0][0] == "equal"):
            yield group

    def ratio(self):
        """How alike they are, from 0 to 1."""
        return _ratio(sum(size for _, _, size in self.get_matching_blocks()), len(self.a) + len(self.b))

    def quick_ratio(self):
        """At least ratio(): as if the order did not count."""
        if self.fullbcount is None:
            self.fullbcount = {}
            for item in self.b:
                self.fullbcount[item] = self.fullbcount.get(item, 0) + 1
        left, matches = {}, 0
        for item in self.a:
            spare = left.get(item, self.fullbcount.get(item, 0))
            left[item] = spare - 1
            matches += spare > 0
        return _ratio(matches, len(self.a) + len(self.b))

    def real_quick_ratio(self):
        """At least quick_ratio(): of the lengths alone."""
        return _ratio(min(len(self.a), len(self.b)), len(self.a) + len(self.b))

    def __class_getitem__(cls, item):
        from types import GenericAlias
        return GenericAlias(cls, item)


def get_close_matches(word, possibilities, n=3, cutoff=0.6):
    """The up to n that are most like a word, best first. Errors: ValueError."""
    from heapq import nlargest
    if not n > 0:
        raise ValueError("n must be > 0: %r" % (n,))
    if not 0.0 <= cutoff <= 1.0:
        raise ValueError("cutoff must be in [0.0, 1.0]: %r" % (cutoff,))
    matcher = SequenceMatcher()
    matcher.set_seq2(word)
    found = []
    for one in possibilities:
        matcher.set_seq1(one)
        if matcher.real_quick_ratio() >= cutoff and matcher.quick_ratio() >= cutoff and matcher.ratio() >= cutoff:
            found.append((matcher.ratio(), one))
    return [one for _, one in nlargest(n, found)]
