"""What is left out of a model that only infers. Behaviour: torch/fx/experimental/optimization.py."""
import copy

import torch.fx as fx
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["matches_module_pattern", "replace_node_module", "fuse", "remove_dropout"]

_CONV_AND_NORM = ((nn.Conv1d, nn.BatchNorm1d), (nn.Conv2d, nn.BatchNorm2d), (nn.Conv3d, nn.BatchNorm3d))


def _parent_name(target):
    """("a.b", "c") of "a.b.c"."""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern, node, modules):
    """Whether a node calls a module of the last type of `pattern`, on what one of the type before gives, and so on."""
    if len(node.args) == 0:
        return False
    for kind, one in zip(pattern, (node.args[0], node)):
        if not isinstance(one, fx.Node) or one.op != "call_module" or one.target not in modules:
            return False
        if type(modules[one.target]) is not kind:
            return False
    return True


def replace_node_module(node, modules, new_module):
    """Puts another module where the one is that a node calls."""
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model, inplace=False, no_trace=False):
    """The model with each batch norm that follows a convolution made part of it. For models in eval mode."""
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, fx.GraphModule) else fx.symbolic_trace(model)
    modules, graph = dict(traced.named_modules()), copy.deepcopy(traced.graph)
    for pattern in _CONV_AND_NORM:
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            norm = modules[node.target]
            if not norm.track_running_stats:
                continue
            replace_node_module(node.args[0], modules, fuse_conv_bn_eval(modules[node.args[0].target], norm))
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    return fx.GraphModule(traced, graph)


def remove_dropout(model):
    """The model without its dropout."""
    class DropoutRemover(fx.Transformer):
        def call_module(self, target, args, kwargs):
            if isinstance(self.submodules[target], nn.Dropout):
                return args[0]
            return super().call_module(target, args, kwargs)

    return DropoutRemover(fx.symbolic_trace(model)).transform()
