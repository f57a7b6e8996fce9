"""Tracing by running a program on values that are not known. Behaviour: torch/fx/_symbolic_trace.py."""
import builtins
import copy
import functools
import inspect
import math
import os
import sys
import warnings
from collections import OrderedDict
from itertools import chain
from types import FunctionType

import torch
from torch import nn
from torch.fx.graph import Graph, _PyTreeCodeGen, _PyTreeInfo
from torch.fx.graph_module import GraphModule
from torch.fx.node import base_types, map_aggregate
from torch.fx.proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from torch.utils import _pytree as pytree

_is_tracing = False
_proxyable_classes = {}


def is_fx_tracing():
    return _is_tracing


is_fx_symbolic_tracing = is_fx_tracing


class ProxyableClassMeta(type):
    """The class of classes whose objects, made of values that are not known, are one node."""

    def __init__(cls, name, bases, attrs):
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args, **kwargs):
        found = _find_proxy(args, kwargs) if is_fx_tracing() else None
        if found is not None:
            return found.tracer.create_proxy("call_function", cls, args, kwargs)
        made = cls.__new__(cls)
        cls.__init__(made, *args, **kwargs)
        return made


class PHBase:
    """Stands for an input in concrete_args."""

    def __repr__(self):
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """The same; its attributes go to the node."""

    def __init__(self, ph_key=None):
        super().__init__()
        self.ph_key = ph_key


def _transfer_attrs(fr, to):
    for name in dir(fr):
        value = getattr(fr, name)
        if not callable(value) and not name.startswith("__") and not hasattr(to, name):
            setattr(to, name, value)


def _parameters(signature):
    """The names of plain parameters, of those that are given by name only, and of *args and **kwargs with their stars."""
    plain, keyword_only, starred = [], [], []
    for name, one in signature.parameters.items():
        if one.kind is inspect.Parameter.VAR_POSITIONAL:
            starred.append(f"*{name}")
        elif one.kind is inspect.Parameter.VAR_KEYWORD:
            starred.append(f"**{name}")
        else:
            (keyword_only if one.kind is inspect.Parameter.KEYWORD_ONLY else plain).append(name)
    return plain, keyword_only, starred


class Tracer(TracerBase):
    """Runs a module or function on proxies. A class that derives from it may say which modules are one node, and more."""

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(), param_shapes_constant=False):
        super().__init__()
        found = chain.from_iterable(vars(module).items() for module in autowrap_modules)
        self._autowrap_functions = [value for name, value in found if not name.startswith("_") and callable(value)]
        self._autowrap_functions += autowrap_functions
        self._autowrap_function_ids = {id(one) for one in self._autowrap_functions}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths, self.root_module_name = None, ""

    def create_arg(self, a):
        if isinstance(a, nn.Parameter):
            for name, one in self.root.named_parameters():
                if one is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, torch.Tensor):
            for name, one in self.root.named_buffers():
                if one is a:
                    return self.create_node("get_attr", name, (), {})
        elif isinstance(a, nn.Module):
            for name, one in self.root.named_modules():
                if one is a:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return self.create_node("call_function", type(a), tuple(self.create_arg(one) for one in a), {})
        if isinstance(a, torch.Tensor):
            path = self.tensor_attrs.get(id(a))
            if path is None:
                path = self.tensor_attrs[id(a)] = self._kept("_tensor_constant", a)
            return self.create_node("get_attr", path, (), {})
        if type(a) in _proxyable_classes:
            return self.create_node("get_attr", self._kept(f"_{type(a).__name__}_constant_", a), (), {})
        return super().create_arg(a)

    def _kept(self, prefix, value):
        """The name under which a constant is an attribute of the root from now on."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        setattr(self.root, f"{prefix}{number}", value)
        return f"{prefix}{number}"

    def is_leaf_module(self, m, module_qualified_name):
        """Whether a call of the module is one node: layers of torch, but for Sequential."""
        return type(m).__module__.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, nn.Sequential)

    def path_of_module(self, mod):
        """Where a module is below the root. Errors: NameError  nowhere."""
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
        else:
            path = next((name for name, one in self.root.named_modules() if one is mod), None)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    def call_module(self, m, forward, args, kwargs):
        """What the call of a module gives: a node's value, or what `forward` does."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            number = self.num_calls.get(path, 0)
            self.num_calls[path] = number + 1
            key = f"{path}@{number}" if number > 0 else path
            self.module_stack[key] = (path, scope.module_type)
            if self.is_leaf_module(m, path):
                result = self.create_proxy("call_module", path, args, kwargs)
            else:
                result = forward(*args, **kwargs)
            self.module_stack.popitem(last=True)
        return result

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """What a module's attribute is while it is traced: of parameters a value of a node."""
        wanted = ()
        if isinstance(attr_val, nn.Parameter):
            wanted = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, torch.Tensor):
            wanted = self.root.named_buffers()
        for name, one in wanted:
            if one is not attr_val:
                continue
            if name not in parameter_proxy_cache:
                shaped = {}
                if self.param_shapes_constant:
                    shaped["proxy_factory_fn"] = lambda node: ParameterProxy(self, node, name, attr_val)
                parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, **shaped)
            return parameter_proxy_cache[name]
        return attr_val

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """The function to run, and the values to run it on: a placeholder for each of its parameters."""
        inner = inspect.unwrap(root_fn)
        signature = inspect.signature(inner)
        plain, keyword_only, starred = _parameters(signature)
        names, total = plain + keyword_only, len(plain) + len(keyword_only)
        args = []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
        if isinstance(concrete_args, tuple) and concrete_args and starred and total == 1:
            for number, given in enumerate(concrete_args):
                made = self.create_proxy("placeholder", f"input_{number}", (), {})
                if isinstance(given, PHBase) and given is not PH:
                    _transfer_attrs(given, made.node)
                args.append(made)
            return root_fn, args
        wanted = names[len(args):total]
        if isinstance(concrete_args, tuple):
            if len(wanted) != len(concrete_args):
                raise RuntimeError(f"Tracing expected {len(wanted)} arguments but got {len(concrete_args)} concrete arguments")
            concrete_args = dict(zip(wanted, concrete_args))
        args += [self._proxy_placeholder(name, concrete_args, signature, inner) for name in wanted]
        if keyword_only or starred:
            args += [self._proxy_placeholder(name, concrete_args, signature, inner) for name in starred]
            # *args is one value that is not known, and keyword-only parameters are given by their places.
            root_fn = torch._C._dynamo.with_plain_parameters(root_fn)
        flat, in_spec = pytree.tree_flatten(tuple(args))
        if all(one.is_leaf() for one in in_spec.children_specs):
            return root_fn, args
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names[:total], in_spec, None))

        def flatten_fn(*args):
            result = root_fn(*pytree.tree_unflatten(list(args), in_spec))
            leaves, out_spec = pytree.tree_flatten(result)
            self.graph._codegen.pytree_info = self.graph._codegen.pytree_info._replace(out_spec=out_spec)
            return leaves

        return flatten_fn, flat

    def _proxy_placeholder(self, name, concrete_args, signature, function):
        if name[0] == "*":
            default = ()
        else:
            default = signature.parameters[name].default
            default = () if default is inspect.Parameter.empty else (default,)
        if concrete_args is None or name not in concrete_args:
            kind = getattr(function, "__annotations__", {}).get(name)
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        count = 0

        def leaf(value):
            nonlocal count
            count += 1
            made = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            if isinstance(value, PHBase):
                if value is not PH:
                    _transfer_attrs(value, made.node)
                return made
            if type(value) in base_types and type(value) is not torch.Tensor:
                self.create_proxy("call_function", torch._assert,
                                  (made == value, f"{name} has been specialized to have value {value} but got another value"), {})
            elif value is None:
                self.create_proxy("call_function", _assert_is_none,
                                  (made, f"{name} has been specialized to have value None but got another value"), {})
            else:
                warnings.warn(f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to "
                              "the user to make sure that your inputs match the inputs you specialized the function with.")
            return value

        return pytree.tree_map(leaf, concrete_args[name])

    def trace(self, root, concrete_args=None):
        """The graph of what a module or a function does. `self.root` has what its nodes name."""
        global _is_tracing
        before, _is_tracing = _is_tracing, True
        try:
            return self._trace(root, concrete_args)
        finally:
            _is_tracing = before

    def _trace(self, root, concrete_args):
        is_module = isinstance(root, nn.Module)
        self.root, function = root, root
        if is_module:
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root = nn.Module()
        self.graph = Graph(tracer_cls=type(self))
        self.num_calls, self.module_stack = {}, OrderedDict()
        if hasattr(function, "__code__"):
            code = function.__code__
            self.graph._co_fields = {key: getattr(code, key) for key in ("co_name", "co_filename", "co_firstlineno")}
        self.tensor_attrs = {}
        for path, module in self.root.named_modules():
            for name, value in module.__dict__.items():
                if isinstance(value, torch.Tensor):
                    self.tensor_attrs[id(value)] = f"{path}.{name}" if path else name
        if not isinstance(function, FunctionType):
            raise AssertionError(f"Expected FunctionType for traced function, got {type(function)}")
        names, kind = getattr(function, "__globals__", {}), getattr(function, "__annotations__", {}).get("return")
        run, args = self.create_args_for_root(function, is_module, concrete_args)
        with _Patcher() as patcher:
            self._patch_modules(patcher)
            _patch_wrapped_functions(patcher)
            _autowrap_check(patcher, names, self._autowrap_function_ids)
            for module in self._autowrap_search:
                _autowrap_check(patcher, vars(module), self._autowrap_function_ids)
            self.create_node("output", "output", (self.create_arg(run(*args)),), {}, type_expr=kind)
        self.submodule_paths = None
        return self.graph

    def _patch_modules(self, patcher):
        """While the program runs calls of modules, and their parameters, are nodes."""
        known, call, read = {}, nn.Module.__call__, nn.Module.__getattr__

        @functools.wraps(read)
        def getattr_of_module(mod, attr):
            return self.getattr(attr, read(mod, attr), known)

        @functools.wraps(call)
        def call_of_module(mod, *args, **kwargs):
            def forward(*args, **kwargs):
                return call(mod, *args, **kwargs)

            _autowrap_check(patcher, getattr(getattr(mod, "forward", mod), "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        patcher.patch_method(nn.Module, "__getattr__", getattr_of_module, deduplicate=False)
        patcher.patch_method(nn.Module, "__call__", call_of_module, deduplicate=False)

    def __deepcopy__(self, memo):
        made = Tracer.__new__(Tracer)
        for key, value in self.__dict__.items():
            made.__dict__[key] = copy.copy(value) if key.startswith("_autowrap") else copy.deepcopy(value, memo)
        return made


def _find_proxy(*objects_to_search):
    """A value that is not known, anywhere in containers, or None."""
    found = None

    def look(one):
        nonlocal found
        if isinstance(one, Proxy):
            found = one

    map_aggregate(objects_to_search, look)
    return found


def _create_wrapped_func(orig_fn):
    @functools.wraps(orig_fn)
    def wrapped(*args, **kwargs):
        found = _find_proxy(args, kwargs)
        if found is None:
            return orig_fn(*args, **kwargs)
        made = found.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    return wrapped


def _create_wrapped_method(cls, name):
    original = getattr(cls, name)

    @functools.wraps(original)
    def wrapped(*args, **kwargs):
        found = _find_proxy(args, kwargs)
        return original(*args, **kwargs) if found is None else found.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


class _Patcher:
    """Puts other functions into dictionaries and classes, until the end of `with`."""

    def __init__(self):
        self._undo, self._visited = [], {}

    def patch(self, frame_dict, name, new_fn, deduplicate=True):
        if getattr(frame_dict.get(name), "__fx_already_patched", False):
            return
        setattr(new_fn, "__fx_already_patched", deduplicate)
        if name in frame_dict:
            self._undo.append(functools.partial(frame_dict.__setitem__, name, frame_dict[name]))
        else:
            self._undo.append(functools.partial(frame_dict.pop, name))
        frame_dict[name] = new_fn

    def patch_method(self, cls, name, new_fn, deduplicate=True):
        original = getattr(cls, name)
        if getattr(original, "__fx_already_patched", False):
            return
        setattr(new_fn, "__fx_already_patched", deduplicate)
        self._undo.append(functools.partial(setattr, cls, name, original))
        setattr(cls, name, new_fn)

    def visit_once(self, thing):
        """Whether it was not visited before."""
        is_new = id(thing) not in self._visited
        self._visited[id(thing)] = thing
        return is_new

    def __enter__(self):
        return self

    def __exit__(self, *given):
        while self._undo:
            self._undo.pop()()
        self._visited.clear()


# What wrap() was given: {(id of the dictionary, name): the dictionary}.
_wrapped_fns_to_patch = {}
_wrapped_methods_to_patch = [(torch.Tensor, "__getitem__")] if os.environ.get("FX_PATCH_GETITEM") == "1" else []


def _patch_wrapped_functions(patcher):
    # Packages of ours say so without importing this module, which takes time.
    for module in list(sys.modules.values()):
        for name in getattr(module, "__dict__", {}).get("__fx_wraps__", ()):
            _wrapped_fns_to_patch[(id(vars(module)), name)] = vars(module)
    for (_, name), names in list(_wrapped_fns_to_patch.items()):
        original = getattr(builtins, name) if name not in names and hasattr(builtins, name) else names[name]
        patcher.patch(names, name, _create_wrapped_func(original))
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher, frame_dict, function_ids):
    """Functions such as math.sqrt become nodes wherever names of a module are theirs."""
    if not patcher.visit_once(frame_dict):
        return
    for name, value in list(frame_dict.items()):
        if not name.startswith("_") and callable(value) and id(value) in function_ids:
            patcher.patch(frame_dict, name, _create_wrapped_func(value))


def wrap(fn_or_name):
    """Makes a function of the module that calls this one node of graphs, instead of what it does. Gives what it was given.

    Errors: RuntimeError, NotImplementedError  no name, or not at the top of a module."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def symbolic_trace(root, concrete_args=None):
    """A module made of the graph of what `root` does. `concrete_args`: {parameter: its value, or PH where it is not known}."""
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def _assert_is_none(value, msg):
    if value is not None:
        raise AssertionError(msg)


_wrapped_fns_to_patch[(id(globals()), "_assert_is_none")] = globals()
