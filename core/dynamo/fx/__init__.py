"""torch.fx: graphs of programs. Behaviour: torch/fx."""
from torch.fx.graph import Graph, Node
from torch.fx.graph_module import GraphModule
from torch.fx.interpreter import Interpreter, Transformer
from torch.fx.node import map_arg
from torch.fx.proxy import Proxy, Tracer, symbolic_trace, wrap
from torch.fx.subgraph_rewriter import replace_pattern
