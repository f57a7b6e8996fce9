"""Arrays as tables of text. Behaviour: numpy/lib/_npyio_impl.py, numpy/_core/src/multiarray/textreading."""
import itertools
import math
import os
import warnings

from numpy._array import array, asarray, empty
from numpy._dtypes import absent, as_dtype
from numpy._functions import atleast_2d


def _lines_of(file, encoding):
    """The lines of a file, of a path, or of what is a sequence of them."""
    if isinstance(file, str) or hasattr(file, "__fspath__"):
        path = os.fspath(file)
        if path.endswith(".gz"):
            import gzip
            with gzip.open(path, "rt") as fp:
                return fp.read().splitlines()
        with open(path, encoding=encoding if encoding not in (None, "bytes") else None) as fp:
            return fp.read().splitlines()
    lines = file.read() if hasattr(file, "read") else list(file)
    if isinstance(lines, bytes):
        lines = lines.decode(encoding if encoding not in (None, "bytes") else "latin1")
    if isinstance(lines, str):
        return lines.splitlines()
    return [(one.decode("latin1") if isinstance(one, bytes) else one).rstrip("\r\n") for one in lines]


# Writing.

def _form_of(fmt, count, delimiter, is_complex):
    """One pattern for the whole row. Errors: AttributeError, ValueError."""
    if isinstance(fmt, (list, tuple)):
        if len(fmt) != count:
            raise AttributeError(f"fmt has wrong shape.  {fmt!s}")
        return delimiter.join(fmt)
    found = fmt.count("%")
    if found == 1:
        one = f" ({fmt}+{fmt}j)" if is_complex else fmt
        return delimiter.join([one] * count)
    if found != (2 * count if is_complex else count):
        raise ValueError(f"fmt has wrong number of % formats:  {fmt}")
    return fmt


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ", encoding=None):
    X = asarray(X)
    if X.ndim == 0 or X.ndim > 2:
        raise ValueError(f"Expected 1D or 2D array, got {X.ndim}D array instead")
    X = X.reshape(-1, 1) if X.ndim == 1 else X
    is_complex = X.dtype.kind == "c"
    form = _form_of(fmt, X.shape[1], delimiter, is_complex)
    lines = []
    if header:
        lines.append(comments + header.replace("\n", "\n" + comments) + newline)
    for row in X.tolist():
        values = tuple(part for one in row for part in (one.real, one.imag)) if is_complex else tuple(row)
        try:
            text = form % values + newline
        except TypeError:
            raise TypeError(f"Mismatch between array dtype ('{X.dtype}') and format specifier ('{form}')") from None
        lines.append(text.replace("+-", "-") if is_complex else text)
    if footer:
        lines.append(comments + footer.replace("\n", "\n" + comments) + newline)
    text = "".join(lines)
    if not (isinstance(fname, str) or hasattr(fname, "__fspath__")):
        try:
            fname.write(text)
        except TypeError:
            fname.write(text.encode(encoding or "latin1"))
        return
    path = os.fspath(fname)
    if path.endswith(".gz"):
        import gzip
        with gzip.open(path, "wb") as fp:
            fp.write(text.encode(encoding or "latin1"))
        return
    with open(path, "w", encoding=encoding) as fp:
        fp.write(text)


# Reading.

def _number_reader(found):
    if found.kind == "f":
        return float
    if found.kind == "c":
        return lambda text: complex(text.replace(" ", "").replace("i", "j"))
    if found.kind == "b":
        return lambda text: bool(int(text))
    return int


def _words_of(line, delimiter, quotechar):
    if quotechar is None or quotechar not in line:
        return line.split(delimiter) if delimiter is not None else line.split()
    words, word, is_quoted, i = [], "", False, 0
    while i < len(line):
        one = line[i]
        if one == quotechar:
            if is_quoted and line[i + 1:i + 2] == quotechar:
                word += one
                i += 1
            else:
                is_quoted = not is_quoted
        elif not is_quoted and (one == delimiter or (delimiter is None and one.isspace())):
            if delimiter is not None or word:
                words.append(word)
            word = ""
        else:
            word += one
        i += 1
    return words + [word] if delimiter is not None or word else words


def _without_comment(line, comments):
    for mark in comments:
        line = line.partition(mark)[0]
    return line


def _marks(comments):
    marks = [] if comments is None else [comments] if isinstance(comments, (str, bytes)) else list(comments)
    return [one.decode("latin1") if isinstance(one, bytes) else one for one in marks]


def _columns(usecols):
    if usecols is None:
        return None
    return [int(usecols)] if not hasattr(usecols, "__len__") else [int(one) for one in usecols]


def _converter(converters, column, count):
    if converters is None or callable(converters):
        return converters
    return converters.get(column, converters.get(column - count))


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False, ndmin=0,
            encoding=None, max_rows=None, *, quotechar=None, like=None):
    """Rows of numbers, each with as many. Errors: ValueError  a word is no number, rows differ."""
    if ndmin not in (0, 1, 2):
        raise ValueError(f"Illegal value of ndmin keyword: {ndmin}")
    found = as_dtype(dtype)
    marks, columns, read = _marks(comments), _columns(usecols), _number_reader(found)
    rows, width = [], None
    for line in itertools.islice(_lines_of(fname, encoding), skiprows, None):
        if max_rows is not None and len(rows) >= max_rows:
            break
        line = _without_comment(line, marks)
        if not line.strip():
            continue
        words = _words_of(line if delimiter is None else line.rstrip("\r\n"), delimiter, quotechar)
        if columns is None and width is not None and len(words) != width:
            raise ValueError(f"the number of columns changed from {width} to {len(words)} at row {len(rows) + 1}; use `usecols` "
                             "to select a subset and avoid this error")
        width = len(words)
        row = []
        for place in range(width) if columns is None else columns:
            if not -width <= place < width:
                raise ValueError(f"invalid column index {place} at row {len(rows) + 1} with {width} columns")
            convert = _converter(converters, place % width, width)
            word = words[place]
            try:
                row.append(read(word.strip()) if convert is None else convert(word))
            except ValueError:
                if convert is not None:
                    raise
                raise ValueError(f"could not convert string {word.strip()!r} to {found.name} at row {len(rows)}, column "
                                 f"{place % width + 1}.") from None
        rows.append(row)
    if not rows:
        name = fname if isinstance(fname, str) else repr(fname)
        warnings.warn(f'loadtxt: input contained no data: "{name}"', UserWarning, stacklevel=2)
        made = empty((0, len(columns) if columns else 0) if ndmin == 2 else (0,), found)
        return made
    made = array(rows, dtype=found)
    if ndmin < 2:
        made = made.squeeze()
        made = made.reshape(1) if ndmin == 1 and made.ndim == 0 else made
    if unpack and made.ndim > 1:
        made = made.T
    return made


def genfromtxt(fname, dtype=float, comments="#", delimiter=None, skip_header=0, skip_footer=0, converters=None,
               missing_values=None, filling_values=None, usecols=None, names=None, excludelist=None, deletechars=None,
               replace_space="_", autostrip=False, case_sensitive=True, defaultfmt="f%i", unpack=None, usemask=False, loose=True,
               invalid_raise=True, max_rows=None, encoding=None, *, ndmin=0, like=None):
    """Rows of numbers; what is missing or no number is NaN, -1 or the filling value."""
    if names is not None or dtype is None or usemask:
        raise absent("genfromtxt(names=..., dtype=None, usemask=True), whose results are structured or masked arrays")
    found = as_dtype(dtype)
    marks, columns, read = _marks(comments), _columns(usecols), _number_reader(found)
    missing = {"", *([missing_values] if isinstance(missing_values, str) else missing_values or ())}
    default = {"f": math.nan, "c": complex(math.nan, 0), "b": False}.get(found.kind, -1)
    lines = list(itertools.islice(_lines_of(fname, encoding), skip_header, None))
    if isinstance(delimiter, (int, list, tuple)):
        raise absent("genfromtxt(delimiter=...) with widths of columns")
    rows = []
    for line in lines:
        line = _without_comment(line, marks)
        if line.strip():
            rows.append(line.split() if delimiter is None else line.strip("\r\n").split(delimiter))
    rows = rows[:len(rows) - skip_footer] if skip_footer else rows
    rows = rows[:max_rows] if max_rows is not None else rows
    if not rows:
        warnings.warn(f'genfromtxt: Empty input file: "{fname}"', UserWarning, stacklevel=2)
        return empty((0,), found)
    width = len(rows[0])
    wrong = [(i + 1 + skip_header, len(row)) for i, row in enumerate(rows) if len(row) != width]
    if wrong and columns is None:
        text = "Some errors were detected !\n" + "\n".join(
            f"    Line #{line} (got {count} columns instead of {width})" for line, count in wrong)
        if invalid_raise:
            raise ValueError(text)
        warnings.warn(text, UserWarning, stacklevel=2)
        rows = [row for row in rows if len(row) == width]
    made = []
    for row in rows:
        values = []
        for i, place in enumerate(range(width) if columns is None else columns):
            word = row[place].strip()
            convert = _converter(converters, place % width, width)
            fill = filling_values.get(place, default) if isinstance(filling_values, dict) else \
                filling_values[i] if isinstance(filling_values, (list, tuple)) else \
                default if filling_values is None else filling_values
            if convert is not None:
                values.append(convert(row[place]))
                continue
            try:
                values.append(fill if word in missing else read(word))
            except ValueError:
                values.append(fill)
        made.append(values)
    made = array(made, dtype=found).squeeze()
    made = atleast_2d(made) if ndmin == 2 else made.reshape(1) if ndmin == 1 and made.ndim == 0 else made
    return made.T if unpack else made


def numbers_of(text, dtype, count, sep):
    """The numbers of a text between separators."""
    found = as_dtype(dtype)
    words = text.split() if sep.strip() == "" else [one.strip() for one in text.strip().split(sep.strip())]
    words = [one for one in words if one][:count if count >= 0 else None]
    read = _number_reader(found)
    return array([read(one) for one in words], dtype=found)


def fromstring(string, dtype=float, count=-1, *, sep="", like=None):
    if not sep:
        raise ValueError("The binary mode of fromstring is removed, use frombuffer instead")
    return numbers_of(string, dtype, count, sep)
