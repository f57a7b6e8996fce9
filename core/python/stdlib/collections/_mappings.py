"""The second half of collections.abc: mappings, their views, sequences, and who of the built-in types is what."""

import sys

from abc import abstractmethod

from collections.abc import (ABCMeta, Callable, Collection, Generator, GenericAlias, Hashable, Iterable, Iterator, MutableSet,
                             Reversible, Set, Sized)


class Mapping(Collection):
    """A mapping that has __getitem__, __iter__ and __len__."""

    __slots__ = ()
    __abc_tpflags__ = 1 << 6

    @abstractmethod
    def __getitem__(self, key):
        raise KeyError

    def get(self, key, default=None):
        """The value of `key`, or `default`."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        """A view of the keys."""
        return KeysView(self)

    def items(self):
        """A view of the pairs."""
        return ItemsView(self)

    def values(self):
        """A view of the values."""
        return ValuesView(self)

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    __reversed__ = None


class MappingView(Sized):
    """What keys(), items() and values() give."""

    __slots__ = ("_mapping",)
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, mapping):
        self._mapping = mapping

    def __len__(self):
        return len(self._mapping)

    def __repr__(self):
        return f"{type(self).__name__}({self._mapping!r})"


class KeysView(MappingView, Set):
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, key):
        return key in self._mapping

    def __iter__(self):
        yield from self._mapping


class ItemsView(MappingView, Set):
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, item):
        key, value = item
        try:
            found = self._mapping[key]
        except KeyError:
            return False
        return found is value or found == value

    def __iter__(self):
        for key in self._mapping:
            yield key, self._mapping[key]


class ValuesView(MappingView, Collection):
    __slots__ = ()

    def __contains__(self, value):
        return any(found is value or found == value for found in self)

    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]


_missing = object()


class MutableMapping(Mapping):
    """A mapping that has __setitem__ and __delitem__, too."""

    __slots__ = ()

    @abstractmethod
    def __setitem__(self, key, value):
        raise KeyError

    @abstractmethod
    def __delitem__(self, key):
        raise KeyError

    def pop(self, key, default=_missing):
        """Removes a key and returns its value, or `default`. Errors: KeyError."""
        try:
            value = self[key]
        except KeyError:
            if default is _missing:
                raise
            return default
        del self[key]
        return value

    def popitem(self):
        """Removes and returns a pair. Errors: KeyError if there is none."""
        try:
            key = next(iter(self))
        except StopIteration:
            raise KeyError from None
        value = self[key]
        del self[key]
        return key, value

    def clear(self):
        """Removes all."""
        try:
            while True:
                self.popitem()
        except KeyError:
            pass

    def update(self, other=(), /, **kwds):
        """Takes the pairs of `other` and of the keywords."""
        if isinstance(other, Mapping):
            for key in other:
                self[key] = other[key]
        elif hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwds.items():
            self[key] = value

    def setdefault(self, key, default=None):
        """The value of a key, which is `default` from now on if there was none."""
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class Sequence(Reversible, Collection):
    """A sequence that has __getitem__ and __len__."""

    __slots__ = ()
    __abc_tpflags__ = 1 << 5

    @abstractmethod
    def __getitem__(self, index):
        raise IndexError

    def __iter__(self):
        at = 0
        try:
            while True:
                yield self[at]
                at += 1
        except IndexError:
            return

    def __contains__(self, value):
        return any(item is value or item == value for item in self)

    def __reversed__(self):
        for at in reversed(range(len(self))):
            yield self[at]

    def index(self, value, start=0, stop=None):
        """Where the value is first. Errors: ValueError."""
        if start < 0:
            start = max(len(self) + start, 0)
        if stop is not None and stop < 0:
            stop += len(self)
        at = start
        while stop is None or at < stop:
            try:
                item = self[at]
            except IndexError:
                break
            if item is value or item == value:
                return at
            at += 1
        raise ValueError

    def count(self, value):
        """How often the value is there."""
        return sum(1 for item in self if item is value or item == value)


class MutableSequence(Sequence):
    """A sequence that has __setitem__, __delitem__ and insert, too."""

    __slots__ = ()

    @abstractmethod
    def __setitem__(self, index, value):
        raise IndexError

    @abstractmethod
    def __delitem__(self, index):
        raise IndexError

    @abstractmethod
    def insert(self, index, value):
        """Puts a value in front of an index."""
        raise IndexError

    def append(self, value):
        """Adds a value at the end."""
        self.insert(len(self), value)

    def clear(self):
        """Removes all."""
        try:
            while True:
                self.pop()
        except IndexError:
            pass

    def reverse(self):
        """Reverses in place."""
        last = len(self) - 1
        for at in range(len(self) // 2):
            self[at], self[last - at] = self[last - at], self[at]

    def extend(self, values):
        """Adds values at the end."""
        for value in list(values) if values is self else values:
            self.append(value)

    def pop(self, index=-1):
        """Removes and returns the value at an index. Errors: IndexError."""
        value = self[index]
        del self[index]
        return value

    def remove(self, value):
        """Removes the first such value. Errors: ValueError."""
        del self[self.index(value)]

    def __iadd__(self, values):
        self.extend(values)
        return self


def _register():
    """Says of the built-in types what they are, and where these classes belong."""
    for cls in (Mapping, MappingView, KeysView, ItemsView, ValuesView, MutableMapping, Sequence, MutableSequence):
        cls.__module__ = "collections.abc"
    Generator.register(type(one for one in ()))
    for made in ([], (), {}, set(), "", b"", range(0), {}.keys(), {}.values(), {}.items(), zip()):
        Iterator.register(type(iter(made)))
    for cls in (set, frozenset):
        Set.register(cls)
    MutableSet.register(set)
    MutableMapping.register(dict)
    from types import MappingProxyType
    Mapping.register(MappingProxyType)
    for base, view in ((KeysView, {}.keys()), (ItemsView, {}.items()), (ValuesView, {}.values())):
        base.register(type(view))
    for cls in (tuple, str, range, bytes, list):
        Sequence.register(cls)
    MutableSequence.register(list)
    if "bytearray" in dir(sys.modules["builtins"]):
        MutableSequence.register(bytearray)
