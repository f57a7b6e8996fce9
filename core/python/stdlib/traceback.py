"""Texts of exceptions and of where they passed.

The line of a step is shown without the marks below it where the traceback does not tell columns (tb_columns).
"""

__all__ = ["extract_tb", "extract_stack", "format_exception", "format_exception_only", "format_exc", "format_list",
           "format_tb", "format_stack", "print_exc", "print_exception", "print_last", "print_stack", "print_tb",
           "FrameSummary", "StackSummary", "TracebackException", "walk_tb", "walk_stack", "clear_frames"]

import sys

from linecache import getline

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_unset = object()
_REPEATS = 3


class FrameSummary:
    """One step: file, line, name of the function."""

    def __init__(self, filename, lineno, name, *, lookup_line=True, locals=None, line=None, end_lineno=None, colno=None,
                 end_colno=None, **kwargs):
        self.filename = filename
        self.lineno = lineno
        self.name = name
        self.locals = None if locals is None else {key: repr(value) for key, value in locals.items()}
        self.end_lineno = lineno if end_lineno is None else end_lineno
        self.colno = colno
        self.end_colno = end_colno
        self._line = line

    @property
    def line(self):
        """The line of the source, without its indentation; None without a number."""
        if self.lineno is None:
            return None
        if self._line is None:
            self._line = getline(self.filename, self.lineno)
        return self._line.strip()

    def _marks(self):
        """The line of ^ and ~ below the source, or nothing."""
        if self.colno is None or self.end_colno is None or self.end_lineno != self.lineno or not self._line:
            return ""
        line = self._line.rstrip()
        indent = len(line) - len(line.lstrip())
        end = min(self.end_colno, len(line))
        if self.colno <= indent and end >= len(line):
            return ""
        return "    " + " " * (self.colno - indent) + "^" * (end - self.colno) + "\n"

    def __iter__(self):
        return iter((self.filename, self.lineno, self.name, self.line))

    def __getitem__(self, at):
        return (self.filename, self.lineno, self.name, self.line)[at]

    def __len__(self):
        return 4

    def __eq__(self, other):
        if isinstance(other, FrameSummary):
            return self.filename == other.filename and self.lineno == other.lineno and self.name == other.name and \
                self.locals == other.locals
        if isinstance(other, tuple):
            return tuple(self) == other
        return NotImplemented

    __hash__ = None

    def __repr__(self):
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


class StackSummary(list):
    """Steps, the newest last."""

    @classmethod
    def extract(cls, frame_gen, *, limit=None, lookup_lines=True, capture_locals=False):
        """From (frame, line number) pairs."""
        return cls._extract(((frame, (lineno, None, None, None)) for frame, lineno in frame_gen), limit, capture_locals)

    @classmethod
    def _extract(cls, steps, limit, capture_locals):
        steps = list(steps)
        if limit is None:
            limit = getattr(sys, "tracebacklimit", None)
            if limit is not None:
                limit = max(limit, 0)
        if limit is not None:
            steps = steps[:limit] if limit >= 0 else steps[limit:]
        result = cls()
        for frame, (lineno, end_lineno, colno, end_colno) in steps:
            code = frame.f_code
            result.append(FrameSummary(code.co_filename, lineno, code.co_name, end_lineno=end_lineno, colno=colno,
                                       end_colno=end_colno, locals=frame.f_locals if capture_locals else None))
        return result

    @classmethod
    def from_list(cls, a_list):
        """From FrameSummary objects or (file, line, name, text) tuples."""
        return cls(one if isinstance(one, FrameSummary) else FrameSummary(one[0], one[1], one[2], line=one[3])
                   for one in a_list)

    def format_frame_summary(self, frame_summary):
        """The text of a step."""
        text = f'  File "{frame_summary.filename}", line {frame_summary.lineno}, in {frame_summary.name}\n'
        line = frame_summary.line
        if line:
            text += f"    {line}\n" + frame_summary._marks()
        if frame_summary.locals:
            text += "".join(f"    {name} = {value}\n" for name, value in sorted(frame_summary.locals.items()))
        return text

    def format(self, **kwargs):
        """The texts of the steps; the same step more than three times is told once."""
        result = []
        last = None
        count = 0

        def more():
            if count > _REPEATS:
                left = count - _REPEATS
                result.append(f"  [Previous line repeated {left} more time{'s' if left > 1 else ''}]\n")

        for step in self:
            place = (step.filename, step.lineno, step.name)
            if place != last:
                more()
                last = place
                count = 0
            count += 1
            if count <= _REPEATS:
                result.append(self.format_frame_summary(step))
        more()
        return result


def walk_tb(tb):
    """(frame, line number) of each step of a traceback."""
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno
        tb = tb.tb_next


def walk_stack(f):
    """(frame, line number) of a frame and its callers."""
    if f is None:
        f = sys._getframe(1)
    while f is not None:
        yield f, f.f_lineno
        f = f.f_back


def _tb_steps(tb):
    while tb is not None:
        columns = getattr(tb, "tb_columns", None)
        yield tb.tb_frame, (tb.tb_lineno, *(columns or (None, None, None)))
        tb = tb.tb_next


def extract_tb(tb, limit=None):
    """The steps of a traceback."""
    return StackSummary._extract(_tb_steps(tb), limit, False)


def extract_stack(f=None, limit=None):
    """The steps of the stack of calls, the caller's last."""
    found = list(walk_stack(f if f is not None else sys._getframe(1)))
    if limit is not None:
        found = found[:limit] if limit >= 0 else found[limit:]
    return StackSummary.extract(reversed(found))


def _class_name(cls):
    module = cls.__module__
    return cls.__qualname__ if module in ("__main__", "builtins") else f"{module}.{cls.__qualname__}"


def _text_of(value):
    try:
        return str(value)
    except Exception:
        return "<exception str() failed>"


class _Margin:
    """What stands in front of the lines of groups of exceptions: how deep they are, and whether a box is open below."""

    def __init__(self):
        self.depth, self.is_open = 0, False

    def space(self):
        return " " * (2 * self.depth)

    def indented(self, texts, mark="|"):
        front = f"{self.space()}{mark} " if self.depth else ""
        for text in texts:
            yield "".join(front + line for line in text.splitlines(keepends=True))


class TracebackException:
    """All of an exception that its text needs."""

    def __init__(self, exc_type, exc_value, exc_traceback, *, limit=None, lookup_lines=True, capture_locals=False,
                 compact=False, max_group_width=15, max_group_depth=10, save_exc_type=True, _seen=None):
        seen = set() if _seen is None else _seen
        seen.add(id(exc_value))
        self.stack = StackSummary._extract(_tb_steps(exc_traceback), limit, capture_locals)
        self.exc_type = exc_type
        self.exc_type_str = None if exc_type is None else _class_name(exc_type)
        self._str = _text_of(exc_value)
        self.__notes__ = getattr(exc_value, "__notes__", None)
        self._is_syntax_error = isinstance(exc_value, SyntaxError)
        if self._is_syntax_error:
            self.filename, self.text, self.msg = exc_value.filename, exc_value.text, exc_value.msg
            self.lineno, self.offset = exc_value.lineno, exc_value.offset
            self.end_offset = getattr(exc_value, "end_offset", None)
        self.__suppress_context__ = getattr(exc_value, "__suppress_context__", False)

        def following(error):
            if error is None or id(error) in seen:
                return None
            return TracebackException(type(error), error, error.__traceback__, limit=limit, capture_locals=capture_locals,
                                      _seen=seen)

        self.__cause__ = following(getattr(exc_value, "__cause__", None))
        self.__context__ = following(getattr(exc_value, "__context__", None))
        inner = getattr(exc_value, "exceptions", None)
        self.exceptions = [TracebackException(type(one), one, one.__traceback__, limit=limit, _seen=seen) for one in inner] \
            if isinstance(exc_value, BaseExceptionGroup) else None
        self.max_group_width, self.max_group_depth = max_group_width, max_group_depth

    @classmethod
    def from_exception(cls, exc, *args, **kwargs):
        """From an exception."""
        return cls(type(exc), exc, exc.__traceback__, *args, **kwargs)

    def __str__(self):
        return self._str

    def format_exception_only(self, *, show_group=False, **kwargs):
        """The lines of type and message."""
        if self.exc_type is None:
            yield "None\n"
            return
        if self._is_syntax_error:
            yield from self._syntax_error()
        else:
            yield f"{self.exc_type_str}: {self._str}\n" if self._str else f"{self.exc_type_str}\n"
        notes = self.__notes__
        if isinstance(notes, (list, tuple)):
            for note in notes:
                yield "".join(f"{line}\n" for line in _text_of(note).split("\n"))

    def _syntax_error(self):
        if self.lineno is not None:
            yield f'  File "{self.filename or "<string>"}", line {self.lineno}\n'
            if self.text is not None:
                line = self.text.rstrip("\n")
                shown = line.lstrip(" \n\f")
                yield f"    {shown}\n"
                if self.offset is not None:
                    first = self.offset - 1 - (len(line) - len(shown))
                    end = self.end_offset if self.end_offset not in (None, 0, self.offset) else self.offset + 1
                    if first >= 0:
                        yield "    " + "".join(char if char.isspace() else " " for char in shown[:first]) + \
                            "^" * max(end - self.offset, 1) + "\n"
        yield f"{self.exc_type_str}: {self.msg or '<no detail available>'}\n"

    def format(self, *, chain=True, **kwargs):
        """The lines, those of the cause or context first."""
        yield from self._lines(chain, _Margin())

    def _lines(self, chain, margin):
        if chain:
            if self.__cause__ is not None:
                yield from self.__cause__._lines(chain, margin)
                yield from margin.indented((_CAUSE,))
            elif self.__context__ is not None and not self.__suppress_context__:
                yield from self.__context__._lines(chain, margin)
                yield from margin.indented((_CONTEXT,))
        if self.exceptions is not None:
            yield from self._group_lines(chain, margin)
            return
        if self.stack:
            yield from margin.indented(("Traceback (most recent call last):\n",))
            yield from margin.indented(self.stack.format())
        yield from margin.indented(self.format_exception_only())

    def _group_lines(self, chain, margin):
        """A group: its members stand below it, each in a box."""
        if margin.depth > self.max_group_depth:
            yield from margin.indented((f"... (max_group_depth is {self.max_group_depth})\n",))
            return
        is_outermost = margin.depth == 0
        if is_outermost:
            margin.depth = 1
        if self.stack:
            yield from margin.indented(("Exception Group Traceback (most recent call last):\n",), "+" if is_outermost else "|")
            yield from margin.indented(self.stack.format())
        yield from margin.indented(self.format_exception_only())
        count = len(self.exceptions)
        shown = min(count, self.max_group_width)
        margin.is_open = False
        for at in range(shown + (count > shown)):
            is_last = at == shown + (count > shown) - 1
            if is_last:
                margin.is_open = True
            yield f"{margin.space()}{'+-' if at == 0 else '  '}+---------------- {at + 1 if at < shown else '...'} ----------------\n"
            margin.depth += 1
            if at < shown:
                yield from self.exceptions[at]._lines(chain, margin)
            else:
                left = count - shown
                yield from margin.indented((f"and {left} more exception{'s' if left > 1 else ''}\n",))
            if is_last and margin.is_open:
                yield f"{margin.space()}+------------------------------------\n"
                margin.is_open = False
            margin.depth -= 1
        if is_outermost:
            margin.depth = 0

    def print(self, *, file=None, chain=True, **kwargs):
        """Writes the lines to a file, sys.stderr without one."""
        for line in self.format(chain=chain):
            (file or sys.stderr).write(line)


def _parts(exc, value, tb):
    if value is _unset and tb is _unset:
        if exc is None or isinstance(exc, BaseException):
            return type(exc) if exc is not None else None, exc, getattr(exc, "__traceback__", None)
        raise TypeError(f"Exception expected for value, {type(exc).__name__} found")
    if value is _unset or tb is _unset:
        raise ValueError("Both or neither of value and tb must be given")
    return type(value) if value is not None else None, value, tb


def format_exception(exc, /, value=_unset, tb=_unset, limit=None, chain=True, **kwargs):
    """The lines of an exception: where it passed, type and message."""
    kind, value, tb = _parts(exc, value, tb)
    return list(TracebackException(kind, value, tb, limit=limit).format(chain=chain))


def format_exception_only(exc, /, value=_unset, *, show_group=False, **kwargs):
    """The lines of type and message."""
    if value is _unset:
        value = exc
    return list(TracebackException(type(value) if value is not None else None, value, None).format_exception_only())


def print_exception(exc, /, value=_unset, tb=_unset, limit=None, file=None, chain=True, **kwargs):
    """Writes an exception to a file, sys.stderr without one."""
    kind, value, tb = _parts(exc, value, tb)
    TracebackException(kind, value, tb, limit=limit).print(file=file, chain=chain)


def format_exc(limit=None, chain=True):
    """The text of the exception that is handled now."""
    return "".join(format_exception(sys.exc_info()[1], limit=limit, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    """Writes the exception that is handled now."""
    print_exception(sys.exc_info()[1], limit=limit, file=file, chain=chain)


def print_last(limit=None, file=None, chain=True):
    """Writes the last exception that nobody handled. Errors: ValueError if there is none."""
    last = getattr(sys, "last_exc", None)
    if last is None:
        raise ValueError("no last exception")
    print_exception(last, limit=limit, file=file, chain=chain)


def format_list(extracted_list):
    """The texts of steps."""
    return StackSummary.from_list(extracted_list).format()


def print_list(extracted_list, file=None):
    """Writes the texts of steps."""
    for text in format_list(extracted_list):
        (file or sys.stderr).write(text)


def format_tb(tb, limit=None):
    """The texts of the steps of a traceback."""
    return extract_tb(tb, limit).format()


def print_tb(tb, limit=None, file=None):
    """Writes the steps of a traceback."""
    print_list(extract_tb(tb, limit), file)


def format_stack(f=None, limit=None):
    """The texts of the steps of the stack of calls."""
    return extract_stack(f if f is not None else sys._getframe(1), limit).format()


def print_stack(f=None, limit=None, file=None):
    """Writes the steps of the stack of calls."""
    print_list(extract_stack(f if f is not None else sys._getframe(1), limit), file)


def clear_frames(tb):
    """Forgets the local variables in the frames of a traceback."""
    while tb is not None:
        clear = getattr(tb.tb_frame, "clear", None)
        if clear is not None:
            try:
                clear()
            except RuntimeError:
                pass
        tb = tb.tb_next
