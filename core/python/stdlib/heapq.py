"""Heaps in lists: heap[k] <= heap[2k+1] and heap[k] <= heap[2k+2]."""

__all__ = ["heappush", "heappop", "heapify", "heapreplace", "merge", "nlargest", "nsmallest", "heappushpop",
           "heappush_max", "heappop_max", "heapify_max", "heapreplace_max", "heappushpop_max"]


def heappush(heap, item, /):
    """Adds an item."""
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap, /):
    """Removes and returns the smallest item. Errors: IndexError."""
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    smallest = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return smallest


def heapreplace(heap, item, /):
    """Returns the smallest item, in whose place `item` comes. Errors: IndexError."""
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return smallest


def heappushpop(heap, item, /):
    """The same as heappush, then heappop."""
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _sink(heap, 0)
    return item


def heapify(x, /):
    """Makes a list a heap."""
    for at in reversed(range(len(x) // 2)):
        _sink(x, at)


def _rise(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        above = heap[parent]
        if not item < above:
            break
        heap[at] = above
        at = parent
    heap[at] = item


# The smaller child rises until there is none; then the item, which came from the end, rises from there.
def _sink(heap, at):
    end = len(heap)
    start = at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _rise(heap, start, at)


class _Reversed:
    """An item that is smaller when it is larger."""

    __slots__ = ("item",)

    def __init__(self, item):
        self.item = item

    def __lt__(self, other):
        return other.item < self.item

    def __eq__(self, other):
        return self.item == other.item


def _rise_max(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        above = heap[parent]
        if not above < item:
            break
        heap[at] = above
        at = parent
    heap[at] = item


def _sink_max(heap, at):
    end = len(heap)
    start = at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[right] < heap[child]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _rise_max(heap, start, at)


def heappush_max(heap, item, /):
    """Adds an item to a heap whose first is the largest."""
    heap.append(item)
    _rise_max(heap, 0, len(heap) - 1)


def heappop_max(heap, /):
    """Removes and returns the largest item. Errors: IndexError."""
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    largest = heap[0]
    heap[0] = last
    _sink_max(heap, 0)
    return largest


def heapreplace_max(heap, item, /):
    """Returns the largest item, in whose place `item` comes. Errors: IndexError."""
    if not heap:
        raise IndexError("index out of range")
    largest = heap[0]
    heap[0] = item
    _sink_max(heap, 0)
    return largest


def heappushpop_max(heap, item, /):
    """The same as heappush_max, then heappop_max."""
    if heap and item < heap[0]:
        item, heap[0] = heap[0], item
        _sink_max(heap, 0)
    return item


def heapify_max(x, /):
    """Makes a list a heap whose first is the largest."""
    for at in reversed(range(len(x) // 2)):
        _sink_max(x, at)


def merge(*iterables, key=None, reverse=False):
    """The items of sorted iterables, sorted."""
    entries = []
    for at, iterable in enumerate(iterables):
        following = iter(iterable).__next__
        try:
            item = following()
        except StopIteration:
            continue
        rank = item if key is None else key(item)
        entries.append([_Reversed(rank) if reverse else rank, at, item, following])
    heapify(entries)
    while entries:
        entry = entries[0]
        yield entry[2]
        try:
            item = entry[3]()
        except StopIteration:
            heappop(entries)
            continue
        rank = item if key is None else key(item)
        entry[0] = _Reversed(rank) if reverse else rank
        entry[2] = item
        heapreplace(entries, entry)


def nsmallest(n, iterable, key=None):
    """The n smallest items, smallest first."""
    return sorted(iterable, key=key)[:max(n, 0)]


def nlargest(n, iterable, key=None):
    """The n largest items, largest first."""
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]
