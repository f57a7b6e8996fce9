"""Parts of a graph that look like a pattern, replaced by something else.

Behaviour: torch/fx/subgraph_rewriter.py, passes/utils/matcher_utils.py."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, NamedTuple

from torch import nn
from torch.fx.graph import Graph, Node, map_arg
from torch.fx.graph_module import GraphModule, _assign_attr, _get_attr
from torch.fx._symbolic_trace import symbolic_trace

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


class Match(NamedTuple):
    """Where the pattern was found: its last node, and the node of the graph for each of its own."""

    anchor: Node
    nodes_map: Dict[Node, Node]


@dataclass
class ReplacedPatterns:
    anchor: Node
    nodes_map: Dict[Node, Node]
    replacements: List[Node]


@dataclass
class InternalMatch:
    anchors: List[Node]
    nodes_map: Dict[Node, Any] = field(default_factory=dict)
    returning_nodes: List[Node] = field(default_factory=list)


def _graph_of(given):
    if isinstance(given, GraphModule):
        return given.graph
    return given if isinstance(given, Graph) else symbolic_trace(given).graph


def _results(graph):
    """The nodes that a graph gives."""
    found = []
    map_arg(graph.output_node().args, lambda node: found.append(node))
    return found


class _Matcher:
    def __init__(self, pattern, ignore_literals):
        self.pattern, self.ignore_literals = pattern, ignore_literals
        self.results = _results(pattern)
        self.anchors = [node for node in self.results if len(node.users) == 1] or self.results[-1:]

    def _fits(self, wanted, node, found):
        """Whether a node is what the pattern has there, with all that it is made of. Fills `found`."""
        if wanted in found:
            return found[wanted] is node
        if wanted.op != "placeholder":
            if not isinstance(node, Node) or node.op != wanted.op or node in found.values():
                return False
            if wanted.op == "get_attr":
                if not self._same_attributes(wanted, node):
                    return False
            elif wanted.target != node.target:
                return False
        found[wanted] = node
        if wanted.op in ("placeholder", "get_attr"):
            return True
        if len(wanted.args) != len(node.args) or list(wanted.kwargs) != list(node.kwargs):
            return False
        return self._same(wanted.args, node.args, found) and self._same(list(wanted.kwargs.values()), list(node.kwargs.values()), found)

    def _same_attributes(self, wanted, node):
        return wanted.target.rpartition(".")[2] == node.target.rpartition(".")[2] or wanted.target == node.target

    def _same(self, wanted, given, found):
        if isinstance(wanted, Node):
            return self._fits(wanted, given, found)
        if isinstance(wanted, (tuple, list)):
            return (isinstance(given, (tuple, list)) and len(wanted) == len(given)
                    and all(self._same(one, other, found) for one, other in zip(wanted, given)))
        if isinstance(given, Node):
            return False
        return self.ignore_literals or (type(wanted) is type(given) and wanted == given)

    def _stands_alone(self, found):
        """Whether nothing outside uses what is inside, results aside."""
        inside = {node for wanted, node in found.items() if wanted.op != "placeholder"}
        return all(user in inside for wanted, node in found.items() if wanted.op != "placeholder" and wanted not in self.results
                   for user in node.users)

    def match(self, graph):
        """All places that do not overlap, first ones first."""
        matches, taken = [], set()
        anchor, *others = self.anchors
        for node in list(graph.nodes):
            found = {}
            if not self._fits(anchor, node, found):
                continue
            places = [node]
            for other in others:
                place = next((one for one in graph.nodes if one not in found.values() and self._fits(other, one, trial := dict(found))),
                             None)
                if place is None:
                    break
                found = trial
                places.append(place)
            inside = {one for wanted, one in found.items() if wanted.op != "placeholder"}
            if len(places) < len(self.anchors) or inside & taken or not self._stands_alone(found):
                continue
            taken |= inside
            matches.append(InternalMatch(places, found, [found[one] for one in self.results]))
        return matches


def _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback):
    graph, wanted = gm.graph, _graph_of(pattern)
    made, changed = [], {}
    for match in _Matcher(wanted, ignore_literals).match(graph):
        if not all(accepts(match, graph, wanted) for accepts in match_filters or ()):
            continue
        if replacement_callback is not None:
            new = _graph_of(replacement_callback(match, graph, wanted))
        else:
            new = _graph_of(replacement)
        given = [changed.get(match.nodes_map.get(one), match.nodes_map.get(one)) for one in wanted.nodes if one.op == "placeholder"]
        places = [one for one in new.nodes if one.op == "placeholder"]
        if len(given) != len(places):
            raise AssertionError(f"the pattern takes {len(given)} values, what replaces it {len(places)}")
        values = dict(zip(places, given))
        inside = [match.nodes_map[one] for one in wanted.nodes if one.op not in ("placeholder", "output") and one in match.nodes_map]
        before = set(graph.nodes)
        users = {user for old in match.returning_nodes for user in old.users}
        with graph.inserting_before(min(users) if users else match.anchors[-1].next):
            results = graph.graph_copy(new, values)
        results = list(results) if isinstance(results, (tuple, list)) else [results]
        for old, node in zip(match.returning_nodes, results):
            if isinstance(node, Node):
                old.replace_all_uses_with(node)
                changed[old] = node
        for node in sorted(inside, reverse=True):
            graph.erase_node(node)
        made.append(ReplacedPatterns(match.anchors[0], match.nodes_map, [one for one in graph.nodes if one not in before]))
    for source in (replacement, pattern):
        if isinstance(source, nn.Module):
            _bring_attributes(gm, source)
    gm.recompile()
    return made


def _bring_attributes(gm, source):
    """What the new nodes refer to comes from the module that replaces."""
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        try:
            _get_attr(gm, node.target)
        except AttributeError:
            _assign_attr(_get_attr(source, node.target), gm, node.target)


def replace_pattern(gm, pattern, replacement):
    """Everywhere in the graph of `gm` what computes as `pattern` does computes as `replacement` does. Gives the matches.

    Both are functions, modules or graphs with the same parameters; a value that only the pattern's inside has may not be used
    elsewhere."""
    return [Match(one.anchor, one.nodes_map) for one in _replace(gm, pattern, replacement, None, False, None)]


def replace_pattern_with_filters(gm, pattern, replacement=None, match_filters=None, ignore_literals=False,
                                 replacement_callback=None, node_name_match=""):
    """The same where all filters, called with (match, graph, pattern's graph), agree."""
    return _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback)
