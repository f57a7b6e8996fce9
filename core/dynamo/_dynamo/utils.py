"""Counters of torch._dynamo. Behaviour: torch/_dynamo/utils.py."""
from collections import Counter
from collections.abc import Mapping

from torch._C import _dynamo as _native


def _counted():
    graphs, calls, total, ok, breaks = _native.counters()
    return {"stats": Counter(unique_graphs=graphs, calls_captured=calls), "frames": Counter(total=total, ok=ok),
            "graph_break": Counter(breaks), "nnscope": Counter(_native.plans())}


class _Counters(Mapping):
    """A dict of Counters that shows what was counted since clear()."""

    def __init__(self):
        self._before = {}

    def _now(self):
        counted = {group: counts - self._before.get(group, Counter()) for group, counts in _counted().items()}
        return {group: counts for group, counts in counted.items() if counts}

    def __getitem__(self, group):
        return self._now().get(group, Counter())

    def __contains__(self, group):
        return group in self._now()

    def __iter__(self):
        return iter(self._now())

    def __len__(self):
        return len(self._now())

    def __repr__(self):
        return f"defaultdict(<class 'collections.Counter'>, {self._now()!r})"

    def clear(self):
        self._before = _counted()


counters = _Counters()
