"""A graph as a module. Behaviour: torch/fx/graph_module.py."""
from torch import nn
from torch.fx.graph import Graph, Node, _map


class GraphModule(nn.Module):
    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        self.__dict__["_root"] = root
        self.__dict__["graph"] = graph
        self.__class__ = type(class_name, (type(self),), {}) if class_name != type(self).__name__ else type(self)
        for node in graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            value = root[node.target] if isinstance(root, dict) else _attribute(root, node.target)
            _place(self, node.target, value)
        if isinstance(root, nn.Module):
            self.training = root.training

    @property
    def code(self):
        return self.graph.python_code()

    def recompile(self):
        pass

    def forward(self, *args):
        values = {}
        given = iter(args)

        def value_of(item):
            return _map(lambda node: values[node], item)

        for node in self.graph.nodes:
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                values[node] = _attribute(self, node.target)
            elif node.op == "call_function":
                values[node] = node.target(*value_of(node.args), **value_of(node.kwargs))
            elif node.op == "call_method":
                own, *rest = value_of(node.args)
                values[node] = getattr(own, node.target)(*rest, **value_of(node.kwargs))
            elif node.op == "call_module":
                values[node] = _attribute(self, node.target)(*value_of(node.args), **value_of(node.kwargs))
            elif node.op == "output":
                result = value_of(node.args[0])
                if "_shape_of_result" not in self.__dict__:
                    return result
                shape = self.__dict__["_shape_of_result"]
                return shape(result) if shape is not None else result[0]

    def print_readable(self, print_output=True):
        text = self.code
        if print_output:
            print(text)
        return text


def _attribute(root, path):
    for part in path.split("."):
        root = getattr(root, part)
    return root


def _place(module, path, value):
    *prefix, last = path.split(".")
    for part in prefix:
        child = module._modules.get(part)
        if child is None:
            child = nn.Module()
            module.add_module(part, child)
        module = child
    if isinstance(value, nn.Module):
        module.add_module(last, value)
    elif isinstance(value, nn.Parameter):
        module.register_parameter(last, value)
    else:
        setattr(module, last, value)


def _from_rows(rows, attributes):
    """A GraphModule of what the tracer captured: op, name, target, text of the target, args, kwargs a row."""
    graph = Graph()
    by_name = {}

    def real(item):
        if isinstance(item, _Reference):
            return by_name[item.name]
        if isinstance(item, tuple):
            return tuple(real(one) for one in item)
        if isinstance(item, list):
            return [real(one) for one in item]
        if isinstance(item, dict):
            return {key: real(one) for key, one in item.items()}
        if isinstance(item, slice):
            return slice(real(item.start), real(item.stop), real(item.step))
        return item

    for op, name, target, text, args, kwargs in rows:
        node = Node(graph, name, op, target, real(args), real(kwargs))
        node.text_target = text
        for used in node.all_input_nodes:
            used.users[node] = None
        graph._nodes.append(node)
        by_name[name] = node
    return GraphModule(attributes, graph)


class _Reference:
    def __init__(self, name):
        self.name = name
