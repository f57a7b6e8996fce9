"""Counters of torch._dynamo. Behaviour: torch/_dynamo/utils.py."""
from collections import Counter

from torch._C import _dynamo as _native


class _Counters:
    def __getitem__(self, group):
        graphs, calls, total, ok, breaks = _native.counters()
        groups = {"stats": Counter(unique_graphs=graphs, calls_captured=calls), "frames": Counter(total=total, ok=ok),
                  "graph_break": Counter(breaks)}
        if group == "nnscope":
            return Counter(_native.plans())
        return groups.get(group, Counter())


counters = _Counters()
