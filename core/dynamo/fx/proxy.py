"""Values that are not known yet: what is done with them becomes nodes. Behaviour: torch/fx/proxy.py."""
import copy
import enum
import operator
from collections import OrderedDict
from dataclasses import fields, is_dataclass

import torch
from torch.fx import traceback as fx_traceback
from torch.fx.graph import magic_methods, reflectable_magic_methods
from torch.fx.node import _is_operator, base_types, map_aggregate, map_arg
from torch.overrides import is_tensor_method_or_property

__all__ = ["TracerBase", "GraphAppendingTracer", "TraceError", "Proxy", "MetaProxy", "Attribute", "ParameterProxy", "Scope",
           "ScopeContextManager"]

# What nodes take over of what they are told while metas are preserved.
_COPIED = ("nn_module_stack", "torch_fn", "source_fn_stack", "original_aten", "recompute", "ac_graph_id", "has_backward_hook", "from_node",
           "quantization_tag", "_numeric_debug_handle", "custom", "partitioner_tag")


class TraceError(ValueError):
    pass


class Scope:
    """The module whose forward runs."""

    def __init__(self, module_path, module_type):
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Another scope, for a while. The second call of a module is `path@1`."""

    def __init__(self, scope, current_scope):
        self._scope, self._before = scope, copy.copy(scope)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self):
        return self._scope

    def __exit__(self, *given):
        self._scope.module_path, self._scope.module_type = self._before.module_path, self._before.module_type


class TracerBase:
    """Makes nodes of a graph, and values that stand for them."""

    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def __init__(self):
        self.scope, self.module_stack, self.node_name_to_scope = Scope("", None), OrderedDict(), {}

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        if kind == "call_function" and self.check_mutable_operations:
            _check_for_mutable_operation(target, args, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            current = fx_traceback.get_current_meta()
            if current.get("stack_trace"):
                node.stack_trace = current["stack_trace"]
            node.meta.update({key: copy.copy(current[key]) for key in _COPIED if key in current})
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        return node

    def proxy(self, node):
        return Proxy(node, self)

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        """A node, and the value that stands for it."""
        node = self.create_node(kind, target, self.create_arg(tuple(args)), self.create_arg(dict(kwargs)), name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a):
        """What a node has as argument for a value of the program. Errors: NotImplementedError  nothing stands for it."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(one) for one in a]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if isinstance(a, list):
            return [self.create_arg(one) for one in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(one) for key, one in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, torch._ops.OpOverload):
            return a
        if is_dataclass(a) and not isinstance(a, type):
            made = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), made)
        if isinstance(a, (*base_types, enum.Enum, torch.SymInt)) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key):
        if isinstance(key, str):
            return key

        def refuse(node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}")

        key = self.create_arg(key)
        map_arg(key, refuse)
        return key

    def to_bool(self, obj):
        """What a value is in a condition; a tracer that knows more may answer."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        raise TraceError("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
                         "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
                         "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
                         "iteration errors")

    def keys(self, obj):
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Puts nodes into a graph that is there."""

    def __init__(self, graph):
        super().__init__()
        self.graph = graph


def _check_for_mutable_operation(target, args, kwargs):
    """Errors: RuntimeError  an op that writes into what it is given."""
    schema = getattr(target, "_schema", None)
    name = getattr(target, "__name__", "")
    if "out" in kwargs or (schema is not None and schema.is_mutable) or (name.endswith("_") and not name.endswith("__") and not _is_operator(target)):
        raise RuntimeError(f"Tried to trace mutable operation {schema or name}. FX only supports functional code, so operations that "
                           "mutate operands in-place (e.g. via `out` arguments) are not supported")


class Proxy:
    """Stands for the value of a node. Without a tracer what is done with it goes into the node's graph."""

    def __init__(self, node, tracer=None):
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, k):
        # It is no node yet: of a method only the call becomes one.
        return Attribute(self, k)

    def __getstate__(self):
        return self.__dict__

    def __setstate__(self, d):
        self.__dict__ = d

    def __deepcopy__(self, memo):
        made = Proxy(copy.deepcopy(self.node, memo), copy.deepcopy(self.tracer, memo))
        return made

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self):
        count = torch._C._dynamo.unpacked_count()
        if count is not None:
            return (self[place] for place in range(count))
        return self.tracer.iter(self)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self):
        return self.tracer.to_bool(self)

    def keys(self):
        return self.tracer.keys(self)

    def __len__(self):
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
                           "torch.fx.wrap('len') at module scope")

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs, tracers = args or (), kwargs or {}, {}

        def note(one):
            if isinstance(one, cls):
                tracers[one.tracer] = None

        map_aggregate((args, kwargs), note)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}")
        tracer = next(iter(tracers))
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(orig_method.__name__))


class MetaProxy(Proxy):
    """A value that knows what it is like: meta["val"] of its node is worked out, too."""

    def __init__(self, node, tracer=None, fake_mode=None):
        super().__init__(node, tracer)
        self.fake_mode = fake_mode

    def __repr__(self):
        return f"MetaProxy({self.node.name})"

    @classmethod
    def __torch_function__(cls, orig_method, types, args=None, kwargs=None):
        args, kwargs = args or (), kwargs or {}
        first = next(one for one in args if isinstance(one, MetaProxy))
        made = super().__torch_function__(orig_method, types, args, kwargs)
        with first.fake_mode:
            made.node.meta["val"] = orig_method(*[one.node.meta["val"] if isinstance(one, Proxy) else one for one in args], **kwargs)
        return MetaProxy(made.node, made.tracer, first.fake_mode)


class Attribute(Proxy):
    """`x.name`: called it is one node, a method; only what is used otherwise becomes a node of getattr."""

    def __init__(self, root, attr):
        self.root, self.attr, self.tracer, self._node = root, attr, root.tracer, None

    @property
    def node(self):
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args, **kwargs):
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """Stands for a parameter; its sizes are known."""

    def __init__(self, tracer, node, name, param):
        super().__init__(node, tracer)
        self.param, self.name = param, name

    def __repr__(self):
        return f"ParameterProxy({self.name})"

    shape = property(lambda self: self.param.shape)
    ndim = property(lambda self: self.param.ndim)

    def size(self):
        return self.param.size()

    def dim(self):
        return self.param.dim()

    def numel(self):
        return self.param.numel()

    def nelement(self):
        return self.param.nelement()


def _add_operator(name):
    target = getattr(operator, name, None)
    if target is None:
        return
    bare = name.strip("_")

    def method(self, *others):
        return self.tracer.create_proxy("call_function", target, (self, *others), {})

    def reflected(self, other):
        return self.tracer.create_proxy("call_function", target, (other, self), {})

    method.__name__, reflected.__name__ = name, f"__r{bare}__"
    setattr(Proxy, f"__{bare}__", method)
    if name in reflectable_magic_methods:
        setattr(Proxy, f"__r{bare}__", reflected)


for _name in magic_methods:
    _add_operator(_name)
Proxy.__hash__ = object.__hash__
