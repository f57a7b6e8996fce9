"""Tables as texts with commas. Behaviour: CPython Modules/_csv.c and Lib/csv.py."""

__all__ = ["QUOTE_MINIMAL", "QUOTE_ALL", "QUOTE_NONNUMERIC", "QUOTE_NONE", "QUOTE_STRINGS", "QUOTE_NOTNULL", "Error", "Dialect",
           "excel", "excel_tab", "field_size_limit", "reader", "writer", "register_dialect", "get_dialect", "list_dialects",
           "unregister_dialect", "DictReader", "DictWriter", "unix_dialect"]

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE, QUOTE_STRINGS, QUOTE_NOTNULL = range(6)


class Error(Exception):
    """A table that can't be read or written."""

    __module__ = "_csv"


class Dialect:
    """How a table is written."""

    delimiter = quotechar = escapechar = doublequote = skipinitialspace = lineterminator = quoting = None

    def __init__(self):
        _Rules(type(self), {})


class excel(Dialect):
    """As Excel writes them."""

    delimiter, quotechar, doublequote, skipinitialspace, lineterminator, quoting = ",", '"', True, False, "\r\n", QUOTE_MINIMAL


class excel_tab(excel):
    """The same with tabs."""

    delimiter = "\t"


class unix_dialect(Dialect):
    """Each cell in quotes, lines that end in a line feed."""

    delimiter, quotechar, doublequote, skipinitialspace, lineterminator, quoting = ",", '"', True, False, "\n", QUOTE_ALL


_dialects = {"excel": excel, "excel-tab": excel_tab, "unix": unix_dialect}
_largest_field = 131072


class _Rules:
    """A dialect, with what was said beside it, checked."""

    _DEFAULTS = {"delimiter": ",", "quotechar": '"', "escapechar": None, "doublequote": True, "skipinitialspace": False,
                 "lineterminator": "\r\n", "quoting": QUOTE_MINIMAL, "strict": False}

    def __init__(self, dialect, given):
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        unknown = [name for name in given if name not in self._DEFAULTS]
        if unknown:
            raise TypeError(f"{unknown[0]!r} is an invalid keyword argument for this function")
        for name, default in self._DEFAULTS.items():
            value = given.get(name, getattr(dialect, name, default) if dialect is not None else default)
            setattr(self, name, value)
        for name in ("delimiter", "quotechar", "escapechar"):
            value = getattr(self, name)
            if value is None and name != "delimiter":
                continue
            if not isinstance(value, str):
                kind = "" if name == "delimiter" else " or None"
                raise TypeError(f'"{name}" must be a unicode character{kind}, not {type(value).__name__}')
            if len(value) != 1:
                if name == "quotechar" and not value and self.quoting == QUOTE_NONE:
                    self.quotechar = None
                    continue
                kind = "" if name == "delimiter" else " or None"
                raise TypeError(f'"{name}" must be a unicode character{kind}, not a string of length {len(value)}')
        if not isinstance(self.quoting, int):
            raise TypeError(f'"quoting" must be an integer, not {type(self.quoting).__name__}')
        if not 0 <= self.quoting <= 5:
            raise TypeError('bad "quoting" value')
        if self.quoting != QUOTE_NONE and self.quotechar is None:
            raise TypeError("quotechar must be set if quoting enabled")
        if self.lineterminator is None:
            raise TypeError('"lineterminator" must be set')


def register_dialect(name, /, dialect=None, **fmtparams):
    """Gives a dialect a name."""
    if not isinstance(name, str):
        raise TypeError("dialect name must be a string")
    _dialects[name] = _Rules(dialect, fmtparams)


def unregister_dialect(name, /):
    """Forgets a name."""
    if name not in _dialects:
        raise Error("unknown dialect")
    del _dialects[name]


def get_dialect(name, /):
    """The dialect of a name."""
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def list_dialects():
    """All names."""
    return list(_dialects)


def field_size_limit(*limit):
    """How long a cell may be; sets it if a number is given."""
    global _largest_field
    before = _largest_field
    if limit:
        if not isinstance(limit[0], int):
            raise TypeError("limit must be an integer")
        _largest_field = limit[0]
    return before


class reader:
    """The rows of a table, from its lines."""

    __module__ = "_csv"

    def __init__(self, iterable, /, dialect="excel", **fmtparams):
        self._lines = iter(iterable)
        self.dialect = _Rules(dialect, fmtparams)
        self.line_num = 0

    def __iter__(self):
        return self

    def __next__(self):
        self._row, self._cell, self._was_quoted = [], [], False
        state = self._start_row
        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if self._cell or state in (self._in_quotes, self._escaped_in_quotes):
                    if self.dialect.strict:
                        raise Error("unexpected end of data") from None
                    self._save()
                    return self._row
                raise
            if not isinstance(line, str):
                raise Error(f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)")
            self.line_num += 1
            for letter in line:
                state = state(letter)
            state = state(None)
            if state == self._start_row:
                return self._row

    def _add(self, letter):
        if len(self._cell) >= _largest_field:
            raise Error(f"field larger than field limit ({_largest_field})")
        self._cell.append(letter)

    def _save(self):
        text = "".join(self._cell)
        quoting = self.dialect.quoting
        if not self._was_quoted and quoting in (QUOTE_NOTNULL, QUOTE_STRINGS) and text == "":
            text = None
        elif not self._was_quoted and quoting in (QUOTE_NONNUMERIC, QUOTE_STRINGS) and text:
            text = float(text)
        self._row.append(text)
        self._cell, self._was_quoted = [], False

    # One method a state: each takes a character (None: the line ended) and gives the next state.
    def _start_row(self, letter):
        if letter is None:
            return self._start_row
        if letter in "\r\n":
            return self._after_line
        return self._start_cell(letter)

    def _after_line(self, letter):
        if letter is None:
            return self._start_row
        if letter in "\r\n":
            return self._after_line
        raise Error("new-line character seen in unquoted field - do you need to open the file with newline=''?")

    def _start_cell(self, letter):
        rules = self.dialect
        if letter is None or letter in "\r\n":
            self._save()
            return self._start_row if letter is None else self._after_line
        if letter == rules.quotechar and rules.quoting != QUOTE_NONE:
            self._was_quoted = True
            return self._in_quotes
        if letter == rules.escapechar:
            return self._escaped
        if letter == " " and rules.skipinitialspace:
            return self._start_cell
        if letter == rules.delimiter:
            self._save()
            return self._start_cell
        self._add(letter)
        return self._in_cell

    def _in_cell(self, letter):
        if letter is None or letter in "\r\n":
            self._save()
            return self._start_row if letter is None else self._after_line
        if letter == self.dialect.escapechar:
            return self._escaped
        if letter == self.dialect.delimiter:
            self._save()
            return self._start_cell
        self._add(letter)
        return self._in_cell

    def _escaped(self, letter):
        self._add("\n" if letter is None else letter)
        return self._in_cell

    def _in_quotes(self, letter):
        rules = self.dialect
        if letter is None:
            return self._in_quotes
        if letter == rules.escapechar:
            return self._escaped_in_quotes
        if letter == rules.quotechar:
            return self._quote_in_quotes if rules.doublequote else self._in_cell
        self._add(letter)
        return self._in_quotes

    def _escaped_in_quotes(self, letter):
        self._add("\n" if letter is None else letter)
        return self._in_quotes

    def _quote_in_quotes(self, letter):
        rules = self.dialect
        if letter is not None and letter == rules.quotechar:
            self._add(letter)
            return self._in_quotes
        if letter is None or letter in "\r\n" or letter == rules.delimiter:
            return self._in_cell(letter)
        if rules.strict:
            raise Error(f"'{rules.delimiter}' expected after '{rules.quotechar}'")
        self._add(letter)
        return self._in_cell


class writer:
    """Writes rows into a file."""

    __module__ = "_csv"

    def __init__(self, fileobj, /, dialect="excel", **fmtparams):
        if not hasattr(fileobj, "write"):
            raise TypeError('argument 1 must have a "write" method')
        self._write = fileobj.write
        self.dialect = _Rules(dialect, fmtparams)

    def _cell(self, value, is_alone):
        rules = self.dialect
        is_number = isinstance(value, (int, float))
        text = "" if value is None else str(value)
        quoting = rules.quoting
        is_quoted = quoting == QUOTE_ALL or quoting == QUOTE_NONNUMERIC and not is_number or \
            quoting == QUOTE_STRINGS and isinstance(value, str) or quoting == QUOTE_NOTNULL and value is not None
        special = {rules.delimiter, rules.escapechar, rules.quotechar, "\r", "\n", *rules.lineterminator} - {None}
        parts = []
        for letter in text:
            if letter in special:
                escapes = False
                if quoting == QUOTE_NONE:
                    escapes = True
                else:
                    if letter == rules.quotechar:
                        if rules.doublequote:
                            parts.append(letter)
                        else:
                            escapes = True
                    elif letter == rules.escapechar:
                        escapes = True
                    if not escapes:
                        is_quoted = True
                if escapes:
                    if rules.escapechar is None:
                        raise Error("need to escape, but no escapechar set")
                    parts.append(rules.escapechar)
            parts.append(letter)
        if not text and is_alone:
            if quoting == QUOTE_NONE or quoting in (QUOTE_STRINGS, QUOTE_NOTNULL) and value is None:
                raise Error("single empty field record must be quoted")
            is_quoted = True
        if text and rules.delimiter == " " and rules.skipinitialspace and text[0] == " ":
            is_quoted = True
        text = "".join(parts)
        return f"{rules.quotechar}{text}{rules.quotechar}" if is_quoted else text

    def writerow(self, row, /):
        """Writes one row."""
        try:
            cells = list(row)
        except TypeError:
            raise Error(f"iterable expected, not {type(row).__name__}") from None
        line = self.dialect.delimiter.join([self._cell(one, len(cells) == 1) for one in cells])
        return self._write(line + self.dialect.lineterminator)

    def writerows(self, rows, /):
        """Writes several rows."""
        for row in rows:
            self.writerow(row)


class DictReader:
    """The rows of a table as dicts; the first one has the names."""

    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", *args, **kwds):
        if fieldnames is not None and iter(fieldnames) is fieldnames:
            fieldnames = list(fieldnames)
        self._fieldnames = fieldnames
        self.restkey = restkey
        self.restval = restval
        self.reader = reader(f, dialect, *args, **kwds)
        self.dialect = dialect
        self.line_num = 0

    def __iter__(self):
        return self

    @property
    def fieldnames(self):
        """The names of the columns."""
        if self._fieldnames is None:
            try:
                self._fieldnames = next(self.reader)
            except StopIteration:
                pass
        self.line_num = self.reader.line_num
        return self._fieldnames

    @fieldnames.setter
    def fieldnames(self, value):
        self._fieldnames = value

    def __next__(self):
        if self.line_num == 0:
            self.fieldnames
        row = next(self.reader)
        self.line_num = self.reader.line_num
        while row == []:
            row = next(self.reader)
        made = dict(zip(self.fieldnames, row))
        known = len(self.fieldnames)
        if known < len(row):
            made[self.restkey] = row[known:]
        for name in self.fieldnames[len(row):]:
            made[name] = self.restval
        return made


class DictWriter:
    """Writes dicts as the rows of a table."""

    def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", *args, **kwds):
        if fieldnames is not None and iter(fieldnames) is fieldnames:
            fieldnames = list(fieldnames)
        self.fieldnames = fieldnames
        self.restval = restval
        extrasaction = extrasaction.lower()
        if extrasaction not in ("raise", "ignore"):
            raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
        self.extrasaction = extrasaction
        self.writer = writer(f, dialect, *args, **kwds)

    def writeheader(self):
        """Writes the names of the columns."""
        return self.writerow(dict(zip(self.fieldnames, self.fieldnames)))

    def _row(self, rowdict):
        if self.extrasaction == "raise":
            extra = [one for one in rowdict if one not in self.fieldnames]
            if extra:
                raise ValueError("dict contains fields not in fieldnames: " + ", ".join(map(repr, extra)))
        return [rowdict.get(name, self.restval) for name in self.fieldnames]

    def writerow(self, rowdict):
        """Writes one dict."""
        return self.writer.writerow(self._row(rowdict))

    def writerows(self, rowdicts):
        """Writes several dicts."""
        return self.writer.writerows(map(self._row, rowdicts))


def __getattr__(name):
    if name == "Sniffer":
        raise NotImplementedError("nnscope has no csv.Sniffer")
    raise AttributeError(f"module 'csv' has no attribute {name!r}")
