"""Texts that must be in another one, in an order. Behaviour: torch/csrc/jit/testing/file_check.cpp."""
import re


class _Check:
    """One condition: its kind ("CHECK-NOT"), the text, and how often it must be there."""

    def __init__(self, kind, text, count=None):
        self.kind, self.text, self.count = kind, text, count

    def __str__(self):
        return f"{self.kind}: {self.text}" if self.count is None else f"{self.kind}-{self.count}: {self.text}"


class FileCheck:
    """Conditions that are added one by one and tested by run(). Errors: RuntimeError  one does not hold."""

    def __init__(self):
        self._checks, self._exactly = [], []

    def _with(self, kind, text, count=None):
        self._checks.append(_Check(kind, text, count))
        return self

    def check(self, test_string):
        return self._with("CHECK", test_string)

    def check_not(self, test_string):
        return self._with("CHECK-NOT", test_string)

    def check_same(self, test_string):
        return self._with("CHECK-SAME", test_string)

    def check_next(self, test_string):
        return self._with("CHECK-NEXT", test_string)

    def check_dag(self, test_string):
        return self._with("CHECK-DAG", test_string)

    def check_regex(self, test_string):
        return self._with("CHECK-REGEX", test_string)

    def check_count(self, test_string, count, exactly=False):
        if count == 0 and not exactly:
            raise RuntimeError("Can't check for zero occurrences unless exactly")
        if count > 0:
            self._with("CHECK-COUNT", test_string, count)
        # After the last one there is no other.
        return self.check_not(test_string) if exactly else self

    def check_source_highlighted(self, test_string):
        return self._with("CHECK-SOURCE-HIGHLIGHTED", test_string)

    def run(self, text):
        """Tests `text`, which may be a graph."""
        text = str(text)
        at, i, refused = 0, 0, []
        while i < len(self._checks):
            check = self._checks[i]
            if check.kind == "CHECK-NOT":
                refused.append(check)
                i += 1
                continue
            if check.kind == "CHECK-DAG":
                group = []
                while i < len(self._checks) and self._checks[i].kind == "CHECK-DAG":
                    group.append(self._checks[i])
                    i += 1
                found = [self._find(one, text, at) for one in group]
                begin, end = min(start for start, _ in found), max(stop for _, stop in found)
            else:
                begin, end = self._place(check, text, at)
                i += 1
            self._refuse(refused, text, at, begin)
            refused, at = [], end
        self._refuse(refused, text, at, len(text))

    def _place(self, check, text, at):
        if check.kind == "CHECK-COUNT":
            begin, end = None, at
            for _ in range(check.count):
                start, end = self._find(check, text, end)
                begin = start if begin is None else begin
            return begin, end
        if check.kind == "CHECK-SOURCE-HIGHLIGHTED":
            return self._highlighted(check, text, at)
        begin, end = self._find(check, text, at)
        between = text[at:begin].count("\n")
        if check.kind == "CHECK-SAME" and between:
            self._fail('Expected to not find "\\n" but found it', check, text)
        if check.kind == "CHECK-NEXT" and between != 1:
            self._fail(f'Expected to find "{check.text}" on the next line', check, text)
        return begin, end

    def _find(self, check, text, at):
        if check.kind == "CHECK-REGEX":
            found = re.compile(check.text).search(text, at)
            if found is not None:
                return found.span()
        else:
            begin = text.find(check.text, at)
            if begin >= 0:
                return begin, begin + len(check.text)
        self._fail(f'Expected to find "{check.text}" but did not find it', check, text[at:])

    def _highlighted(self, check, text, at):
        """The text with a line of ~ or ^ under all of it."""
        while True:
            begin, end = self._find(check, text, at)
            line = text.rfind("\n", 0, begin) + 1
            below = text.find("\n", end)
            marks = text[below + 1:].partition("\n")[0] if below >= 0 else ""
            if set(marks[begin - line:end - line]) and set(marks[begin - line:end - line]) <= set("~^"):
                return begin, below + 1 + len(marks)
            at = end

    def _refuse(self, refused, text, begin, end):
        for check in refused:
            if check.text in text[begin:end]:
                self._fail(f'Expected to not find "{check.text}" but found it', check, text[begin:end])

    @staticmethod
    def _fail(what, check, text):
        raise RuntimeError(f"{what}\nSearched string:\n{text}\nFrom {check}\n")
