"""Control flow as functions. Behaviour: torch/_higher_order_ops.

Differs: they run as they are written; torch.compile makes one node of a graph of `cond` alone, and torch.export refuses a predicate
that is a value."""
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.cond import cond, cond_op
from torch._higher_order_ops.custom_function import autograd_function_apply
from torch._higher_order_ops.map import map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch._higher_order_ops.wrap import tag_activation_checkpoint

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
