"""Graphs of functions whose arguments are containers, traced once more, and containers of the program."""
import collections

import torch
from torch.fx import PH, symbolic_trace
from torch.fx import _pytree as fx_pytree
from torch.utils import _pytree as pytree

Point = collections.namedtuple("Point", ["x", "y"])


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


pytree.register_pytree_node(Pair, lambda pair: ([pair.a, pair.b], None), lambda children, _: Pair(*children))
fx_pytree.register_pytree_flatten_spec(Pair, lambda pair, spec: [pair.a, pair.b])
CASES = [
    (lambda x: sum(x), [PH, PH, PH]),
    (lambda x: x["a"] + x["b"][0], {"a": PH, "b": (PH, PH)}),
    (lambda x: x.x + x.y, Point(PH, PH)),
    (lambda x: x.a + x.b, Pair(PH, 3)),
]
for number, (function, shape) in enumerate(CASES):
    given = pytree.tree_map(lambda leaf: torch.ones(2) if leaf is PH else leaf, shape)
    traced = symbolic_trace(function, concrete_args={"x": shape})
    again = symbolic_trace(traced)
    print(number, traced(given), again(given), "tree_flatten_spec" in traced.code, "tree_flatten_spec" in again.code)
try:
    fx_pytree.tree_flatten_spec({1}, pytree.TreeSpec(set, None, [pytree.LeafSpec()]))
except RuntimeError as error:
    print(str(error).partition(".")[0])

torch.fx.proxy.TracerBase.check_mutable_operations = True
print(symbolic_trace(lambda a, b: a & b | a).code)
