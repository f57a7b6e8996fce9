"""One run of a program, written down: which ops of ATen it called, with what. Behaviour: torch/fx/experimental/proxy_tensor.py."""
import contextlib
import inspect
import linecache
from collections import OrderedDict

import torch
from torch._aten import find
from torch._aten.steps import NoOp, aten_call, taken
from torch.export._attention import stepwise_attention
from torch.utils import _pytree as pytree


class Ref:
    """A tensor by its number: inputs first, then what steps give."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Ref) and other.number == self.number

    def __hash__(self):
        return hash(self.number)

    def __repr__(self):
        return f"%{self.number}"


class Step:
    """One op. `outputs`: the numbers of the tensors that it gives; `is_list`: whether they are taken out of a sequence."""

    def __init__(self, name, schema, args, kwargs, outputs, is_list, shapes, strides, kinds, trace, modules):
        self.name, self.schema, self.args, self.kwargs = name, schema, args, kwargs
        self.outputs, self.is_list, self.shapes, self.strides, self.kinds = outputs, is_list, shapes, strides, kinds
        self.trace, self.modules = trace, modules


class Tape:
    """Records a run. `device`: where tensors lie for the program, while they lie on no device here."""

    def __init__(self, device, find_constant):
        self.steps, self.constants = [], []
        self._numbers, self._kept, self._count = {}, [], 0
        self._device, self._find_constant = device, find_constant
        self.modules = []
        self.calls = []

    def add(self, tensor):
        """Numbers a tensor; one that is known gets a new number, as what was written into it."""
        number = self._count
        self._count += 1
        self._numbers[id(tensor)] = number
        self._kept.append(tensor)
        return number

    def knows(self, tensor):
        return id(tensor) in self._numbers

    def ref(self, tensor):
        if not self.knows(tensor):
            self._constant(tensor)
        return Ref(self._numbers[id(tensor)])

    def _constant(self, tensor):
        """A tensor that no step made: an attribute of a module, or one from outside."""
        if tensor.is_meta:
            raise NoOp("torch.export: a tensor comes from a computation that is no op of ATen here")
        number = self.add(tensor)
        self.constants.append((number, self._find_constant(tensor), tensor, len(self.steps)))

    def made_here(self, tensor, is_detached):
        """torch.tensor(...) in a program, or a number that is written: a constant that is copied. The former is then taken from the
        graph of gradients."""
        original = tensor.clone()
        number = self.add(original)
        self.constants.append((number, None, original, len(self.steps)))
        made = self._append("lift_fresh_copy", find("lift_fresh_copy", "default"), (Ref(number),), {}, [tensor])
        if is_detached:
            self._append("detach_", find("detach_", "default"), (Ref(made.outputs[0]),), {}, [tensor])

    def _plain(self, value):
        if isinstance(value, torch.Tensor):
            return self.ref(value)
        if isinstance(value, torch.device):
            return self._device if value.type == "meta" else value
        if isinstance(value, tuple):
            return tuple(map(self._plain, value))
        if isinstance(value, list):
            return list(map(self._plain, value))
        return value

    def _append(self, name, schema, args, kwargs, outputs, is_list=False):
        shapes = [tuple(one.shape) for one in outputs]
        strides = [tuple(one.stride()) for one in outputs]
        kinds = [(one.dtype, self._device if one.is_meta else one.device, one.requires_grad) for one in outputs]
        numbers = [self.add(one) for one in outputs]
        step = Step(name, schema, args, kwargs, numbers, is_list, shapes, strides, kinds, _trace(), list(self.modules))
        self.steps.append(step)
        return step

    def record(self, place, name, is_in_place, names, values, result):
        if name in ("tensor", "_lifted_number"):
            return self.made_here(result, name == "tensor")
        if name == "softsign":
            return self._softsign(values[0], result)
        name, schema, args, kwargs = aten_call(place, name, is_in_place, names, values)
        if schema.name == "aten::slice" and self._is_whole(args):
            # What PyTorch does not slice at all is the tensor itself.
            self._numbers[id(result)] = self.ref(args[0]).number
            self._kept.append(result)
            return None
        args, kwargs = self._plain(args), {key: self._plain(value) for key, value in kwargs.items()}
        if schema.name == "aten::embedding_bag" and isinstance(result, torch.Tensor):
            # The op gives its bookkeeping for the gradient, too.
            bags = torch.empty(result.shape[0], dtype=torch.int64, device="meta")
            places = torch.empty(values[names.index("indices")].shape[0], dtype=torch.int64, device="meta")
            result = (result, places, bags, torch.empty_like(bags))
        if isinstance(result, torch.Tensor):
            if schema.returns == "[]" or (isinstance(schema.returns, int) and schema.returns > 1):
                raise NoOp(f"torch.export: {schema.name} gives several tensors in ATen, and one here")
            self._append(name, schema, args, kwargs, [result])
        elif isinstance(result, (tuple, list)):
            # The state of an LSTM is a pair inside.
            result = pytree.tree_leaves(tuple(result))
            if schema.returns != "[]" and schema.returns != len(result):
                raise NoOp(f"torch.export: {schema.name} gives {schema.returns} tensors in ATen, and {len(result)} here")
            self._append(name, schema, args, kwargs, result, True)
        else:
            self._append(name, schema, args, kwargs, [])
        return None

    def _softsign(self, x, result):
        """x / (x.abs() + 1), as torch/nn/functional.py has it."""
        size, more = torch.empty_like(result), torch.empty_like(result)
        self._append("abs", find("abs", "default"), (self.ref(x),), {}, [size])
        self._append("add", find("add", "Tensor"), (self.ref(size), 1), {}, [more])
        self._append("div", find("div", "Tensor"), (self.ref(x), self.ref(more)), {}, [result])

    def _is_whole(self, args):
        tensor, dim, start, end, step = (*args, *(0, 0, None, None, 1)[len(args):])
        return start == 0 and end >= tensor.shape[dim] and step == 1


def _trace():
    """The lines of the program that lead here, outermost first, as a traceback writes them."""
    lines, frame = [], inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "_run_forward":
        if not frame.f_globals.get("__name__", "").startswith("torch."):
            file, number = frame.f_code.co_filename, frame.f_lineno
            lines.append(f'File "{file}", line {number}, in {frame.f_code.co_name}\n    {linecache.getline(file, number).strip()}')
        frame = frame.f_back
    return "\n".join(reversed(lines)) or None


def qualified_name(cls):
    return f"{cls.__module__}.{cls.__qualname__}"


class _Modules:
    """Keeps the stack of the modules whose forward runs, and what the chosen ones got and gave."""

    def __init__(self, tape, root, chosen):
        self._tape, self._chosen = tape, chosen
        self._names = {}
        for name, module in root.named_modules(remove_duplicate=False):
            self._names.setdefault(id(module), name)
        from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
        self._handles = [register_module_forward_pre_hook(self._enter), register_module_forward_hook(self._leave, always_call=True)]
        self._open = []

    def _enter(self, module, args):
        name = self._names.get(id(module))
        self._open.append((name, args))
        if name is not None:
            self._tape.modules.append((f"L__self__{name}", (name, qualified_name(type(module)))))

    def _leave(self, module, args, output):
        if not self._open:
            return
        name, given = self._open.pop()
        if name is None:
            return
        self._tape.modules.pop()
        if name in self._chosen and all(one[0] != name for one in self._tape.calls):
            inputs, in_spec = pytree.tree_flatten((tuple(given), {}))
            outputs, out_spec = pytree.tree_flatten(output)
            plain = lambda leaf: self._tape.ref(leaf) if isinstance(leaf, torch.Tensor) else leaf  # noqa: E731
            self._tape.calls.append((name, list(map(plain, inputs)), in_spec, list(map(plain, outputs)), out_spec))

    def end(self):
        for handle in self._handles:
            handle.remove()


def _run_forward(module, args, kwargs):
    return module(*args, **kwargs)


@contextlib.contextmanager
def _moves_to(place):
    """Tensors without bytes stay where they are, which the program takes for `place`: to() and cpu() are asked for that."""
    to, cpu = torch.Tensor.to, torch.Tensor.cpu

    def moved(value):
        is_device = isinstance(value, (torch.device, str)) and torch.device(value).type == place.type
        return torch.device("meta") if is_device else value

    def stays(self, *args, **kwargs):
        if not self.is_meta:
            return to(self, *args, **kwargs)
        return to(self, *map(moved, args), **{name: moved(value) for name, value in kwargs.items()})

    def stays_on_cpu(self, *args, **kwargs):
        return stays(self, "cpu", *args, **kwargs) if self.is_meta else cpu(self, *args, **kwargs)

    torch.Tensor.to, torch.Tensor.cpu = stays, stays_on_cpu
    try:
        yield
    finally:
        torch.Tensor.to, torch.Tensor.cpu = to, cpu


def run(module, args, kwargs, tape, chosen=()):
    """What the module gives, with all that it calls on the tape."""
    watch = _Modules(tape, module, set(chosen))
    torch._C._record_ops(tape.record, taken())
    try:
        with stepwise_attention(), _moves_to(tape._device):
            return _run_forward(module, args, kwargs)
    finally:
        torch._C._record_ops_end()
        watch.end()


def modules_meta(modules):
    return OrderedDict(modules)
