"""A graph as a module. Behaviour: torch/fx/graph_module.py."""
import itertools

import torch
from torch import nn
from torch.fx.graph import Graph, Node

_numbers = itertools.count()


class GraphModule(nn.Module):
    def __new__(cls, *args, **kwargs):
        # Each has a class of its own: its forward is made of its graph.
        class GraphModuleImpl(cls):
            pass

        return super().__new__(GraphModuleImpl)

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__()
        self.__class__.__name__ = class_name
        self.__dict__["_root"] = root
        self.__dict__["graph"] = graph
        for node in graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            value = root[node.target] if isinstance(root, dict) else _attribute(root, node.target)
            _place(self, node.target, value)
        if isinstance(root, nn.Module):
            self.training = root.training
        self.recompile()

    @property
    def code(self):
        return self.graph.python_code()

    def recompile(self):
        names = {"torch": torch}
        source = self.graph.python_code(names)
        exec(compile(source, f"<eval_with_key>.{next(_numbers)}", "exec"), names)
        type(self).forward = names["forward"]

    def _give(self, shape):
        """Makes forward() give its one result, or all of them as `shape`, instead of a list."""
        listed = type(self).forward

        def forward(self, *args):
            result = listed(self, *args)
            return shape(result) if shape is not None else result[0]

        type(self).forward = forward

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


def _get_attr(model, attr_name):
    """The attribute of a path with dots."""
    return _attribute(model, attr_name)


def _has_attr(model, attr_name):
    for part in attr_name.split("."):
        if not hasattr(model, part):
            return False
        model = getattr(model, part)
    return True


def _assign_attr(from_obj, to_module, target):
    """Puts something under a path with dots; a tensor that is no parameter becomes a buffer."""
    *prefix, last = target.split(".")
    for part in prefix:
        child = getattr(to_module, part, None)
        if child is None:
            child = nn.Module()
            setattr(to_module, part, child)
        to_module = child
    if isinstance(from_obj, torch.Tensor) and not isinstance(from_obj, nn.Parameter):
        to_module.register_buffer(last, from_obj)
    else:
        setattr(to_module, last, from_obj)


def _del_attr(model, attr_name):
    *prefix, last = attr_name.split(".")
    delattr(_attribute(model, ".".join(prefix)) if prefix else model, last)
