"""torch.export.export: a module and example inputs as a graph of ATen's ops. Behaviour: torch/export/_trace.py.

The program runs as it is, on tensors without bytes, and what it calls is written down (_tape.py), with several sizes where they
may change (_runs.py). What a value would decide is an error, as there are no values."""
import contextlib
import re

import torch
from torch import nn
from torch._aten.steps import NoOp
from torch._dynamo.exc import UserError
from torch.export import dynamic_shapes as _shapes
from torch.export._build import build_program
from torch.export._runs import Finished, Search
from torch.export._tape import Tape, run
from torch.utils import _pytree as pytree

_LEAVES = (int, float, bool, str, complex, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)


class GuardOnDataDependentSymNode(RuntimeError):
    """A program asks for a value that is not known while it is traced. Behaviour: torch/fx/experimental/symbolic_shapes.py."""

    def __init__(self, cond, message):
        super().__init__(message)
        self.cond = cond


def check_arguments(mod, args, kwargs):
    """Errors: ValueError, UserError in PyTorch's words."""
    if not isinstance(mod, nn.Module):
        raise ValueError(f"`mod` must be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    if not isinstance(kwargs, dict):
        raise UserError(f"Expecting `kwargs` to be a dictionary of example keyword inputs, got {type(kwargs)}")


def input_names(mod, args, kwargs):
    """(the names of forward's parameters that were given, the names of the leaves of the inputs).
    Behaviour: torch/_export/utils.py, placeholder_naming_pass."""
    arguments, leaves = [], []
    for name, value, kind in _shapes.bound_arguments(mod, args, kwargs):
        if kind == "*":
            parts = [(f"{name}_{index}", item) for index, item in enumerate(value)]
        elif kind == "**":
            parts = list(value.items())
        else:
            parts = [(name, value)]
        for own, item in parts:
            arguments.append(own)
            _leaf_names(own, item, leaves)
    return arguments, leaves


def _leaf_names(prefix, value, found):
    node = pytree._node_of(value)
    if node is None:
        found.append(re.sub(r"[^a-zA-Z0-9]", "_", prefix))
        return
    children, context = node.flatten_fn(value)
    keys = list(context) if isinstance(value, dict) and isinstance(context, list) and len(context) == len(children) else range(len(children))
    if hasattr(value, "_fields"):
        keys = value._fields
    elif hasattr(value, "__dataclass_fields__"):
        keys = context[0] if isinstance(context, (list, tuple)) and context and isinstance(context[0], (list, tuple)) else context
    for key, child in zip(keys, children):
        _leaf_names(f"{prefix}_{key}", child, found)


@contextlib.contextmanager
def without_bytes(mod):
    """The module with parameters and buffers that have no bytes; gives {id of the stand-in: names}."""
    stand_ins, restore = {}, []
    try:
        for module in mod.modules():
            for registry in (module._parameters, module._buffers):
                for name, tensor in list(registry.items()):
                    if tensor is None:
                        continue
                    if id(tensor) not in stand_ins:
                        stand_ins[id(tensor)] = (tensor, _stand_in(tensor))
                    restore.append((registry, name, tensor))
                    registry[name] = stand_ins[id(tensor)][1]
        yield {original: stand_in for original, (_, stand_in) in stand_ins.items()}
    finally:
        for registry, name, tensor in restore:
            registry[name] = tensor


def _stand_in(tensor, shape=None):
    made = torch.empty(tuple(tensor.shape) if shape is None else shape, dtype=tensor.dtype, device="meta")
    if isinstance(tensor, nn.Parameter):
        return nn.Parameter(made, requires_grad=tensor.requires_grad)
    return made.requires_grad_(tensor.requires_grad) if tensor.requires_grad else made


def _constant_names(mod):
    """The names of tensors that are plain attributes of modules, by their ids."""
    found = {}
    for prefix, module in mod.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, torch.Tensor):
                found.setdefault(id(value), f"{prefix}.{name}" if prefix else name)
    return found


class _Program:
    """A module with its example inputs, which can be run with other sizes."""

    def __init__(self, mod, args, kwargs, chosen):
        self.mod, self.args, self.kwargs, self.chosen = mod, args, kwargs, chosen
        self.leaves, self.in_spec = pytree.tree_flatten((args, kwargs))
        for leaf in self.leaves:
            if not isinstance(leaf, (torch.Tensor, *_LEAVES)):
                raise UserError(f"Unsupported input type {type(leaf)}. Export only supports pytree containers of basic types (Tensor, "
                                "int, float, ...) as input. To register a custom dataclass, use register_dataclass. To register a custom "
                                "container type, use register_pytree_node. To register a constant input, use register_constant")
        tensors = [one for one in self.leaves if isinstance(one, torch.Tensor)]
        weights = [*mod.parameters(), *mod.buffers()]
        places = [one.device for one in (*tensors, *weights) if one.device.type != "meta"]
        self.device = places[0] if places else torch.device("cpu")
        self.state = [*mod.named_parameters(remove_duplicate=False), *mod.named_buffers(remove_duplicate=False)]
        self.constant_names = _constant_names(mod)
        # {number of the leaf: {dimension: request}}
        self.requests = {}

    def attempt(self, sizes):
        """Runs the program with {symbol name: size}."""
        tape = Tape(self.device, lambda tensor: self.constant_names.get(id(tensor)))
        leaves, known = [], {}
        for index, leaf in enumerate(self.leaves):
            if not isinstance(leaf, torch.Tensor):
                leaves.append(leaf)
                continue
            shape = list(leaf.shape)
            for dim, request in self.requests.get(index, {}).items():
                if request.symbol is not None:
                    size = sizes.get(request.symbol.name, request.symbol.hint)
                    wish = request.wish
                    shape[dim] = size * wish.factor + wish.shift if isinstance(wish, _shapes.Dim) else size
            # A tensor that is given twice is one tensor inside, too.
            leaves.append(known.setdefault((id(leaf), tuple(shape)), _stand_in(leaf, tuple(shape))))
        args, kwargs = pytree.tree_unflatten(leaves, self.in_spec)
        with without_bytes(self.mod) as stand_ins:
            for _, tensor in self.state:
                stand_in = stand_ins[id(tensor)]
                if not tape.knows(stand_in):
                    tape.add(stand_in)
                else:
                    tape._count += 1
            given = [tape.add(leaf) if isinstance(leaf, torch.Tensor) else None for leaf in leaves]
            output = run(self.mod, args, kwargs, tape, self.chosen)
            outputs, out_spec = pytree.tree_flatten(output)
            for one in outputs:
                if not isinstance(one, (torch.Tensor, *_LEAVES)):
                    raise UserError(f"It looks like one of the outputs with type `{type(one)}` is not supported or pytree-flattenable. \n"
                                    "Exported graphs outputs can only contain the following types: "
                                    "[<class 'torch.Tensor'>, <class 'int'>, <class 'float'>, <class 'bool'>, <class 'str'>, "
                                    "<class 'NoneType'>]")
            outputs = [tape.ref(one) if isinstance(one, torch.Tensor) else one for one in outputs]
        return Finished(tape, outputs, out_spec, given)


def _data_dependent(error):
    """The error of a program that asks for a value, where `error` is that of a tensor without bytes."""
    text = str(error)
    if "on meta tensors" not in text and "meta tensor" not in text and "aten::_local_scalar_dense" not in text:
        return None
    place = _user_place(error)
    return GuardOnDataDependentSymNode(
        None, "Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).  (Size-like symbols: none)\n\n"
        f"Caused by: {place}\n"
        "For more information, run with TORCH_LOGS=\"dynamic\"\n"
        "For extended logs when we create symbols, also add TORCHDYNAMO_EXTENDED_DEBUG_CREATE_SYMBOL=\"u0\"\n"
        "If you suspect the guard was triggered from C++, add TORCHDYNAMO_EXTENDED_DEBUG_CPP=1\n"
        "For more debugging help, see https://docs.google.com/document/d/1HSuTTVvYH1pTew89Rtpeu84Ht3nQEFTYhAX3Ypa_xJs/edit?usp=sharing")


def _user_place(error):
    frames, trace = [], error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if not frame.f_globals.get("__name__", "").startswith("torch."):
            import linecache
            file, line = frame.f_code.co_filename, trace.tb_lineno
            frames.append(f"{linecache.getline(file, line).strip()}  # {file.rpartition('/')[2]}:{line} in {frame.f_code.co_name}")
        trace = trace.tb_next
    return frames[-1] if frames else "(unknown)"


def trace(mod, args, kwargs, dynamic_shapes, chosen=()):
    """The ExportedProgram of one module. Errors: UserError, GuardOnDataDependentSymNode, NotImplementedError, and what the
    program raises."""
    program = _Program(mod, args, kwargs, chosen)
    if hasattr(dynamic_shapes, "dynamic_shapes"):
        dynamic_shapes = dynamic_shapes.dynamic_shapes(mod, args, kwargs)
    combined = _shapes.combine_args(mod, args, kwargs)
    found = _shapes.requests_of(combined, dynamic_shapes)
    by_tensor = {}
    for path, tensor, requests in found:
        by_tensor.setdefault(id(tensor), []).append((path, requests))
    paths = {}
    for index, leaf in enumerate(program.leaves):
        if isinstance(leaf, torch.Tensor) and by_tensor.get(id(leaf)):
            paths[index], program.requests[index] = by_tensor[id(leaf)].pop(0)
    requests = [one for of_leaf in program.requests.values() for one in of_leaf.values()]
    search = Search(program.attempt, requests, _shapes.give_symbols(requests))
    try:
        first, steps, outputs = search.merged()
    except (UserError, NoOp):
        raise
    except (RuntimeError, NotImplementedError) as error:
        told = _data_dependent(error)
        if told is None:
            raise
        raise told from error
    arguments, names = input_names(mod, args, kwargs)
    return build_program(program, first, steps, outputs, search.symbols, arguments, names, paths)
