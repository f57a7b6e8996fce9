"""Models that give what is inside of them. Behaviour: torchvision/models/feature_extraction.py."""
import inspect
import math
import re
import warnings
from collections import OrderedDict

import torchvision
from torch import fx, nn
from torch.fx.graph_module import _copy_attr

__all__ = ["create_feature_extractor", "get_graph_node_names"]


class LeafModuleAwareTracer(fx.Tracer):
    """A tracer that is told which more modules are one node."""

    def __init__(self, *args, **kwargs):
        self.leaf_modules = tuple(kwargs.pop("leaf_modules", ()))
        super().__init__(*args, **kwargs)

    def is_leaf_module(self, m, module_qualname):
        return isinstance(m, self.leaf_modules) or super().is_leaf_module(m, module_qualname)


class NodePathTracer(LeafModuleAwareTracer):
    """Notes where each node is: `node_to_qualname` has "layer1.0.add" of an addition in the first block of layer1."""

    current_module_qualname = ""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.node_to_qualname = OrderedDict()

    def call_module(self, m, forward, args, kwargs):
        around = self.current_module_qualname
        try:
            path = self.current_module_qualname = self.path_of_module(m)
            if self.is_leaf_module(m, path):
                return self.create_proxy("call_module", path, args, kwargs)
            return forward(*args, **kwargs)
        finally:
            self.current_module_qualname = around

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, *_):
        made = super().create_proxy(kind, target, args, kwargs, name, type_expr)
        self.node_to_qualname[made.node] = self._get_node_qualname(self.current_module_qualname, made.node)
        return made

    def _get_node_qualname(self, module_qualname, node):
        """The path of a node; the second one of a path has _1 behind it."""
        path = module_qualname
        if node.op != "call_module":
            path = f"{path}.{node}" if path else str(node)
            # The number that the graph gave counts all nodes, not those of this module.
            path = re.sub(r"(?<=.)_[0-9]+$", "", path)
        for known in reversed(list(self.node_to_qualname.values())):
            if re.match(rf"{path}(_[0-9]+)?$", known) is not None:
                number = known.replace(path, "")
                return f"{path}_{int(number[1:]) + 1 if number else 1}"
        return path


def _is_subseq(x, y):
    """Whether all of y comes in x, in that order."""
    rest = iter(x)
    return all(any(one == wanted for one in rest) for wanted in y)


def _warn_graph_differences(train_tracer, eval_tracer):
    train, evaluated = list(train_tracer.node_to_qualname.values()), list(eval_tracer.node_to_qualname.values())
    if len(train) == len(evaluated) and train == evaluated:
        return
    if _is_subseq(train, evaluated):
        said = "NOTE: The nodes obtained by tracing the model in eval mode are a subsequence of those obtained in train mode. "
    elif _is_subseq(evaluated, train):
        said = "NOTE: The nodes obtained by tracing the model in train mode are a subsequence of those obtained in eval mode. "
    else:
        said = "The nodes obtained by tracing the model in train mode are different to those obtained in eval mode. "
    warnings.warn(said + "When choosing nodes for feature extraction, you may need to specify output nodes for train and eval mode "
                  "separately.")


def _tracer_kwargs(given):
    """Layers and functions of torchvision.ops are one node each."""
    made = dict(given or {})
    layers = [one for _, one in inspect.getmembers(torchvision.ops) if inspect.isclass(one) and issubclass(one, nn.Module)]
    made["autowrap_modules"] = tuple(dict.fromkeys((*made.get("autowrap_modules", ()), math, torchvision.ops)))
    made["leaf_modules"] = list(dict.fromkeys([*made.get("leaf_modules", ()), *layers]))
    return made


def get_graph_node_names(model, tracer_kwargs=None, suppress_diff_warning=False, concrete_args=None):
    """The paths of all nodes of a model in the order in which they run: (in train mode, in eval mode)."""
    was_training, tracers = model.training, []
    for training in (True, False):
        tracers.append(NodePathTracer(**_tracer_kwargs(tracer_kwargs)))
        tracers[-1].trace(model.train(training), concrete_args=concrete_args)
    if not suppress_diff_warning:
        _warn_graph_differences(*tracers)
    model.train(was_training)
    return tuple(list(tracer.node_to_qualname.values()) for tracer in tracers)


class DualGraphModule(fx.GraphModule):
    """A GraphModule with a graph for train mode and one for eval mode."""

    def __init__(self, root, train_graph, eval_graph, class_name="GraphModule"):
        super(fx.GraphModule, self).__init__()
        self.__class__.__name__ = class_name
        self.train_graph, self.eval_graph = train_graph, eval_graph
        for node in [*train_graph.nodes, *eval_graph.nodes]:
            if node.op in ("get_attr", "call_module"):
                _copy_attr(root, self, node.target)
        self.train()
        self.graph = train_graph
        if train_graph._tracer_cls != eval_graph._tracer_cls:
            raise TypeError(f"Train mode and eval mode should use the same tracer class. Instead got {eval_graph._tracer_cls} for eval vs "
                            f"{train_graph._tracer_cls} for train")
        self._tracer_cls = None
        if train_graph._tracer_cls and "<locals>" not in train_graph._tracer_cls.__qualname__:
            self._tracer_cls = train_graph._tracer_cls

    def train(self, mode=True):
        if mode != self.training:
            self.graph = self.train_graph if mode else self.eval_graph
        return super().train(mode=mode)


def _names(nodes):
    if isinstance(nodes, list):
        return {str(one): str(one) for one in nodes}
    return {str(key): str(value) for key, value in nodes.items()}


def create_feature_extractor(model, return_nodes=None, train_return_nodes=None, eval_return_nodes=None, tracer_kwargs=None,
                             suppress_diff_warning=False, concrete_args=None):
    """A model that gives a dict of what is at these nodes: {path: name in the dict}, or a list of paths.

    A path of a module stands for the last node in it. Errors: ValueError  a path that is not there, or nodes of one mode only."""
    if return_nodes is None and train_return_nodes is None and eval_return_nodes is None:
        raise ValueError("Either `return_nodes` or `train_return_nodes` and `eval_return_nodes` together, should be specified")
    if (train_return_nodes is None) != (eval_return_nodes is None):
        raise ValueError("If any of `train_return_nodes` and `eval_return_nodes` are specified, then both should be specified")
    if (return_nodes is None) == (train_return_nodes is None):
        raise ValueError("If `train_return_nodes` and `eval_return_nodes` are specified, then both should be specified")
    wanted = [_names(return_nodes if return_nodes is not None else one) for one in (train_return_nodes, eval_return_nodes)]
    was_training, tracers, graphs = model.training, [], []
    for training, queries in zip((True, False), wanted):
        model.train(training)
        tracer = NodePathTracer(**_tracer_kwargs(tracer_kwargs))
        graph = tracer.trace(model, concrete_args=concrete_args)
        name = type(model).__name__ if isinstance(model, nn.Module) else model.__name__
        module = fx.GraphModule(tracer.root, graph, name)
        _choose_outputs(module, tracer, queries)
        tracers.append(tracer)
        graphs.append(graph)
    if not suppress_diff_warning:
        _warn_graph_differences(*tracers)
    made = DualGraphModule(tracers[0].root, graphs[0], graphs[1], class_name=name)
    model.train(was_training)
    made.train(was_training)
    return made


def _choose_outputs(module, tracer, queries):
    """The graph gives what was asked for, and computes no more than that."""
    there, graph = list(tracer.node_to_qualname.values()), module.graph
    if len(set(there)) != len(there):
        raise AssertionError("There are duplicate nodes! Please raise an issue https://github.com/pytorch/vision/issues")
    for query in queries:
        if not any(re.match(rf"^{query}(\.|$)", path) for path in there):
            raise ValueError(f"node: '{query}' is not present in model. Hint: use `get_graph_node_names` to make sure the `return_nodes` you "
                             "specified are present. It may even be that you need to specify `train_return_nodes` and "
                             "`eval_return_nodes` separately.")
    outputs = [node for node in reversed(graph.nodes) if node.op == "output"]
    if not outputs:
        raise ValueError("No output nodes found in graph_module.graph.nodes")
    for node in outputs:
        graph.erase_node(node)
    found, left, nodes = [], dict(queries), list(graph.nodes)
    for node in reversed(nodes):
        path = tracer.node_to_qualname.get(node)
        if path is None:
            continue
        query = next((one for one in left if ".".join(path.split(".")[:one.count(".") + 1]) == one), None)
        if query is not None:
            found.append((left.pop(query), node))
    with graph.inserting_after(nodes[-1]):
        graph.output(OrderedDict(reversed(found)))
    graph.eliminate_dead_code()
    module.recompile()
