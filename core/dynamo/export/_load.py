"""Reads .pt2 packages of exported programs, those of PyTorch 2.1 to 2.7 too. Behaviour: torch/_export/serde/serialize.py,
torch/export/pt2_archive/_package.py. What a package says is checked; no pickle in it runs code."""
import builtins
import io
import json
import operator
import re
from collections import OrderedDict

import torch
from torch import nn
from torch.export._code import ExportedGraph
from torch.export._expressions import parse_size
from torch.export._graph_module import ExportedGraphModule
from torch.export._save import MEMORY_FORMATS, SCALAR_TYPES
from torch.export._symbols import SizeInt, Sum, Symbol, ValueRanges
from torch.export._treespec import treespec_loads
from torch.export._values import FakeTensor
from torch.export._verifier import TrainingIRVerifier, Verifier
from torch.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (ConstantArgument, ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec,
                                          SymIntArgument, TensorArgument)

_DTYPES = {number: dtype for dtype, number in SCALAR_TYPES.items()}
_FORMATS = {number: one for one, number in MEMORY_FORMATS.items()}
_OLD = "serialized_exported_program.json"


class _Archive:
    """The records of a package; `root` of old ones is empty."""

    def __init__(self, f):
        from torch._archive_files import _open_file_like
        with _open_file_like(f, "rb") as opened:
            self._bytes = opened.read()
        import zipfile
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._bytes))
        except zipfile.BadZipFile as error:
            why = "failed finding central directory" if "not a zip file" in str(error) else error
            raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {why}") from None
        names = self._zip.namelist()
        self._root = "" if _OLD in names or not names else names[0].partition("/")[0] + "/"
        self.names = [name[len(self._root):] for name in names if name.startswith(self._root)]

    def read(self, name):
        if name not in self.names:
            raise RuntimeError(f"PytorchStreamReader failed locating file {name}: file not found")
        return self._zip.read(self._root + name)

    def text(self, name):
        return self.read(name).decode()


def _only(value, what):
    """(kind, content) of a union. Errors: RuntimeError  it is none."""
    if not isinstance(value, dict) or len(value) != 1:
        raise RuntimeError(f"torch.export.load: {what} that is no union of one: {str(value)[:80]}")
    return next(iter(value.items()))


class _Sizes:
    """Sizes of a package, with the symbols that they name."""

    def __init__(self, ranges):
        self.symbols = {}
        for name, found in ranges.items():
            self._symbol(name).range = ValueRanges(found.get("min_val") if found.get("min_val") is not None else 0, found.get("max_val"))

    def _symbol(self, name):
        if name not in self.symbols:
            made = Symbol(name, name, 0)
            made.range = ValueRanges(2, None)
            self.symbols[name] = made
        return self.symbols[name]

    def read(self, value):
        kind, content = _only(value, "a size")
        if kind == "as_int":
            return int(content)
        expr = parse_size(content["expr_str"])
        hint = content.get("hint") or {}
        hint = hint.get("as_int", 0) if isinstance(hint, dict) else 0
        for name in expr.names():
            symbol = self._symbol(name)
            if isinstance(expr, Sum) and expr.is_atom():
                symbol.hint = hint
        return SizeInt(expr, hint)


def _device(value):
    return torch.device(value["type"]) if value.get("index") is None else torch.device(value["type"], value["index"])


def _fake(value, sizes):
    if value["dtype"] not in _DTYPES:
        raise NotImplementedError(f"torch.export.load: the dtype number {value['dtype']}")
    return FakeTensor([sizes.read(one) for one in value["sizes"]], [sizes.read(one) for one in value["strides"]],
                      _DTYPES[value["dtype"]], _device(value["device"]), bool(value["requires_grad"]))


class _GraphReader:
    def __init__(self, data, sizes):
        self._data, self._sizes = data, sizes
        self.graph, self._nodes = ExportedGraph(), {}

    def _add(self, op, target, args, kwargs, name, value):
        if name in self._nodes:
            raise RuntimeError(f"torch.export.load: two nodes are called {name}")
        made = self.graph.create_node(op, target, args, kwargs, name=name)
        made.name = name
        made.meta["val"] = value
        self._nodes[name] = made
        return made

    def node(self, name):
        if name not in self._nodes:
            raise RuntimeError(f"torch.export.load: the graph uses {name} in front of its node")
        return self._nodes[name]

    def _value(self, name):
        known = self._data["tensor_values"].get(name)
        if known is not None:
            return _fake(known, self._sizes)
        size = self._data["sym_int_values"].get(name)
        return self._sizes.read(size) if size is not None else None

    def argument(self, value):
        kind, content = _only(value, "an argument")
        if kind == "as_none":
            return None
        if kind == "as_tensor":
            return self.node(content["name"])
        if kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
            return self._symbolic(content)
        if kind == "as_tensors":
            return [self.node(one["name"]) for one in content]
        if kind == "as_sym_ints":
            return [self._symbolic(one) for one in content]
        if kind == "as_optional_tensor":
            return self.argument(content)
        if kind == "as_optional_tensors":
            return [self.argument(one) for one in content]
        if kind == "as_scalar_type":
            return _DTYPES[content]
        if kind == "as_device":
            return _device(content)
        if kind == "as_layout":
            return torch.strided
        if kind == "as_memory_format":
            return _FORMATS[content]
        if kind == "as_float":
            return float(content)
        if kind == "as_floats":
            return [float(one) for one in content]
        if kind == "as_complex":
            return complex(content["real"], content["imag"])
        if kind in ("as_int", "as_bool", "as_string", "as_ints", "as_bools", "as_strings"):
            return content
        raise NotImplementedError(f"torch.export.load: an argument {kind}")

    def _symbolic(self, content):
        kind, value = _only(content, "a symbolic argument")
        return self.node(value) if kind == "as_name" else value

    def read(self, input_names):
        for value, name in zip(self._data["inputs"], input_names):
            kind, content = _only(value, "an input")
            if kind in ("as_tensor", "as_sym_int"):
                own = content.get("name") or content.get("as_name")
                self._add("placeholder", own, (), {}, own, self._value(own))
            else:
                self._add("placeholder", name, (), {}, name, content if kind != "as_none" else None)
        for node in self._data["nodes"]:
            self._read_node(node)
        self.graph.output(tuple(self.argument(one) for one in self._data["outputs"]))
        return self.graph

    def _target(self, text):
        found = re.match(r"torch\.ops\.(\w+)\.(\w+)\.(\w+)$", text)
        if found:
            try:
                return getattr(getattr(getattr(torch.ops, found.group(1)), found.group(2)), found.group(3))
            except AttributeError:
                raise NotImplementedError(f"torch.export.load: the op {text} is not here") from None
        if text.startswith("_operator.") and hasattr(operator, text[len("_operator."):]):
            return getattr(operator, text[len("_operator."):])
        raise NotImplementedError(f"torch.export.load: {text} is no op that is here")

    def _read_node(self, data):
        target = self._target(data["target"])
        schema = getattr(target, "_schema", None)
        only = {one.name for one in schema.arguments if one.kwarg_only} if schema is not None else set()
        args, kwargs = [], {}
        for one in data["inputs"]:
            value = self.argument(one["arg"])
            if one.get("kind") == 2 or one["name"] in only or kwargs:
                kwargs[one["name"]] = value
            else:
                args.append(value)
        outputs, is_list = [], False
        for one in data["outputs"]:
            kind, content = _only(one, "an output")
            if kind == "as_tensors":
                outputs, is_list = [part["name"] for part in content], True
            elif kind in ("as_tensor", "as_sym_int"):
                outputs.append(content.get("name") or content.get("as_name"))
            elif kind != "as_none":
                raise NotImplementedError(f"torch.export.load: an output {kind}")
        values = [self._value(name) for name in outputs]
        meta = _meta(data.get("metadata") or {})
        if not is_list and len(outputs) <= 1:
            name = outputs[0] if outputs else data.get("name") or target.__name__.partition(".")[0]
            made = self._add("call_function", target, tuple(args), kwargs, name, values[0] if values else None)
            made.meta.update(meta)
            return
        name = data.get("name")
        if name is None:
            word = target.__name__.partition(".")[0]
            taken = [one for one in self._nodes if re.match(rf"{re.escape(word)}(_\d+)?$", one)]
            name = f"{word}_{len(taken)}" if taken or hasattr(builtins, word) else word
        made = self._add("call_function", target, tuple(args), kwargs, name, tuple(values))
        made.meta.update(meta)
        for index, own in enumerate(outputs):
            if re.search(r"_unused_\d+$", own):
                continue
            self._add("call_function", operator.getitem, (made, index), {}, own, values[index]).meta.update(meta)


def _meta(data):
    made = {}
    if "stack_trace" in data:
        made["stack_trace"] = data["stack_trace"]
    if "nn_module_stack" in data:
        stack = OrderedDict()
        for one in data["nn_module_stack"].split(";"):
            key, _, rest = one.partition(",")
            name, _, kind = rest.rpartition(",")
            stack[key] = (name, kind)
        made["nn_module_stack"] = stack
    if "torch_fn" in data:
        made["torch_fn"] = tuple(data["torch_fn"].split(";"))
    return made


def _input_spec(data):
    kind, content = _only(data, "an input's spec")
    if kind == "parameter":
        return InputSpec(InputKind.PARAMETER, TensorArgument(content["arg"]["name"]), content["parameter_name"])
    if kind == "buffer":
        return InputSpec(InputKind.BUFFER, TensorArgument(content["arg"]["name"]), content["buffer_name"], bool(content["persistent"]))
    if kind == "tensor_constant":
        return InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(content["arg"]["name"]), content["tensor_constant_name"])
    if kind == "constant_input":
        value_kind, value = _only(content["value"], "a constant")
        return InputSpec(InputKind.USER_INPUT, ConstantArgument(content["name"], None if value_kind == "as_none" else value), None)
    if kind == "user_input":
        return InputSpec(InputKind.USER_INPUT, _argument_spec(content["arg"]), None)
    raise NotImplementedError(f"torch.export.load: an input that is a {kind}")


def _argument_spec(data):
    kind, content = _only(data, "an argument's spec")
    if kind == "as_tensor":
        return TensorArgument(content["name"])
    if kind == "as_sym_int":
        return SymIntArgument(content.get("as_name", ""))
    return ConstantArgument("", None if kind == "as_none" else content)


def _output_spec(data):
    kind, content = _only(data, "an output's spec")
    if kind == "user_output":
        return OutputSpec(OutputKind.USER_OUTPUT, _argument_spec(content["arg"]), None)
    kinds = {"buffer_mutation": (OutputKind.BUFFER_MUTATION, "buffer_name"),
             "parameter_mutation": (OutputKind.PARAMETER_MUTATION, "parameter_name"),
             "user_input_mutation": (OutputKind.USER_INPUT_MUTATION, "user_input_name")}
    if kind not in kinds:
        raise NotImplementedError(f"torch.export.load: an output that is a {kind}")
    return OutputSpec(kinds[kind][0], TensorArgument(content["arg"]["name"]), content[kinds[kind][1]])


def _call_entry(data):
    signature = data.get("signature")
    if signature is None:
        return ModuleCallEntry(data["fqn"])
    return ModuleCallEntry(data["fqn"], ModuleCallSignature(
        [_argument_spec(one) for one in signature["inputs"]], [_argument_spec(one) for one in signature["outputs"]],
        treespec_loads(signature["in_spec"]), treespec_loads(signature["out_spec"]), signature.get("forward_arg_names")))


def _tensors(archive, config_name, folder):
    found, flat = {}, {}
    if config_name not in archive.names:
        return found
    for name, entry in json.loads(archive.text(config_name))["config"].items():
        meta = entry["tensor_meta"]
        if meta is None or entry["use_pickle"]:
            raise NotImplementedError(f"torch.export.load: {name} is pickled")
        sizes = _Sizes({})
        value = _fake(meta, sizes)
        if entry["path_name"] not in flat:
            flat[entry["path_name"]] = archive.read(folder + entry["path_name"])
        data = flat[entry["path_name"]]
        if isinstance(data, bytes):
            items = torch.frombuffer(data, dtype=torch.uint8).clone() if data else torch.empty(0, dtype=torch.uint8)
            data = flat[entry["path_name"]] = items.untyped_storage()
        offset = sizes.read(meta["storage_offset"])
        tensor = torch._C._rebuild_tensor(data, offset, tuple(value.shape), tuple(value.stride()), value.dtype).to(value.device)
        if entry["is_param"]:
            tensor = nn.Parameter(tensor, requires_grad=value.requires_grad)
        found[name] = tensor
    return found


def load_program(f, extra_files=None):
    archive = _Archive(f)
    if _OLD in archive.names:
        model = json.loads(archive.text(_OLD))
        state = _old_tensors(archive, "serialized_state_dict.pt")
        constants = _old_tensors(archive, "serialized_constants.pt")
        example = _example(archive, "serialized_example_inputs.pt")
    else:
        names = [name for name in archive.names if name.startswith("models/") and name.endswith(".json")]
        if not names:
            raise RuntimeError("torch.export.load: the package holds no exported program" +
                               (", only compiled code" if any("aotinductor" in name for name in archive.names) else ""))
        name = "models/model.json" if "models/model.json" in names else names[0]
        word = name[len("models/"):-len(".json")]
        model = json.loads(archive.text(name))
        state = _tensors(archive, f"data/weights/{word}_weights_config.json", "data/weights/")
        constants = _tensors(archive, f"data/constants/{word}_constants_config.json", "data/constants/")
        example = _example(archive, f"data/sample_inputs/{word}.pt")
    if extra_files is not None:
        for key in list(extra_files):
            place = f"extra/{key}" if f"extra/{key}" in archive.names else f"extra_files/{key}"
            if place in archive.names:
                extra_files[key] = archive.text(place)
    return _program(model, state, constants, example)


def _old_tensors(archive, name):
    return dict(torch.load(io.BytesIO(archive.read(name)), weights_only=True)) if name in archive.names and archive.read(name) else {}


def _example(archive, name):
    if name not in archive.names:
        return None
    try:
        return torch.load(io.BytesIO(archive.read(name)), weights_only=True)
    except Exception:
        # Inputs of classes that no weights are made of are not needed to run the program.
        return None


def _program(model, state, constants, example):
    try:
        version = model["schema_version"]
        major = version["major"] if isinstance(version, dict) else int(version)
        module = model["graph_module"]
        specs = [_input_spec(one) for one in module["signature"]["input_specs"]]
        outputs = [_output_spec(one) for one in module["signature"]["output_specs"]]
        sizes = _Sizes(model.get("range_constraints") or {})
        reader = _GraphReader(module["graph"], sizes)
        graph = reader.read([one.arg.name for one in specs])
        calls = [_call_entry(one) for one in module["module_call_graph"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise RuntimeError(f"torch.export.load: a package that is not as the schema says: {type(error).__name__}: {error}") from None
    if not 5 <= major <= 8:
        raise RuntimeError(f"Serialized schema version {version} does not match our current schema version (8, 17).")
    for spec in specs:
        if spec.kind is InputKind.PARAMETER and spec.target in state and not isinstance(state[spec.target], nn.Parameter):
            state[spec.target] = nn.Parameter(state[spec.target], state[spec.target].is_floating_point())
    ranges = {symbol: symbol.range for symbol in sizes.symbols.values()}
    verifiers = [TrainingIRVerifier if one == "TRAINING" else Verifier for one in model.get("verifiers") or ["TRAINING"]]
    users = [spec.arg.name for spec in specs if spec.kind is InputKind.USER_INPUT]
    return ExportedProgram(ExportedGraphModule(nn.Module(), graph), graph, ExportGraphSignature(specs, outputs), state, ranges, calls,
                           example if isinstance(example, tuple) else None, constants, verifiers=verifiers,
                           sources=dict(enumerate(users)))
