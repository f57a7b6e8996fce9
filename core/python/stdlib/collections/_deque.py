"""deque: a list that can grow and shrink at both ends."""

from _generics import GenericAlias


class deque:
    """Items in order, quick at both ends; with `maxlen`, what is too many falls out at the other end.

    The items lie in a list from `_head` on; what is in front of it is free.
    """

    __slots__ = ("_items", "_head", "_maxlen", "_changes", "__dict__", "__weakref__")

    def __init__(self, iterable=(), maxlen=None):
        if maxlen is not None:
            if not isinstance(maxlen, int):
                raise TypeError("an integer is required")
            if maxlen < 0:
                raise ValueError("maxlen must be non-negative")
        self._maxlen = maxlen
        self._head = 0
        self._changes = 0
        self._items = list(iterable)
        if maxlen is not None and len(self._items) > maxlen:
            del self._items[:len(self._items) - maxlen]

    @property
    def maxlen(self):
        """How many items there may be, or None."""
        return self._maxlen

    def _list(self):
        """The items as a list of their own, free places gone."""
        if self._head:
            del self._items[:self._head]
            self._head = 0
        return self._items

    def append(self, x, /):
        """Adds an item at the right."""
        self._changes += 1
        self._items.append(x)
        if self._maxlen is not None and len(self._items) - self._head > self._maxlen:
            self._drop_left()

    def appendleft(self, x, /):
        """Adds an item at the left."""
        self._changes += 1
        if not self._head:
            free = len(self._items) + 8
            self._items[:0] = [None] * free
            self._head = free
        self._head -= 1
        self._items[self._head] = x
        if self._maxlen is not None and len(self._items) - self._head > self._maxlen:
            self._items.pop()

    def _drop_left(self):
        items = self._items
        head = self._head
        items[head] = None
        self._head = head = head + 1
        if head > 32 and head * 2 > len(items):
            del items[:head]
            self._head = 0

    def pop(self):
        """Removes and returns the item at the right. Errors: IndexError."""
        if len(self._items) == self._head:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        return self._items.pop()

    def popleft(self):
        """Removes and returns the item at the left. Errors: IndexError."""
        if len(self._items) == self._head:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        item = self._items[self._head]
        self._drop_left()
        return item

    def extend(self, iterable, /):
        """Adds items at the right."""
        self._changes += 1
        self._items.extend(list(self) if iterable is self else iterable)
        if self._maxlen is not None:
            excess = len(self._items) - self._head - self._maxlen
            if excess > 0:
                del self._items[:self._head + excess]
                self._head = 0

    def extendleft(self, iterable, /):
        """Adds items at the left, one after the other."""
        for item in list(self) if iterable is self else iterable:
            self.appendleft(item)

    def clear(self):
        """Removes all."""
        self._changes += 1
        self._items = []
        self._head = 0

    def copy(self):
        """A copy."""
        return type(self)(self, self._maxlen)

    __copy__ = copy

    def rotate(self, n=1, /):
        """Moves the last n items to the front."""
        items = self._list()
        if len(items) > 1:
            self._changes += 1
            n %= len(items)
            if n:
                items[:] = items[-n:] + items[:-n]

    def reverse(self):
        """Reverses in place."""
        self._changes += 1
        self._list().reverse()

    def count(self, value, /):
        """How often the value is there."""
        return self._list().count(value)

    def index(self, value, /, *bounds):
        """Where the value is first. Errors: ValueError."""
        try:
            return self._list().index(value, *bounds)
        except ValueError:
            raise ValueError(f"{value!r} is not in deque") from None

    def insert(self, index, value, /):
        """Puts a value in front of an index. Errors: IndexError if the deque is full."""
        if self._maxlen is not None and len(self) >= self._maxlen:
            raise IndexError("deque already at its maximum size")
        self._changes += 1
        self._list().insert(index, value)

    def remove(self, value, /):
        """Removes the first such value. Errors: ValueError."""
        try:
            self._list().remove(value)
        except ValueError:
            raise ValueError(f"{value!r} is not in deque") from None
        self._changes += 1

    def __len__(self):
        return len(self._items) - self._head

    def __bool__(self):
        return len(self._items) > self._head

    def __iter__(self):
        changes = self._changes
        for at in range(self._head, len(self._items)):
            yield self._items[at]
            if self._changes != changes:
                raise RuntimeError("deque mutated during iteration")

    def __reversed__(self):
        changes = self._changes
        for at in range(len(self._items) - 1, self._head - 1, -1):
            yield self._items[at]
            if self._changes != changes:
                raise RuntimeError("deque mutated during iteration")

    def __contains__(self, value):
        return value in self._list()

    def _place(self, index):
        if not isinstance(index, int):
            if not hasattr(type(index), "__index__"):
                raise TypeError(f"sequence index must be integer, not '{type(index).__name__}'")
            index = index.__index__()
        count = len(self._items) - self._head
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError("deque index out of range")
        return self._head + index

    def __getitem__(self, index):
        return self._items[self._place(index)]

    def __setitem__(self, index, value):
        self._items[self._place(index)] = value

    def __delitem__(self, index):
        del self._items[self._place(index)]
        self._changes += 1

    def __add__(self, other):
        if not isinstance(other, deque):
            raise TypeError(f'can only concatenate deque (not "{type(other).__name__}") to deque')
        result = self.copy()
        result.extend(other)
        return result

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __mul__(self, n):
        return type(self)(self._list() * n, self._maxlen)

    __rmul__ = __mul__

    def __imul__(self, n):
        items = self._list() * n
        self.clear()
        self.extend(items)
        return self

    def __eq__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._list() == other._list()

    def __lt__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._list() < other._list()

    def __le__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._list() <= other._list()

    def __gt__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._list() > other._list()

    def __ge__(self, other):
        if not isinstance(other, deque):
            return NotImplemented
        return self._list() >= other._list()

    __hash__ = None

    def __repr__(self):
        key = id(self)
        if key in _shown:
            return "[...]"
        _shown.add(key)
        try:
            end = "" if self._maxlen is None else f", maxlen={self._maxlen}"
            return f"{type(self).__name__}({self._list()!r}{end})"
        finally:
            _shown.discard(key)

    def __reduce__(self):
        arguments = ((), self._maxlen) if self._maxlen is not None else ()
        return type(self), arguments, self.__dict__ or None, iter(self)

    __class_getitem__ = classmethod(GenericAlias)


_shown = set()
deque.__module__ = "collections"
