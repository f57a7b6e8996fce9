"""Data structures over several lines."""

__all__ = ["pprint", "pformat", "isreadable", "isrecursive", "saferepr", "PrettyPrinter", "pp"]

import sys


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    """Prints an object."""
    PrettyPrinter(indent, width, depth, stream, compact=compact, sort_dicts=sort_dicts,
                  underscore_numbers=underscore_numbers).pprint(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    """Prints an object, dicts in their order."""
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    """The text of an object."""
    return PrettyPrinter(indent, width, depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def saferepr(object):
    """repr() that ends for what contains itself."""
    return PrettyPrinter()._repr(object, set(), 0)


def isreadable(object):
    """Whether eval() would give the object back."""
    return PrettyPrinter().isreadable(object)


def isrecursive(object):
    """Whether it contains itself."""
    return PrettyPrinter().isrecursive(object)


class _Key:
    """Sorts what can't be compared by class and address."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        try:
            return self.value < other.value
        except TypeError:
            return (str(type(self.value)), id(self.value)) < (str(type(other.value)), id(other.value))


def _sorted_pairs(mapping):
    return sorted(mapping.items(), key=lambda pair: (_Key(pair[0]), _Key(pair[1])))


class PrettyPrinter:
    """Writes objects so that lines are no wider than `width` where that can be."""

    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True,
                 underscore_numbers=False):
        indent, width = int(indent), int(width)
        if indent < 0:
            raise ValueError("indent must be >= 0")
        if depth is not None and depth <= 0:
            raise ValueError("depth must be > 0")
        if not width:
            raise ValueError("width must be != 0")
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = bool(compact)
        self._sort_dicts = sort_dicts
        self._underscore_numbers = underscore_numbers
        self._is_readable = True
        self._is_recursive = False

    def pprint(self, object):
        """Writes an object."""
        (self._stream or sys.stdout).write(self.pformat(object) + "\n")

    def pformat(self, object):
        """The text of an object."""
        self._is_readable = True
        self._is_recursive = False
        parts = []
        self._format(object, parts.append, 0, 0, set(), 0)
        return "".join(parts)

    def isrecursive(self, object):
        """Whether it contains itself."""
        self.format(object, {}, 0, 0)
        return self._is_recursive

    def isreadable(self, object):
        """Whether eval() would give the object back."""
        self._is_readable, self._is_recursive = True, False
        text = self._repr(object, set(), 0)
        return self._is_readable and not self._is_recursive and not text.startswith("<")

    def format(self, object, context, maxlevels, level):
        """(text, whether it is readable, whether it contains itself) on one line."""
        self._is_readable, self._is_recursive = True, False
        return self._repr(object, set(), level), self._is_readable, self._is_recursive

    # On one line

    def _recursion(self, object):
        self._is_recursive = True
        self._is_readable = False
        return f"<Recursion on {type(object).__name__} with id={id(object)}>"

    def _repr(self, object, active, level):
        cls = type(object)
        method = cls.__repr__
        is_dict = issubclass(cls, dict) and method is dict.__repr__
        if issubclass(cls, int) and method is int.__repr__ and self._underscore_numbers:
            return f"{object:_d}"
        if not is_dict and not (issubclass(cls, list) and method is list.__repr__) and \
                not (issubclass(cls, tuple) and method is tuple.__repr__):
            text = repr(object)
            if text.startswith("<"):
                self._is_readable = False
            return text
        if not object:
            return repr(object)
        left, right = "{}" if is_dict else "[]" if issubclass(cls, list) else "()"
        if self._depth and level >= self._depth:
            self._is_readable = False
            return f"{left}...{right}"
        if id(object) in active:
            return self._recursion(object)
        active.add(id(object))
        level += 1
        if is_dict:
            pairs = _sorted_pairs(object) if self._sort_dicts else object.items()
            inside = ", ".join(f"{self._repr(key, active, level)}: {self._repr(value, active, level)}" for key, value in pairs)
        else:
            inside = ", ".join(self._repr(item, active, level) for item in object)
            if left == "(" and len(object) == 1:
                inside += ","
        active.discard(id(object))
        return left + inside + right

    # Over several lines

    def _format(self, object, write, indent, allowance, active, level):
        if id(object) in active:
            write(self._recursion(object))
            return
        text = self._repr(object, set(active), level)
        if len(text) <= self._width - indent - allowance:
            write(text)
            return
        printer = self._printer(object)
        if printer is None:
            write(text)
            return
        active.add(id(object))
        printer(object, write, indent, allowance, active, level + 1)
        active.discard(id(object))

    def _printer(self, object):
        cls = type(object)
        method = cls.__repr__
        for known, printer in ((dict, self._dict), (list, self._list), (tuple, self._tuple), (set, self._set),
                               (frozenset, self._set), (str, self._str)):
            if method is known.__repr__ and (issubclass(cls, known)):
                return printer
        name = cls.__name__
        if name == "OrderedDict":
            return self._ordered_dict
        if name == "defaultdict":
            return self._default_dict
        if name == "Counter" and issubclass(cls, dict):
            return self._counter
        if name == "deque":
            return self._deque
        if name in ("SimpleNamespace", "namespace") and cls.__module__ == "types":
            return self._namespace
        if name == "mappingproxy":
            return self._proxy
        if "__dataclass_fields__" in dir(cls) and cls.__dataclass_params__.repr and "__wrapped__" in dir(method):
            return self._dataclass
        return None

    def _dict(self, object, write, indent, allowance, active, level):
        write("{")
        if self._indent > 1:
            write((self._indent - 1) * " ")
        pairs = _sorted_pairs(object) if self._sort_dicts else list(object.items())
        self._pairs(pairs, write, indent, allowance + 1, active, level)
        write("}")

    def _pairs(self, pairs, write, indent, allowance, active, level):
        indent += self._indent
        for at, (key, value) in enumerate(pairs):
            is_last = at == len(pairs) - 1
            text = self._repr(key, active, level)
            write(f"{text}: ")
            self._format(value, write, indent + len(text) + 2, allowance if is_last else 1, active, level)
            if not is_last:
                write(",\n" + " " * indent)

    def _list(self, object, write, indent, allowance, active, level):
        write("[")
        self._items(object, write, indent, allowance + 1, active, level)
        write("]")

    def _tuple(self, object, write, indent, allowance, active, level):
        end = ",)" if len(object) == 1 else ")"
        write("(")
        self._items(object, write, indent, allowance + len(end), active, level)
        write(end)

    def _set(self, object, write, indent, allowance, active, level):
        cls = type(object)
        if cls is set:
            start, end = "{", "}"
        else:
            start, end = f"{cls.__name__}({{", "})"
            indent += len(cls.__name__) + 1
        write(start)
        self._items(sorted(object, key=_Key), write, indent, allowance + len(end), active, level)
        write(end)

    def _items(self, items, write, indent, allowance, active, level):
        indent += self._indent
        if self._indent > 1:
            write((self._indent - 1) * " ")
        between = ",\n" + " " * indent
        delimiter = ""
        width = room = self._width - indent + 1
        items = list(items)
        for at, item in enumerate(items):
            is_last = at == len(items) - 1
            if is_last:
                room -= allowance
                width -= allowance
            if self._compact:
                text = self._repr(item, set(active), level)
                needed = len(text) + 2
                if width < needed:
                    width = room
                    if delimiter:
                        delimiter = between
                if width >= needed:
                    width -= needed
                    write(delimiter)
                    delimiter = ", "
                    write(text)
                    continue
            write(delimiter)
            delimiter = between
            self._format(item, write, indent, allowance if is_last else 1, active, level)

    def _str(self, object, write, indent, allowance, active, level):
        """A long text as several, one below the other, broken behind spaces."""
        if not object:
            write(repr(object))
            return
        chunks = []
        lines = object.splitlines(True)
        if level == 1:
            indent += 1
            allowance += 1
        most = most_of_line = self._width - indent
        for at, line in enumerate(lines):
            text = repr(line)
            if at == len(lines) - 1:
                most_of_line -= allowance
            if len(text) <= most_of_line:
                chunks.append(text)
                continue
            words = _words(line)
            current = ""
            most_here = most
            for place, word in enumerate(words):
                candidate = current + word
                if place == len(words) - 1 and at == len(lines) - 1:
                    most_here -= allowance
                if len(repr(candidate)) > most_here:
                    if current:
                        chunks.append(repr(current))
                    current = word
                else:
                    current = candidate
            if current:
                chunks.append(repr(current))
        if len(chunks) == 1:
            write(chunks[0])
            return
        text = ("\n" + " " * indent).join(chunks)
        write(f"({text})" if level == 1 else text)

    def _ordered_dict(self, object, write, indent, allowance, active, level):
        if not object:
            write(repr(object))
            return
        name = type(object).__name__
        write(f"{name}(")
        self._items_of_ordered(object, write, indent + len(name) + 1, allowance + 1, active, level)
        write(")")

    def _items_of_ordered(self, object, write, indent, allowance, active, level):
        self._list([(key, value) for key, value in object.items()], write, indent, allowance, active, level)

    def _default_dict(self, object, write, indent, allowance, active, level):
        name = type(object).__name__
        indent += len(name) + 1
        write(f"{name}({self._repr(object.default_factory, active, level)},\n{' ' * indent}")
        self._dict(object, write, indent, allowance + 1, active, level)
        write(")")

    def _counter(self, object, write, indent, allowance, active, level):
        name = type(object).__name__
        write(f"{name}({{")
        if self._indent > 1:
            write((self._indent - 1) * " ")
        self._pairs(object.most_common(), write, indent + len(name) + 1, allowance + 2, active, level)
        write("})")

    def _deque(self, object, write, indent, allowance, active, level):
        name = type(object).__name__
        write(f"{name}(")
        indent += len(name) + 1
        write("[")
        if object.maxlen is None:
            self._items(object, write, indent, allowance + 2, active, level)
            write("])")
        else:
            self._items(object, write, indent, 2, active, level)
            write(f"],\n{' ' * indent}maxlen={self._repr(object.maxlen, active, level)})")

    def _proxy(self, object, write, indent, allowance, active, level):
        write("mappingproxy(")
        self._format(object.copy(), write, indent + 13, allowance + 1, active, level)
        write(")")

    def _named(self, name, pairs, write, indent, allowance, active, level):
        write(f"{name}(")
        indent += len(name) + 1
        for at, (key, value) in enumerate(pairs):
            is_last = at == len(pairs) - 1
            write(f"{key}=")
            if id(value) in active:
                write("...")
            else:
                self._format(value, write, indent + len(key) + 1, allowance if is_last else 1, active, level)
            if not is_last:
                write(",\n" + " " * indent)
        write(")")

    def _namespace(self, object, write, indent, allowance, active, level):
        self._named("namespace", list(object.__dict__.items()), write, indent, allowance, active, level)

    def _dataclass(self, object, write, indent, allowance, active, level):
        pairs = [(one.name, getattr(object, one.name)) for one in type(object).__dataclass_fields__.values() if one.repr]
        self._named(type(object).__name__, pairs, write, indent, allowance, active, level)


def _words(line):
    """The words of a line, each with the space behind it."""
    words = []
    at = 0
    while at < len(line):
        end = at
        while end < len(line) and not line[end].isspace():
            end += 1
        while end < len(line) and line[end].isspace():
            end += 1
        words.append(line[at:end])
        at = end
    return words
