"""run_decompositions(): a program in ops that write into nothing. Behaviour: torch/export/exported_program.py,
_decompose_exported_program; torch/_functorch/_aot_autograd (functionalisation); torch/_decomp/decompositions.py.

What an op in place writes is a new value from then on; for views the value of what they look at is made anew by the op that scatters
into it. What was written into parameters, buffers and inputs comes out of the graph in front of what the user gets."""
import operator

import torch
from torch import nn
from torch._aten import find
from torch.export._build import Names, argument_of, word_of
from torch.export._code import ExportedGraph
from torch.export._decompositions import COMPOSITES, core_table, lies_contiguously
from torch.export._graph_module import ExportedGraphModule
from torch.export._values import FakeTensor, contiguous_stride
from torch.export._verifier import Verifier
from torch.export.exported_program import ExportedProgram
from torch.export.graph_signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec, TensorArgument
from torch.fx.graph import Node, map_arg

core_decompositions = core_table

# Views, and the op that writes a changed view into what it looks at.
_SCATTERS = {"select": "select_scatter", "slice": "slice_scatter", "diagonal": "diagonal_scatter", "as_strided": "as_strided_scatter"}
# Views whose inverse is a view.
_INVERSES = ("view", "reshape", "transpose", "permute", "t", "unsqueeze", "squeeze", "alias", "detach", "flatten", "unflatten", "numpy_T",
             "contiguous", "expand")
_ALIASES = ("alias", "detach", "detach_", "lift_fresh_copy")


class Functional:
    """Copies the nodes of a program into a new graph. `value`: the node that stands for an old one now."""

    def __init__(self, program, table):
        self.program, self.table = program, table
        self.graph, self.names = ExportedGraph(), Names()
        self._value, self._base = {}, {}
        self._step = None

    # ------------------------------------------------------------ what decompositions call

    def call(self, name, overload, *args, shape=None, **kwargs):
        """A node that calls an op; what it gives is like the node that is taken apart, but for its shape."""
        target = getattr(getattr(torch.ops.aten, name), overload)
        node = self.graph.create_node("call_function", target, args, kwargs, name=self.names.take(word_of(name)))
        node.meta = {key: value for key, value in self._step.meta.items() if key != "val"} if self._step is not None else {}
        node.meta["val"] = self._value_of(shape)
        return node

    def item(self, node, index):
        made = self.graph.create_node("call_function", operator.getitem, (node, index), {}, name=self.names.take("getitem"))
        made.meta = {**node.meta, "val": node.meta["val"][index]}
        return made

    def _value_of(self, shape):
        like = self._step.meta.get("val")
        if isinstance(like, tuple):
            like = like[0]
        return like if shape is None else FakeTensor(shape, contiguous_stride(shape), like.dtype, like.device)

    # ------------------------------------------------------------ the walk

    def new(self, node):
        return self._value[node]

    def run(self):
        places = []
        for node in self.program.graph.nodes:
            if node.op == "placeholder":
                self.names.take_place(node.name)
                made = self.graph.create_node("placeholder", node.name, name=node.name)
                made.name, made.meta = node.name, dict(node.meta)
                self._value[node] = made
                places.append((node, made))
        for node in self.program.graph.nodes:
            if node.op == "call_function":
                self._step = node
                self._copy(node)
        results = [self._value[one] if isinstance(one, Node) else one for one in self.program.graph.output_node().args[0]]
        written = [(node, self._value[node]) for node, made in places if self._value[node] is not made]
        return places, written, results

    def _copy(self, node):
        args, kwargs = map_arg(node.args, self.new), map_arg(node.kwargs, self.new)
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            made = self.graph.create_node("call_function", node.target, args, kwargs, name=self.names.take(word_of(node.target.__name__)))
            made.meta = dict(node.meta)
            self._value[node] = made
            if node.target is operator.getitem:
                self._base[node] = (node.args[0], node)
            return
        name = schema.name[len("aten::"):]
        if name in ("lift_fresh_copy", "clone"):
            made = self.call("clone", "default", *args[:1], **({} if name == "lift_fresh_copy" else kwargs))
            self._value[node] = made
            return
        if name == "contiguous" and not lies_contiguously(args[0]):
            self._value[node] = self.call("clone", "default", *args[:1], memory_format=torch.contiguous_format)
            return
        if name in ("detach_", "alias", "detach", "contiguous") or (name == "to" and self._is_same_type(node)):
            # A copy that copies nothing is its input.
            self._value[node] = args[0]
            self._base[node] = (node.args[0], None)
            return
        if schema.is_mutable:
            return self._write(node, name, schema, args, kwargs)
        if name in _SCATTERS or name in _INVERSES:
            self._base[node] = (node.args[0], node)
        self._value[node] = self._apart(node, name, schema, args, kwargs)

    def _is_same_type(self, node):
        source = node.args[0].meta.get("val")
        return isinstance(source, FakeTensor) and source.dtype is node.meta["val"].dtype and source.device == node.meta["val"].device

    def _apart(self, node, name, schema, args, kwargs):
        """The op, or what it is made of."""
        told = self.table.get(node.target)
        if told is not None:
            made = told(self, node, *args, **kwargs)
            if made is not None:
                return made
        rule = COMPOSITES.get((name, schema.overload)) or COMPOSITES.get((name, None))
        if rule is not None:
            made = rule(self, node, *args, **kwargs)
            if made is not None:
                return made
        word = node.name if name.startswith("sym_") else word_of(name)
        made = self.graph.create_node("call_function", node.target, args, kwargs, name=self.names.take(word))
        made.meta = dict(node.meta)
        return made

    def _write(self, node, name, schema, args, kwargs):
        """An op in place: its value, in the place of the tensor that it wrote."""
        plain, overload = name[:-1], schema.overload
        if name in ("__iand__", "__ior__", "__ixor__"):
            plain = {"__iand__": "bitwise_and", "__ior__": "bitwise_or", "__ixor__": "bitwise_xor"}[name]
        self._step = node
        if name in ("zero_", "fill_"):
            value = 0 if name == "zero_" else args[1]
            made = self.call("full_like", "default", args[0], value, pin_memory=False) if not isinstance(value, Node) else \
                self.call("copy", "default", args[0], value)
        else:
            target = find(plain, overload)
            if target is None:
                raise NotImplementedError(f"torch.export: {name} has no form that writes into nothing here")
            fake = _Call(node, getattr(getattr(torch.ops.aten, plain), overload))
            made = self._apart(fake, plain, target, args, kwargs)
        self._value[node] = made
        self._changed(node.args[0], made)

    def _changed(self, node, made):
        """The value of a tensor, and of all that it looks at, after something was written into it."""
        self._value[node] = made
        base = self._base.get(node)
        if base is None:
            self._follow_aliases(node, made)
            return
        source, view = base
        if view is None:
            self._changed(source, made)
            return
        name = view.target._schema.name[len("aten::"):] if getattr(view.target, "_schema", None) else "getitem"
        self._step = source if isinstance(source, Node) else view
        if name in _SCATTERS:
            args = map_arg(view.args, self.new)
            made = self.call(_SCATTERS[name], "default", self._value[source], made, *args[1:])
        elif name in ("transpose", "t", "numpy_T"):
            dims = view.args[1:] if name == "transpose" else (0, 1)
            made = self.call("transpose", "int", made, *dims)
        elif name == "permute":
            inverse = [view.args[1].index(dim) for dim in range(len(view.args[1]))]
            made = self.call("permute", "default", made, inverse)
        elif name in _INVERSES and name != "expand":
            made = self.call("view", "default", made, list(source.meta["val"].shape))
        else:
            raise NotImplementedError(f"torch.export: what is written into the view that {name} gives cannot be scattered back here")
        self._changed(source, made)

    def _follow_aliases(self, node, made):
        """Other views of what was written look at the new value."""
        for view, (source, how) in list(self._base.items()):
            if source is node and how is None:
                self._value[view] = made


class _Call:
    """A node with another op, for what takes nodes apart."""

    def __init__(self, node, target):
        self.target, self.args, self.kwargs, self.meta = target, node.args, node.kwargs, node.meta


def functional_program(program, table):
    """The program after it was copied. Behaviour: ExportedProgram.run_decompositions."""
    walk = Functional(program, table)
    places, written, results = walk.run()
    old = program.graph_signature
    kinds = {node: spec for (node, _), spec in zip(places, old.input_specs)}
    outputs, specs = [], []
    kind_of = {InputKind.BUFFER: OutputKind.BUFFER_MUTATION, InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
               InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION}
    for node, value in sorted(written, key=lambda item: kinds[item[0]].kind is InputKind.USER_INPUT):
        spec = kinds[node]
        if spec.kind not in kind_of:
            continue
        outputs.append(value)
        target = node.name if spec.kind is InputKind.USER_INPUT else spec.target
        specs.append(OutputSpec(kind_of[spec.kind], TensorArgument(value.name), target))
    for value, spec in zip(results, old.output_specs):
        outputs.append(value)
        specs.append(OutputSpec(spec.kind, argument_of(value if isinstance(value, Node) else None, value), spec.target))
    walk.graph.output(tuple(outputs))
    _drop_unused(walk.graph)
    inputs = [InputSpec(spec.kind, spec.arg, spec.target, spec.persistent) for spec in old.input_specs]
    root = ExportedGraphModule(nn.Module(), walk.graph)
    return ExportedProgram(root, walk.graph, ExportGraphSignature(inputs, specs), program.state_dict, dict(program.range_constraints),
                           list(program.module_call_graph), program.example_inputs, program.constants, verifiers=[Verifier],
                           sources=program._sources)


def _drop_unused(graph):
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and not node.users:
            graph.erase_node(node)
