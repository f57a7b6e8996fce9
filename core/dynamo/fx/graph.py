"""Graphs and their nodes. Behaviour: torch/fx/graph.py, node.py."""
import builtins
import keyword
import re

import torch


def _name_of_target(target):
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", None) or ""
    name = getattr(target, "__name__", str(target))
    if module in ("_operator", "operator"):
        return f"operator.{name}"
    if module == "builtins" and hasattr(builtins, name):
        return name
    if module in ("", "builtins") and getattr(torch, name, None) is target:
        return f"torch.{name}"
    return f"{module}.{name}" if module else name


def _snake(text):
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


class Node:
    def __init__(self, graph, name, op, target, args, kwargs):
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.users = {}
        self.meta = {}
        self.text_target = None
        self._args, self._kwargs = args, kwargs

    def __repr__(self):
        return self.name

    def _set(self, args, kwargs):
        """Other arguments: the nodes among them know their users."""
        for used in self.all_input_nodes:
            used.users.pop(self, None)
        self._args, self._kwargs = args, kwargs
        for used in self.all_input_nodes:
            used.users[self] = None

    args = property(lambda self: self._args, lambda self, args: self._set(tuple(args), self._kwargs))
    kwargs = property(lambda self: self._kwargs, lambda self, kwargs: self._set(self._args, dict(kwargs)))

    def _neighbour(self, step):
        nodes = self.graph._nodes
        at = nodes.index(self) + step
        return nodes[at] if 0 <= at < len(nodes) else None

    next, prev = property(lambda self: self._neighbour(1)), property(lambda self: self._neighbour(-1))

    def _move(self, node, step):
        if node.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if node is self:
            return
        nodes = self.graph._nodes
        nodes.remove(node)
        nodes.insert(nodes.index(self) + step, node)

    def prepend(self, x):
        """Puts a node of the graph in front of this one."""
        self._move(x, 0)

    def append(self, x):
        """Puts a node of the graph behind this one."""
        self._move(x, 1)

    def update_arg(self, idx, arg):
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def update_kwarg(self, key, arg):
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        change = lambda node: new_input if node is old_input else node  # noqa: E731
        self._set(_map(change, self.args), _map(change, self.kwargs))

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True, *, propagate_meta=False):
        """Every user of this node uses another one. Gives those users."""
        if propagate_meta:
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def is_impure(self):
        return self.op in ("placeholder", "output")

    @property
    def all_input_nodes(self):
        found = {}
        _map(lambda node: found.setdefault(node), self.args)
        _map(lambda node: found.setdefault(node), self.kwargs)
        return list(found)

    def target_text(self):
        return self.text_target or _name_of_target(self.target)

    def format_node(self):
        if self.op == "placeholder":
            return f"%{self.name} : [num_users={len(self.users)}] = placeholder[target={self.target}]"
        if self.op == "get_attr":
            return f"%{self.name} : [num_users={len(self.users)}] = get_attr[target={self.target}]"
        if self.op == "output":
            return f"return {_percent(self.args[0])}"
        return (f"%{self.name} : [num_users={len(self.users)}] = {self.op}[target={self.target_text()}]"
                f"(args = {_percent(self.args)}, kwargs = {_percent(self.kwargs)})")


def _map(function, value):
    if isinstance(value, Node):
        return function(value)
    if isinstance(value, tuple):
        return tuple(_map(function, item) for item in value)
    if isinstance(value, list):
        return [_map(function, item) for item in value]
    if isinstance(value, dict):
        return {key: _map(function, item) for key, item in value.items()}
    if isinstance(value, slice):
        return slice(_map(function, value.start), _map(function, value.stop), _map(function, value.step))
    return value


def map_arg(a, fn):
    """The arguments with fn(node) in the place of each node."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return _map(fn, a)


def _percent(value):
    if isinstance(value, Node):
        return f"%{value.name}"
    if isinstance(value, tuple):
        inside = ", ".join(_percent(item) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return "[" + ", ".join(_percent(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_percent(item)}" for key, item in value.items()) + "}"
    return repr(value)


class _NodeList(list):
    """The nodes of a graph. Who walks over them may insert and erase meanwhile."""

    def __iter__(self):
        at = 0
        while at < len(self):
            node = self[at]
            following = self[at + 1] if at + 1 < len(self) else None
            yield node
            if at < len(self) and self[at] is node:
                at += 1
            elif node in self:
                at = self.index(node) + 1
            elif following is None or following not in self:
                return
            else:
                at = self.index(following)


class _InsertPoint:
    """Where new nodes go, for a while if it is entered."""

    def __init__(self, graph, place):
        self.graph, self.before = graph, graph._place
        graph._place = place

    def __enter__(self):
        pass

    def __exit__(self, *given):
        self.graph._place = self.before


class Graph:
    def __init__(self):
        self._nodes = _NodeList()
        self._names = {}
        # (node, 0 or 1): new ones go in front of it or behind it; None: to the end.
        self._place = None

    def inserting_before(self, n=None):
        return _InsertPoint(self, (n, 0) if n is not None else (self._nodes[0], 0) if self._nodes else None)

    def inserting_after(self, n=None):
        return _InsertPoint(self, (n, 1) if n is not None else None)

    @property
    def nodes(self):
        return self._nodes

    def _name(self, candidate):
        candidate = re.sub(r"[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = "_" + candidate
        count = self._names.get(candidate)
        if count is None and not keyword.iskeyword(candidate) and not hasattr(builtins, candidate):
            self._names[candidate] = 0
            return candidate
        count = (count or 0) + 1
        while f"{candidate}_{count}" in self._names:
            count += 1
        self._names[candidate] = count
        self._names[f"{candidate}_{count}"] = 0
        return f"{candidate}_{count}"

    def create_node(self, op, target, args=(), kwargs=None, name=None):
        if name is None:
            base = target if isinstance(target, str) else getattr(target, "__name__", "node")
            name = _snake(base.replace(".", "_").strip("_") if op in ("call_module", "get_attr") else base)
        node = Node(self, self._name(name), op, target, args, kwargs or {})
        for used in node.all_input_nodes:
            used.users[node] = None
        if self._place is None:
            self._nodes.append(node)
        else:
            self._nodes.insert(self._nodes.index(self._place[0]) + self._place[1], node)
        return node

    def erase_node(self, to_erase):
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                               f"{to_erase.users}!")
        to_erase._set((), {})
        self._nodes.remove(to_erase)

    def find_nodes(self, *, op, target=None, sort=True):
        return [node for node in self._nodes if node.op == op and (target is None or node.target == target)]

    def output_node(self):
        return next(node for node in reversed(self._nodes) if node.op == "output")

    def node_copy(self, node, arg_transform=lambda x: x):
        """A node of another graph in this one, with what `arg_transform` makes of the nodes that it uses."""
        made = self.create_node(node.op, node.target, _map(arg_transform, node.args), _map(arg_transform, node.kwargs),
                                node.name)
        made.meta = dict(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """All nodes of another graph but its output, whose value is given."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                value = _map(lambda used: val_map[used], node.args[0])
                return (value, node) if return_output_node else value
            val_map[node] = self.node_copy(node, lambda used: val_map[used])
        return None

    def placeholder(self, name):
        return self.create_node("placeholder", name, name=name)

    def get_attr(self, qualified_name):
        return self.create_node("get_attr", qualified_name)

    def call_module(self, module_name, args=(), kwargs=None):
        return self.create_node("call_module", module_name, args, kwargs)

    def call_method(self, method_name, args=(), kwargs=None):
        return self.create_node("call_method", method_name, args, kwargs)

    def output(self, value):
        return self.create_node("output", "output", (value,), name="output")

    def call_function(self, function, args=(), kwargs=None):
        return self.create_node("call_function", function, args, kwargs)

    def lint(self):
        """Errors: RuntimeError  a node uses one that comes later, or is of another graph."""
        seen = set()
        for node in self._nodes:
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to this Graph, but was used as an "
                                       "argument!")
                if used not in seen:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it has been defined! Please check "
                                       "that Nodes in the graph are topologically ordered")
            seen.add(node)

    def eliminate_dead_code(self):
        for node in reversed(list(self._nodes)):
            if not node.users and node.op not in ("placeholder", "output"):
                for used in node.all_input_nodes:
                    used.users.pop(node, None)
                self._nodes.remove(node)

    def python_code(self, names=None):
        """The source of forward(). With `names`, what it refers to is put there, so that it can be executed."""
        body = []
        parameters = ["self"]
        for node in self._nodes:
            keywords = [f"{key} = {_plain(item, names)}" for key, item in node.kwargs.items()]
            args = ", ".join([_plain(item, names) for item in node.args] + keywords)
            if node.op == "placeholder":
                parameters.append(str(node.target))
                if node.name != node.target:
                    body.append(f"{node.name} = {node.target}")
            elif node.op == "get_attr":
                body.append(f"{node.name} = {_path(node.target)}")
            elif node.op == "call_module":
                body.append(f"{node.name} = {_path(node.target)}({args})")
            elif node.op == "call_method":
                rest = ", ".join([_plain(item, names) for item in node.args[1:]] + keywords)
                body.append(f"{node.name} = {_plain(node.args[0], names)}.{node.target}({rest})")
            elif node.op == "output":
                body.append(f"return {_plain(node.args[0], names)}")
            else:
                text = node.target_text()
                operator = _operators.get(text)
                if operator is not None and len(node.args) == 2:
                    body.append(f"{node.name} = {_plain(node.args[0], names)} {operator} {_plain(node.args[1], names)}")
                elif text == "operator.getitem":
                    body.append(f"{node.name} = {_plain(node.args[0], names)}[{_plain(node.args[1], names)}]")
                else:
                    text = text if text.startswith("torch.") else text.replace(".", "_")
                    if names is not None and _found(text, names) is not node.target:
                        text = text.replace(".", "_")
                        names[text] = node.target
                    body.append(f"{node.name} = {text}({args})")
        lines = "\n".join("    " + line for line in body)
        return f"\n\n\ndef forward({', '.join(parameters)}):\n{lines}\n    "

    def __str__(self):
        lines = "\n".join("    " + node.format_node() for node in self._nodes)
        return f"graph():\n{lines}"

    def print_tabular(self):
        """A table of the nodes, as the package tabulate lays it out."""
        head = ["opcode", "name", "target", "args", "kwargs"]
        rows = [[str(one) for one in (node.op, node.name, node.target, node.args, node.kwargs)] for node in self._nodes]
        widths = [max(len(title) + 2, *(len(row[at]) for row in rows), 0) for at, title in enumerate(head)]
        for row in (head, ["-" * width for width in widths], *rows):
            print("  ".join(one.ljust(width) for one, width in zip(row, widths)).rstrip())


_operators = {"operator.add": "+", "operator.sub": "-", "operator.mul": "*", "operator.truediv": "/",
              "operator.matmul": "@", "operator.gt": ">", "operator.lt": "<", "operator.ge": ">=",
              "operator.le": "<=", "operator.eq": "==", "operator.ne": "!=", "operator.floordiv": "//",
              "operator.mod": "%", "operator.and_": "&", "operator.or_": "|", "operator.xor": "^"}


def _path(target):
    """`self.a.b` of the source; parts that are no names, as those of a Sequential, are read with getattr."""
    text = "self"
    for part in target.split("."):
        text = f"{text}.{part}" if part.isidentifier() else f'getattr({text}, "{part}")'
    return text


def _found(path, names):
    first, *rest = path.split(".")
    value = names.get(first)
    for part in rest:
        value = getattr(value, part, None)
    return value


def _plain(value, names=None):
    if isinstance(value, Node):
        return value.name
    if isinstance(value, tuple) and type(value) is tuple:
        inside = ", ".join(_plain(item, names) for item in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return "[" + ", ".join(_plain(item, names) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_plain(item, names)}" for key, item in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({_plain(value.start, names)}, {_plain(value.stop, names)}, {_plain(value.step, names)})"
    text = repr(value)
    if names is None or value is None or isinstance(value, (bool, int, str)) or text.startswith("torch."):
        return text
    # What no source can say is referred to by a name.
    name = f"_constant_{len(names)}"
    names[name] = value
    return name
