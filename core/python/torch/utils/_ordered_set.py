"""A set that keeps the order in which items came. Behaviour: torch/utils/_ordered_set.py."""
from collections.abc import MutableSet, Reversible


class OrderedSet(MutableSet, Reversible):
    __slots__ = ("_dict",)

    def __init__(self, iterable=None):
        self._dict = dict.fromkeys(iterable, None) if iterable is not None else {}

    @staticmethod
    def _from_dict(dict_inp):
        made = OrderedSet()
        made._dict = dict_inp
        return made

    def __contains__(self, elem):
        return elem in self._dict

    def __iter__(self):
        return iter(self._dict)

    def __len__(self):
        return len(self._dict)

    def __reversed__(self):
        return reversed(self._dict)

    def add(self, elem):
        self._dict[elem] = None

    def discard(self, elem):
        self._dict.pop(elem, None)

    def clear(self):
        self._dict.clear()

    def pop(self):
        if not self:
            raise KeyError("pop from an empty set")
        return self._dict.popitem()[0]

    def copy(self):
        return OrderedSet(self._dict)

    def update(self, *others):
        for other in others:
            self._dict.update(dict.fromkeys(other, None))

    def difference_update(self, *others):
        for other in others:
            for elem in list(other):
                self.discard(elem)

    def union(self, *others):
        made = self.copy()
        made.update(*others)
        return made

    def intersection(self, *others):
        return OrderedSet(elem for elem in self if all(elem in other for other in others))

    def difference(self, *others):
        made = self.copy()
        made.difference_update(*others)
        return made

    def symmetric_difference(self, other):
        return self ^ OrderedSet(other)

    def issubset(self, other):
        return all(elem in other for elem in self)

    def issuperset(self, other):
        return all(elem in self for elem in other)

    def __getstate__(self):
        return list(self._dict)

    def __setstate__(self, state):
        self._dict = dict.fromkeys(state, None)

    def __repr__(self):
        return f"OrderedSet({list(self)})"
