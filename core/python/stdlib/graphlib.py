"""An order in which everything comes behind what it needs. Behaviour: CPython Lib/graphlib.py."""
from types import GenericAlias


class CycleError(ValueError):
    """Nodes need each other in a circle."""


class TopologicalSorter:
    """A graph of nodes and those that come before them."""

    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, graph=None):
        # node: [how many of its predecessors are not done, its successors]
        self._nodes = {}
        self._ready = None
        self._passed_out = self._finished = 0
        if graph is not None:
            for node, predecessors in graph.items():
                self.add(node, *predecessors)

    def _of(self, node):
        return self._nodes.setdefault(node, [0, []])

    def add(self, node, *predecessors):
        if self._ready is not None:
            raise ValueError("Nodes cannot be added after a call to prepare()")
        self._of(node)[0] += len(predecessors)
        for one in predecessors:
            self._of(one)[1].append(node)

    def prepare(self):
        if self._ready is not None and (self._passed_out or self._finished):
            raise ValueError("cannot prepare() after starting iteration")
        self._ready = [node for node, (missing, _) in self._nodes.items() if missing == 0]
        cycle = self._find_cycle()
        if cycle:
            raise CycleError("nodes are in a cycle", cycle)

    def _find_cycle(self):
        path, on_path, seen = [], {}, set()
        for start in self._nodes:
            if start in seen:
                continue
            walks = [(start, iter(self._nodes[start][1]))]
            path, on_path = [start], {start: 0}
            seen.add(start)
            while walks:
                node, rest = walks[-1]
                for following in rest:
                    if following in on_path:
                        return path[on_path[following]:] + [following]
                    if following not in seen:
                        seen.add(following)
                        on_path[following] = len(path)
                        path.append(following)
                        walks.append((following, iter(self._nodes[following][1])))
                        break
                else:
                    walks.pop()
                    del on_path[path.pop()]
        return None

    def get_ready(self):
        if self._ready is None:
            raise ValueError("prepare() must be called first")
        given = tuple(self._ready)
        for node in given:
            self._nodes[node][0] = -1
        self._ready.clear()
        self._passed_out += len(given)
        return given

    def is_active(self):
        if self._ready is None:
            raise ValueError("prepare() must be called first")
        return self._finished < self._passed_out or bool(self._ready)

    def __bool__(self):
        return self.is_active()

    def done(self, *nodes):
        if self._ready is None:
            raise ValueError("prepare() must be called first")
        for node in nodes:
            if node not in self._nodes:
                raise ValueError(f"node {node!r} was not added using add()")
            missing = self._nodes[node][0]
            if missing == -2:
                raise ValueError(f"node {node!r} was already marked done")
            if missing >= 0:
                raise ValueError(f"node {node!r} was not passed out (still not ready)")
            self._nodes[node][0] = -2
            for following in self._nodes[node][1]:
                self._nodes[following][0] -= 1
                if self._nodes[following][0] == 0:
                    self._ready.append(following)
            self._finished += 1

    def static_order(self):
        self.prepare()
        while self.is_active():
            group = self.get_ready()
            yield from group
            self.done(*group)
