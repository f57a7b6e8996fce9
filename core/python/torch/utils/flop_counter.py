"""FLOPs of what runs, by module and op. Behaviour: torch/utils/flop_counter.py, torch/utils/module_tracker.py; the table is as
tabulate's format "simple" prints it. Products of matrices, convolutions and attention count.

What runs backward counts for the modules in which its op ran forward. Differs: formulas of programs are refused; attention of the
CPU counts."""
import warnings
from collections import defaultdict

import torch
from torch._ops import OpOverloadPacket
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["FlopCounterMode", "register_flop_formula"]
_MODULE, _BACKWARD = "module of FlopCounterMode: ", "autograd::engine::evaluate_function: "
_SUFFIXES = ("", "K", "M", "B", "T")
# What torch.ops.aten does not have under the name that PyTorch's op has.
_WITHOUT_NAME = {name: OpOverloadPacket("aten", name, function) for name, function in (
    ("_scaled_dot_product_flash_attention_for_cpu", torch.nn.functional.scaled_dot_product_attention),
    ("_scaled_dot_product_flash_attention_for_cpu_backward", torch.nn.functional.scaled_dot_product_attention))}


def register_flop_formula(targets, get_raw=False):
    raise NotImplementedError("torch.utils.flop_counter.register_flop_formula is not in nnscope")


def get_suffix_str(number):
    """The unit in which a number has two to four digits before the point."""
    return _SUFFIXES[max(0, min(len(_SUFFIXES) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number, suffix):
    return f"{number / 1000 ** _SUFFIXES.index(suffix):.3f}{suffix}"


def _shown(number, suffix):
    """In the table a column of plain numbers is shown without zeros at the end, as tabulate does it."""
    text = convert_num_with_suffix(number, suffix)
    return text if suffix else f"{float(text):g}"


def convert_to_percent_str(num, denom):
    return "0%" if denom == 0 else f"{num / denom:.2%}"


class _ModuleNames:
    """A module that nobody knows has the name of its class, those below it that name and their path."""

    def __init__(self):
        self._known, self._kept = {}, []

    def of(self, module):
        if id(module) not in self._known:
            self._known[id(module)] = type(module).__name__
        name = self._known[id(module)]
        if all(one is not module for one in self._kept):
            self._kept.append(module)
            for child_name, child in module.named_children():
                self._known[id(child)] = f"{name}.{child_name}"
                self.of(child)
        return name


class FlopCounterMode:
    """Counts what runs within it, and prints the table at its end."""

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self.depth, self.display, self._counts_now = depth, display, False
        if custom_mapping:
            raise NotImplementedError("FlopCounterMode: custom_mapping is not in nnscope")
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)

    def __enter__(self):
        self.flop_counts.clear()
        names, self._ranges, self._counts_now = _ModuleNames(), [], True
        torch._C._profiler_start(False, False, False, True, False)
        self._hooks = [register_module_forward_pre_hook(lambda module, args: self._ranges.append(
                           torch._C._profiler_enter(_MODULE + names.of(module)))),
                       register_module_forward_hook(lambda module, args, output: self._leave(), always_call=True)]
        return self

    def _leave(self):
        if self._ranges:
            torch._C._profiler_leave(self._ranges.pop())

    def __exit__(self, *exception):
        for hook in self._hooks:
            hook.remove()
        self._counts_now = False
        self._count(torch._C._profiler_stop())
        if exception[0] is None and self.display:
            print(self.get_table(self.depth))
        return False

    def _count(self, rows):
        self.flop_counts.clear()
        for name, _, _, parent, _, flops, *_ in rows:
            if not flops:
                continue
            modules, is_of_convolution = {"Global"}, False
            while parent >= 0:
                around = rows[parent]
                is_backward = around[0].startswith(_BACKWARD)
                is_of_convolution |= around[0].startswith(_BACKWARD + "Convolution")
                if around[0].startswith(_MODULE):
                    modules.add(around[0][len(_MODULE):])
                parent = around[9] if is_backward else around[3]
            bare = "convolution_backward" if is_of_convolution else name.removeprefix("aten::").rstrip("_")
            op = _WITHOUT_NAME.get(bare) or getattr(torch.ops.aten, bare)
            for one in modules:
                self.flop_counts[one][op] += flops

    def _count_so_far(self):
        if self._counts_now:
            self._count(torch._C._profiler_rows())

    def get_total_flops(self):
        """FLOPs of all that ran since the mode was entered, within it as well."""
        self._count_so_far()
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """{module: {op: FLOPs}}; "Global" has all."""
        self._count_so_far()
        return {name: dict(ops) for name, ops in self.flop_counts.items()}

    def get_table(self, depth=None):
        """Modules up to a depth, with their ops. Where a module has all, the sum of all is left out."""
        depth = self.depth if depth is None else depth
        depth = 999999 if depth is None else depth
        total = self.get_total_flops()
        suffix = get_suffix_str(total)

        def lines_of(name, indent):
            ops = self.flop_counts[name]
            own = sum(ops.values())
            rows = [(" " * indent + name, own)] + [(" " * indent + " - " + str(op), count) for op, count in ops.items()]
            return own, [[text, _shown(count, suffix), convert_to_percent_str(count, total)] for text, count in rows]

        values, has_all = [], False
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name == "Global" or level > depth:
                continue
            own, lines = lines_of(name, level - 1)
            has_all |= own >= total
            values.extend(lines)
        if "Global" in self.flop_counts and not has_all:
            values = lines_of("Global", 0)[1] + [[" " + line[0], *line[1:]] for line in values]
        return _table(values or [["Global", "0", "0%"]])


def _table(rows):
    header = ["Module", "FLOP", "% Total"]
    widths = [max(len(header[at]) + 2, *(len(row[at]) for row in rows)) for at in range(3)]

    def line(cells):
        return "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))]).rstrip()

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, rows)])
