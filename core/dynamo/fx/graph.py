"""Graphs: nodes in an order, which are a function. Behaviour: torch/fx/graph.py."""
import contextlib
import copy
import inspect
import re
import warnings

import torch
from torch.fx._codegen import (CodeGen, PythonCode, _format_target, _PyTreeCodeGen, _PyTreeInfo, inplace_methods,  # noqa: F401
                               magic_methods, reflectable_magic_methods)
from torch.fx._namespace import Namespace as _Namespace
from torch.fx.immutable_collections import immutable_dict
from torch.fx.node import Node, _get_qualified_name, _is_operator, _legal_ops, _wanted_target, map_aggregate, map_arg  # noqa: F401

__all__ = ["PythonCode", "CodeGen", "Graph"]


def _snake_case(text):
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


def _shown_target(node):
    """What a call calls, as its repr is where it is written in C."""
    if not isinstance(node.target, str) and (_is_operator(node.target) or _get_qualified_name(node.target).startswith("torch._C.")):
        return f"<built-in function {node.target.__name__}>"
    return node.target


class _node_list:
    """The nodes of a graph, in order or from the end. Who walks over them may insert and erase meanwhile."""

    def __init__(self, graph, direction="_next"):
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        root, node = self.graph._root, getattr(self.graph._root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self):
        return _node_list(self.graph, "_next" if self.direction == "_prev" else "_prev")


class _InsertPoint:
    """Where new nodes go, for a while if it is entered."""

    def __init__(self, graph, insert):
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self):
        pass

    def __exit__(self, kind, value, trace):
        self.graph._insert = self.before


class Graph:
    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None, *, capacity_hint=0):
        self._root = Node(self, "", "root", "", (), {})
        self._insert, self._len, self._order = self._root.prepend, 0, None
        self._graph_namespace, self._codegen = _Namespace(), CodeGen()
        self._owning_module, self._tracer_cls, self._tracer_extras = owning_module, tracer_cls, tracer_extras
        self._co_fields = {}

    owning_module = property(lambda self: self._owning_module, lambda self, module: setattr(self, "_owning_module", module))
    nodes = property(lambda self: _node_list(self))

    def _position(self, node):
        if self._order is None:
            self._order = {one: number for number, one in enumerate(self.nodes)}
        return self._order[node]

    def inserting_before(self, n=None):
        """New nodes go in front of this one; in front of all without one."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n=None):
        """New nodes go behind this one; behind all without one."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def _target_to_str(self, target):
        name = target.__name__ if callable(target) else target
        if not callable(target) and name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return _snake_case(name)

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """A new node where nodes are inserted now."""
        args, kwargs = args or (), kwargs or immutable_dict()
        if not isinstance(args, tuple):
            raise AssertionError("args must be a tuple")
        if not isinstance(kwargs, dict):
            raise AssertionError("kwargs must be a dict")
        name = self._graph_namespace.create_name(name if name is not None else self._target_to_str(target), None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", None) or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def erase_node(self, to_erase):
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                               f"{to_erase.users}!")
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node")
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        to_erase._remove_from_list()
        # Who walks over the nodes may still stand on it.
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(map_arg(to_erase._args, lambda node: None), map_arg(to_erase._kwargs, lambda node: None))

    def find_nodes(self, *, op, target=None, sort=True):
        if op == "call_function" and target is None:
            raise AssertionError
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def output_node(self):
        last = next(iter(reversed(self.nodes)))
        if last.op != "output":
            raise AssertionError
        return last

    def node_copy(self, node, arg_transform=lambda node: node):
        """A node of another graph in this one, with what `arg_transform` makes of the nodes that it uses."""
        made = self.create_node(node.op, node.target, map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform), node.name,
                                node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """All nodes of another graph but its output, whose value is given. `val_map` is filled: {its node: ours}."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                value = map_arg(node.args[0], lambda used: val_map[used])
                return (value, node) if return_output_node else value
            val_map[node] = self.node_copy(node, lambda used: val_map[used])
        return None

    def __deepcopy__(self, memo=None):
        memo = memo if memo else {}
        made = type(self)(tracer_cls=self._tracer_cls)
        copied = {}
        result = made.graph_copy(self, copied, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if result is not None:
            value, before = result
            made.output(value, type_expr=before.type).meta = copy.copy(before.meta)
        for before, after in copied.items():
            memo[id(before)] = after
        return made

    def placeholder(self, name, type_expr=None, default_value=inspect.Signature.empty):
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        """A node for a parameter, a buffer or a module of the module that owns the graph; warns if it is not there."""
        if self.owning_module is not None and not self._is_there(qualified_name):
            warnings.warn("Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                          "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                          "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer", stacklevel=2)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def _is_there(self, path):
        owner, _, name = path.rpartition(".")
        try:
            module = self.owning_module.get_submodule(owner)
        except AttributeError:
            warnings.warn(f"Failed to fetch module {owner}!")
            return False
        value = getattr(module, name, None)
        return isinstance(value, (torch.nn.Module, torch.nn.Parameter)) or name in module._buffers

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        if self.owning_module is not None and self.owning_module.get_submodule(module_name) is None:
            warnings.warn("Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                          "GraphModule.add_submodule to add the necessary submodule")
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result, type_expr=None):
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def process_inputs(self, *args):
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        return self._codegen.process_outputs(out)

    def lint(self):
        """Errors: RuntimeError  nodes have the same name, use one that comes later or is of another graph, or name what the module that
        owns the graph has not."""
        names, seen = set(), set()
        for node in self.nodes:
            if node.op not in _legal_ops or node.op == "root":
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for used in node._input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an argument! "
                                       "If you are copying nodes from another graph, make sure to use ``arg_transform`` on "
                                       f"node_copy() to remap values\n{self}")
                if used not in seen:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check that "
                                       f"Nodes in the graph are topologically ordered\n{self}")
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                self._check_target(node)

    def _check_target(self, node):
        wanted = _wanted_target(node.op, node.target)
        if wanted is not None:
            raise ValueError(f"Node {node} target {node.target} has type {torch.typename(node.target)} but a {wanted} is expected")
        if node.op not in ("get_attr", "call_module"):
            return
        found, parts = self.owning_module, node.target.split(".")
        for place, part in enumerate(parts):
            above, found = ".".join(parts[:place]), getattr(found, part, None)
            if found is None:
                raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {above}")
            if node.op == "call_module" and not isinstance(found, torch.nn.Module):
                raise RuntimeError(f"Node {node} target {node.target} {part} of {above} does not reference an nn.Module")

    def eliminate_dead_code(self, is_impure_node=None):
        """Nodes that nothing uses go, but for those that do something besides. Gives whether any went."""
        self.lint()
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not (is_impure_node(node) if is_impure_node is not None else node.is_impure()):
                self.erase_node(node)
                changed = True
        if self.owning_module is not None:
            from torch.fx.graph_module import GraphModule
            used = {node.target for node in self.find_nodes(op="get_attr")}
            for name, child in self.owning_module.named_children():
                if name in used and isinstance(child, GraphModule):
                    changed |= child.graph.eliminate_dead_code()
                    child.recompile()
        return changed

    def set_codegen(self, codegen):
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        """`make_transformer(the one before)` gives a function that changes the lines of the code; until the end of `with`."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def until_left():
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return until_left()

    def python_code(self, root_module, *, verbose=False, include_stride=False, include_device=False, colored=False, expanded_def=False,
                    record_func=False):
        """The source as PythonCode. With `verbose` it is for people: types, and lines of the program."""
        # Names of nodes must not be those of what the code refers to, which has its names only now.
        namespace = _Namespace()
        shown = {node: node._repr_fn for node in self.nodes}
        for node in shown:
            node._repr_fn = lambda node: namespace.create_name(node.name, node)
        try:
            return self._codegen._gen_python_code(self.nodes, root_module, namespace, verbose=verbose, include_stride=include_stride,
                                                  include_device=include_device, colored=colored, expanded_def=expanded_def,
                                                  record_func=record_func)
        finally:
            for node, before in shown.items():
                node._repr_fn = before

    def __str__(self):
        return "graph():" + "".join(f"\n    {node.format_node()}" for node in self.nodes)

    def print_tabular(self):
        """Prints a table of the nodes."""
        print(self._table(), end="")

    def _table(self):
        """The nodes as the package tabulate lays them out."""
        head = ["opcode", "name", "target", "args", "kwargs"]
        rows = [[str(one) for one in (node.op, node.name, _shown_target(node), node.args, node.kwargs)] for node in self.nodes]
        widths = [max(len(title) + 2, *(len(row[at]) for row in rows), 0) for at, title in enumerate(head)]
        return "".join("  ".join(one.ljust(width) for one, width in zip(row, widths)).rstrip() + "\n"
                       for row in (head, ["-" * width for width in widths], *rows))
