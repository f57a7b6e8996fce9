"""Containers beside list, tuple, dict and set."""

__all__ = ["ChainMap", "Counter", "OrderedDict", "UserDict", "UserList", "UserString", "defaultdict", "deque", "namedtuple"]

from _collections import OrderedDict, defaultdict

from _generics import GenericAlias
from collections._deque import deque

_KEYWORDS = frozenset(("False None True and as assert async await break class continue def del elif else except finally for "
                       "from global if import in is lambda nonlocal not or pass raise return try while with yield").split())


def __getattr__(name):
    # The classes over collections.abc are rarely asked for, and cost its import.
    if name in ("ChainMap", "UserDict", "UserList", "UserString"):
        from collections import _wrappers
        return getattr(_wrappers, name)
    if name == "abc":
        import collections.abc
        return collections.abc
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _calling_module(depth=1):
    """The name of the module that called who calls this, or of one that is `depth` calls away."""
    import sys
    try:
        return sys._getframe(depth + 1).f_globals.get("__name__", "__main__")
    except (AttributeError, ValueError):
        return None


def _read_only(word):
    def refuse(self, value=None):
        raise AttributeError(f"can't {word} attribute")
    return refuse


_refuse_set = _read_only("set")
_refuse_delete = _read_only("delete")


def _field(at):
    return property(lambda self: self[at], _refuse_set, _refuse_delete, f"Alias for field number {at}")


def _checked_names(typename, names, rename):
    if rename:
        seen = set()
        for at, name in enumerate(names):
            if not name.isidentifier() or name in _KEYWORDS or name.startswith("_") or name in seen:
                names[at] = f"_{at}"
            seen.add(name)
    for name in [typename, *names]:
        if type(name) is not str:
            raise TypeError("Type names and field names must be strings")
        if not name.isidentifier():
            raise ValueError(f"Type names and field names must be valid identifiers: {name!r}")
        if name in _KEYWORDS:
            raise ValueError(f"Type names and field names cannot be a keyword: {name!r}")
    seen = set()
    for name in names:
        if name.startswith("_") and not rename:
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in seen:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
        seen.add(name)
    return tuple(names)


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    """A class of tuples whose items have names."""
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    typename = str(typename)
    fields = _checked_names(typename, list(map(str, field_names)), rename)
    field_defaults = {}
    if defaults is not None:
        defaults = tuple(defaults)
        if len(defaults) > len(fields):
            raise TypeError("Got more default values than field names")
        field_defaults = dict(zip(fields[len(fields) - len(defaults):], defaults))
    count = len(fields)
    new_tuple = tuple.__new__
    parameters = "".join(f", {name}" for name in fields)
    items = "".join(f"{name}, " for name in fields)
    __new__ = eval(f"lambda _cls{parameters}: _new(_cls, ({items}))",
                   {"_new": new_tuple, "__builtins__": {}, "__name__": f"namedtuple_{typename}"})
    __new__.__name__ = "__new__"
    __new__.__doc__ = f"Create new instance of {typename}({', '.join(fields)})"
    if defaults is not None:
        __new__.__defaults__ = defaults

    @classmethod
    def _make(cls, iterable):
        result = new_tuple(cls, iterable)
        if len(result) != count:
            raise TypeError(f"Expected {count} arguments, got {len(result)}")
        return result

    def _replace(self, /, **kwds):
        result = self._make([kwds.pop(name, value) for name, value in zip(fields, self)])
        if kwds:
            raise TypeError(f"Got unexpected field names: {list(kwds)!r}")
        return result

    template = f"({', '.join(f'{name}=%r' for name in fields)})"

    def __repr__(self):
        return type(self).__name__ + template % tuple(self)

    def _asdict(self):
        return dict(zip(fields, self))

    def __getnewargs__(self):
        return tuple(self)

    _replace.__doc__ = f"Return a new {typename} object replacing specified fields with new values"
    for method in (__new__, _make.__func__, _replace, __repr__, _asdict, __getnewargs__):
        method.__qualname__ = f"{typename}.{method.__name__}"
    names = {"__doc__": f"{typename}({', '.join(fields)})", "__slots__": (), "_fields": fields,
             "_field_defaults": field_defaults, "__new__": __new__, "_make": _make, "__replace__": _replace,
             "_replace": _replace, "__repr__": __repr__, "_asdict": _asdict, "__getnewargs__": __getnewargs__,
             "__match_args__": fields}
    for at, name in enumerate(fields):
        names[name] = _field(at)
    if module is None:
        module = _calling_module()
    if module is not None:
        names["__module__"] = module
    return type(typename, (tuple,), names)


class Counter(dict):
    """How often each item was there."""

    def __init__(self, iterable=None, /, **kwds):
        super().__init__()
        self.update(iterable, **kwds)

    def __missing__(self, key):
        return 0

    def total(self):
        """The sum of all counts."""
        return sum(self.values())

    def most_common(self, n=None):
        """The `n` items that were there most often (all with None), with their counts."""
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[:max(n, 0)]

    def elements(self):
        """Each item as often as its count says."""
        return (item for item, count in self.items() for _ in range(count))

    @classmethod
    def fromkeys(cls, iterable, v=None):
        raise NotImplementedError("Counter.fromkeys() is undefined.  Use Counter(iterable) instead.")

    def update(self, iterable=None, /, **kwds):
        """Adds counts: those of a mapping, or one for each item."""
        if iterable is not None:
            if hasattr(iterable, "items") and hasattr(iterable, "__getitem__"):
                if self:
                    get = self.get
                    for item, count in iterable.items():
                        self[item] = count + get(item, 0)
                else:
                    super().update(iterable)
            else:
                get = self.get
                for item in iterable:
                    self[item] = get(item, 0) + 1
        if kwds:
            self.update(kwds)

    def subtract(self, iterable=None, /, **kwds):
        """Subtracts counts; they may become negative."""
        if iterable is not None:
            get = self.get
            if hasattr(iterable, "items") and hasattr(iterable, "__getitem__"):
                for item, count in iterable.items():
                    self[item] = get(item, 0) - count
            else:
                for item in iterable:
                    self[item] = get(item, 0) - 1
        if kwds:
            self.subtract(kwds)

    def copy(self):
        """A copy."""
        return type(self)(self)

    __copy__ = copy

    def __reduce__(self):
        return type(self), (dict(self),)

    def __delitem__(self, item):
        if item in self:
            super().__delitem__(item)

    def __repr__(self):
        if not self:
            return f"{type(self).__name__}()"
        try:
            shown = dict(self.most_common())
        except TypeError:
            shown = dict(self)
        return f"{type(self).__name__}({shown!r})"

    # Comparisons: an item that is missing has the count zero.

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] == other[item] for counter in (self, other) for item in counter)

    def __ne__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return not self == other

    def __le__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] <= other[item] for counter in (self, other) for item in counter)

    def __lt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self <= other and self != other

    def __ge__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return all(self[item] >= other[item] for counter in (self, other) for item in counter)

    def __gt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self >= other and self != other

    __hash__ = None

    # Operators keep what is positive.

    def _positive(self, pairs):
        result = Counter()
        for item, count in pairs:
            if count > 0:
                result[item] = count
        return result

    def __add__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._positive([(item, count + other[item]) for item, count in self.items()] +
                              [(item, count) for item, count in other.items() if item not in self])

    def __sub__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._positive([(item, count - other[item]) for item, count in self.items()] +
                              [(item, -count) for item, count in other.items() if item not in self])

    def __or__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._positive([(item, max(count, other[item])) for item, count in self.items()] +
                              [(item, count) for item, count in other.items() if item not in self])

    def __and__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._positive([(item, min(count, other[item])) for item, count in self.items()])

    def __xor__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self._positive([(item, abs(count - other[item])) for item, count in self.items()] +
                              [(item, abs(count)) for item, count in other.items() if item not in self])

    def __pos__(self):
        return self._positive(self.items())

    def __neg__(self):
        return self._positive([(item, -count) for item, count in self.items()])

    def _replace_by(self, other):
        self.clear()
        dict.update(self, other)
        return self

    def __iadd__(self, other):
        for item, count in other.items():
            self[item] += count
        return self._replace_by(+self)

    def __isub__(self, other):
        for item, count in other.items():
            self[item] -= count
        return self._replace_by(+self)

    def __ior__(self, other):
        return self._replace_by(self | other)

    def __iand__(self, other):
        return self._replace_by(self & other)

    def __ixor__(self, other):
        return self._replace_by(self ^ other)

    __class_getitem__ = classmethod(GenericAlias)
