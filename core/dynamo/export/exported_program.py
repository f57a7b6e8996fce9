"""The program that torch.export.export() gives. Behaviour: torch/export/exported_program.py."""
import copy
import dataclasses
from collections import namedtuple

from torch.export._graph_module import ExportedGraphModule
from torch.export._verifier import TrainingIRVerifier, Verifier
from torch.export.graph_signature import InputKind

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]

_CallSpec = namedtuple("CallSpec", "in_spec out_spec")


@dataclasses.dataclass
class ModuleCallSignature:
    inputs: list
    outputs: list
    in_spec: object
    out_spec: object
    forward_arg_names: object = None

    def replace_all_uses_with(self, original_node, new_node):
        for one in (*self.inputs, *self.outputs):
            if one.name == original_node.name:
                one.name = new_node.name


@dataclasses.dataclass
class ModuleCallEntry:
    fqn: str
    signature: object = None


def default_decompositions():
    """The table that run_decompositions() takes where it is given none."""
    from torch.export._functional import core_decompositions
    return core_decompositions()


def _read_only(name):
    def getter(self):
        return getattr(self, f"_{name}")

    def setter(self, value):
        raise RuntimeError(f"Unable to set ExportedProgram's {name} attribute.")
    return property(getter, setter)


class ExportedProgram:
    """A graph with what it needs: weights, constants, and how it is called."""

    def __init__(self, root, graph, graph_signature, state_dict, range_constraints, module_call_graph, example_inputs=None,
                 constants=None, *, verifiers=None, sources=None):
        graph.pytree_info = None
        self._graph_module = root if isinstance(root, ExportedGraphModule) and root.graph is graph else ExportedGraphModule(root, graph)
        self._graph_signature, self._state_dict, self._range_constraints = graph_signature, state_dict, range_constraints
        self._module_call_graph, self._example_inputs = module_call_graph, example_inputs
        self._constants = constants or {}
        self._verifiers = verifiers or [TrainingIRVerifier]
        if not all(issubclass(one, Verifier) for one in self._verifiers):
            raise AssertionError(f"all verifiers must be subclasses of Verifier, got {self._verifiers}")
        # How guards write the inputs of the user: {number of the leaf: "x"}.
        self._sources = sources
        self._guards_code = []
        self.validate()
        from torch.export._unlift import guards_of
        self._guards_code = guards_of(self)

    graph_module, graph_signature = _read_only("graph_module"), _read_only("graph_signature")
    state_dict, range_constraints = _read_only("state_dict"), _read_only("range_constraints")
    module_call_graph, constants = _read_only("module_call_graph"), _read_only("constants")
    verifiers, tensor_constants = _read_only("verifiers"), _read_only("constants")

    @property
    def graph(self):
        return self._graph_module.graph

    @graph.setter
    def graph(self, value):
        raise RuntimeError("Unable to set ExportedProgram's graph attribute.")

    @property
    def verifier(self):
        return self._verifiers[0]

    @verifier.setter
    def verifier(self, value):
        raise RuntimeError("Unable to set ExportedProgram's verifier attribute.")

    @property
    def dialect(self):
        return self._verifiers[0].dialect

    @dialect.setter
    def dialect(self, value):
        raise RuntimeError("Unable to set ExportedProgram's dialect attribute.")

    def parameters(self):
        for _, parameter in self.named_parameters():
            yield parameter

    def named_parameters(self):
        for name in self.graph_signature.parameters:
            yield name, self.state_dict[name]

    def buffers(self):
        for _, buffer in self.named_buffers():
            yield buffer

    def named_buffers(self):
        passing = set(self.graph_signature.non_persistent_buffers)
        for name in self.graph_signature.buffers:
            yield name, self.constants[name] if name in passing else self.state_dict[name]

    @property
    def example_inputs(self):
        return self._example_inputs

    @example_inputs.setter
    def example_inputs(self, value):
        if value is not None:
            if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple) and isinstance(value[1], dict)):
                raise ValueError("Example inputs should be a tuple containing example arguments (as a tuple), and example kwargs (as a "
                                 "dictionary).")
            from torch.export._unlift import check_inputs_match
            check_inputs_match(*value, self.call_spec.in_spec)
        self._example_inputs = value

    @property
    def call_spec(self):
        if not self.module_call_graph:
            return _CallSpec(None, None)
        signature = self.module_call_graph[0].signature
        return _CallSpec(signature.in_spec, signature.out_spec)

    @call_spec.setter
    def call_spec(self, value):
        raise RuntimeError("Unable to set ExportedProgram's call_spec attribute.")

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Unable to call ExportedProgram directly. You should use `exported_program.module()` instead.")

    def __str__(self):
        module = self.graph_module.print_readable(print_output=False).replace("\n", "\n    ")
        signature = str(self.graph_signature).replace("\n", "\n    ")
        return (f"ExportedProgram:\n    {module}\nGraph signature: {signature}\n"
                f"Range constraints: {self.range_constraints}\n")

    def module(self, check_guards=True):
        """A module with the weights, which is called as the original one was."""
        from torch.export._unlift import unlifted
        return unlifted(self, check_guards)

    def run_decompositions(self, decomp_table=None, decompose_custom_triton_ops=False):
        """The program in ops that write into nothing; those that the table names are taken apart.
        `decomp_table`: {op: function}; {} takes only apart what writes or what is made of others for its gradient alone."""
        from torch.export._functional import functional_program
        return functional_program(self, default_decompositions() if decomp_table is None else dict(decomp_table))

    def validate(self):
        for one in self._verifiers:
            one().check(self)

    _validate = validate

    def _graph_module_flat_inputs(self, args, kwargs):
        """What graph_module takes: weights and constants, then the leaves of the inputs."""
        from torch.export._unlift import check_inputs_match
        leaves = check_inputs_match(args, kwargs, self.call_spec.in_spec)
        lifted = []
        for spec in self.graph_signature.input_specs:
            if spec.kind is InputKind.USER_INPUT:
                continue
            from_constants = spec.kind is InputKind.CONSTANT_TENSOR or spec.persistent is False
            lifted.append((self.constants if from_constants else self.state_dict)[spec.target])
        return (*lifted, *leaves)

    def _update(self, graph_module, graph_signature, *, state_dict=None, constants=None, verifiers=None):
        return ExportedProgram(graph_module, graph_module.graph, graph_signature, state_dict if state_dict is not None else self.state_dict,
                               dict(self.range_constraints), copy.deepcopy(self._module_call_graph), self.example_inputs,
                               constants if constants is not None else self.constants, verifiers=verifiers or self.verifiers,
                               sources=self._sources)
