"""A graph as modules that follow each other. Behaviour: torch/fx/passes/split_module.py."""
from collections import OrderedDict

import torch
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule, _get_attr
from torch.fx.node import map_arg

__all__ = ["Partition", "split_module"]


class Partition:
    """A part: the nodes of the whole that are in it, what it takes and what others take of it."""

    def __init__(self, name):
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names, self.inputs, self.outputs = [], OrderedDict(), OrderedDict()
        self.dependencies, self.dependents = OrderedDict(), OrderedDict()
        self.graph, self.environment, self.targets, self.paths = Graph(), {}, {}, {}

    def __repr__(self):
        return (f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n partitions depended "
                f"on: {self.dependencies},\n partition dependents: {self.dependents}")


def split_module(m, root_m, split_callback, qualname_map=None, keep_original_order=False, keep_original_node_name=False,
                 keep_original_input_name=True, *, partition_affix=None):
    """A module that calls submod_0, submod_1, …: those nodes of `m` for which split_callback(node) gives the same.

    `qualname_map` is filled: {path in a part: path in `root_m`}. Errors: RuntimeError  two parts need each other."""
    parts, part_of = OrderedDict(), {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        name = str(split_callback(node))
        if partition_affix is not None:
            name = f"{partition_affix}_{name}"
        part = parts.setdefault(name, Partition(name))
        part.node_names.append(node.name)
        part_of[node] = part
    _find_edges(m, part_of)
    order = list(parts.values()) if keep_original_order else _in_order(parts)
    for part in order:
        for node in part.inputs:
            name = node.name if keep_original_input_name else f"arg_{len(part.environment)}"
            made = part.environment[node] = part.graph.placeholder(name, type_expr=node.type)
            made.meta = node.meta.copy()
    for node in m.graph.nodes:
        part = part_of.get(node)
        if part is not None:
            _copy_into(part, node, m, keep_original_node_name)
    return _assemble(m, root_m, order, part_of, qualname_map)


def _find_edges(m, part_of):
    """What crosses from one part to another, or from the parameters of the whole."""
    for node in m.graph.nodes:
        user = part_of.get(node)
        for used in node.all_input_nodes:
            maker = part_of.get(used)
            if maker is user and maker is not None:
                continue
            if maker is not None:
                maker.outputs.setdefault(used)
            if user is None:
                continue
            user.inputs.setdefault(used)
            if maker is not None:
                user.dependencies.setdefault(maker.name)
                maker.dependents.setdefault(user.name)


def _in_order(parts):
    waiting = {name: len(part.dependencies) for name, part in parts.items()}
    ready, order = [name for name, count in waiting.items() if count == 0], []
    while ready:
        name = ready.pop(0)
        order.append(parts[name])
        for later in parts[name].dependents:
            waiting[later] -= 1
            if waiting[later] == 0:
                ready.append(later)
    if len(order) != len(parts):
        raise RuntimeError("cycle exists between partitions!")
    return order


def _copy_into(part, node, m, keeps_name):
    args, kwargs = map_arg(node.args, lambda one: part.environment[one]), map_arg(node.kwargs, lambda one: part.environment[one])
    target = node.target
    if node.op == "call_module":
        target = node.target.replace(".", "_")
        part.targets[target], part.paths[target] = m.get_submodule(node.target), node.target
    made = part.graph.create_node(node.op, target, args, kwargs, node.name if keeps_name else None, node.type)
    made.meta = node.meta.copy()
    part.environment[node] = made


def _assemble(m, root_m, order, part_of, qualname_map):
    """The module that calls the parts."""
    graph, env, held = Graph(), {}, OrderedDict()
    for node in m.graph.nodes:
        if node.op == "placeholder":
            env[node] = graph.placeholder(node.target, node.type, *node.args)
        elif node.op == "get_attr":
            env[node] = graph.get_attr(node.target)
            held[node.target] = _get_attr(m, node.target)
        else:
            continue
        env[node].meta = node.meta.copy()
    for part in order:
        given = tuple(part.environment[node] for node in part.outputs)
        part.graph.output(given[0] if len(given) == 1 else given)
        held[part.submod_name] = GraphModule(part.targets, part.graph)
        if qualname_map is not None:
            for target, path in part.paths.items():
                qualname_map[f"{part.submod_name}.{target}"] = path
        called = graph.call_module(part.submod_name, tuple(env[node] for node in part.inputs))
        for place, node in enumerate(part.outputs):
            env[node] = called if len(given) == 1 else torch.fx.Proxy(called)[place].node
    result = m.graph.output_node()
    graph.output(map_arg(result.args[0], lambda one: env[one]), result.type).meta = result.meta.copy()
    return GraphModule(held, graph)
