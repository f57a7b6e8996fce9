# torch.fx: the code that graphs are, and what tracers do with parameters, buffers, constants, defaults and containers.
import copy
import io
import math
import operator
from collections import namedtuple
from typing import List, Optional, Tuple

import torch
import torch.fx as fx
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("shift", torch.zeros(4))
        self.plain = torch.ones(4)

    def forward(self, x: torch.Tensor, flag: bool = True, *, bias: Optional[torch.Tensor] = None) -> torch.Tensor:
        y = self.norm(self.conv(x)).flatten(2).mean(-1)
        y = self.layers(y) * self.scale + self.shift + self.plain
        y = F.gelu(y) + torch.tensor([1.0, 2.0, 3.0, 4.0])
        a, b = y.chunk(2, dim=1)
        return -a @ b.transpose(0, 1)


traced = fx.symbolic_trace(Block())
print(traced.code)
print(traced.graph)
print(traced)
x = torch.ones(2, 3, 5, 5)
print(torch.equal(traced(x), traced(x, True)), [name for name, _ in traced.named_parameters()], [name for name, _ in traced.named_buffers()])
print(fx.symbolic_trace(lambda x: F.conv2d(x, x, None, padding=1)).graph)
fx.symbolic_trace(lambda x: F.linear(x, x) + 1).graph.print_tabular()
print(fx.symbolic_trace(lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True)).graph)


def stars(*args, **kwargs):
    return args[0] + kwargs["y"]


print(fx.symbolic_trace(stars).code, fx.symbolic_trace(stars)(torch.ones(1), y=torch.ones(1)))


def many(x, y=2, *rest, z=3, w=None):
    return x * y + z, [rest, {"w": w}], slice(x, None), x[1:y, ..., None]


print(fx.symbolic_trace(many).code)


def typed(x: List[torch.Tensor], y: Tuple[int, int], z: "int | None" = None) -> List[torch.Tensor]:
    return x


print(fx.symbolic_trace(typed).code)
Pair = namedtuple("Pair", "first second")


def pairs(x):
    return Pair(x, x + 1), math.sqrt(x), len_of(x), x.shape[0], getattr(x, "dtype"), torch.add(x, x, alpha=2), abs(x)


@fx.wrap
def len_of(x):
    return len(x)


print(fx.symbolic_trace(pairs).code)
fx.wrap("len")
print(fx.symbolic_trace(lambda x: len(x) + 1).code)

for wrong in (lambda x: x if x else 1, lambda x: [one for one in x], lambda x: {x: 1}, lambda x: x(1), lambda x: (x, object())):
    try:
        print(fx.symbolic_trace(wrong).code.strip())
    except Exception as error:
        print(type(error).__name__, error)


def choice(x, flag, pairs):
    if flag:
        return x * pairs["a"] + pairs["b"][0]
    return x


special = fx.symbolic_trace(choice, concrete_args={"flag": True, "pairs": {"a": fx.PH, "b": [fx.PH]}})
print(special.code)
print(special(torch.ones(1), True, {"a": torch.ones(1), "b": [torch.ones(1)]}))
try:
    special(torch.ones(1), False, {"a": torch.ones(1), "b": [torch.ones(1)]})
except AssertionError as error:
    print(error)

# Graphs by hand.
graph = fx.Graph()
first = graph.placeholder("x", type_expr=torch.Tensor)
second = graph.placeholder("y", default_value=3)
added = graph.call_function(operator.add, (first, second))
in_place = graph.call_function(operator.iadd, (added, 1))
graph.call_function(operator.setitem, (in_place, 0, 5.0))
unused = graph.call_function(torch.relu, (added,))
made = graph.output({"a": [in_place], "b": (added,)})
module = fx.GraphModule(nn.Module(), graph, "Made")
print(module.code, module(torch.ones(2)), type(module).__name__)
print([node.format_node() for node in graph.nodes], sorted([made, first, added]), added < made)
print(graph.eliminate_dead_code(), [node.name for node in graph.nodes], [node.name for node in reversed(graph.nodes)])
print(graph.find_nodes(op="call_function", target=operator.add), graph.output_node(), len(graph.nodes))
for change in (lambda: in_place.args.append(1) if False else added.kwargs.update(a=1), lambda: graph.erase_node(added),
               lambda: graph.create_node("call_function", "relu", ()), lambda: graph.create_node("jump", "x"),
               lambda: fx.GraphModule({}, traced.graph)):
    try:
        change()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:90].replace(str(graph), ""))
with graph.inserting_before(in_place):
    third = graph.call_method("mul", (added, 2))
in_place.replace_input_with(added, third)
third._rename("add")
graph.lint()
module.recompile()
print(module.code, third, [user.name for user in added.users])
module.graph.on_generate_code(lambda before: lambda body: ["print('runs')\n", *body])
module.recompile()
print(module.code, module(torch.ones(2))["a"])

# Copies and pickles.
other = copy.deepcopy(traced)
print(torch.equal(other(x), traced(x)), other.conv is traced.conv, other.code == traced.code, copy.copy(traced).conv is traced.conv)
buffer = io.BytesIO()
torch.save(traced, buffer)
buffer.seek(0)
print(torch.equal(torch.load(buffer, weights_only=False)(x), traced(x)))

# Modules in modules, errors, attributes.
print(traced.add_submodule("a.b", nn.ReLU()), traced.delete_submodule("a.c"), traced.a)
traced.delete_all_unused_submodules()
print(hasattr(traced, "a"), sorted(dict(traced.named_children())))
try:
    traced(torch.ones(1))
except RuntimeError as error:
    print(str(error)[:60])
traced.print_readable()


# Values that are several, modules that run, loops over what is known.
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList(nn.GRUCell(3, 3) for _ in range(2))
        self.attention = nn.MultiheadAttention(4, 2)

    def forward(self, x, h):
        for cell in self.cells:
            h = cell(x, h)
        out, weights = self.attention(h, h, h)
        first, (second, *rest) = out[0], (weights, 1, 2)
        return {"out": out, "pair": (first, second)}, rest


recurrent = fx.symbolic_trace(Recurrent())
print(recurrent.code)
print([list(node.meta.get("nn_module_stack", {}).items()) for node in recurrent.graph.nodes][2:4])


class Leaves(fx.Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        return isinstance(m, nn.Linear)


sequence = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Dropout(0.5))
sequence[0].register_forward_hook(lambda module, args, out: print("hook of a leaf"))
sequence[1].register_forward_hook(lambda module, args, out: out * 2)
print(fx.GraphModule(sequence, Leaves().trace(sequence)).code)
print(fx.Tracer(param_shapes_constant=True).trace(Block()).output_node())


class Sized(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 3))

    def forward(self, x):
        return x @ self.weight if self.weight.shape[0] > 1 else x


sized = fx.Tracer(param_shapes_constant=True)
print([node.name for node in sized.trace(Sized()).nodes])


class Pairs(metaclass=fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def both(self):
        return self.left + self.right


proxied = fx.symbolic_trace(lambda x, y: Pairs(x, y).both())
print(proxied.code, proxied(torch.ones(1), torch.ones(1)))

# Passes.
from torch.fx.experimental.optimization import fuse, remove_dropout
from torch.fx.passes.infra.pass_base import PassBase, PassResult
from torch.fx.passes.infra.pass_manager import PassManager, pass_result_wrapper, this_before_that_pass_constraint
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_module import split_module

model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout()).eval()
model[1].running_mean.fill_(0.5)
image = torch.rand(1, 1, 4, 4)
fused, bare = fuse(model), remove_dropout(model)
print(fused.code, torch.allclose(fused(image), model(image), atol=1e-6), [type(one).__name__ for one in bare.children()])
shaped = fx.symbolic_trace(model)
ShapeProp(shaped).propagate(image)
print([(node.name, node.meta["tensor_meta"].shape, node.meta["tensor_meta"].dtype) for node in shaped.graph.nodes])
print(next(iter(shaped.graph.nodes)).meta["tensor_meta"])
shaped.print_readable(include_stride=True)
numbers = {"_0": 0, "_1": 0, "_2": 1, "_3": 1}
names = {}
parts = split_module(shaped, model, lambda node: numbers[node.name], names)
print(parts.code, parts.submod_0.code, parts.submod_1.code, torch.equal(parts(image), model(image)), names)


class Parted(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.inner = nn.ModuleDict({"linear": nn.Linear(4, 5)})

    def forward(self, x, y):
        z = self.inner["linear"](x + self.param).clamp(min=0.0, max=1.0)
        w = self.inner["linear"](y).clamp(min=0.0, max=1.0)
        return z + w


turn, paths = iter(range(100)), {}
parted = fx.symbolic_trace(Parted())
halves = split_module(parted, parted, lambda node: next(turn) % 3, paths)
print(halves, halves.submod_0.code, paths)
print(torch.equal(halves(torch.ones(3, 4), torch.ones(3, 4)), parted(torch.ones(3, 4), torch.ones(3, 4))))


class ReplaceAdd(PassBase):
    def call(self, graph_module):
        changed = False
        for node in graph_module.graph.nodes:
            if node.op == "call_function" and node.target is operator.add:
                node.target, changed = operator.sub, True
        return PassResult(graph_module, changed)


@pass_result_wrapper
def tell(graph_module):
    print("tells", [node.name for node in graph_module.graph.nodes])


replace = ReplaceAdd()
manager = PassManager([tell, replace], [this_before_that_pass_constraint(replace, tell)])
result = manager(fx.symbolic_trace(lambda x: x + 1))
print(result.modified, result.graph_module.code)
linear = next(node for node in traced.graph.nodes if node.target == "conv")
print(linear.normalized_arguments(traced, normalize_to_only_use_kwargs=True))


class Doubling(fx.Transformer):
    def call_function(self, target, args, kwargs):
        return super().call_function(operator.mul if target is operator.add else target, args, kwargs)


print(Doubling(fx.symbolic_trace(lambda x, y=3: x + y)).transform().code)
try:
    fx.Interpreter(fx.symbolic_trace(lambda x: torch.relu(x))).run("text")
except TypeError as error:
    print(error)
