"""Writes exported programs as .pt2 packages. Behaviour: torch/_export/serde/{schema,serialize}.py, torch/export/pt2_archive."""
import io
import json
import operator
import sys

import torch
from torch.export._symbols import SizeInt
from torch.export._treespec import treespec_dumps
from torch.export._values import FakeTensor
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument
from torch.fx.graph import Node

SCHEMA_VERSION = {"major": 8, "minor": 17}
OPSET_VERSION = {"aten": 10}
SCALAR_TYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5, torch.float16: 6, torch.float32: 7,
                torch.float64: 8, torch.complex32: 9, torch.complex64: 10, torch.complex128: 11, torch.bool: 12, torch.bfloat16: 13}
MEMORY_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3, torch.preserve_format: 4}
STRIDED = 7


def size_value(size):
    if isinstance(size, int):
        return {"as_int": size}
    return {"as_expr": {"expr_str": str(size), "hint": {"as_int": size.hint}}}


def device_value(device):
    return {"type": device.type, "index": device.index}


def tensor_meta(value):
    """A description of a tensor, or of what stands for one in a graph."""
    return {"dtype": SCALAR_TYPES[value.dtype], "sizes": [size_value(size) for size in value.shape],
            "requires_grad": bool(value.requires_grad), "device": device_value(value.device),
            "strides": [size_value(size) for size in value.stride()], "storage_offset": size_value(value.storage_offset()),
            "layout": STRIDED}


def _is_size(node):
    return isinstance(node.meta.get("val"), torch.SymInt)


def argument(value):
    """An argument of a node as schema.py's Argument."""
    if value is None:
        return {"as_none": True}
    if isinstance(value, Node):
        return {"as_sym_int": {"as_name": value.name}} if _is_size(value) else {"as_tensor": {"name": value.name}}
    if isinstance(value, bool):
        return {"as_bool": value}
    if isinstance(value, int):
        return {"as_int": value}
    if isinstance(value, float):
        return {"as_float": _float(value)}
    if isinstance(value, complex):
        return {"as_complex": {"real": value.real, "imag": value.imag}}
    if isinstance(value, str):
        return {"as_string": value}
    if isinstance(value, torch.dtype):
        return {"as_scalar_type": SCALAR_TYPES[value]}
    if isinstance(value, torch.device):
        return {"as_device": device_value(value)}
    if isinstance(value, torch.layout):
        return {"as_layout": STRIDED}
    if isinstance(value, torch.memory_format):
        return {"as_memory_format": MEMORY_FORMATS[value]}
    if isinstance(value, (list, tuple)):
        return _list_argument(list(value))
    raise NotImplementedError(f"torch.export.save: an argument of type {type(value)}")


def _float(value):
    """JSON has no numbers for these."""
    if value != value:
        return "NaN"
    return ("Infinity" if value > 0 else "-Infinity") if value in (float("inf"), float("-inf")) else value


def _list_argument(values):
    nodes = [one for one in values if isinstance(one, Node)]
    if any(_is_size(one) for one in nodes):
        return {"as_sym_ints": [{"as_name": one.name} if isinstance(one, Node) else {"as_int": one} for one in values]}
    if nodes and len(nodes) == len(values):
        return {"as_tensors": [{"name": one.name} for one in values]}
    if nodes:
        return {"as_optional_tensors": [{"as_none": True} if one is None else {"as_tensor": {"name": one.name}} for one in values]}
    if values and all(isinstance(one, bool) for one in values):
        return {"as_bools": values}
    if all(isinstance(one, int) for one in values):
        return {"as_ints": values}
    if all(isinstance(one, (int, float)) for one in values):
        return {"as_floats": [_float(float(one)) for one in values]}
    if all(isinstance(one, str) for one in values):
        return {"as_strings": values}
    raise NotImplementedError(f"torch.export.save: a list of {[type(one) for one in values]}")


class _GraphWriter:
    def __init__(self, graph):
        self._nodes = list(graph.nodes)
        self.tensors, self.sizes = {}, {}

    def note(self, name, value):
        if isinstance(value, FakeTensor):
            self.tensors[name] = tensor_meta(value)
        elif isinstance(value, torch.SymInt):
            self.sizes[name] = size_value(value) if isinstance(value, SizeInt) else {"as_int": int(value)}

    def written(self):
        inputs, nodes, outputs = [], [], []
        for node in self._nodes:
            value = node.meta.get("val")
            if node.op == "placeholder":
                self.note(node.name, value)
                inputs.append(argument(node) if isinstance(value, (FakeTensor, torch.SymInt)) else argument(value))
            elif node.op == "output":
                outputs = [argument(one) for one in node.args[0]]
            elif node.target is not operator.getitem:
                nodes.append(self._node(node))
        return {"inputs": inputs, "outputs": outputs, "nodes": nodes, "tensor_values": self.tensors, "sym_int_values": self.sizes,
                "sym_bool_values": {}, "is_single_tensor_return": False, "custom_obj_values": {}, "sym_float_values": {}}

    def _node(self, node):
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            names = ("a", "b")
            inputs = [{"name": name, "arg": argument(one), "kind": 1} for name, one in zip(names, node.args)]
            target = f"_operator.{node.target.__name__}"
        else:
            named = list(zip([one.name for one in schema.arguments], node.args))
            inputs = [{"name": name, "arg": argument(one), "kind": 1} for name, one in named]
            inputs += [{"name": name, "arg": argument(one), "kind": 2} for name, one in node.kwargs.items()]
            target = f"torch.ops.{node.target}"
        return {"target": target, "inputs": inputs, "outputs": self._outputs(node, schema), "metadata": _metadata(node),
                "is_hop_single_tensor_return": None, "name": node.name}

    def _outputs(self, node, schema):
        value = node.meta.get("val")
        if not isinstance(value, tuple):
            self.note(node.name, value)
            return [argument(node)] if value is not None else []
        taken = {user.args[1]: user for user in node.users if user.target is operator.getitem}
        names = []
        for index, one in enumerate(value):
            name = taken[index].name if index in taken else f"{node.name}_unused_{index}"
            self.note(name, one)
            names.append(name)
        if schema is not None and schema.returns == "[]":
            return [{"as_tensors": [{"name": name} for name in names]}]
        return [{"as_tensor": {"name": name}} for name in names]


def _metadata(node):
    made = {}
    if node.meta.get("stack_trace"):
        made["stack_trace"] = node.meta["stack_trace"]
    if node.meta.get("nn_module_stack"):
        made["nn_module_stack"] = ";".join(f"{key},{name},{kind}" for key, (name, kind) in node.meta["nn_module_stack"].items())
    if node.meta.get("torch_fn"):
        made["torch_fn"] = ";".join(node.meta["torch_fn"])
    return made


def _constant(value):
    key = next(iter(argument(value)))
    return {key: argument(value)[key]}


def _input_spec(spec):
    arg = {"name": spec.arg.name}
    if spec.kind is InputKind.PARAMETER:
        return {"parameter": {"arg": arg, "parameter_name": spec.target}}
    if spec.kind is InputKind.BUFFER:
        return {"buffer": {"arg": arg, "buffer_name": spec.target, "persistent": bool(spec.persistent)}}
    if spec.kind is InputKind.CONSTANT_TENSOR:
        return {"tensor_constant": {"arg": arg, "tensor_constant_name": spec.target}}
    if isinstance(spec.arg, ConstantArgument):
        return {"constant_input": {"name": spec.arg.name, "value": _constant(spec.arg.value)}}
    return {"user_input": {"arg": _argument_spec(spec.arg)}}


def _argument_spec(arg):
    if isinstance(arg, TensorArgument):
        return {"as_tensor": {"name": arg.name}}
    if isinstance(arg, SymIntArgument):
        return {"as_sym_int": {"as_name": arg.name}}
    return argument(arg.value)


def _output_spec(spec):
    arg = {"name": spec.arg.name}
    if spec.kind is OutputKind.BUFFER_MUTATION:
        return {"buffer_mutation": {"arg": arg, "buffer_name": spec.target}}
    if spec.kind is OutputKind.PARAMETER_MUTATION:
        return {"parameter_mutation": {"arg": arg, "parameter_name": spec.target}}
    if spec.kind is OutputKind.USER_INPUT_MUTATION:
        return {"user_input_mutation": {"arg": arg, "user_input_name": spec.target}}
    return {"user_output": {"arg": _argument_spec(spec.arg)}}


def _call_entry(entry):
    signature = entry.signature
    if signature is None:
        return {"fqn": entry.fqn, "signature": None}
    return {"fqn": entry.fqn, "signature": {
        "inputs": [_argument_spec(one) for one in signature.inputs], "outputs": [_argument_spec(one) for one in signature.outputs],
        "in_spec": treespec_dumps(signature.in_spec), "out_spec": treespec_dumps(signature.out_spec),
        "forward_arg_names": signature.forward_arg_names}}


def model_value(ep):
    """A program without its tensors as schema.py's ExportedProgram."""
    signature = ep.graph_signature
    return {
        "graph_module": {
            "graph": _GraphWriter(ep.graph).written(),
            "signature": {"input_specs": [_input_spec(one) for one in signature.input_specs],
                          "output_specs": [_output_spec(one) for one in signature.output_specs]},
            "module_call_graph": [_call_entry(one) for one in ep.module_call_graph], "metadata": {}, "treespec_namedtuple_fields": {}},
        "opset_version": OPSET_VERSION,
        "range_constraints": {str(symbol): {"min_val": found.lower, "max_val": found.upper}
                              for symbol, found in ep.range_constraints.items()},
        "schema_version": SCHEMA_VERSION, "verifiers": [one.dialect for one in ep.verifiers], "torch_version": torch.__version__,
        "guards_code": list(ep._guards_code)}


def model_text(ep):
    """The same as JSON."""
    return json.dumps(model_value(ep))


def _write_tensors(archive, tensors, folder, prefix):
    """The bytes of each storage once. Gives the list that says which tensor looks at what."""
    config, places = {}, {}
    for name, tensor in tensors.items():
        storage = tensor.untyped_storage()
        key = (storage.data_ptr(), storage.nbytes()) if storage.nbytes() and not tensor.is_meta else id(tensor)
        if key not in places:
            places[key] = f"{prefix}{len(places)}"
            data = b"" if tensor.is_meta else storage if tensor.device.type == "cpu" else storage.cpu()
            archive.write_record(f"{folder}{places[key]}", data)
        config[name] = {"path_name": places[key], "is_param": isinstance(tensor, torch.nn.Parameter), "use_pickle": False,
                        "tensor_meta": tensor_meta(tensor)}
    return {"config": config}


def save_program(ep, f, extra_files):
    from torch._archive_files import _is_path, _open_zipfile_writer
    import os
    if _is_path(f):
        f = os.fspath(f)
        if not f.endswith(".pt2"):
            print(f"Expect archive file to be a file ending in .pt2, or is a buffer. Instead got {{{f}}}", file=sys.stderr)
    with _open_zipfile_writer(f) as archive:
        weights = _write_tensors(archive, ep.state_dict, "data/weights/", "weight_")
        archive.write_record("data/weights/model_weights_config.json", json.dumps(weights).encode())
        constants = _write_tensors(archive, ep.constants, "data/constants/", "tensor_")
        archive.write_record("data/constants/model_constants_config.json", json.dumps(constants).encode())
        archive.write_record("models/model.json", model_text(ep).encode())
        example = io.BytesIO()
        torch.save(ep.example_inputs, example)
        archive.write_record("data/sample_inputs/model.pt", example.getvalue())
        for name, text in extra_files.items():
            archive.write_record(f"extra/{name}", text if isinstance(text, bytes) else text.encode())
        archive.write_record("archive_format", b"pt2")
        archive.write_record("archive_version", b"0")
        archive.write_record(".data/version", b"6\n")
        archive.write_record("byteorder", sys.byteorder.encode())
        archive.write_record(".data/serialization_id", archive.serialization_id().encode())
