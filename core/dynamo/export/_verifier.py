"""Checks of exported programs. Behaviour: torch/_export/verifier.py."""
import operator

import torch
from torch.export._values import FakeTensor
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument, TensorArgument


class SpecViolationError(Exception):
    """A program that is no exported program."""


class Verifier:
    dialect = "ATEN"

    def allowed_builtin_ops(self):
        return [operator.getitem, operator.add, operator.mul, operator.sub, operator.floordiv, operator.mod, operator.pow,
                operator.eq, operator.ne, operator.gt, operator.lt, operator.ge, operator.le]

    def allowed_op_types(self):
        from torch._ops import OpOverload
        return (OpOverload,)

    def check(self, ep):
        self._check_graph_module(ep.graph_module)
        _check_signature(ep)

    def __call__(self, *args, **kwargs):
        return self.check(*args, **kwargs)

    def _check_graph_module(self, module):
        module.graph.lint()
        for node in module.graph.nodes:
            if node.op in ("call_module", "call_method"):
                raise SpecViolationError(f"call_module is not valid: got a class '{type(node.target)}' "
                                         if node.op == "call_module" else f"call_method is not valid: {node.target}")
            if node.op == "call_function" and not isinstance(node.target, self.allowed_op_types()) and \
                    node.target not in self.allowed_builtin_ops():
                raise SpecViolationError(f"Operator '{node.target}' is not an allowed operator type: {self.allowed_op_types()}\n"
                                         f"Valid builtin ops: {self.allowed_builtin_ops()}")
            if node.op == "call_function" and node.meta.get("val") is None and getattr(getattr(node.target, "_schema", None), "returns", 1):
                raise SpecViolationError(f"Node.meta {node.name} is missing val field.")


class TrainingIRVerifier(Verifier):
    dialect = "TRAINING"


def _check_signature(ep):
    """Errors: SpecViolationError  the signature names other inputs and outputs than the graph has."""
    signature = ep.graph_signature
    inputs = [node for node in ep.graph.nodes if node.op == "placeholder"]
    if len(inputs) != len(signature.input_specs):
        raise SpecViolationError(f"Number of graph inputs ({len(inputs)}) does not match number of inputs in the graph signature "
                                 f"({len(signature.input_specs)})")
    for spec, node in zip(signature.input_specs, inputs):
        if isinstance(spec.arg, (TensorArgument, SymIntArgument, ConstantArgument)) and spec.arg.name != node.name:
            raise SpecViolationError(f"Input spec {spec} does not match node name {node.name}")
        if spec.kind is InputKind.PARAMETER:
            _check_state(ep, spec, torch.nn.Parameter)
        elif spec.kind is InputKind.BUFFER and spec.persistent:
            _check_state(ep, spec, torch.Tensor)
        elif spec.kind is InputKind.CONSTANT_TENSOR and spec.target not in ep.constants:
            raise SpecViolationError(f"Constant tensor {spec.target} is not in the constants dictionary.")
    output = ep.graph.output_node()
    given = list(output.args[0])
    if len(given) != len(signature.output_specs):
        raise SpecViolationError(f"Number of output nodes {len(given)} is different Than the number of outputs specified by the graph "
                                 f"signature: {len(signature.output_specs)}")
    for spec, node in zip(signature.output_specs, given):
        if isinstance(spec.arg, TensorArgument) and getattr(node, "name", None) != spec.arg.name:
            raise SpecViolationError(f"Output {node} does not match {spec.arg.name} in the graph signature")
        if spec.kind is OutputKind.BUFFER_MUTATION and spec.target not in signature.buffers:
            raise SpecViolationError(f"Buffer output {spec.arg.name} does not point to a buffer that exists. \n"
                                     f"Dict of buffers that are mutated, in order: {dict(signature.buffers_to_mutate)} \n"
                                     f"Buffer nodes available: {signature.buffers} \n")


def _check_state(ep, spec, kind):
    word = "Parameter" if kind is torch.nn.Parameter else "Buffer"
    if not isinstance(spec.target, str):
        raise SpecViolationError(f"Expected {word.lower()} name, got {spec.target}")
    if spec.target not in ep.state_dict:
        raise SpecViolationError(f"{word} {spec.target} is not in the state dict.")
    if not isinstance(ep.state_dict[spec.target], (kind, FakeTensor)):
        raise SpecViolationError(f"State dict entry for parameter {spec.target} is not an instance of torch.nn.Parameter.")
