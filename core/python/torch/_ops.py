"""torch.ops and torch.library: ops by their names. Behaviour: torch/_ops.py, torch/_library/custom_ops.py.

torch.ops.aten.<name> is torch.<name>, or the function of torch.nn.functional or method of that name; ops that a program
defines run as the functions that they are, with the gradients that register_autograd gives them."""
import inspect

import torch
from torch import _foreach
from torch import _aten as _aten_schemas
from torch._aten import calls as _aten_calls

_defined = {}
_ATEN_NAMES = {"native_layer_norm": "native_layer_norm", "view": "view",
               "expand": "expand", "_softmax": "softmax", "_log_softmax": "log_softmax", "t": "t", "detach": "detach"}


class OpOverload:
    """torch.ops.aten.add.Tensor"""

    def __init__(self, packet, name, schema=None):
        self._packet, self._overloadname, self._schema = packet, name, schema
        self._opname = packet.__name__
        self.__name__ = f"{packet.__name__}.{name}"
        self.__module__ = packet.__module__
        self.overloadpacket, self.namespace = packet, packet._namespace
        self.tags = []

    @property
    def _overloadpacket(self):
        return self._packet

    def name(self):
        shown = f"{self._packet._namespace}::{self._packet.__name__}"
        return shown if self._overloadname == "default" else f"{shown}.{self._overloadname}"

    def __call__(self, /, *args, **kwargs):
        return self._packet(*args, **kwargs)

    def is_view(self):
        return self._packet.__name__ in _aten_calls.VIEWS

    def __repr__(self):
        return f"<OpOverload(op='{self._packet._namespace}.{self._packet.__name__}', overload='{self._overloadname}')>"

    def __str__(self):
        return f"{self._packet._namespace}.{self._packet.__name__}.{self._overloadname}"

    def __hash__(self):
        return hash((self._packet._namespace, self._packet.__name__, self._overloadname))

    def __eq__(self, other):
        return self is other


class OpOverloadPacket:
    """torch.ops.aten.add"""

    def __init__(self, namespace, name, function):
        self._namespace, self.__name__, self._function = namespace, name, function
        self._qualified_op_name = f"{namespace}::{name}"
        self.__module__ = f"torch.ops.{namespace}"
        self._made = {}

    def overloads(self):
        if self._namespace != "aten":
            return ["default"]
        known = [one.overload for one in _aten_schemas.schemas(self.__name__)]
        return known or ["default", "out"]

    def __call__(self, /, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._made:
            schema = None
            known = _aten_schemas.schemas(self.__name__) if self._namespace == "aten" else []
            if known:
                schema = next((one for one in known if one.overload == name), None)
                if schema is None and name not in ("out", "default"):
                    raise AttributeError(f"The underlying op of '{self._namespace}.{self.__name__}' has no overload name '{name}'")
            self._made[name] = OpOverload(self, name, schema)
        return self._made[name]

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self._namespace}.{self.__name__}')>"

    def __str__(self):
        return f"{self._namespace}.{self.__name__}"


def _aten(name):
    """The function that an op of ATen is called by here; None: there is none."""
    found = _aten_calls.BODIES.get(name)
    if found is not None:
        return found
    wanted = _ATEN_NAMES.get(name, name)
    if wanted.startswith("_foreach"):
        return getattr(_foreach, wanted, None)
    # torch's functions have ATen's parameters, those of torch.nn.functional often have others.
    for found in (getattr(torch, wanted, None), torch._C._op_function(wanted),
                  *[getattr(place, wanted, None) for place in (torch.nn.functional, torch.special, torch.linalg)]):
        if callable(found) and not isinstance(found, type):
            return found
    for prefix, place in (("linalg_", torch.linalg), ("special_", torch.special), ("fft_", torch.fft)):
        if wanted.startswith(prefix) and hasattr(place, wanted[len(prefix):]):
            return getattr(place, wanted[len(prefix):])
    found = getattr(torch.Tensor, wanted, None)
    return found if callable(found) else None


class HigherOrderOperator:
    """torch.ops.higher_order.cond: an operator that is called with functions, or with the graphs that a compiler made of them."""

    namespace = "higher_order"
    #: By name.
    _known = {}

    def __init__(self, name):
        self._name = self.__name__ = name
        self.__module__ = "torch.ops.higher_order"
        self.py_kernels = {}
        self._known[name] = self

    def name(self):
        return self._name

    def py_impl(self, k):
        """A decorator: what the operator does for that key, an item of torch._C.DispatchKey or the class of a mode."""
        def inner(fn):
            if k in self.py_kernels:
                raise RuntimeError(f"Trying to override a python impl for {k} on operator {self._name}")
            self.py_kernels[k] = fn
            return fn

        return inner

    def py_functionalize_impl(self, fn):
        """What the operator does for a compiler that takes writes apart, which nnscope has not."""
        return fn

    def fallthrough(self, dispatch_key):
        """The operator does nothing of its own for the key."""

    def __call__(self, /, *args, **kwargs):
        key = torch._C.DispatchKey
        device = next((leaf.device.type for leaf in (*args, *kwargs.values()) if isinstance(leaf, torch.Tensor)), "cpu").upper()
        # The key of what differentiates comes before that of what computes.
        for name in ("Autograd" + device, "Autograd", device, "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
            found = self.py_kernels.get(getattr(key, name, None))
            if found is not None:
                return found(*args, **kwargs)
        raise NotImplementedError(f"torch.ops.higher_order.{self._name} has no implementation")

    def __str__(self):
        return self._name


class _Namespace:
    """torch.ops.aten"""

    def __init__(self, name):
        self._name = name
        self._packets = {}

    def __getattr__(self, name):
        if name.startswith("__") and not (self._name == "aten" and _aten_schemas.schemas(name)):
            raise AttributeError(name)
        if name not in self._packets:
            if self._name == "higher_order":
                return self._operator(name)
            function = _defined.get(f"{self._name}::{name}")
            if function is None and self._name in ("aten", "prims"):
                function = _aten(name)
            if function is None:
                raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
            self._packets[name] = OpOverloadPacket(self._name, name, function)
        return self._packets[name]

    @staticmethod
    def _operator(name):
        import torch._higher_order_ops
        if name not in HigherOrderOperator._known:
            raise AttributeError(f"'_HigherOrderNamespace' object has no attribute '{name}'")
        return HigherOrderOperator._known[name]

    def __repr__(self):
        return f"<module 'torch.ops.{self._name}' from 'torch.ops'>"


class _Ops:
    """torch.ops"""

    __name__ = "torch.ops"

    def __init__(self):
        self.loaded_libraries = set()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Namespace(name)
        setattr(self, name, made)
        return made

    def load_library(self, path):
        raise OSError(f"Could not load this library: {path}: nnscope runs no code of libraries")

    def import_module(self, module):
        import importlib
        importlib.import_module(module)


ops = _Ops()


def _record_function_enter(name, args=None):
    """Begins a named range of the profiler; gives what ends it."""
    made = torch.autograd.profiler.record_function(name, args)
    made.__enter__()
    return made


def _record_function_exit(handle):
    handle.__exit__(None, None, None)


_defined["profiler::_record_function_enter"] = _defined["profiler::_record_function_enter_new"] = _record_function_enter
_defined["profiler::_record_function_exit"] = _record_function_exit


class _Classes:
    """torch.classes: classes of C++, of which there are none."""

    loaded_libraries = set()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(f"Class {name} does not exist: nnscope runs no code of libraries")

    def load_library(self, path):
        ops.load_library(path)


classes = _Classes()


def _signature_of(function):
    """Of a function of C++ nothing is known: it is given what the op is given."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(lambda *args, **kwargs: None)


class CustomOpDef:
    """An op that the program defines. Behaviour: torch/_library/custom_ops.py."""

    def __init__(self, namespace, name, function, mutates_args):
        self._namespace, self._name, self._body, self._qualname = namespace, name, function, f"{namespace}::{name}"
        self._mutates_args = mutates_args
        self._kernels, self._backward, self._setup_context, self._fake = {}, None, None, None
        self.__name__, self.__doc__ = name, function.__doc__
        self._signature = _signature_of(function)
        _defined[self._qualname] = self
        getattr(ops, namespace)._packets.pop(name, None)

    def _kernel(self, tensors):
        for tensor in tensors:
            if tensor.is_meta:
                return self._fake or self._no_fake
            kernel = self._kernels.get(tensor.device.type)
            if kernel is not None:
                return kernel
        return self._body

    @property
    def _opoverload(self):
        return getattr(getattr(ops, self._namespace), self._name).default

    def _no_fake(self, *args, **kwargs):
        raise NotImplementedError(f"There was no fake impl registered for {self!r}. This is necessary for torch.compile/export/fx "
                                  f"tracing to work. Please use `{self._body.__name__}.register_fake` to add an fake impl.")

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.args + tuple(bound.kwargs.values())
        tensors = [one for one in given if isinstance(one, torch.Tensor)]
        kernel = self._kernel(tensors)
        if self._backward is None or not torch.is_grad_enabled() or not any(one.requires_grad for one in tensors):
            with torch.no_grad():
                return kernel(*args, **kwargs)
        return _function_of(self, kernel).apply(*given)

    def register_fake(self, fn, /):
        self._fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        def register(function):
            for kind in [device_types] if isinstance(device_types, str) else device_types or ["cpu", "cuda"]:
                self._kernels[kind] = function
            return function

        return register if fn is None else register(fn)

    def register_autograd(self, backward, /, *, setup_context=None):
        self._backward, self._setup_context = backward, setup_context

    def register_vmap(self, func=None):
        return func if func is not None else lambda function: function

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        raise NotImplementedError("CustomOpDef.register_torch_dispatch: nnscope has no __torch_dispatch__")

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


def _function_of(op, kernel):
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *given):
            output = kernel(*given)
            if op._setup_context is not None:
                # In PyTorch the two are keyword-only; the context sees what went in and what came out.
                op._setup_context(ctx=ctx, inputs=given, output=output)
            return output

        @staticmethod
        def backward(ctx, *grads):
            return op._backward(ctx, *grads)

    return Function
