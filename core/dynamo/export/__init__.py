"""torch.export: programs as graphs of ATen's ops. Behaviour: torch/export/__init__.py.

Differs: the lines of a graph are those of the program; layers of torch.nn, which are no source here, have the line that calls
them. A number that a tensor holds (x.item()) is no symbol here: a program that asks for one is refused."""
import dataclasses

from torch._aten.steps import NoOp
from torch._C import _dynamo as _native
from torch._dynamo.exc import UserError
from torch.export import _trace
from torch.export.dynamic_shapes import AdditionalInputs, Dim, ShapesCollection, dims
from torch.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature, default_decompositions
from torch.export.graph_signature import ExportBackwardSignature, ExportGraphSignature
from torch.export.unflatten import FlatArgsAdapter, UnflattenedModule, unflatten
from torch.utils import _pytree as pytree

__all__ = ["AdditionalInputs", "Constraint", "CustomDecompTable", "Dim", "ExportBackwardSignature", "ExportGraphSignature",
           "ExportedProgram", "FlatArgsAdapter", "ModuleCallEntry", "ModuleCallSignature", "ShapesCollection", "UnflattenedModule",
           "default_decompositions", "dims", "draft_export", "export", "export_for_training", "load", "register_dataclass", "save",
           "unflatten"]


def export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=(),
           prefer_deferred_runtime_asserts_over_guards=False):
    """The program of a module for inputs like these.
    Errors: ValueError, UserError  what is given is not what can be exported; sizes are not as dynamic as asked for;
            GuardOnDataDependentSymNode  a value decides what the program does;
            NotImplementedError  it calls what is no op of ATen here."""
    kwargs = {} if kwargs is None else kwargs
    _trace.check_arguments(mod, args, kwargs)
    program = _trace.trace(mod, args, kwargs, dynamic_shapes, preserve_module_call_signature)
    _native.exported(program)
    return program


def export_for_training(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=()):
    return export(mod, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict,
                  preserve_module_call_signature=preserve_module_call_signature)


class DraftExportReport:
    """What draft_export() found. Behaviour: torch/export/_draft_export.py."""

    def __init__(self, failures):
        self.failures, self.op_profiles = failures, {}

    def successful(self):
        return not self.failures

    def __str__(self):
        if self.successful():
            return ("\n##############################################################################################\n"
                    "Congratuations: No issues are found during export, and it was able to soundly produce a graph.\n"
                    "You can now change back to torch.export.export()\n"
                    "##############################################################################################\n")
        shown = "\n".join(f"{number}. {one}" for number, one in enumerate(self.failures, 1))
        return ("\n###################################################################################################\n"
                f"WARNING: {len(self.failures)} issue(s) found during export, and it was not able to soundly produce a graph.\n"
                f"Please follow the instructions to fix the errors.\n"
                f"###################################################################################################\n\n{shown}\n")


def draft_export(mod, args, kwargs=None, *, dynamic_shapes=None, preserve_module_call_signature=(), strict=False,
                 prefer_deferred_runtime_asserts_over_guards=False):
    """export() that goes on with the example's sizes where they turn out to be no symbols; `_report` of what it gives tells.
    Differs: a program that values decide is refused as by export()."""
    kwargs = {} if kwargs is None else kwargs
    failures = []
    try:
        made = export(mod, args, kwargs, dynamic_shapes=dynamic_shapes, preserve_module_call_signature=preserve_module_call_signature)
    except UserError as error:
        if "Constraints violated" not in str(error):
            raise
        failures.append(str(error))
        made = export(mod, args, kwargs, preserve_module_call_signature=preserve_module_call_signature)
    made._report = DraftExportReport(failures)
    return made


def register_dataclass(cls, *, serialized_type_name=None):
    """Makes a dataclass a container of inputs and outputs. Behaviour: torch/utils/_pytree.py, register_dataclass."""
    if not dataclasses.is_dataclass(cls) or not isinstance(cls, type):
        raise AssertionError(f"Only dataclasses can be registered with this function: {cls}")
    pytree.register_dataclass(cls, serialized_type_name=serialized_type_name)


def save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2):
    """Writes a program as a .pt2 package. Errors: TypeError  it is none."""
    from torch.export._save import save_program
    if not isinstance(ep, ExportedProgram):
        raise TypeError(f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead.")
    save_program(ep, f, extra_files or {})


def load(f, *, extra_files=None, expected_opset_version=None):
    """Reads what save() wrote, here or in PyTorch. With `extra_files`, {name: anything} gets their texts."""
    from torch.export._load import load_program
    return load_program(f, extra_files)


def _refused(name, why):
    class Refused:
        def __init__(self, *args, **kwargs):
            raise NotImplementedError(f"torch.export.{name}: {why}")
    Refused.__name__ = Refused.__qualname__ = name
    return Refused


CustomDecompTable = _refused("CustomDecompTable", "a dictionary does")
Constraint = _refused("Constraint", "Dim says it")
