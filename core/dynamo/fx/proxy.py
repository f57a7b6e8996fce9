"""Tracing by running a function on proxies. Behaviour: torch/fx/_symbolic_trace.py, proxy.py."""
import operator

from torch import nn
from torch.fx import traceback
from torch.fx.graph import Graph
from torch.fx.graph_module import GraphModule


class TraceError(ValueError):
    pass


class Proxy:
    def __init__(self, node, tracer=None):
        self.node = node
        # Without a tracer what is done with it goes into the node's graph.
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer

    def __repr__(self):
        return f"Proxy({self.node.name})"

    def __getattr__(self, name):
        return Attribute(self, name)

    def keys(self):
        return self.tracer.keys(self)

    def __bool__(self):
        return self.tracer.to_bool(self)

    def __iter__(self):
        return self.tracer.iter(self)

    def __len__(self):
        raise RuntimeError("'len' is not supported in symbolic tracing by default.")

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        tracer = _tracer_of(args) or _tracer_of(tuple((kwargs or {}).values()))
        return tracer.create_proxy("call_function", function, args, kwargs or {})


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


def _tracer_of(args):
    for arg in args:
        if isinstance(arg, Proxy):
            return arg.tracer
        if isinstance(arg, (tuple, list)):
            found = _tracer_of(arg)
            if found is not None:
                return found
    return None


def _binary(name, function):
    def method(self, other):
        return self.tracer.create_proxy("call_function", function, (self, other), {})

    def reflected(self, other):
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    setattr(Proxy, f"__{name}__", method)
    setattr(Proxy, f"__r{name}__", reflected)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"):
    _binary(_name, getattr(operator, f"__{_name}__"))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "getitem"):
    def _method(self, other, function=getattr(operator, _name)):
        return self.tracer.create_proxy("call_function", function, (self, other), {})

    setattr(Proxy, f"__{_name}__", _method)
for _name in ("neg", "pos", "invert"):
    def _method(self, function=getattr(operator, _name)):
        return self.tracer.create_proxy("call_function", function, (self,), {})

    setattr(Proxy, f"__{_name}__", _method)
Proxy.__hash__ = object.__hash__


class Tracer:
    module_stack, num_calls, root, graph = {}, {}, None, None

    def is_leaf_module(self, m, module_qualified_name):
        return type(m).__module__.startswith("torch.nn") and not isinstance(m, nn.Sequential)

    def path_of_module(self, mod):
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m, forward, args, kwargs):
        """What a module does that is called: a node of its own, or what `forward` does."""
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def to_bool(self, obj):
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj):
        raise TraceError("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args "
                         "or **kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation "
                         "of what types of control flow can be traced, and check out the Proxy docstring for help "
                         "troubleshooting Proxy iteration errors")

    def keys(self, obj):
        return Attribute(obj, "keys")()

    def proxy(self, node):
        return Proxy(node, self)

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = self.graph.create_node(kind, target, args, kwargs, name)
        if self.module_stack:
            node.meta["nn_module_stack"] = dict(self.module_stack)
        if traceback.has_preserved_node_meta():
            node.meta.update(traceback.current_meta)
        return node

    def create_arg(self, value):
        if isinstance(value, Proxy):
            return value.node
        if isinstance(value, tuple):
            return tuple(self.create_arg(item) for item in value)
        if isinstance(value, list):
            return [self.create_arg(item) for item in value]
        if isinstance(value, dict):
            return {key: self.create_arg(item) for key, item in value.items()}
        if isinstance(value, nn.Parameter):
            for name, parameter in self.root.named_parameters():
                if parameter is value:
                    return self.create_node("get_attr", name, (), {})
        return value

    def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
        node = self.create_node(kind, target, self.create_arg(tuple(args)), self.create_arg(dict(kwargs)), name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn is not None else self.proxy(node)

    def trace(self, root, concrete_args=None):
        import inspect
        self.root = root if isinstance(root, nn.Module) else nn.Module()
        self.graph = Graph()
        # The modules whose forward runs: the path, with a number from the second call on, of path and class.
        self.module_stack = {}
        self.num_calls = {}
        function = root.forward if isinstance(root, nn.Module) else root
        args = []
        for name in inspect.signature(function).parameters:
            args.append(self.create_proxy("placeholder", name, (), {}, name))
        paths = {module: name for name, module in self.root.named_modules()}
        calls = []
        for module, path in paths.items():
            if not path:
                continue
            own = module.__dict__.get("forward")
            calls.append((module, own))
            module.forward = self._call(path, module, module.forward)
        restore = _stand_in_for_wrapped()
        try:
            result = function(*args)
        finally:
            for names, name, before in restore:
                names[name] = before
            for module, own in calls:
                if own is None:
                    del module.forward
                else:
                    module.forward = own
        self.create_node("output", "output", (self.create_arg(result),), {}, "output")
        return self.graph

    def _call(self, path, module, inner):
        """What stands for the forward of a module while the program is traced."""
        def forward(*args, **kwargs):
            number = self.num_calls.get(path, 0)
            self.num_calls[path] = number + 1
            key = f"{path}@{number}" if number > 0 else path
            self.module_stack[key] = (path, type(module))
            try:
                return self.call_module(module, inner, args, kwargs)
            finally:
                del self.module_stack[key]

        return forward


class GraphAppendingTracer(Tracer):
    """Puts nodes into a graph that is there."""

    def __init__(self, graph):
        self.graph, self.root, self.module_stack = graph, nn.Module(), {}


# What wrap() was given: dictionaries of modules and names in them.
_wrapped = []


def wrap(fn_or_name):
    """Makes a function of the module one node of graphs, instead of what it does. Gives what it was given."""
    import inspect
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped.append((frame.f_globals, name))
    return fn_or_name


def _stand_in_for_wrapped():
    """While a tracer runs wrapped functions make nodes. Gives what was there before."""
    restore = []
    for names, name in _wrapped:
        if name not in names:
            continue
        original = names[name]

        def stand_in(*args, original=original, **kwargs):
            tracer = _tracer_of(args) or _tracer_of(tuple(kwargs.values()))
            if tracer is None:
                return original(*args, **kwargs)
            return tracer.create_proxy("call_function", original, args, kwargs)

        restore.append((names, name, original))
        names[name] = stand_in
    return restore


def symbolic_trace(root, concrete_args=None):
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
