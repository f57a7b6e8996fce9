"""What functions and tensors are marked with. Behaviour: torch/_dynamo/decorators.py."""
from torch._dynamo import (allow_in_graph, disable, dont_skip_tracing, error_on_graph_break, graph_break, mark_dynamic, mark_static,
                           mark_static_address, maybe_mark_dynamic, substitute_in_graph)

__all__ = ["allow_in_graph", "disable", "dont_skip_tracing", "error_on_graph_break", "graph_break", "mark_dynamic", "mark_static",
           "mark_static_address", "maybe_mark_dynamic", "substitute_in_graph"]
