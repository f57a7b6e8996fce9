"""torch.fx: graphs of programs. Behaviour: torch/fx."""
from torch.fx import immutable_collections, node, _codegen, graph, graph_module, traceback, proxy, _symbolic_trace, interpreter  # noqa: F401,I001
from torch.fx._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from torch.fx.graph import CodeGen, Graph
from torch.fx.graph_module import GraphModule
from torch.fx.interpreter import Interpreter, Transformer
from torch.fx.node import Node, has_side_effect, map_arg
from torch.fx.proxy import Proxy
from torch.fx.subgraph_rewriter import replace_pattern
