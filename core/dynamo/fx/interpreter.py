"""Graphs that run node by node. Behaviour: torch/fx/interpreter.py."""
from torch.fx.graph import Graph, map_arg
from torch.fx.graph_module import GraphModule
from torch.fx.proxy import GraphAppendingTracer, Proxy


class Interpreter:
    """Runs the graph of a module; methods of a class that derives from it may do something else for a kind of node."""

    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module, self.graph = module, module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env, self.args_iter, self.extra_traceback = {}, iter(()), True
        self.garbage_collect_values = garbage_collect_values
        self._last_uses = {}
        if garbage_collect_values:
            last = {}
            for node in self.graph.nodes:
                for used in node.all_input_nodes:
                    last[used] = node
            for used, node in last.items():
                self._last_uses.setdefault(node, []).append(used)

    def run(self, *args, initial_env=None, enable_io_processing=True):
        self.env = {} if initial_env is None else dict(initial_env)
        self.args_iter = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            for used in self._last_uses.get(node, ()):
                del self.env[used]
            if node.op == "output":
                return self.env[node]
        return None

    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target, args, kwargs):
        if isinstance(target, str) and target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!") from None

    def get_attr(self, target, args, kwargs):
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        self_obj, *rest = args
        return getattr(self_obj, target)(*rest, **kwargs)

    def call_module(self, target, args, kwargs):
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        return args[0]

    def fetch_attr(self, target):
        found, done = self.module, []
        for part in target.split("."):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(done)}")
            found = getattr(found, part)
            done.append(part)
        return found

    def fetch_args_kwargs_from_env(self, n):
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        def value(node):
            if node not in self.env:
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues")
            return self.env[node]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Makes another module of one, node by node."""

    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = GraphAppendingTracer(self.new_graph)

    def placeholder(self, target, args, kwargs):
        return Proxy(self.new_graph.placeholder(target), self.tracer)

    def get_attr(self, target, args, kwargs):
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target, args, kwargs):
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def call_method(self, target, args, kwargs):
        return self.tracer.create_proxy("call_method", target, args, kwargs)

    def transform(self):
        result = self.run()
        self.new_graph.output(map_proxies(result))
        return GraphModule(self.module, self.new_graph)


def map_proxies(value):
    """The nodes of proxies."""
    if isinstance(value, Proxy):
        return value.node
    if isinstance(value, (tuple, list)):
        return type(value)(map_proxies(one) for one in value)
    if isinstance(value, dict):
        return {key: map_proxies(one) for key, one in value.items()}
    return value
