"""Ops that a program defines. Behaviour: torch/library.py."""
import functools as _functools
import inspect as _inspect
import re as _re

import torch
from torch._ops import CustomOpDef as _CustomOpDef, _defined, ops as _ops


def _parts(qualname):
    namespace, colons, name = qualname.partition("::")
    if not colons or not name:
        raise ValueError(f"Expected `qualname` to be of the form \"namespace::name\", but got {qualname}. ")
    return namespace, name.partition(".")[0]


def _op(op):
    if isinstance(op, _CustomOpDef):
        return op
    name = op if isinstance(op, str) else op.name()
    found = _defined.get("::".join(_parts(name)))
    if found is None:
        raise RuntimeError(f"operator {name} does not exist")
    return found


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes a function an op: torch.ops.<namespace>.<name>."""
    def wrap(function):
        namespace, own = _parts(name)
        made = _CustomOpDef(namespace, own, function, mutates_args)
        if device_types is not None:
            made.register_kernel(device_types, function)
        return made

    return wrap if fn is None else wrap(fn)


triton_op = custom_op


def wrap_triton(triton_kernel, /):
    raise NotImplementedError("torch.library.wrap_triton: nnscope runs no kernels of Triton")


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    def register(function):
        _op(op).register_fake(function)
        return function

    return register if func is None else register(func)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    return _op(op).register_kernel(device_types, func)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    _op(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op, func=None, /, *, lib=None):
    return _op(op).register_vmap(func)


def infer_schema(prototype_function, /, *, mutates_args, op_name=None):
    """The types of a function's arguments and results as PyTorch writes them."""
    signature = _inspect.signature(prototype_function)
    names = {torch.Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", torch.dtype: "ScalarType",
             torch.device: "Device"}

    def shown(annotation, at):
        if isinstance(annotation, str):
            annotation = {"Tensor": torch.Tensor, "torch.Tensor": torch.Tensor, "int": int, "float": float, "bool": bool,
                          "str": str}.get(annotation, annotation)
        if annotation not in names:
            raise ValueError(f"infer_schema(func): Parameter {at} has unsupported type {annotation}. The valid types are: "
                             f"{list(names)}. Got func with signature {signature})")
        return names[annotation]

    parts, mark = [], ""
    for at, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind == parameter.KEYWORD_ONLY and not mark:
            mark = "*"
            parts.append(mark)
        kind = shown(parameter.annotation, name)
        if mutates_args == "unknown" or name in mutates_args:
            kind = f"{kind}(a{at}!)" if kind == "Tensor" else kind
        default = "" if parameter.default is parameter.empty else f"={parameter.default}"
        parts.append(f"{kind} {name}{default}")
    result = signature.return_annotation
    returned = "()" if result is None else shown(result, "return")
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _split(text):
    """The parts of a list between commas, those within brackets whole."""
    parts, depth, last = [], 0, ""
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(last.strip())
            last = ""
        else:
            last += character
    return parts + [last.strip()] if last.strip() else parts


def _parameters_of(schema):
    """The signature of a schema, and which of its arguments the op writes to."""
    inside = schema[schema.index("(") + 1:schema.rindex("->")].rstrip().removesuffix(")")
    constants = {"None": None, "True": True, "False": False}
    kind, parameters, written = _inspect.Parameter.POSITIONAL_OR_KEYWORD, [], []
    for part in _split(inside):
        if part == "*":
            kind = _inspect.Parameter.KEYWORD_ONLY
            continue
        declared, _, default = part.partition("=")
        type_text, _, name = declared.strip().rpartition(" ")
        if "!" in type_text:
            written.append(name)
        if not default:
            value = _inspect.Parameter.empty
        elif default in constants:
            value = constants[default]
        else:
            try:
                value = eval(default, {})
            except Exception:
                value = getattr(torch, default, default)
        parameters.append(_inspect.Parameter(name, kind, default=value))
    return _inspect.Signature(parameters), tuple(written)


def _declare(namespace, schema):
    """Makes the op of a schema, which has no body yet. Gives its name."""
    name = schema.partition("(")[0].strip()

    def body(*args, **kwargs):
        raise NotImplementedError(f"There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), "
                                  f"but no fallback function is registered for schema {namespace}::{name}.")

    signature, written = _parameters_of(schema)
    body.__signature__ = signature
    _CustomOpDef(namespace, name.partition(".")[0], body, written)
    return name


class Library:
    """Ops under one namespace, defined by their schemas."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError("Unsupported library type: ", kind)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        if not isinstance(schema, str):
            raise TypeError("Input schema must be a string")
        return _declare(self.ns, schema)

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name if isinstance(op_name, str) else op_name.name()
        name = name.rpartition("::")[2].partition(".")[0]
        if self.ns in ("aten", "prims"):
            raise NotImplementedError(f"torch.library.Library.impl: nnscope's own op {name} cannot be replaced")
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        full = f"{self.ns}::{name}"
        if full not in _defined or not isinstance(_defined[full], _CustomOpDef):
            _CustomOpDef(self.ns, name, fn, ())
        if key == "Meta":
            _defined[full].register_fake(fn)
        elif key in ("CPU", "CUDA"):
            _defined[full].register_kernel(key.lower(), fn)
        if key in ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "Autograd"):
            # Made of ops that record gradients themselves.
            _defined[full] = fn
            getattr(_ops, self.ns)._packets.pop(name, None)


_libraries = {}


@_functools.singledispatch
def define(qualname, schema, *, lib=None, tags=()):
    """Makes an op of a schema without its name: define("mylib::sin", "(Tensor x) -> Tensor")."""
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = _parts(qualname)
    if not _re.fullmatch(r"\(.*\) -> .*", schema, _re.DOTALL):
        raise ValueError('define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
                         f'"{schema}"')
    _declare(namespace, name + schema)


@define.register
def _(lib: Library, schema, alias_analysis=""):
    """The decorator of a function that is the op's body."""
    def decorate(function):
        lib.impl(lib.define(schema, alias_analysis), function)
        return function

    return decorate


def impl(qualname, types, func=None, *, lib=None):
    namespace, name = _parts(qualname)
    keys = {"default": "CompositeExplicitAutograd", "cpu": "CPU", "cuda": "CUDA"}

    def register(function):
        library = _libraries.setdefault(namespace, Library(namespace, "FRAGMENT"))
        for kind in [types] if isinstance(types, str) else types:
            library.impl(name, function, keys.get(kind, kind))
        return function

    return register if func is None else register(func)


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    return register_fake(qualname, func)


def fallthrough_kernel():
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def get_ctx():
    raise RuntimeError("get_ctx() can only be called inside of a fake kernel, and nnscope gives none")


def opcheck(op, args, kwargs=None, *, test_utils=None, raise_exception=True, atol=None, rtol=None):
    raise NotImplementedError("torch.library.opcheck: nnscope has no checks of ops; torch.autograd.gradcheck is there")
