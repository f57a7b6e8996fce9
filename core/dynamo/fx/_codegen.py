"""The source of graphs. Behaviour: torch/fx/graph.py, CodeGen and _PyTreeCodeGen."""
import enum
import re
import types
import typing
from dataclasses import dataclass
from typing import Any, Dict, NamedTuple, Optional

import torch
from torch.fx._namespace import CUSTOM_BUILTINS
from torch.fx.node import Node, _get_qualified_name, _is_operator, _type_repr
from torch.utils import _pytree as pytree
from torch.utils._dtype_abbrs import dtype_abbrs

reflectable_magic_methods = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}",
    "mod": "{} % {}", "pow": "{} ** {}", "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}",
    "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}
magic_methods = {"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}", "pos": "+{}",
                 "neg": "-{}", "invert": "~{}", **reflectable_magic_methods}
inplace_methods = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}", "imul": "{} *= {}",
    "imatmul": "{} @= {}", "ior": "{} |= {}", "ipow": "{} **= {}", "irshift": "{} >>= {}", "isub": "{} -= {}", "itruediv": "{} /= {}",
    "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}
_TYPING_NAMES = {list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet, tuple: typing.Tuple}
_COLORS = {"red": "\033[31m", "blue": "\033[34m", "dim": "\033[2m", "dim_blue": "\033[2m\033[34m", "dim_green": "\033[2m\033[32m"}
_COUNTER = re.compile(r"# COUNTER: (\d+)")


@dataclass
class PythonCode:
    """The source of forward(), and what its global names refer to.

    `_lineno_map`: the number of the node that a line is of, lines counted from that of `def`, which is `_prologue_start`."""

    src: str
    globals: Dict[str, Any]
    _lineno_map: Optional[Dict[int, Optional[int]]]
    _prologue_start: int = 0


class _PyTreeInfo(NamedTuple):
    """How forward() takes nested arguments and gives nested results."""

    orig_args: list
    in_spec: pytree.TreeSpec
    out_spec: Optional[pytree.TreeSpec]


def _is_from_torch(obj):
    module = getattr(obj, "__module__", None)
    if torch._C._dynamo.target_text(obj) is not None:
        return True
    return module is not None and re.fullmatch(r"torch(?:\.(?!_dynamo\.|_inductor\.)[^.]+)*", module) is not None


def _format_target(base, target):
    """`self.layers.0.weight` as Python can say it: getattr(self.layers, "0").weight."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def _summary(trace):
    """ "File: net.py:12 in forward, code: return x" of the innermost frame of a trace, or None."""
    lines = (trace or "").strip().split("\n")
    for place in range(len(lines) - 2, -1, -1):
        found = re.match(r'^File "(.+)", line (\d+), in (.+)$', lines[place].strip())
        if found:
            return f"File: {found[1]}:{found[2]} in {found[3]}, code: {lines[place + 1].strip()}"
    return None


def _shape_text(shape):
    return f"[{', '.join(map(str, shape))}]"


def _last_uses(nodes):
    """What each node is the last to use, in the order of its arguments."""
    seen, found = set(), {}
    for node in reversed(nodes):
        for used in node._input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found


class _Writer:
    """The lines of one source, while it grows."""

    def __init__(self, namespace, root_module, is_verbose, include_stride, include_device, is_colored, is_expanded):
        self.namespace, self.root = namespace, root_module
        self.is_verbose, self.include_stride, self.include_device = is_verbose, include_stride, include_device
        self.is_colored, self.is_expanded = is_colored, is_expanded
        self.parameters, self.body, self.globals, self.wrapped = [], [], {}, {}
        self.return_annotation, self.place = "", None

    def color(self, name, text):
        return f"{_COLORS[name]}{text}\033[0m" if self.is_colored else text

    def refer(self, hint, obj):
        """The global name that stands for something outside the graph."""
        if _is_from_torch(obj) and obj is not torch.device:
            return _get_qualified_name(obj)
        name = self.namespace.create_name(hint, obj)
        self.globals.setdefault(name, obj)
        return name

    def type_text(self, kind):
        if kind == ():
            return "()"
        text = _type_repr(kind)
        if isinstance(kind, types.UnionType) and "|" in text:
            return "|".join(self.type_text(one) for one in kind.__args__)
        origin = getattr(kind, "__origin__", None)
        if origin is None:
            return self.refer(text, kind)
        if type(kind) is not types.GenericAlias:
            origin = _TYPING_NAMES.get(origin, origin)
        name = self.refer(_type_repr(origin), origin)
        inside = getattr(kind, "__args__", None)
        return f"{name}[{','.join(self.type_text(one) for one in inside)}]" if inside else name

    def argument(self, value):
        if isinstance(value, Node):
            return repr(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return f"{self.refer(_get_qualified_name(type(value)), type(value))}{tuple(value)!r}"
        if isinstance(value, torch._ops.OpOverload):
            return self.refer(_get_qualified_name(value), value)
        if isinstance(value, enum.Enum):
            return f"{self.refer(type(value).__name__, type(value))}.{value.name}"
        if isinstance(value, torch.Tensor):
            return f"torch.Tensor(size={list(value.size())}, dtype={str(value.dtype).rpartition('.')[2]})"
        if isinstance(value, tuple):
            inside = ", ".join(map(self.argument, value))
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.argument, value))}]"
        if isinstance(value, slice):
            return f"slice({self.argument(value.start)}, {self.argument(value.stop)}, {self.argument(value.step)})"
        return self.color("blue", repr(value))

    def arguments(self, args, kwargs):
        return ", ".join([self.argument(one) for one in args] + [f"{key} = {self.argument(one)}" for key, one in kwargs.items()])

    def annotation(self, node):
        """What stands behind the name of a value: its type, or, for people, dtype and sizes."""
        plain = "" if node.type is None else f" : {self.type_text(node.type)}"
        if not self.is_verbose:
            return plain
        value = node.meta.get("val", node.meta.get("tensor_meta", node.meta.get("example_value")))
        if isinstance(value, torch.SymInt):
            return f': "Sym({value})"'
        if not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return plain
        text = self.color("red", dtype_abbrs.get(value.dtype, str(value.dtype))) + self.color("blue", _shape_text(value.shape))
        if self.include_stride and callable(value.stride):
            text += self.color("dim_blue", _shape_text(value.stride()))
        if self.include_device and hasattr(value, "device"):
            text += self.color("dim_green", str(node.meta.get("device", value.device)))
        return f': "{text}"'

    def tell_place(self, node):
        """A comment with the line of the program that asked for what follows."""
        custom = node.meta.get("custom")
        noted = f" Annotation: {custom}" if custom else ""
        comment = f"#{noted} {_summary(node.stack_trace) or 'No stacktrace found for following nodes'}"
        text = f"\n{self.color('dim', comment)}\n"
        if text != self.place:
            self.place = text
            self.body.append(text)

    def call(self, node, left):
        target, name = node.target, getattr(node.target, "__name__", "")
        if _is_operator(target) and name in magic_methods:
            return f"{left} = {magic_methods[name].format(*map(self.argument, node.args))}"
        if _is_operator(target) and name in inplace_methods:
            return f"{inplace_methods[name].format(*map(self.argument, node.args))};  {left} = {self.argument(node.args[0])}"
        text = self.refer(_get_qualified_name(target), target)
        if text == "getattr" and len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{left} = {_format_target(self.argument(node.args[0]), node.args[1])}"
        if node.meta.get("is_wrapped"):
            self.wrapped.setdefault(text)
        return f"{left} = {text}({self.arguments(node.args, node.kwargs)})"

    def statement(self, node):
        """The text of a node that is neither a parameter nor the result, without what is let go after it."""
        left = f"{node!r}{self.annotation(node)}"
        if node.op == "call_function":
            return self.call(node, left)
        if node.op == "get_attr":
            return f"{left} = {_format_target(self.root, node.target)}"
        if node.op == "call_module":
            return f"{left} = {_format_target(self.root, node.target)}({self.arguments(node.args, node.kwargs)})"
        return (f"{left} = {_format_target(self.argument(node.args[0]), node.target)}"
                f"({self.arguments(node.args[1:], node.kwargs)})")

    def parameter(self, node):
        default = f" = {self.argument(node.args[0])}" if node.args else ""
        told = node.meta.get("desc") if self.is_expanded else None
        self.parameters.append(f"{node.target}{self.annotation(node)}{default}{f'  # {told}' if told is not None else ''}")
        bare = node.target.replace("*", "")
        if bare != repr(node):
            self.body.append(f"{node!r} = {bare}\n")


class CodeGen:
    """Writes the source of graphs; a class that derives from it may take arguments and give results in another way."""

    def __init__(self):
        self._body_transformer, self._func_name = None, "forward"

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        """The line of `def`."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if not expanded_def:
            return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"
        lines = []
        for one in free_vars:
            text, mark, comment = one.partition("#")
            lines.append(f"    {text.rstrip()},  # {comment.lstrip()}\n" if mark else f"    {one},\n")
        return f"def {self._func_name}(\n{''.join(lines)}){maybe_return_annotation}:"

    def generate_output(self, output_args, *, descs=None):
        """The line of `return`."""
        if descs is not None and isinstance(output_args, (list, tuple)):
            return _told_items(output_args, descs, "return ")
        return f"return {output_args!r}"

    def process_inputs(self, *args):
        """What a user calls forward() with as the graph takes it."""
        return args

    def process_outputs(self, outputs):
        """What the graph gives as the user gets it."""
        return outputs

    def additional_globals(self):
        """[(name, value)] that the code needs besides."""
        return []

    def _gen_python_code(self, nodes, root_module, namespace, *, verbose=False, include_stride=False, include_device=False, colored=False,
                         expanded_def=False, record_func=False):
        nodes = list(nodes)
        out = _Writer(namespace, root_module, verbose, include_stride, include_device, colored, expanded_def)
        for name, (_, value) in CUSTOM_BUILTINS.items():
            out.refer(name, value)
        last = _last_uses(nodes)
        for number, node in enumerate(nodes):
            if verbose and node.op not in ("placeholder", "output"):
                out.tell_place(node)
            # Which node a line is of is found again when a transformer has changed the lines.
            out.body.append(f"# COUNTER: {number}\n")
            if node.op == "placeholder":
                out.parameter(node)
                continue
            if node.op == "output":
                if node.type is not None:
                    out.return_annotation = f" -> {out.type_text(node.type)}"
                told = {"descs": node.meta["desc"]} if expanded_def and "desc" in node.meta else {}
                out.body += [self.generate_output(node.args[0], **told), "\n"]
                continue
            freed = [*last.get(node, ()), *(() if node.users else (node,))]
            out.body.append(out.statement(node))
            out.body.append(f";  {out.color('dim', ' = '.join([*map(repr, freed), 'None']))}\n" if freed else "\n")
        return self._finished(out, expanded_def)

    def _finished(self, out, expanded_def):
        body = out.body or ["pass\n"]
        wraps = ""
        if out.wrapped:
            wrap = out.refer("wrap", torch.fx.wrap)
            wraps = "\n".join(f'{wrap}("{name}")' for name in out.wrapped)
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        for name, value in self.additional_globals():
            out.refer(name, value)
        head = self.gen_fn_def(out.parameters, out.return_annotation, **({"expanded_def": True} if expanded_def else {}))
        lines, line_nodes, number = [], {}, None
        for line in "".join(body).split("\n"):
            counter = _COUNTER.search(line)
            if counter is not None:
                number = int(counter.group(1))
                continue
            line_nodes[len(lines) + head.count("\n") + 1] = number
            lines.append(line)
        code = "\n".join("    " + line for line in "\n".join(lines).lstrip("\n").split("\n"))
        return PythonCode(f"\n{wraps}\n\n{head}\n{code}", out.globals, line_nodes, wraps.count("\n") + 4)


def _told_items(items, descs, prefix):
    """A container over several lines, with what each of its items is."""
    left, right = ("(", ")") if isinstance(items, tuple) else ("[", "]")
    inside = "".join(f"    {item},  # {told}\n" for item, told in zip(items, descs))
    return f"{prefix}{left}\n{inside}{right}"


class _PyTreeCodeGen(CodeGen):
    """Code whose forward() takes containers apart and puts its results into others."""

    def __init__(self, pytree_info):
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs):
        return pytree.tree_leaves(inputs)

    def process_outputs(self, outputs):
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return outputs
        return pytree.tree_unflatten(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs], self.pytree_info.out_spec)

    def gen_fn_def(self, free_vars, maybe_return_annotation, *, expanded_def=False):
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        given = list(self.pytree_info.orig_args)
        if given and given[0] == "self":
            free_vars.insert(0, "self")
        head = super().gen_fn_def(list(given), maybe_return_annotation, expanded_def=expanded_def)
        return head + self.gen_var_bindings(given, free_vars, expanded_def) if free_vars else head

    def gen_var_bindings(self, fn_args, free_vars, expanded_def):
        """The lines that take the arguments apart."""
        spec = self.pytree_info.in_spec
        taken = f"[{', '.join(fn_args)}], self._in_spec"
        if spec.type is tuple and spec.num_children == 2 and spec.child(0).type is tuple and spec.child(1).type is dict:
            count = spec.child(0).num_children
            keywords = ", ".join(f"'{key}':{name}" for key, name in zip(spec.child(1).context, fn_args[count:]))
            taken = f"([{', '.join(fn_args[:count])}], {{{keywords}}}), self._in_spec"
        told = [one for one in free_vars if ":" in one]
        lines = ""
        if told and expanded_def:
            lines = "\n    " + "\n    ".join(told)
        elif told:
            lines = "\n    " + "".join(one + "; " for one in told) + "\n"
        bare = [one.split(":")[0].split("#")[0] for one in free_vars]
        return f"{lines}\n    {', '.join(bare)}, = fx_pytree.tree_flatten_spec({taken})"

    def generate_output(self, output_args, *, descs=None):
        if self.pytree_info is None or not self.pytree_info.out_spec:
            return super().generate_output(output_args, descs=descs)
        if descs is not None and isinstance(output_args, (list, tuple)):
            return _told_items(output_args, descs, "return pytree.tree_unflatten(") + ", self._out_spec)"
        return f"return pytree.tree_unflatten({output_args!r}, self._out_spec)"
