"""Where a definition begins and ends in the lines of its file. Behaviour: Lib/inspect.py, BlockFinder, getblock, findsource."""
import re

# What begins at a place of a line: a string (with its quotes), a comment, a bracket, a backslash that joins lines.
_TOKEN = re.compile(r"""(?P<quote>'''|\"\"\"|'|\")|(?P<comment>\#)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<join>\\\r?\n)""")
_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)")
_RAW = re.compile(r"\w*[rR]\w*$")


class Line:
    """A logical line: rows from `first` to `last` (from 0), the column of its first letter, its text up to the first row's end."""

    def __init__(self, first, column, text):
        self.first = self.last = first
        self.column, self.text = column, text
        self.is_comment = text.startswith("#")


def _end_of_string(lines, row, at, quote):
    """The row and column behind the string that `quote` began before."""
    while row < len(lines):
        line = lines[row]
        while at < len(line):
            if line[at] == "\\":
                at += 2
            elif line.startswith(quote, at):
                return row, at + len(quote)
            else:
                at += 1
        if len(quote) == 1 and not line.rstrip("\r\n").endswith("\\"):
            break
        row, at = row + 1, 0
    return row, 0


def _end_of_line(lines, row):
    """The last row of the logical line that begins in `row`; a bracket that closes what began before ends it, too."""
    depth, at = 0, 0
    while row < len(lines):
        found = _TOKEN.search(lines[row], at)
        if found is None or found["comment"]:
            if depth == 0:
                return row
            row, at = row + 1, 0
        elif found["quote"]:
            row, at = _end_of_string(lines, row, found.end(), found["quote"])
        elif found["join"]:
            row, at = row + 1, 0
        else:
            depth += 1 if found["open"] else -1
            at = found.end()
            if depth < 0:
                return row
    return len(lines) - 1


def logical_lines(lines):
    """All of them, and the comments that stand alone; empty lines are left out."""
    made, row = [], 0
    while row < len(lines):
        text = lines[row].strip()
        if text:
            line = Line(row, len(lines[row].expandtabs()) - len(lines[row].expandtabs().lstrip()), text)
            if not line.is_comment:
                line.last = _end_of_line(lines, row)
            made.append(line)
            row = line.last
        row += 1
    return made


def _block(logical, at):
    """The last row of what the logical line defines: all that is indented further, and comments as far in as that."""
    head, last, body = logical[at], logical[at].last, None
    for line in logical[at + 1:]:
        if line.is_comment:
            if body is not None and line.column >= body:
                last = line.first
            continue
        if line.column <= head.column:
            break
        body = line.column if body is None else body
        last = line.last
    return last


def block_from(lines):
    """The lines of the definition, its decorators included, or the logical line, that these begin with."""
    logical = [one for one in logical_lines(lines)]
    at = next((i for i, one in enumerate(logical) if not one.is_comment), None)
    if at is None:
        return lines[:1]
    while at + 1 < len(logical) and (logical[at].text.startswith("@") or logical[at].is_comment):
        at += 1
    if _DEFINITION.match(logical[at].text):
        return lines[:_block(logical, at) + 1]
    return lines[:_end_of_line(lines, logical[at].first) + 1]


def first_row(lines, row):
    """The row of the first decorator of the definition in `row`; `row` itself of what has none."""
    logical = [one for one in logical_lines(lines) if not one.is_comment]
    at = next((i for i, one in enumerate(logical) if one.first == row), None)
    if at is None or not _DEFINITION.match(logical[at].text):
        return row
    while at > 0 and logical[at - 1].text.startswith("@") and logical[at - 1].column == logical[at].column:
        at -= 1
    return logical[at].first


def row_of_class(lines, qualname):
    """The row of the class of that qualified name, of its first decorator if it has one; None: there is no such class."""
    wanted = [one for one in qualname.split(".") if one != "<locals>"]
    around, found = [], None
    for line in logical_lines(lines):
        if line.is_comment:
            continue
        while around and around[-1][0] >= line.column:
            around.pop()
        definition = _DEFINITION.match(line.text)
        if definition is None:
            continue
        around.append((line.column, definition[1]))
        if line.text.startswith("class") and [name for _, name in around] == wanted:
            found = line.first
    return None if found is None else first_row(lines, found)
