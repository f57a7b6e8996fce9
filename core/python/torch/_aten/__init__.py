"""ATen's schemas: what torch.ops.aten.<name>.<overload> takes. Behaviour: aten/src/ATen/core/function_schema.h.

The rows stand in pointwise.py, layout.py and layers.py; schemas(name) reads those of a name when they are asked for."""
import re

import torch
from torch._aten import layers, layout, pointwise

_LITERALS = {"None": None, "True": True, "False": False, "torch.contiguous_format": torch.contiguous_format}
_rows = {}


def _default(text):
    if text in _LITERALS:
        return _LITERALS[text]
    if text[0] == "'":
        return text[1:-1]
    if text[0] == "[":
        return [int(one) for one in text[1:-1].split(",") if one.strip()]
    return float(text) if "." in text or "e" in text else int(text)


class Argument:
    """A parameter of a schema. `has_default`: it may be left out of a call. `standing`: what a call of ours that does not say
    it means, where ATen asks for it."""

    def __init__(self, text, is_keyword_only):
        kind, _, rest = text.partition(" ")
        name, self.has_default, default = rest, False, None
        self.has_standing, self.standing = False, None
        if "=" in rest:
            name, _, default = rest.partition("=")
            self.has_default = True
        elif ":" in rest:
            name, _, standing = rest.partition(":")
            self.has_standing, self.standing = True, _default(standing)
        self.name, self.kwarg_only = name, is_keyword_only
        self.is_optional = kind.endswith("?")
        kind = kind.rstrip("?")
        sized = re.match(r"(\w+)\[(\d+)\]$", kind)
        self.length = int(sized.group(2)) if sized else None
        self.kind = f"{sized.group(1)}[]" if sized else kind
        self.default_value = _default(default) if self.has_default else None
        if self.has_default and self.kind == "int[]" and isinstance(self.default_value, int):
            self.default_value = [self.default_value] * (self.length or 1)

    def __repr__(self):
        shown = "Tensor" if self.kind == "Operand" else self.kind
        if self.length is not None:
            shown = shown[:-1] + f"{self.length}]"
        default = f"={self.default_value}" if self.has_default else ""
        return f"{shown}{'?' if self.is_optional else ''} {self.name}{default}"


def _is_int(value):
    return isinstance(value, (int, torch.SymInt)) and not isinstance(value, bool)


def _is_number(value):
    return isinstance(value, (int, float, complex, bool, torch.SymInt))


_FITS = {
    "Tensor": lambda value: isinstance(value, torch.Tensor),
    "Operand": lambda value: isinstance(value, torch.Tensor) or _is_number(value),
    "Scalar": _is_number,
    "int": _is_int,
    "float": lambda value: _is_number(value) and not isinstance(value, complex),
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "int[]": lambda value: _is_int(value) or (isinstance(value, (tuple, list)) and all(map(_is_int, value))),
    "float[]": lambda value: isinstance(value, (tuple, list)),
    "Tensor[]": lambda value: isinstance(value, (tuple, list)) and all(isinstance(one, torch.Tensor) for one in value),
    "Tensor?[]": lambda value: isinstance(value, (tuple, list)),
    "ScalarType": lambda value: isinstance(value, torch.dtype),
    "Device": lambda value: isinstance(value, (torch.device, str, int)),
}


class Schema:
    """One overload. `returns`: how many tensors it gives, "[]" for a list, "int" for a number."""

    def __init__(self, name, text):
        self.name = f"aten::{name}"
        self._base = name
        head, _, rest = text.partition("(")
        self.overload_name = head.partition(".")[2]
        inside, _, behind = rest.rpartition(")")
        behind = behind.strip()
        self.returns = 1
        if behind.startswith("->"):
            behind = behind[2:].strip()
            self.returns = int(behind) if behind.isdigit() else behind
        self.arguments, only = [], False
        for one in re.split(r",\s*(?![^\[]*\])", inside):
            if one.strip() == "*":
                only = True
            elif one.strip():
                self.arguments.append(Argument(one.strip(), only))
        self.is_mutable = (name.endswith("_") and not name.endswith("__")) or name in ("__iand__", "__ior__", "__ixor__")

    @property
    def overload(self):
        return self.overload_name or "default"

    def _value(self, argument, value):
        """A value as ATen's argument; raises ValueError if it does not fit."""
        if value is None:
            if argument.is_optional:
                return None
            if argument.has_default:
                return argument.default_value
            raise ValueError(argument.name)
        fits = _FITS.get(argument.kind)
        if fits is not None and not fits(value):
            raise ValueError(argument.name)
        if argument.kind == "int[]":
            values = [value] if _is_int(value) else list(value)
            if argument.length and len(values) == 1 and argument.length > 1:
                values = values * argument.length
            return values
        if argument.kind == "float" and isinstance(value, int):
            return float(value)
        if argument.kind in ("Tensor[]", "Tensor?[]", "float[]"):
            return list(value)
        if argument.kind == "Device":
            return torch.device(value)
        return value

    def bind(self, given):
        """(args, kwargs) of the call with these arguments by name; what stands as default at the end is left out. None: the
        overload takes others."""
        rest, values = dict(given), []
        try:
            for argument in self.arguments:
                if argument.name in rest:
                    values.append(self._value(argument, rest.pop(argument.name)))
                elif argument.has_default:
                    values.append(argument.default_value)
                elif argument.has_standing:
                    values.append(argument.standing)
                elif argument.is_optional and argument.kind in ("Tensor", "float"):
                    values.append(None)
                else:
                    return None
        except ValueError:
            return None
        if any(value is not None for value in rest.values()):
            return None
        return self.trim(values)

    def trim(self, values):
        """(args, kwargs) without the defaults behind the last argument that says something."""
        args, kwargs = [], {}
        for argument, value in zip(self.arguments, values):
            if argument.kwarg_only:
                if not (argument.has_default and _is_same(value, argument.default_value)):
                    kwargs[argument.name] = value
            else:
                args.append(value)
        positional = [one for one in self.arguments if not one.kwarg_only]
        while args and positional[len(args) - 1].has_default and _is_same(args[-1], positional[len(args) - 1].default_value):
            args.pop()
        return tuple(args), kwargs

    def __repr__(self):
        parts, only = [], False
        for argument in self.arguments:
            if argument.kwarg_only and not only:
                parts.append("*")
                only = True
            parts.append(repr(argument))
        shown = f"{self.name}.{self.overload_name}" if self.overload_name else self.name
        made = {1: "Tensor", "[]": "Tensor[]", "int": "SymInt", 0: "()"}.get(self.returns)
        return f"{shown}({', '.join(parts)}) -> {made or '(' + ', '.join(['Tensor'] * self.returns) + ')'}"

    __str__ = __repr__


def _is_same(value, default):
    if isinstance(value, torch.Tensor) or isinstance(default, torch.Tensor):
        return value is default
    if isinstance(value, list) and isinstance(default, list):
        return len(value) == len(default) and all(map(_is_same, value, default))
    if isinstance(value, torch.SymInt):
        return False
    return value == default and isinstance(value, bool) == isinstance(default, bool)


def _add(name, text):
    _rows.setdefault(name, []).append(text)


def _add_row(row):
    writes = row.endswith("!")
    row = row.rstrip("!")
    head = row.partition("(")[0]
    name, dot, overload = head.partition(".")
    _add(name, row)
    if writes:
        _add(f"{name}_", f"{name}_{dot}{overload}{row[len(head):]}")


def _read_rows():
    for word in pointwise.UNARY.split():
        _add_row(f"{word.rstrip('!')}(Tensor self){'!' if word.endswith('!') else ''}")
    for word in pointwise.OPERANDS.split():
        overload = "" if word.startswith(("floor_divide", "atan2")) else ".Tensor"
        _add_row(f"{word.rstrip('!')}{overload}(Tensor self, Operand other)!")
    for word in pointwise.COMPARISONS.split():
        for overload, kind in (("Tensor", "Tensor"), ("Scalar", "Scalar")):
            _add_row(f"{word}.{overload}(Tensor self, {kind} other)!")
    for word in pointwise.PAIRS.split():
        word, _, names = word.partition(":")
        first, second = names.split(",") if names else ("self", _SECOND.get(word.rstrip("!"), "other"))
        overload = ".Tensor" if word.rstrip("!") in ("ldexp",) else ""
        mark = "!" if word.endswith("!") else ""
        _add_row(f"{word.rstrip('!')}{overload}(Tensor {first}, Tensor {second}){mark}")
    for module in (pointwise, layout, layers):
        for row in module.ROWS.strip().splitlines():
            _add_row(row)


_SECOND = {"mm": "mat2", "bmm": "mat2", "mv": "vec", "dot": "tensor", "heaviside": "values", "outer": "vec2", "ger": "vec2",
           "prelu": "weight", "_prelu_kernel": "weight"}
_read_rows()
_made = {}


def names():
    return list(_rows)


def schemas(name):
    """The overloads of torch.ops.aten.<name>, in the order in which a call tries them; an empty list: there are none."""
    if name not in _made:
        _made[name] = [Schema(name, row) for row in _rows.get(name, ())]
    return _made[name]


def find(name, overload):
    """The overload of that name, or None."""
    return next((one for one in schemas(name) if one.overload == overload), None)
