"""Graphs and their nodes. Behaviour: torch/fx/graph.py, node.py."""
import builtins
import keyword
import re


def _name_of_target(target):
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", None) or ""
    name = getattr(target, "__name__", str(target))
    if module in ("_operator", "operator"):
        return f"operator.{name}"
    if module == "builtins" and hasattr(builtins, name):
        return name
    return f"{module}.{name}" if module else name


def _snake(text):
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


class Node:
    def __init__(self, graph, name, op, target, args, kwargs):
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.args = args
        self.kwargs = kwargs
        self.users = {}
        self.meta = {}
        self.text_target = None

    def __repr__(self):
        return self.name

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


class Graph:
    def __init__(self):
        self._nodes = []
        self._names = {}

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
        self._nodes.append(node)
        return node

    def placeholder(self, name):
        return self.create_node("placeholder", name, name=name)

    def output(self, value):
        return self.create_node("output", "output", (value,), name="output")

    def call_function(self, function, args=(), kwargs=None):
        return self.create_node("call_function", function, args, kwargs)

    def lint(self):
        pass

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
                body.append(f"{node.name} = self.{node.target}")
            elif node.op == "call_module":
                body.append(f"{node.name} = self.{node.target}({args})")
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
                    text = text.replace(".", "_") if text.startswith("operator") else text
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
        for node in self._nodes:
            print(node.op, node.name, node.target_text(), node.args, node.kwargs)


_operators = {"operator.add": "+", "operator.sub": "-", "operator.mul": "*", "operator.truediv": "/",
              "operator.matmul": "@", "operator.gt": ">", "operator.lt": "<", "operator.ge": ">=",
              "operator.le": "<=", "operator.eq": "==", "operator.ne": "!=", "operator.floordiv": "//",
              "operator.mod": "%", "operator.and_": "&", "operator.or_": "|", "operator.xor": "^"}


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
