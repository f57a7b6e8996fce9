"""An exported program as a module: weights are its attributes again, inputs are checked. Behaviour: torch/export/_unlift.py."""
import re
import types

import torch
from torch import nn
from torch.export._code import ExportedGraph
from torch.export._graph_module import ExportedGraphModule
from torch.export._symbols import Sum
from torch.export._values import FakeTensor
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.graph import _PyTreeInfo
from torch.fx.node import map_arg
from torch.utils import _pytree as pytree


def reorder_kwargs(kwargs, in_spec):
    """The keyword arguments in the order of the example's. Errors: ValueError."""
    spec = in_spec.children_specs[1]
    if len(spec.context) != len(kwargs):
        raise ValueError(f"Ran into a kwarg keyword mismatch: Got the following keywords {list(kwargs)} but expected "
                         f"{list(spec.context)}")
    made = {}
    for name in spec.context:
        if name not in kwargs:
            raise ValueError(f"kwargs are missing the key '{name}' that is found in the input tree spec: Got the following keywords "
                             f"{list(kwargs)} but expected {list(spec.context)}")
        made[name] = kwargs[name]
    return made


def check_inputs_match(args, kwargs, in_spec):
    """The leaves of the inputs. Errors: ValueError  they are nested in another way than the example's."""
    leaves, found = pytree.tree_flatten((tuple(args), reorder_kwargs(kwargs, in_spec)))
    if found != in_spec:
        raise ValueError(f"Trying to flatten user inputs with exported input tree spec: \n{in_spec}\nbut actually got inputs with tree "
                         f"spec of: \n{found}.\nPlease check that the inputs have the same number and type of args and kwargs as the "
                         "ones you used when tracing.")
    return leaves


class Guard:
    """What an input must be: the text as a message says it, and the check of the leaves of a call."""

    def __init__(self, text, holds):
        self.text, self.holds = text, holds


def _user_places(program):
    """[(number of the leaf, its node, how guards write it)]"""
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    users = [node for node, spec in zip(nodes, program.graph_signature.input_specs) if spec.kind is InputKind.USER_INPUT]
    return [(index, node, (program._sources or {}).get(index, node.name)) for index, node in enumerate(users)]


def guard_list(program):
    """The guards in the order in which they are checked: constants and sizes of each input, then ranges.
    Behaviour: torch/fx/experimental/symbolic_shapes.py, produce_guards."""
    made, firsts, ranged = [], {}, []
    for index, node, source in _user_places(program):
        value = node.meta.get("val")
        if not isinstance(value, FakeTensor):
            if value is None or isinstance(value, (int, float, bool, str)):
                made.append(Guard(f"{source} == {value!r}", lambda leaves, i=index, v=value: leaves[i] == v))
            continue
        for dim, size in enumerate(value.shape):
            text = f"{source}.size()[{dim}]"
            if isinstance(size, int):
                made.append(Guard(f"{text} == {size}", lambda leaves, i=index, d=dim, s=size: leaves[i].shape[d] == s))
                continue
            name = size.expr.names()[0] if isinstance(size.expr, Sum) and size.expr.names() else None
            if name is None:
                continue
            if size.expr.is_atom() and name not in firsts:
                firsts[name] = (index, dim, text)
                ranged.append(name)
            elif name in firsts:
                made.append(_relation(size, firsts[name], index, dim, text))
    ranges = {symbol.name: found for symbol, found in program.range_constraints.items()}
    for name in ranged:
        index, dim, text = firsts[name]
        found = ranges.get(name)
        if found is None:
            continue
        lower = max(found.lower, 0)
        if lower > 0:
            made.append(Guard(f"{text} >= {lower}", lambda leaves, i=index, d=dim, s=lower: leaves[i].shape[d] >= s))
        if found.upper is not None:
            made.append(Guard(f"{text} <= {found.upper}", lambda leaves, i=index, d=dim, s=found.upper: leaves[i].shape[d] <= s))
    return made


def _relation(size, first, index, dim, text):
    """A size that another one decides: "y.size()[0] == 2*x.size()[0]"."""
    other, other_dim, other_text = first
    name = size.expr.names()[0]
    shown = str(size.expr).replace(name, other_text)
    if size.expr.is_atom():
        return Guard(f"{text} == {shown}", lambda leaves: leaves[index].shape[dim] == leaves[other].shape[other_dim])
    return Guard(f"{text} == {shown}",
                 lambda leaves: leaves[index].shape[dim] == size.expr.value({name: leaves[other].shape[other_dim]}))


def guards_of(program):
    """The guards as code: "L['x'].size()[0] == 4"."""
    roots = {re.match(r"\w+", source).group(0) for _, _, source in _user_places(program)}
    names = "|".join(sorted(map(re.escape, roots), key=len, reverse=True))
    return [re.sub(rf"\b({names})(?=\.size\(|\[|\s==)", r"L['\1']", guard.text) for guard in guard_list(program)]


class GuardsFn(nn.Module):
    """Checks the inputs, which are nested no more. Errors: AssertionError  "Guard failed: x.size()[0] == 4"."""

    def __init__(self, guards):
        super().__init__()
        self.__dict__["guards"] = guards

    def forward(self, *leaves):
        for guard in self.__dict__["guards"]:
            if not guard.holds(leaves):
                raise AssertionError(f"Guard failed: {guard.text}")


def _attribute_name(target):
    return target.replace(".", "_")


def unlifted(program, check_guards=True):
    """The module. Behaviour: _unlift_exported_program_lifted_states."""
    graph, env = ExportedGraph(), {}
    signature, root = program.graph_signature, {}
    old = list(program.graph.nodes)
    places = [node for node in old if node.op == "placeholder"]
    users = []
    for node, spec in zip(places, signature.input_specs):
        if spec.kind is InputKind.USER_INPUT:
            made = graph.create_node("placeholder", node.name, name=node.name)
            made.name, made.meta = node.name, dict(node.meta)
            env[node] = made
            users.append(made)
    held = {}
    for node, spec in zip(places, signature.input_specs):
        if spec.kind is InputKind.USER_INPUT:
            continue
        from_constants = spec.kind is InputKind.CONSTANT_TENSOR or spec.persistent is False
        value = (program.constants if from_constants else program.state_dict)[spec.target]
        held[spec.target] = (value, spec)
        made = graph.create_node("get_attr", spec.target, name=_attribute_name(spec.target))
        made.meta = dict(node.meta)
        env[node], root[spec.target] = made, value
    guards = GuardsFn(guard_list(program)) if check_guards else None
    if guards is not None:
        graph.create_node("call_module", "_guards_fn", tuple(users), {}, name="_guards_fn")
        root["_guards_fn"] = guards
    for node in old:
        if node.op != "call_function":
            continue
        made = graph.create_node("call_function", node.target, map_arg(node.args, lambda one: env[one]),
                                 map_arg(node.kwargs, lambda one: env[one]), name=node.name)
        made.name, made.meta = node.name, dict(node.meta)
        env[node] = made
    given = list(map_arg(program.graph.output_node().args[0], lambda one: env[one]))
    results = _write_back(graph, signature, env, places, given)
    graph.output(tuple(results))
    spec = program.module_call_graph[0].signature
    names = spec.forward_arg_names or [node.name for node in users]
    graph.pytree_info = _PyTreeInfo(names, spec.in_spec, spec.out_spec)
    made = ExportedGraphModule(root, graph)
    _register(made, held)
    made.__dict__["validate_inputs"] = True
    _make_callable(made, users, spec, guards)
    return made


def _write_back(graph, signature, env, places, given):
    """Copies what was computed for buffers and inputs into them; gives the results for the user."""
    by_target = {spec.target: env[node] for node, spec in zip(places, signature.input_specs) if spec.target is not None}
    by_name = {node.name: env[node] for node in places}
    results = []
    for value, spec in zip(given, signature.output_specs):
        if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION):
            graph.create_node("call_function", torch.ops.aten.copy_.default, (by_target[spec.target], value), {}, name="copy_")
        elif spec.kind is OutputKind.USER_INPUT_MUTATION:
            graph.create_node("call_function", torch.ops.aten.copy_.default, (by_name[spec.target], value), {}, name="copy_")
        else:
            results.append(value)
    return results


def _register(module, held):
    """Parameters and buffers go to the registries, by what the signature says of them."""
    for target, (value, spec) in held.items():
        owner = module
        *path, last = target.split(".")
        for part in path:
            owner = getattr(owner, part)
        if spec.kind is InputKind.BUFFER:
            owner.register_buffer(last, value, persistent=bool(spec.persistent))
        elif spec.kind is InputKind.CONSTANT_TENSOR and last in owner._buffers:
            del owner._buffers[last]
            setattr(owner, last, value)


def _make_callable(module, users, spec, guards):
    """forward(*args, **kwargs): checks, flattens, runs the graph, nests the results."""
    graph = module.graph
    flat = _flat_function(graph)

    def forward(self, *args, **kwargs):
        leaves = check_inputs_match(args, kwargs, spec.in_spec) if self.validate_inputs else \
            pytree.tree_leaves((args, kwargs))
        if guards is None and self.validate_inputs:
            _check_constraints(users, leaves)
        return pytree.tree_unflatten(list(flat(self, *leaves)), spec.out_spec)

    type(module).forward = forward

    def train(self, mode=True):
        raise NotImplementedError("Calling train() is not supported yet.")

    def evaluate(self, mode=True):
        raise NotImplementedError("Calling eval() is not supported yet.")

    module.__dict__["train"] = types.MethodType(train, module)
    module.__dict__["eval"] = types.MethodType(evaluate, module)


def _flat_function(graph):
    """The graph as a function of the module and the leaves of its inputs; gives the tuple of results."""
    info, graph.pytree_info = graph.pytree_info, None
    code = graph.python_code("self")
    graph.pytree_info = info
    names = dict(code.globals)
    exec(compile(code.src, "<exported>", "exec"), names)
    return names["forward"]


def _check_constraints(users, leaves):
    """Behaviour: torch/_export/utils.py, _check_input_constraints_for_graph."""
    for index, (node, leaf) in enumerate(zip(users, leaves)):
        value = node.meta.get("val")
        if not isinstance(value, FakeTensor):
            continue
        if not isinstance(leaf, torch.Tensor):
            raise ValueError(f"Expected input at *args[{index}] to be a tensor, but got {type(leaf)}")
        if leaf.dim() != len(value.shape):
            raise RuntimeError(f"Unexpected number of dimensions in input at *args[{index}].shape: expected {list(value.shape)}, got "
                               f"{list(leaf.shape)}")
        for dim, (size, given) in enumerate(zip(value.shape, leaf.shape)):
            if isinstance(size, int) and size != given:
                raise RuntimeError(f"Expected input at *args[{index}].shape[{dim}] to be equal to {size}, but got {given}. If you meant for "
                                   "this dimension to be dynamic, please re-export and specify dynamic_shapes (e.g. with Dim.DYNAMIC)")


