"""The source of exported graphs: for Python, and with types and the program's lines for people.
Behaviour: torch/fx/graph.py, CodeGen._gen_python_code and _PyTreeCodeGen."""
import operator
import re

import torch
from torch.export._values import annotation
from torch.fx.graph import Graph, Node
from torch.utils import _pytree as pytree

_SIGNS = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.floordiv: "//", operator.truediv: "/",
          operator.mod: "%", operator.pow: "**", operator.eq: "==", operator.ne: "!=", operator.lt: "<", operator.le: "<=",
          operator.gt: ">", operator.ge: ">="}


def _argument(value):
    if isinstance(value, Node):
        return value.name
    if isinstance(value, tuple):
        inside = ", ".join(map(_argument, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, list):
        return "[" + ", ".join(map(_argument, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_argument(item)}" for key, item in value.items()) + "}"
    return repr(value)


def _path(root, target):
    """self.layers.0.weight as Python can say it: getattr(self.layers, "0").weight. Behaviour: torch/fx/graph.py, _format_target."""
    for part in target.split("."):
        root = f"{root}.{part}" if part.isidentifier() else f'getattr({root}, "{part}")'
    return root


def target_text(target):
    from torch._ops import OpOverload
    if isinstance(target, OpOverload):
        return f"torch.ops.{target}"
    return None


def _last_uses(nodes):
    """What each node is the last to use, in the order of its arguments."""
    seen, found = set(), {}
    for node in reversed(nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found


class PyTreeInfo:
    """How forward() of a module takes nested arguments and gives nested results."""

    def __init__(self, orig_args, in_spec, out_spec):
        self.orig_args, self.in_spec, self.out_spec = orig_args, in_spec, out_spec


class ExportedGraph(Graph):
    """A graph of ATen's ops. `pytree_info`: of a module that is called with what its user gives; else None."""

    pytree_info = None

    def _rows(self, is_verbose):
        """The lines of the body. With is_verbose: types, and the line of the program in front of what it asked for."""
        lines, place = [], None
        last = _last_uses(list(self._nodes))
        for node in self._nodes:
            if node.op == "placeholder":
                if node.target != node.name:
                    lines.append(f"{node.name} = {node.target}")
                continue
            if is_verbose and node.op != "output":
                trace = node.meta.get("stack_trace") or ""
                if trace != place:
                    comment = f" # {_summary(trace) or ''}" if trace else "# No stacktrace found for following nodes"
                    lines += ["", comment] if lines else [comment]
                    place = trace
            text = self._statement(node, is_verbose)
            if node.op != "output":
                freed = list(last.get(node, ()))
                if not node.users:
                    freed.append(node)
                if freed:
                    text += f";  {' = '.join([one.name for one in freed] + ['None'])}"
            lines.append(text)
        return lines

    def _statement(self, node, is_verbose):
        keywords = [f"{key} = {_argument(item)}" for key, item in node.kwargs.items()]
        args = ", ".join([_argument(item) for item in node.args] + keywords)
        kind = annotation(node.meta.get("val")) if is_verbose else None
        left = f'{node.name}: "{kind}" = ' if kind else f"{node.name} = "
        if node.op == "output":
            if self.pytree_info is not None:
                return f"return pytree.tree_unflatten({_argument(node.args[0])}, self._out_spec)"
            return f"return {_argument(node.args[0])}"
        if node.op == "get_attr":
            return f"{left}{_path('self', node.target)}"
        if node.op == "call_module":
            return f"{left}{_path('self', node.target)}({args})"
        if node.target is operator.getitem:
            return f"{left}{_argument(node.args[0])}[{_argument(node.args[1])}]"
        if node.target in _SIGNS and len(node.args) == 2:
            return f"{left}{_argument(node.args[0])} {_SIGNS[node.target]} {_argument(node.args[1])}"
        return f"{left}{target_text(node.target) or node.target_text()}({args})"

    def _source(self, is_verbose):
        parameters = []
        for node in self._nodes:
            if node.op == "placeholder":
                kind = annotation(node.meta.get("val")) if is_verbose else None
                parameters.append((node.target, f'{node.target}: "{kind}"' if kind else node.target))
        shown = [text for _, text in parameters]
        head = []
        if self.pytree_info is not None:
            info = self.pytree_info
            shown = list(info.orig_args)
            count = info.in_spec.children_specs[0].num_children
            keywords = ", ".join(f"'{key}':{name}" for key, name in zip(info.in_spec.children_specs[1].context, shown[count:]))
            given = f"([{', '.join(shown[:count])}], {{{keywords}}}), self._in_spec"
            kinds = "".join(f"{text}; " for _, text in parameters if ":" in text)
            if kinds:
                head += [kinds, ""]
            if parameters:
                head.append(f"{', '.join(name for name, _ in parameters)}, = fx_pytree.tree_flatten_spec({given})")
        body = "\n".join("    " + line for line in head + self._rows(is_verbose))
        return f"\n\n\ndef forward({', '.join(['self', *shown])}):\n{body}\n    "

    def python_code(self, names=None):
        if names is not None:
            names.update(torch=torch, device=_device, inf=float("inf"), nan=float("nan"), pytree=pytree, fx_pytree=_FxPytree)
        return self._source(False)

    def readable(self, class_name):
        """What print_readable() prints."""
        text = f"class {class_name}(torch.nn.Module):\n" + self._source(True).lstrip("\n")
        first, *rest = text.split("\n")
        return "\n".join([first, *("    " + line for line in rest)])

    def __str__(self):
        lines = "".join("\n    " + _formatted(node) for node in self._nodes)
        return f"graph():{lines}"

    def print_tabular(self):
        rows = [("opcode", "name", "target", "args", "kwargs")]
        for node in self._nodes:
            target = target_text(node.target)
            shown = target[len("torch.ops."):] if target else node.target if isinstance(node.target, str) else \
                f"<built-in function {node.target.__name__}>"
            rows.append(tuple(map(str, (node.op, node.name, shown, node.args, node.kwargs))))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        for number, row in enumerate(rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
            if number == 0:
                print("  ".join("-" * width for width in widths))


def _device(type, index=None):
    """device(type='cuda', index=0), as devices are written in code."""
    return torch.device(type) if index is None else torch.device(type, index)


class _FxPytree:
    """torch.fx._pytree, as far as code of graphs calls it."""

    @staticmethod
    def tree_flatten_spec(tree, spec):
        return spec.flatten_up_to((tuple(tree[0]), tree[1]))


def _summary(trace):
    """ "File: net.py:12 in forward, code: return x" of the innermost frame of a trace."""
    found = re.findall(r'File "([^"]*)", line (\d+), in (\S+)\n\s*([^\n]*)', trace or "")
    if not found:
        return None
    file, line, function, code = found[-1]
    return f"File: {file}:{line} in {function}, code: {code}"


def _formatted(node):
    if node.op == "call_function" and target_text(node.target):
        node.text_target = target_text(node.target)
    elif node.op == "call_function":
        node.text_target = f"operator.{node.target.__name__}"
    return node.format_node()
