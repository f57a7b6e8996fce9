"""Control flow as functions. Behaviour: torch/_higher_order_ops.

Differs: they run as they are written, under torch.compile too, where PyTorch makes one node of a graph of each; so gradients go
through the branch or the steps that ran, and torch.export refuses a predicate that is a value."""
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.cond import cond
from torch._higher_order_ops.map import map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
