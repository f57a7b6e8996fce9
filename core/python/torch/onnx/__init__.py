"""ONNX, which nnscope does not write: export() raises. Behaviour: torch/onnx/__init__.py."""
import enum


class TrainingMode(enum.Enum):
    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.Enum):
    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class OnnxExporterError(RuntimeError):
    """A model cannot be written as ONNX."""


def is_in_onnx_export():
    return False


def _refuse(name):
    raise NotImplementedError(f"torch.onnx.{name}: nnscope writes no ONNX")


def export(*args, **kwargs):
    _refuse("export")


def dynamo_export(*args, **kwargs):
    _refuse("dynamo_export")


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Kept by nobody: nothing is exported."""
