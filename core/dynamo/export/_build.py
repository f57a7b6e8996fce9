"""An ExportedProgram out of the steps of a run: names, placeholders, nodes, signature.
Behaviour: torch/export/_trace.py, torch/_export/utils.py (placeholder_naming_pass), torch/_export/passes/lift_constants_pass.py."""
import builtins
import contextlib
import keyword
import operator
import re

import torch
from torch import nn
from torch.export._code import ExportedGraph
from torch.export._graph_module import ExportedGraphModule
from torch.export._symbols import Quotient, SizeInt, Sum
from torch.export._tape import Ref, modules_meta
from torch.export._values import FakeTensor, contiguous_stride, fake_of
from torch.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (ConstantArgument, ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec,
                                          SymIntArgument, TensorArgument)

_PREFIXES = {InputKind.PARAMETER: "p_", InputKind.BUFFER: "b_", InputKind.CONSTANT_TENSOR: "c_"}
# Draws are kept where nothing uses them.
_DRAWS = frozenset("""dropout feature_dropout alpha_dropout feature_alpha_dropout native_dropout rand randn randint rand_like randn_like
randint_like randperm bernoulli multinomial normal rrelu""".split())


def packet(name):
    """torch.ops.aten.<name>"""
    return getattr(torch.ops.aten, name)


def overload(schema, name):
    return getattr(packet(name), schema.overload)


class Names:
    """Names of nodes that are taken once. Behaviour: torch/fx/graph.py, _Namespace."""

    _RESERVED = frozenset(dir(builtins)) | {"inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"}

    def __init__(self):
        self._used, self._counts = set(), {}

    def take(self, wanted):
        wanted = re.sub(r"[^0-9a-zA-Z_]+", "_", wanted) or "_unnamed"
        if wanted[0].isdigit():
            wanted = f"_{wanted}"
        numbered = re.match(r"(.*)_(\d+)$", wanted)
        base, number = (numbered.group(1), int(numbered.group(2))) if numbered else (wanted, None)
        name = wanted
        number = number or self._counts.get(base, 0)
        while name in self._used or name in self._RESERVED or keyword.iskeyword(name):
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        self._counts[base] = number
        return name

    def take_place(self, wanted):
        """The name of a placeholder: a further one of a name has a number behind it."""
        name, count = wanted, 0
        while name in self._used:
            count += 1
            name = f"{wanted}_{count}"
        self._used.add(name)
        return name


def word_of(name):
    """The word that a node of an op is named after: "and" of "__and__"."""
    return name[2:-2] if name.startswith("__") and name.endswith("__") else name


class Builder:
    """Adds nodes to a graph. `env`: the node of each numbered tensor."""

    def __init__(self, symbols):
        self.graph, self.names, self.env = ExportedGraph(), Names(), {}
        self._symbols, self._sizes, self._places = {symbol.name: symbol for symbol in symbols}, {}, {}
        # The step that is added: what asks for a size.
        self._current = None

    def node(self, op, target, args, kwargs, name, value, step=None):
        made = self.graph.create_node(op, target, args, kwargs, name=name)
        made.name = name
        made.meta["val"] = value
        if step is not None:
            if step.trace:
                made.meta["stack_trace"] = step.trace
            made.meta["nn_module_stack"] = modules_meta(step.modules)
            if op == "call_function" and getattr(target, "_schema", None) is not None:
                made.meta["torch_fn"] = (f"{step.name}_1", f"builtin_function_or_method.{step.name}")
        return made

    def placeholder(self, name, value):
        return self.node("placeholder", name, (), {}, name, value)

    def place_of(self, symbol_name, node, dim):
        """Where a symbol can be read."""
        self._places.setdefault(symbol_name, (node, dim))

    def plain(self, value):
        """Arguments with nodes for tensors and for sizes that are symbols."""
        if isinstance(value, Ref):
            return self.env[value.number]
        if isinstance(value, SizeInt):
            return self.size_node(value)
        if isinstance(value, tuple):
            return tuple(map(self.plain, value))
        if isinstance(value, list):
            return list(map(self.plain, value))
        return value

    def size_node(self, size):
        """The node that computes a size."""
        text = str(size)
        if text not in self._sizes:
            expr = size.expr
            if isinstance(expr, Sum) and expr.is_atom():
                self._sizes[text] = self._symbol_node(text, size)
            else:
                self._sizes[text] = self._compute(expr)
        return self._sizes[text]

    def _symbol_node(self, name, size):
        source, dim = self._places[name]
        number = len(self._places) + len([one for one in self._sizes if one in self._places])
        # Behind the placeholders, whatever asks for it first. Behaviour: torch/fx/passes/runtime_assert.py.
        first = next((one for one in self.graph.nodes if one.op != "placeholder" and one not in self._sizes.values()), None)
        with self.graph.inserting_before(first) if first is not None else contextlib.nullcontext():
            return self.node("call_function", torch.ops.aten.sym_size.int, (source, dim), {},
                             self.names.take(f"sym_size_int_{number}"), size, self._current)

    def _atom(self, name):
        return self.size_node(SizeInt(Sum({(name,): 1}), self._symbols[name].hint))

    def _binary(self, function, a, b, expr):
        word = {operator.add: "add", operator.mul: "mul", operator.floordiv: "floordiv"}[function]
        value = SizeInt(expr, expr.value({name: symbol.hint for name, symbol in self._symbols.items()}))
        return self.node("call_function", function, (a, b), {}, self.names.take(word), value, self._current)

    def _compute(self, expr):
        if isinstance(expr, Quotient):
            inner = self.size_node(SizeInt(expr.inner, expr.inner.value({n: s.hint for n, s in self._symbols.items()})))
            made = self._binary(operator.floordiv, inner, expr.divisor, Quotient(expr.inner, expr.divisor, 0))
            if expr.factor != 1:
                made = self._binary(operator.mul, expr.factor, made, Quotient(expr.inner, expr.divisor, 0, expr.factor))
            return made if not expr.offset else self._binary(operator.add, made, expr.offset, expr)
        total, so_far = None, {}
        for names, factor in sorted(expr.terms.items(), key=lambda item: (-len(item[0]), item[0])):
            if not names:
                so_far = {**so_far, (): factor}
                total = factor if total is None else self._binary(operator.add, total, factor, Sum(so_far))
                continue
            product, key = self._atom(names[0]), (names[0],)
            for name in names[1:]:
                key = tuple(sorted((*key, name)))
                product = self._binary(operator.mul, product, self._atom(name), Sum({key: 1}))
            if factor != 1:
                product = self._binary(operator.mul, factor, product, Sum({names: factor}))
            so_far = {**so_far, names: factor}
            total = product if total is None else self._binary(operator.add, total, product, Sum(so_far))
        return total

    def step(self, step):
        """The node of a step, and one for each tensor that is taken out of what it gives."""
        self._current = step
        name = word_of(step.name)
        target = overload(step.schema, step.name)
        values = [FakeTensor(shape, stride, *kind) for shape, stride, kind in zip(step.shapes, step.strides, step.kinds)]
        args = self.plain(step.args)
        kwargs = {key: self.plain(value) for key, value in step.kwargs.items()}
        value = tuple(values) if step.is_list else values[0] if values else None
        made = self.node("call_function", target, args, kwargs, self.names.take(name), value, step)
        if not step.is_list:
            for number in step.outputs:
                self.env[number] = made
            return made
        for index, number in enumerate(step.outputs):
            self.env[number] = self.node("call_function", operator.getitem, (made, index), {}, self.names.take("getitem"), values[index],
                                         step)
        return made

    def drop_unused(self):
        """Nodes that nothing uses go, but for those that write or draw. Behaviour: Graph.eliminate_dead_code, Node.is_impure."""
        for node in reversed(list(self.graph.nodes)):
            if node.op != "call_function" or node.users:
                continue
            schema = getattr(node.target, "_schema", None)
            if schema is not None and (schema.is_mutable or schema.name[len("aten::"):] in _DRAWS or schema.returns == 0):
                continue
            self.graph.erase_node(node)


def argument_of(node, value):
    """The argument of a signature for a node or a plain value."""
    if node is None:
        return ConstantArgument("", value)
    kind = node.meta.get("val")
    if isinstance(kind, FakeTensor):
        return TensorArgument(node.name)
    if isinstance(kind, torch.SymInt):
        return SymIntArgument(node.name)
    return ConstantArgument(node.name, kind)


def _shape_with_symbols(leaf, requests):
    shape = list(leaf.shape)
    for dim, request in requests.items():
        if request.symbol is not None:
            wish = request.wish
            factor, shift = (getattr(wish, "factor", 1), getattr(wish, "shift", 0))
            shape[dim] = SizeInt(Sum({(request.symbol.name,): factor, (): shift}), leaf.shape[dim])
    return tuple(shape)


def _flat_name(target):
    return re.sub(r"[^a-zA-Z0-9]", "_", target).lower()


def build_program(program, first, steps, outputs, symbols, arguments, names, paths):
    """The program of these steps. `paths`: {number of the leaf: its source}."""
    builder, specs, constants = Builder(symbols), [], {}
    mod, count = program.mod, len(program.state)
    parameters = len(list(mod.named_parameters(remove_duplicate=False)))
    kept_buffers = set(mod.state_dict())
    for index, (name, tensor) in enumerate(program.state):
        kind = InputKind.PARAMETER if index < parameters else InputKind.BUFFER
        place = builder.names.take_place(_PREFIXES[kind] + _flat_name(name))
        builder.env[index] = builder.placeholder(place, fake_of(tensor, program.device))
        persistent = None if kind is InputKind.PARAMETER else name in kept_buffers
        specs.append(InputSpec(kind, TensorArgument(place), name, persistent))
        if persistent is False:
            constants[name] = tensor
    tied = {}
    for index, (_, tensor) in enumerate(program.state):
        builder.env[index] = builder.env[tied.setdefault(id(tensor), index)]
    lifted = 0
    for number, target, tensor, _ in first.constants:
        if target is None:
            target = f"lifted_tensor_{lifted}"
            lifted += 1
        place = builder.names.take_place(f"c_{_flat_name(target)}")
        builder.env[number] = builder.placeholder(place, fake_of(tensor))
        specs.append(InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(place), target))
        constants[target] = tensor
    for index, (leaf, name) in enumerate(zip(program.leaves, names)):
        place = builder.names.take_place(name)
        if not isinstance(leaf, torch.Tensor):
            builder.placeholder(place, leaf)
            specs.append(InputSpec(InputKind.USER_INPUT, ConstantArgument(place, leaf), None))
            continue
        requests = program.requests.get(index, {})
        shape = _shape_with_symbols(leaf, requests)
        value = fake_of(leaf, shape=shape, stride=contiguous_stride(shape) if requests else None)
        node = builder.env[first.given[index]] = builder.placeholder(place, value)
        for dim, request in requests.items():
            if request.symbol is not None and getattr(request.wish, "factor", 1) == 1 and not getattr(request.wish, "shift", 0):
                builder.place_of(request.symbol.name, node, dim)
        specs.append(InputSpec(InputKind.USER_INPUT, TensorArgument(place), None))
    for step in steps:
        builder.step(step)
    results = [builder.plain(one) for one in outputs]
    graph = builder.graph
    graph.output(tuple(results))
    builder.drop_unused()
    from torch.fx.graph import Node
    output_specs = [OutputSpec(OutputKind.USER_OUTPUT, argument_of(one if isinstance(one, Node) else None, one), None) for one in results]
    signature = ExportGraphSignature(specs, output_specs)
    root = ExportedGraphModule(nn.Module(), graph)
    calls = [ModuleCallEntry("", ModuleCallSignature([], [], program.in_spec, first.out_spec, list(arguments)))]
    chosen = {name: call for name, *call in first.calls}
    for name, _ in mod.named_modules():
        if name:
            calls.append(ModuleCallEntry(name, _call_signature(builder, chosen.get(name))))
    state = mod.state_dict(keep_vars=True)
    return ExportedProgram(root, graph, signature, dict(state), dict(symbols), calls, (program.args, program.kwargs), constants,
                           sources=_sources(program, names, paths))


def _call_signature(builder, call):
    if call is None:
        return None
    inputs, in_spec, outputs, out_spec = call

    def arguments(values):
        nodes = [builder.env[one.number] if isinstance(one, Ref) else None for one in values]
        return [argument_of(node, value) for node, value in zip(nodes, values)]
    return ModuleCallSignature(arguments(inputs), arguments(outputs), in_spec, out_spec, None)


def _sources(program, names, paths):
    """How guards write the user's inputs: {number of the leaf: "x", "d['a']", "xs[0]"}."""
    found = {}
    for index, (leaf, name) in enumerate(zip(program.leaves, names)):
        path = paths.get(index)
        found[index] = re.sub(r"^L\['(\w+)'\]", r"\1", path) if path else name
    return found
