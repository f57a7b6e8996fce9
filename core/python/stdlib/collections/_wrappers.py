"""Containers that hold another one, made to be derived from."""

from _generics import GenericAlias
from collections.abc import MutableMapping, MutableSequence, Sequence

_missing = object()


class ChainMap(MutableMapping):
    """Several mappings seen as one: the first that has a key counts, what is written goes to the first."""

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __missing__(self, key):
        raise KeyError(key)

    def __getitem__(self, key):
        for mapping in self.maps:
            try:
                return mapping[key]
            except KeyError:
                pass
        return self.__missing__(key)

    def get(self, key, default=None):
        """The value of `key`, or `default`."""
        return self[key] if key in self else default

    def __len__(self):
        return len(set().union(*self.maps))

    def __iter__(self):
        keys = {}
        for mapping in reversed(self.maps):
            for key in mapping:
                keys[key] = None
        return iter(keys)

    def __contains__(self, key):
        return any(key in mapping for mapping in self.maps)

    def __bool__(self):
        return any(self.maps)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self.maps))})"

    @classmethod
    def fromkeys(cls, iterable, value=None, /):
        """One mapping with these keys."""
        return cls(dict.fromkeys(iterable, value))

    def copy(self):
        """A copy: the first mapping is copied, the others are shared."""
        return type(self)(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy

    def new_child(self, m=None, **kwargs):
        """The same with one more mapping in front."""
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return type(self)(m, *self.maps)

    @property
    def parents(self):
        """The same without the first mapping."""
        return type(self)(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        try:
            del self.maps[0][key]
        except KeyError:
            raise KeyError(f"Key not found in the first mapping: {key!r}") from None

    def popitem(self):
        """Removes and returns a pair of the first mapping. Errors: KeyError."""
        try:
            return self.maps[0].popitem()
        except KeyError:
            raise KeyError("No keys found in the first mapping.") from None

    def pop(self, key, *args):
        """Removes a key from the first mapping and returns its value. Errors: KeyError."""
        try:
            return self.maps[0].pop(key, *args)
        except KeyError:
            raise KeyError(f"Key not found in the first mapping: {key!r}") from None

    def clear(self):
        """Empties the first mapping."""
        self.maps[0].clear()

    def __ior__(self, other):
        self.maps[0].update(other)
        return self

    def __or__(self, other):
        if not hasattr(other, "keys"):
            return NotImplemented
        made = self.copy()
        made.maps[0].update(other)
        return made

    def __ror__(self, other):
        if not hasattr(other, "keys"):
            return NotImplemented
        merged = dict(other)
        for mapping in reversed(self.maps):
            merged.update(mapping)
        return type(self)(merged)

    __class_getitem__ = classmethod(GenericAlias)


class UserDict(MutableMapping):
    """A mapping over the dict `data`."""

    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        missing = getattr(type(self), "__missing__", None)
        if missing is not None:
            return missing(self, key)
        raise KeyError(key)

    def get(self, key, default=None):
        """The value of `key`, or `default`."""
        return self[key] if key in self else default

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def __repr__(self):
        return repr(self.data)

    def __or__(self, other):
        if isinstance(other, (UserDict, dict)):
            return type(self)(self.data | (other.data if isinstance(other, UserDict) else other))
        return NotImplemented

    def __ror__(self, other):
        if isinstance(other, (UserDict, dict)):
            return type(self)((other.data if isinstance(other, UserDict) else other) | self.data)
        return NotImplemented

    def __ior__(self, other):
        self.data |= other.data if isinstance(other, UserDict) else other
        return self

    def __copy__(self):
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__["data"] = self.__dict__["data"].copy()
        return made

    def copy(self):
        """A copy."""
        return self.__copy__()

    @classmethod
    def fromkeys(cls, iterable, value=None):
        """One with these keys."""
        made = cls()
        for key in iterable:
            made[key] = value
        return made


def _data(other):
    return other.data if isinstance(other, (UserList, UserString)) else other


class UserList(MutableSequence):
    """A sequence over the list `data`."""

    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(_data(initlist))

    def __repr__(self):
        return repr(self.data)

    def __lt__(self, other):
        return self.data < _data(other)

    def __le__(self, other):
        return self.data <= _data(other)

    def __eq__(self, other):
        return self.data == _data(other)

    def __gt__(self, other):
        return self.data > _data(other)

    def __ge__(self, other):
        return self.data >= _data(other)

    __hash__ = None

    def __contains__(self, item):
        return item in self.data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return type(self)(self.data[i]) if isinstance(i, slice) else self.data[i]

    def __setitem__(self, i, item):
        self.data[i] = item

    def __delitem__(self, i):
        del self.data[i]

    def __add__(self, other):
        other = _data(other)
        return type(self)(self.data + (other if isinstance(other, list) else list(other)))

    def __radd__(self, other):
        other = _data(other)
        return type(self)((other if isinstance(other, list) else list(other)) + self.data)

    def __iadd__(self, other):
        self.data += _data(other)
        return self

    def __mul__(self, n):
        return type(self)(self.data * n)

    __rmul__ = __mul__

    def __imul__(self, n):
        self.data *= n
        return self

    def __copy__(self):
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.__dict__["data"] = self.__dict__["data"][:]
        return made

    def append(self, item):
        """Adds an item at the end."""
        self.data.append(item)

    def insert(self, i, item):
        """Puts an item in front of an index."""
        self.data.insert(i, item)

    def pop(self, i=-1):
        """Removes and returns the item at an index."""
        return self.data.pop(i)

    def remove(self, item):
        """Removes the first such item."""
        self.data.remove(item)

    def clear(self):
        """Removes all."""
        self.data.clear()

    def copy(self):
        """A copy."""
        return type(self)(self)

    def count(self, item):
        """How often the item is there."""
        return self.data.count(item)

    def index(self, item, *args):
        """Where the item is first."""
        return self.data.index(item, *args)

    def reverse(self):
        """Reverses in place."""
        self.data.reverse()

    def sort(self, /, *args, **kwds):
        """Sorts in place."""
        self.data.sort(*args, **kwds)

    def extend(self, other):
        """Adds items at the end."""
        self.data.extend(_data(other))


class UserString(Sequence):
    """A sequence over the str `data`, with its methods."""

    def __init__(self, seq):
        self.data = seq.data[:] if isinstance(seq, UserString) else str(seq)

    def __str__(self):
        return self.data

    def __repr__(self):
        return repr(self.data)

    def __hash__(self):
        return hash(self.data)

    def __eq__(self, other):
        return self.data == _data(other)

    def __lt__(self, other):
        return self.data < _data(other)

    def __le__(self, other):
        return self.data <= _data(other)

    def __gt__(self, other):
        return self.data > _data(other)

    def __ge__(self, other):
        return self.data >= _data(other)

    def __contains__(self, char):
        return _data(char) in self.data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return type(self)(self.data[index])

    def __add__(self, other):
        return type(self)(self.data + str(_data(other)))

    def __radd__(self, other):
        return type(self)(str(_data(other)) + self.data)

    def __mul__(self, n):
        return type(self)(self.data * n)

    __rmul__ = __mul__

    def __mod__(self, args):
        return type(self)(self.data % args)


def _forward(name, is_text):
    def method(self, *args, **kwds):
        given = [_data(one) for one in args]
        result = getattr(self.data, name)(*given, **kwds)
        return type(self)(result) if is_text else result

    method.__name__ = name
    method.__qualname__ = f"UserString.{name}"
    setattr(UserString, name, method)


for _name in ("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
              "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper", "zfill"):
    _forward(_name, True)
for _name in ("count", "encode", "endswith", "find", "format", "format_map", "index", "isalnum", "isalpha", "isascii",
              "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
              "join", "partition", "rfind", "rindex", "rpartition", "rsplit", "split", "splitlines", "startswith"):
    _forward(_name, False)
UserString.maketrans = str.maketrans

for _class in (ChainMap, UserDict, UserList, UserString):
    _class.__module__ = "collections"
