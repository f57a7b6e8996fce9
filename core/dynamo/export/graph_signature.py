"""What goes into an exported graph and what comes out of it. Behaviour: torch/export/graph_signature.py."""
import dataclasses
from enum import Enum, auto
from types import MappingProxyType

__all__ = ["ConstantArgument", "CustomObjArgument", "ExportBackwardSignature", "ExportGraphSignature", "InputKind", "InputSpec",
           "OutputKind", "OutputSpec", "SymBoolArgument", "SymFloatArgument", "SymIntArgument", "TensorArgument", "TokenArgument"]


@dataclasses.dataclass
class TensorArgument:
    name: str


@dataclasses.dataclass
class TokenArgument:
    name: str


@dataclasses.dataclass
class SymIntArgument:
    name: str


@dataclasses.dataclass
class SymFloatArgument:
    name: str


@dataclasses.dataclass
class SymBoolArgument:
    name: str


@dataclasses.dataclass
class CustomObjArgument:
    name: str
    class_fqn: str
    fake_val: object = None


@dataclasses.dataclass
class ConstantArgument:
    name: str
    value: object


_NAMED = (TensorArgument, SymIntArgument, SymFloatArgument, SymBoolArgument, CustomObjArgument, TokenArgument)
ArgumentSpec = (*_NAMED, ConstantArgument)


class InputKind(Enum):
    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


def _line(spec, persistent=None):
    target = "" if spec.target is None else f" target='{spec.target}'"
    kept = "" if persistent is None else f" persistent={persistent}"
    return f"{spec.arg.name}: {spec.kind.name}{target}{kept}"


@dataclasses.dataclass
class InputSpec:
    kind: InputKind
    arg: object
    target: object
    persistent: object = None

    def __post_init__(self):
        if self.kind == InputKind.BUFFER and self.persistent is None:
            raise AssertionError("Failed to specify persistent flag on BUFFER.")
        if not isinstance(self.arg, ArgumentSpec):
            raise AssertionError(f"got {type(self.arg)}")

    def __str__(self):
        return _line(self, self.persistent)


@dataclasses.dataclass
class OutputSpec:
    kind: OutputKind
    arg: object
    target: object

    def __post_init__(self):
        if not isinstance(self.arg, ArgumentSpec):
            raise AssertionError(self.arg)

    def __str__(self):
        return _line(self)


@dataclasses.dataclass
class ExportBackwardSignature:
    gradients_to_parameters: dict
    gradients_to_user_inputs: dict
    loss_output: str


def _of_kind(specs, kind):
    return (one for one in specs if one.kind == kind)


@dataclasses.dataclass
class ExportGraphSignature:
    """All inputs (parameters, buffers, constants, then what the user gives) and outputs (what was written, then what forward
    gives) of a graph, in the order of its placeholders and of its output node."""
    input_specs: list
    output_specs: list

    def _targets(self, kind):
        return tuple(one.target for one in _of_kind(self.input_specs, kind) if isinstance(one.target, str))

    parameters = property(lambda self: self._targets(InputKind.PARAMETER))
    buffers = property(lambda self: self._targets(InputKind.BUFFER))
    lifted_tensor_constants = property(lambda self: self._targets(InputKind.CONSTANT_TENSOR))
    lifted_custom_objs = property(lambda self: self._targets(InputKind.CUSTOM_OBJ))

    @property
    def non_persistent_buffers(self):
        return tuple(one.target for one in _of_kind(self.input_specs, InputKind.BUFFER) if one.persistent is False)

    @property
    def user_inputs(self):
        return tuple(one.arg.value if isinstance(one.arg, ConstantArgument) else one.arg.name
                     for one in _of_kind(self.input_specs, InputKind.USER_INPUT))

    @property
    def user_outputs(self):
        return tuple(one.arg.value if isinstance(one.arg, ConstantArgument) else one.arg.name
                     for one in _of_kind(self.output_specs, OutputKind.USER_OUTPUT))

    def _mapping(self, specs, kind):
        return MappingProxyType({one.arg.name: one.target for one in _of_kind(specs, kind)
                                 if isinstance(one.arg, _NAMED) and isinstance(one.target, str)})

    inputs_to_parameters = property(lambda self: self._mapping(self.input_specs, InputKind.PARAMETER))
    inputs_to_buffers = property(lambda self: self._mapping(self.input_specs, InputKind.BUFFER))
    inputs_to_lifted_tensor_constants = property(lambda self: self._mapping(self.input_specs, InputKind.CONSTANT_TENSOR))
    inputs_to_lifted_custom_objs = property(lambda self: self._mapping(self.input_specs, InputKind.CUSTOM_OBJ))
    buffers_to_mutate = property(lambda self: self._mapping(self.output_specs, OutputKind.BUFFER_MUTATION))
    parameters_to_mutate = property(lambda self: self._mapping(self.output_specs, OutputKind.PARAMETER_MUTATION))
    user_inputs_to_mutate = property(lambda self: self._mapping(self.output_specs, OutputKind.USER_INPUT_MUTATION))

    @property
    def backward_signature(self):
        loss = next((one.arg.name for one in _of_kind(self.output_specs, OutputKind.LOSS_OUTPUT)), None)
        if loss is None:
            return None
        return ExportBackwardSignature(dict(self._mapping(self.output_specs, OutputKind.GRADIENT_TO_PARAMETER)),
                                       dict(self._mapping(self.output_specs, OutputKind.GRADIENT_TO_USER_INPUT)), loss)

    @property
    def assertion_dep_token(self):
        return None

    input_tokens = property(lambda self: tuple(one.arg.name for one in _of_kind(self.input_specs, InputKind.TOKEN)))
    output_tokens = property(lambda self: tuple(one.arg.name for one in _of_kind(self.output_specs, OutputKind.TOKEN)))

    def replace_all_uses(self, old, new):
        """Every input and output called `old` is called `new`."""
        if not isinstance(old, str) or not isinstance(new, str):
            raise AssertionError(f"expected two names, got {type(old)} and {type(new)}")
        for one in (*self.input_specs, *self.output_specs):
            if isinstance(one.arg, _NAMED) and one.arg.name == old:
                one.arg.name = new

    def get_replace_hook(self):
        def hook(old, new, user):
            if user.op in ("output", "input"):
                self.replace_all_uses(old.name, new)
        return hook

    def __str__(self):
        inputs = "\n".join(map(str, self.input_specs))
        outputs = "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"
