"""Graph modules whose code is made when it is first needed. Behaviour: torch/fx/_lazy_graph_module.py.

Differs: the code is made at once."""
import contextlib

from torch.fx.graph_module import GraphModule

_LazyGraphModule = GraphModule


def _make_graph_module(*args, graph_module_cls=None, **kwargs):
    return (graph_module_cls or GraphModule)(*args, **kwargs)


@contextlib.contextmanager
def _use_lazy_graph_module(should_use):
    yield
