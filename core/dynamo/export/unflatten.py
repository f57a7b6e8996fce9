"""An exported program as modules again, nested as the original ones. Behaviour: torch/export/unflatten.py."""
import operator

import torch
from torch import nn
from torch.export._code import ExportedGraph
from torch.export._graph_module import ExportedGraphModule
from torch.export._unlift import check_inputs_match, guard_list
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind
from torch.fx.graph import Node, map_arg
from torch.utils import _pytree as pytree

__all__ = ["FlatArgsAdapter", "InterpreterModule", "UnflattenedModule", "unflatten"]


class FlatArgsAdapter:
    """Changes inputs that are nested in another way than the example's; a program derives its own."""

    def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
        raise NotImplementedError("adapt")

    def get_flat_arg_paths(self):
        return []


class InterpreterModule(nn.Module):
    """A module whose forward is a graph. Nodes that read its attributes come first."""

    def __init__(self, graph, ty=None):
        super().__init__()
        self.__dict__["graph"], self.__dict__["_ty"] = graph, ty
        self.__dict__["signature"] = None

    def type_name(self):
        return self.__dict__["_ty"]

    def finalize(self):
        self.__dict__["graph_module"] = ExportedGraphModule(self, self.graph)

    def forward(self, *args, **kwargs):
        signature = self.__dict__["signature"]
        if signature is not None:
            leaves = pytree.tree_leaves((args, kwargs))
            made = _run(self, self.graph, leaves)
            return pytree.tree_unflatten(list(made) if isinstance(made, (tuple, list)) else [made], signature.out_spec)
        return _run(self, self.graph, list(args))

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False):
        return self.graph_module.print_readable(print_output)


def _attribute(module, path):
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _run(module, graph, inputs):
    env, left = {}, iter(inputs)
    value_of = lambda node: env[node]  # noqa: E731
    for node in graph.nodes:
        if node.op == "placeholder":
            env[node] = next(left)
        elif node.op == "get_attr":
            env[node] = _attribute(module, node.target)
        elif node.op == "output":
            return map_arg(node.args[0], value_of)
        else:
            function = _attribute(module, node.target) if node.op == "call_module" else node.target
            env[node] = function(*map_arg(node.args, value_of), **map_arg(node.kwargs, value_of))
    return None


class _Frame:
    """The graph of one call of one module while it is filled."""

    def __init__(self, name, module):
        self.name, self.module, self.graph = name, module, ExportedGraph()
        self.inputs, self.outputs, self.own = [], [], {}
        self.begin = None


class UnflattenedModule(nn.Module):
    """The program with a module for each of the original's, weights where they were."""

    def __init__(self, export_module, flat_args_adapter=None):
        super().__init__()
        self.__dict__["_program"], self.__dict__["adapter"] = export_module, flat_args_adapter
        self.__dict__["check_input_constraints"] = True
        self.__dict__["module_call_graph"] = export_module.module_call_graph
        self.__dict__["_guards"] = guard_list(export_module)
        self._place_state()
        _Splitter(self, export_module).split()

    def _place_state(self):
        program = self._program
        shared = {}
        for spec in program.graph_signature.input_specs:
            if spec.kind is InputKind.USER_INPUT:
                continue
            from_constants = spec.kind is InputKind.CONSTANT_TENSOR or spec.persistent is False
            value = (program.constants if from_constants else program.state_dict)[spec.target]
            value = shared.setdefault(id(value), value)
            *path, last = spec.target.split(".")
            owner = self
            for part in path:
                if part not in owner._modules:
                    owner.add_module(part, InterpreterModule(ExportedGraph()))
                owner = owner._modules[part]
            if spec.kind is InputKind.PARAMETER:
                owner.register_parameter(last, value)
            elif spec.kind is InputKind.BUFFER:
                owner.register_buffer(last, value, persistent=bool(spec.persistent))
            else:
                setattr(owner, last, value)

    def process_forward_inputs(self, *args, **kwargs):
        spec = self.module_call_graph[0].signature.in_spec
        leaves, found = pytree.tree_flatten((args, kwargs))
        if found != spec:
            if self.adapter is None:
                raise TypeError(f"There is no flat args adapter specified. Are you sure you are calling this with the right arguments? "
                                f"Input treespec does not match with exported module's: \nInput treespec: {found}. Exported module "
                                f"treespec: {spec}")
            leaves = self.adapter.adapt(target_spec=spec, input_spec=found, input_args=leaves)
        else:
            leaves = check_inputs_match(args, kwargs, spec)
        if self.check_input_constraints:
            for guard in self.__dict__["_guards"]:
                if not guard.holds(leaves):
                    raise AssertionError(f"Guard failed: {guard.text}")
        return leaves

    def forward(self, *args, **kwargs):
        leaves = self.process_forward_inputs(*args, **kwargs)
        made = _run(self, self.graph, leaves)
        return pytree.tree_unflatten(list(made), self.module_call_graph[0].signature.out_spec)

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False):
        return ExportedGraphModule(self, self.graph).print_readable(print_output)

    def finalize(self):
        self.__dict__["graph_module"] = ExportedGraphModule(self, self.graph)


def _path_of(node):
    """The names of the modules around a node, outermost first."""
    return [name for name, _ in node.meta.get("nn_module_stack", {}).values() if name]


class _Splitter:
    """Gives each module the nodes of its forward; what one needs of outside is an input of it, what others need an output.
    A module that is called again, with other nodes between, is name@1 the second time."""

    def __init__(self, root, program):
        self._root, self._program = root, program
        self._nodes = list(program.graph.nodes)
        self._signatures = {entry.fqn: entry.signature for entry in program.module_call_graph}
        self._calls = {}

    def split(self):
        program, root = self._program, self._root
        frame = _Frame("", root)
        root.__dict__["graph"] = frame.graph
        lifted = {}
        places = [node for node in self._nodes if node.op == "placeholder"]
        for node, spec in zip(places, program.graph_signature.input_specs):
            if spec.kind is InputKind.USER_INPUT:
                made = frame.graph.create_node("placeholder", node.name, name=node.name)
                made.name, made.meta = node.name, dict(node.meta)
                frame.own[node] = made
            else:
                lifted[node] = spec.target
        self._lifted = lifted
        body = [node for node in self._nodes if node.op == "call_function"]
        output = program.graph.output_node()
        self._last = {}
        for position, node in enumerate(body):
            for used in node.all_input_nodes:
                self._last[used] = position
        for used in output.all_input_nodes:
            self._last[used] = len(body)
        self._fill(frame, body, 0, len(body), 0)
        given = []
        for value, spec in zip(output.args[0], program.graph_signature.output_specs):
            plain = self._use(frame, value) if isinstance(value, Node) else value
            if spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION):
                place = next(node for node, target in lifted.items() if target == spec.target)
                frame.graph.create_node("call_function", torch.ops.aten.copy_.default, (self._use(frame, place), plain), {})
            elif spec.kind is OutputKind.USER_INPUT_MUTATION:
                place = next(node for node in places if node.name == spec.target)
                frame.graph.create_node("call_function", torch.ops.aten.copy_.default, (self._use(frame, place), plain), {})
            else:
                given.append(plain.value if isinstance(plain, ConstantArgument) else plain)
        frame.graph.output(tuple(given))

    def _use(self, frame, node):
        """A node of the program inside of a frame."""
        if node in frame.own:
            return frame.own[node]
        if node in self._lifted:
            target = self._lifted[node]
            prefix = f"{frame.name}." if frame.name else ""
            if target.startswith(prefix):
                made = frame.graph.create_node("get_attr", target[len(prefix):], name=target[len(prefix):].replace(".", "_"))
                made.meta = dict(node.meta)
                # Attributes are read before what uses them.
                frame.own[node] = made
                return made
        made = frame.graph.create_node("placeholder", node.name, name=node.name)
        made.name, made.meta = node.name, dict(node.meta)
        place = list(frame.graph.nodes)[len(frame.inputs)]
        if place is not made:
            place.prepend(made)
        frame.inputs.append(node)
        frame.own[node] = made
        return made

    def _fill(self, frame, body, begin, end, depth):
        at = begin
        while at < end:
            node = body[at]
            path = _path_of(node)
            if len(path) > depth:
                name, stop = path[depth], at
                while stop < end and len(_path_of(body[stop])) > depth and _path_of(body[stop])[depth] == name:
                    stop += 1
                self._call(frame, name, body, at, stop, depth)
                at = stop
                continue
            made = frame.graph.create_node("call_function", node.target, map_arg(node.args, lambda one: self._use(frame, one)),
                                           map_arg(node.kwargs, lambda one: self._use(frame, one)), name=node.name)
            made.name, made.meta = node.name, dict(node.meta)
            frame.own[node] = made
            at += 1

    def _module(self, name):
        owner = self._root
        for part in name.split("."):
            if part not in owner._modules:
                owner.add_module(part, InterpreterModule(ExportedGraph()))
            owner = owner._modules[part]
        return owner

    def _call(self, frame, name, body, begin, end, depth):
        count = self._calls.get(name, 0)
        self._calls[name] = count + 1
        module = self._module(name)
        if count:
            first, module = module, InterpreterModule(ExportedGraph())
            for key, value in first._parameters.items():
                module.register_parameter(key, value)
            for key, value in first._buffers.items():
                module.register_buffer(key, value)
            for key, value in first._modules.items():
                module.add_module(key, value)
            parent, _, last = name.rpartition(".")
            (self._module(parent) if parent else self._root).add_module(f"{last}@{count}", module)
        inner = _Frame(name, module)
        self._fill(inner, body, begin, end, depth + 1)
        made_here = [node for node in body[begin:end] if self._last.get(node, -1) >= end]
        given = tuple(self._use(inner, node) for node in made_here)
        inner.graph.output(given[0] if len(given) == 1 else given)
        module.__dict__["graph"] = inner.graph
        prefix = f"{frame.name}." if frame.name else ""
        shown = name[len(prefix):] if name.startswith(prefix) else name
        target = shown if not count else f"{shown}@{count}"
        call = frame.graph.create_node("call_module", target, tuple(self._use(frame, node) for node in inner.inputs), {},
                                       name=shown.replace(".", "_"))
        if len(made_here) == 1:
            frame.own[made_here[0]] = call
            call.meta = dict(made_here[0].meta)
            return
        for index, node in enumerate(made_here):
            item = frame.graph.create_node("call_function", operator.getitem, (call, index), {}, name="getitem")
            item.meta = dict(node.meta)
            frame.own[node] = item


def unflatten(module, flat_args_adapter=None):
    """The program as nested modules. Errors: as PyTorch's, where the inputs of a call are nested otherwise and no adapter is given."""
    return UnflattenedModule(module, flat_args_adapter)
