import collections
import collections.abc
from collections.abc import (Callable, Container, Hashable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence,
                             MutableSet, Sequence, Set, Sized, Generator, KeysView, Reversible, Collection)
from abc import ABC, ABCMeta, abstractmethod


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


for value in ([], (), {}, set(), frozenset(), "", 1, iter([]), (i for i in ()), range(3), len, {}.keys(), None, b""):
    kinds = [one.__name__ for one in (Callable, Container, Hashable, Iterable, Iterator, Mapping, MutableMapping,
             MutableSequence, MutableSet, Sequence, Set, Sized, Generator, KeysView, Reversible, Collection)
             if isinstance(value, one)]
    print(type(value).__name__, kinds)


class Squares(Sequence):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index >= 4:
            raise IndexError(index)
        return index * index


s = Squares()
print(list(s), list(reversed(s)), 4 in s, s.index(9), s.count(1))
shown(lambda: s.index(5))


class Store(MutableMapping):
    def __init__(self):
        self.data = {}

    def __getitem__(self, key):
        return self.data[key]

    def __setitem__(self, key, value):
        self.data[key] = value

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)


m = Store()
m.update(a=1, b=2)
print(dict(m), m.pop("a"), m.pop("q", 7), m.setdefault("c", 3), list(m.items()), list(m.values()), "c" in m, m.get("z"))
print(m == {"b": 2, "c": 3}, len(m.keys()), m.keys() & {"b"}, m.popitem())
shown(lambda: m.pop("nope"))
m.clear()
print(len(m))


class Bits(MutableSet):
    def __init__(self, items=()):
        self.items = list(dict.fromkeys(items))

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def add(self, item):
        if item not in self.items:
            self.items.append(item)

    def discard(self, item):
        if item in self.items:
            self.items.remove(item)


a = Bits([1, 2, 3])
print(list(a & [2, 5]), list(a | [7]), list(a - {1}), list(a ^ {3, 4}), a <= Bits([1, 2, 3, 4]), a == {1, 2, 3}, a.isdisjoint([9]))
a |= [8]
a -= [1]
print(list(a), a.pop())
shown(lambda: a.remove(99))


class Base(ABC):
    @abstractmethod
    def f(self):
        pass

    @property
    @abstractmethod
    def g(self):
        pass


class Half(Base):
    def f(self):
        return "f"


class Whole(Half):
    g = 5


print(Whole().f(), Whole().g, sorted(Base.__abstractmethods__), sorted(Half.__abstractmethods__), type(Base).__name__)
shown(Base)
shown(Half)
shown(lambda: Mapping())


class Foreign:
    pass


Base.register(Foreign)
print(isinstance(Foreign(), Base), issubclass(Foreign, Base), issubclass(int, Base), isinstance(Whole(), Base))
shown(lambda: Base.register(3))


class Quacks(metaclass=ABCMeta):
    @classmethod
    def __subclasshook__(cls, other):
        if cls is Quacks:
            return any("quack" in base.__dict__ for base in other.__mro__) or NotImplemented
        return NotImplemented


class Duck:
    def quack(self):
        pass


print(isinstance(Duck(), Quacks), isinstance(1, Quacks))


class Unhashable:
    __hash__ = None


print(isinstance(Unhashable(), Hashable), Callable[[int], str], Callable[..., str], Iterable[int], Mapping[str, int])
