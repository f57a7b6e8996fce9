"""Iterators from iterators."""

__all__ = ["accumulate", "batched", "chain", "combinations", "combinations_with_replacement", "compress", "count", "cycle",
           "dropwhile", "filterfalse", "groupby", "islice", "pairwise", "permutations", "product", "repeat", "starmap",
           "takewhile", "tee", "zip_longest"]


class _Iterator:
    """An iterator over what the generator `_items` gives. A for statement takes that itself."""

    __slots__ = ("_items", "__weakref__")

    def __iter__(self):
        return self._items

    def __next__(self):
        return next(self._items)


def _index(value, message):
    if isinstance(value, int):
        return value
    method = getattr(type(value), "__index__", None)
    if method is None:
        raise TypeError(message)
    return method(value)


class count(_Iterator):
    """start, start + step, start + 2 * step ..."""

    __slots__ = ("_start", "_step")

    def __init__(self, start=0, step=1):
        for value in (start, step):
            if not hasattr(value, "__add__") or isinstance(value, (str, list, tuple)):
                raise TypeError("a number is required")
        self._start = start
        self._step = step
        self._items = self._all()

    def _all(self):
        step = self._step
        while True:
            value = self._start
            self._start = value + step
            yield value

    def __repr__(self):
        if type(self._step) is int and self._step == 1:
            return f"count({self._start!r})"
        return f"count({self._start!r}, {self._step!r})"


class cycle(_Iterator):
    """The items again and again."""

    __slots__ = ()

    def __init__(self, iterable, /):
        self._items = self._all(iter(iterable))

    @staticmethod
    def _all(items):
        saved = []
        for item in items:
            yield item
            saved.append(item)
        while saved:
            yield from saved


class repeat(_Iterator):
    """The same object `times` times, or without end."""

    __slots__ = ("_object", "_left")

    def __init__(self, object, times=None):
        self._object = object
        self._left = None if times is None else max(
            _index(times, f"'{type(times).__name__}' object cannot be interpreted as an integer"), 0)
        self._items = self._all()

    def _all(self):
        value = self._object
        if self._left is None:
            while True:
                yield value
        while self._left > 0:
            self._left -= 1
            yield value

    def __length_hint__(self):
        if self._left is None:
            raise TypeError("len() of unsized object")
        return self._left

    def __repr__(self):
        return f"repeat({self._object!r})" if self._left is None else f"repeat({self._object!r}, {self._left})"


class accumulate(_Iterator):
    """Running sums, or results of another function of two."""

    __slots__ = ()

    def __init__(self, iterable, func=None, *, initial=None):
        self._items = self._all(iter(iterable), func, initial)

    @staticmethod
    def _all(items, func, total):
        if total is None:
            for total in items:
                break
            else:
                return
        yield total
        if func is None:
            for item in items:
                total = total + item
                yield total
        else:
            for item in items:
                total = func(total, item)
                yield total


class batched(_Iterator):
    """Tuples of n items; the last may be shorter."""

    __slots__ = ()

    def __init__(self, iterable, n, *, strict=False):
        if n < 1:
            raise ValueError("n must be at least one")
        self._items = self._all(iter(iterable), n, strict)

    @staticmethod
    def _all(items, n, strict):
        while batch := tuple(islice(items, n)):
            if strict and len(batch) != n:
                raise ValueError("batched(): incomplete batch")
            yield batch


class chain(_Iterator):
    """The items of one iterable, then those of the next."""

    __slots__ = ()

    def __init__(self, *iterables):
        self._items = self._all(iterables)

    @staticmethod
    def _all(iterables):
        for one in iterables:
            yield from one

    @classmethod
    def from_iterable(cls, iterable, /):
        """chain of the items of an iterable."""
        self = cls.__new__(cls)
        self._items = cls._all(iterable)
        return self


class compress(_Iterator):
    """The items whose selector is true."""

    __slots__ = ()

    def __init__(self, data, selectors):
        self._items = (item for item, selector in zip(data, selectors) if selector)


class dropwhile(_Iterator):
    """The items from the first on that is not true of the predicate."""

    __slots__ = ()

    def __init__(self, predicate, iterable, /):
        self._items = self._all(predicate, iter(iterable))

    @staticmethod
    def _all(predicate, items):
        for item in items:
            if not predicate(item):
                yield item
                break
        yield from items


class takewhile(_Iterator):
    """The items up to the first that is not true of the predicate."""

    __slots__ = ()

    def __init__(self, predicate, iterable, /):
        self._items = self._all(predicate, iter(iterable))

    @staticmethod
    def _all(predicate, items):
        for item in items:
            if not predicate(item):
                return
            yield item


class filterfalse(_Iterator):
    """The items that are not true of the function."""

    __slots__ = ()

    def __init__(self, function, iterable, /):
        if function is None:
            self._items = (item for item in iterable if not item)
        else:
            self._items = (item for item in iterable if not function(item))


class starmap(_Iterator):
    """function(*arguments) for each tuple of arguments."""

    __slots__ = ()

    def __init__(self, function, iterable, /):
        self._items = (function(*arguments) for arguments in iterable)


class _Group(_Iterator):
    """The items of one key: gone when groupby goes on."""

    __slots__ = ()

    def __init__(self, items):
        self._items = items


_Group.__name__ = _Group.__qualname__ = "_grouper"
_unset = object()


class groupby(_Iterator):
    """(key, items with that key) for each run of equal keys."""

    __slots__ = ("_source", "_key", "_item", "_current", "_serial")

    def __init__(self, iterable, key=None):
        self._source = iter(iterable)
        self._key = key
        self._item = self._current = _unset
        self._serial = 0
        self._items = self._groups()

    def _advance(self):
        for self._item in self._source:
            self._current = self._item if self._key is None else self._key(self._item)
            return True
        self._current = _unset
        return False

    def _groups(self):
        is_left = self._advance()
        while is_left:
            key = self._current
            self._serial += 1
            yield key, _Group(self._group(key, self._serial))
            while self._current is not _unset and (self._current is key or self._current == key):
                if not self._advance():
                    return
            is_left = self._current is not _unset

    def _group(self, key, serial):
        while serial == self._serial and self._current is not _unset and (self._current is key or self._current == key):
            yield self._item
            if serial != self._serial or not self._advance():
                return


class islice(_Iterator):
    """The items from start to stop, each step-th."""

    __slots__ = ()

    def __init__(self, iterable, /, *bounds):
        if not 1 <= len(bounds) <= 3:
            word = "at least 2" if not bounds else "at most 4"
            raise TypeError(f"islice expected {word} arguments, got {len(bounds) + 1}")
        if len(bounds) == 1:
            start, stop, step = 0, bounds[0], 1
            problem = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        else:
            start, stop, step = (*bounds, None)[:3]
            problem = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
        try:
            start = 0 if start is None else _index(start, problem)
            stop = None if stop is None else _index(stop, problem)
            step = 1 if step is None else _index(step, "")
        except TypeError as error:
            raise ValueError(str(error) or "Step for islice() must be a positive integer or None.") from None
        if start < 0 or (stop is not None and stop < 0):
            raise ValueError(problem)
        if step < 1:
            raise ValueError("Step for islice() must be a positive integer or None.")
        self._items = self._all(iter(iterable), start, stop, step)

    @staticmethod
    def _all(items, start, stop, step):
        if stop is not None and start >= stop:
            for _ in zip(range(stop), items):
                pass
            return
        wanted = start
        places = range(start + 1 if stop is None else stop)
        if stop is None:
            for _ in zip(range(start), items):
                pass
            while True:
                for item in items:
                    yield item
                    break
                else:
                    return
                for _ in zip(range(step - 1), items):
                    pass
        for at, item in zip(places, items):
            if at == wanted:
                yield item
                wanted += step


class pairwise(_Iterator):
    """(a, b), (b, c), (c, d) ..."""

    __slots__ = ()

    def __init__(self, iterable, /):
        self._items = self._all(iter(iterable))

    @staticmethod
    def _all(items):
        for before in items:
            break
        else:
            return
        for item in items:
            yield before, item
            before = item


class zip_longest(_Iterator):
    """zip that goes on to the end of the longest, with `fillvalue` for what is missing."""

    __slots__ = ()

    def __init__(self, *iterables, fillvalue=None):
        self._items = self._all([iter(one) for one in iterables], fillvalue)

    @staticmethod
    def _all(iterators, fillvalue):
        left = len(iterators)
        if not left:
            return
        ended = [False] * left
        while True:
            values = []
            for at, one in enumerate(iterators):
                if ended[at]:
                    values.append(fillvalue)
                    continue
                try:
                    values.append(next(one))
                except StopIteration:
                    left -= 1
                    if not left:
                        return
                    ended[at] = True
                    values.append(fillvalue)
            yield tuple(values)


class product(_Iterator):
    """Every choice of one item from each iterable."""

    __slots__ = ()

    def __init__(self, *iterables, repeat=1):
        if repeat < 0:
            raise ValueError("repeat argument cannot be negative")
        self._items = self._all([tuple(one) for one in iterables] * repeat)

    @staticmethod
    def _all(pools):
        count = len(pools)
        if not all(pools):
            return
        places = [0] * count
        values = [pool[0] for pool in pools]
        while True:
            yield tuple(values)
            at = count - 1
            while at >= 0:
                places[at] += 1
                if places[at] < len(pools[at]):
                    values[at] = pools[at][places[at]]
                    break
                places[at] = 0
                values[at] = pools[at][0]
                at -= 1
            if at < 0:
                return


def _length(r):
    if not isinstance(r, int):
        raise TypeError("Expected int as r")
    if r < 0:
        raise ValueError("r must be non-negative")
    return r


class permutations(_Iterator):
    """Every order of r of the items."""

    __slots__ = ()

    def __init__(self, iterable, r=None):
        pool = tuple(iterable)
        self._items = self._all(pool, len(pool) if r is None else _length(r))

    @staticmethod
    def _all(pool, r):
        n = len(pool)
        if r > n:
            return
        indices = list(range(n))
        cycles = list(range(n, n - r, -1))
        yield pool[:r]
        while r:
            for at in reversed(range(r)):
                cycles[at] -= 1
                if cycles[at]:
                    other = n - cycles[at]
                    indices[at], indices[other] = indices[other], indices[at]
                    yield tuple([pool[i] for i in indices[:r]])
                    break
                indices.append(indices.pop(at))
                cycles[at] = n - at
            else:
                return


class combinations(_Iterator):
    """Every choice of r of the items, in their order."""

    __slots__ = ()

    def __init__(self, iterable, r):
        self._items = self._all(tuple(iterable), _length_of_choice(r))

    @staticmethod
    def _all(pool, r):
        n = len(pool)
        if r > n:
            return
        indices = list(range(r))
        yield pool[:r]
        while True:
            at = r - 1
            while at >= 0 and indices[at] == at + n - r:
                at -= 1
            if at < 0:
                return
            first = indices[at] + 1
            indices[at:] = range(first, first + r - at)
            yield tuple([pool[i] for i in indices])


class combinations_with_replacement(_Iterator):
    """Every choice of r of the items, in their order, where an item may come again."""

    __slots__ = ()

    def __init__(self, iterable, r):
        self._items = self._all(tuple(iterable), _length_of_choice(r))

    @staticmethod
    def _all(pool, r):
        last = len(pool) - 1
        if last < 0 and r:
            return
        indices = [0] * r
        while True:
            yield tuple([pool[i] for i in indices])
            at = r - 1
            while at >= 0 and indices[at] == last:
                at -= 1
            if at < 0:
                return
            indices[at:] = [indices[at] + 1] * (r - at)


def _length_of_choice(r):
    r = _index(r, f"'{type(r).__name__}' object cannot be interpreted as an integer")
    if r < 0:
        raise ValueError("r must be non-negative")
    return r


class _tee(_Iterator):
    """One of several iterators over the same items. A link is [item, next link], empty until somebody asks."""

    __slots__ = ("_link", "_source")

    def __init__(self, source, link):
        self._source = source
        self._link = link
        self._items = self

    def __next__(self):
        link = self._link
        if not link:
            link.append(next(self._source))
            link.append([])
        self._link = link[1]
        return link[0]

    def __copy__(self):
        return _tee(self._source, self._link)


def tee(iterable, n=2, /):
    """n iterators over the same items, each for itself."""
    if n < 0:
        raise ValueError("n must be >= 0")
    first = iterable if isinstance(iterable, _tee) else _tee(iter(iterable), [])
    return tuple([_tee(first._source, first._link) for _ in range(n)])
