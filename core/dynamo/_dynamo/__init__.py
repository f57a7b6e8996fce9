"""torch._dynamo: how programs see the tracer. Behaviour: torch/_dynamo/__init__.py, eval_frame.py."""
import functools
import inspect
import types

import torch
from torch import nn
from torch._C import _dynamo as _native
from torch._dynamo import config, exc, utils
from torch._guards import GuardSource
from torch._dynamo._library import wrap_inline as _wrap_inline
from torch._dynamo.backends import registry
from torch._dynamo.backends.registry import list_backends, lookup_backend, register_backend  # noqa: F401

def _backend_of(backend):
    return backend if callable(backend) or backend in registry.BUILT_IN else registry.lookup_backend(backend)


class OptimizedModule(nn.Module):
    """What torch.compile(module) gives: calls go to the module, compiled."""

    def __init__(self, mod, settings):
        super().__init__()
        self.__dict__["_settings"] = settings
        self._orig_mod = mod

    def forward(self, *args, **kwargs):
        fullgraph, backend, dynamic = self.__dict__["_settings"]
        mod = self._orig_mod
        call = mod.__call__
        if type(mod).__module__.startswith("torch.nn."):
            call = _wrap_inline(mod)
        return _native.run(call, args, kwargs, fullgraph, backend, dynamic)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name, value):
        if name == "_orig_mod" or name in type(self).__dict__:
            return super().__setattr__(name, value)
        return setattr(self._orig_mod, name, value)


def optimize(backend="inductor", *, nopython=False, dynamic=None, **options):
    compiler = _backend_of(backend)

    def decorate(fn):
        return _compiled(fn, nopython, compiler, dynamic)

    return decorate


def optimize_assert(backend, *, dynamic=None, **options):
    """The same; a break of the graph is an error."""
    return optimize(backend, nopython=True, dynamic=dynamic, **options)


def is_dynamo_supported():
    return True


def _compiled(fn, fullgraph, backend, dynamic=None):
    if isinstance(fn, nn.Module):
        return OptimizedModule(fn, (fullgraph, backend, dynamic))
    if isinstance(fn, type) and issubclass(fn, nn.Module):
        raise RuntimeError("torch.compile does not support compiling a class")

    @functools.wraps(fn)
    def compiled(*args, **kwargs):
        return _native.run(fn, args, kwargs, fullgraph, backend, dynamic)

    compiled._torchdynamo_orig_callable = fn
    return compiled


def _compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    if model is None:
        def decorate(fn):
            return _compile(fn, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                            disable=disable)

        return decorate
    if disable:
        return model
    return _compiled(model, fullgraph, _backend_of(backend), dynamic)


def disable(fn=None, recursive=True, *, reason=None, wrapping=True):
    if fn is None:
        def decorate(function):
            return disable(function, recursive, reason=reason)

        return decorate
    if isinstance(fn, nn.Module):
        fn.forward = disable(fn.forward, recursive, reason=reason)
        return fn

    @functools.wraps(fn)
    def disabled(*args, **kwargs):
        return _native.run_plain(fn, args, kwargs)

    disabled._torchdynamo_disable = True
    disabled._torchdynamo_disable_msg = reason
    disabled._torchdynamo_orig_callable = fn
    return disabled


def allow_in_graph(fn):
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(one) for one in fn]
    _native.allow_in_graph(fn)
    return fn


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False, is_embedded_type=False):
    """A decorator of a function that is followed where `original_fn`, which is written in C, is called.

    Errors: TypeError, ValueError  `original_fn` is no function of C, or the parameters differ."""
    if not callable(original_fn) or isinstance(original_fn, type) and not is_embedded_type:
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")

    def decorate(traceable_fn):
        if not isinstance(traceable_fn, types.FunctionType):
            raise TypeError(f"@substitute_in_graph(...) expects a function but got {type(traceable_fn)!r}")
        if not skip_signature_check:
            _check_signatures(original_fn, traceable_fn)
        from torch._dynamo._library import functions
        functions.STAND_INS[original_fn] = traceable_fn

        @functools.wraps(traceable_fn)
        def wrapped(*args, **kwargs):
            return original_fn(*args, **kwargs)

        wrapped.__torch_dynamo_original__, wrapped.__torch_dynamo_polyfill__ = original_fn, wrapped
        return wrapped

    return decorate


def _check_signatures(original, traceable):
    try:
        first = inspect.signature(original)
    except ValueError:
        return
    second = inspect.signature(traceable)
    if [(one.name, one.kind) for one in first.parameters.values()] != [(one.name, one.kind) for one in second.parameters.values()]:
        raise TypeError(f"Signature mismatch between {original} and {traceable}: {first} != {second}")


def reset():
    _native.reset()


def reset_code_caches():
    _native.reset()


def graph_break(msg=""):
    pass


def _break_for_backward_hooks():
    pass


def is_compiling():
    return False


def _mark(t, index, attribute):
    marks = getattr(t, attribute, None)
    if marks is None:
        marks = set()
        setattr(t, attribute, marks)
    marks.update(range(t.dim()) if index is None else [index] if isinstance(index, int) else index)


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    """That size is a symbol from the first compilation on; an error where it has to be a constant.

    `min`, `max`: what compiled code takes. `hint_override` and `specialize_on` have no meaning for the backends here.
    """
    _mark(t, index, "_dynamo_dynamic_indices")
    if min is not None or max is not None:
        t._dynamo_dynamic_range = getattr(t, "_dynamo_dynamic_range", {})
        t._dynamo_dynamic_range.update({one: (min, max) for one in ([index] if isinstance(index, int) else index)})


def maybe_mark_dynamic(t, index):
    """The same, and where it has to be a constant it is one."""
    _mark(t, index, "_dynamo_weak_dynamic_indices")


def mark_static(t, index=None):
    """That size, or each, is never a symbol."""
    _mark(t, index, "_dynamo_static_indices")


def mark_static_address(t, guard=True):
    pass


class error_on_graph_break:
    """Whether a break inside of `with`, or of a decorated function, is an error."""

    def __init__(self, error_on_graph_break):
        self.mode = error_on_graph_break

    def __enter__(self):
        self.before = _native.set_error_on_graph_break(self.mode)

    def __exit__(self, *args):
        _native.set_error_on_graph_break(self.before)

    def __call__(self, fn):
        mode = self.mode

        @functools.wraps(fn)
        def wrapped(*args, **kwargs):
            with error_on_graph_break(mode):
                return fn(*args, **kwargs)

        return wrapped


def dont_skip_tracing(fn=None):
    return fn


class ExplainOutput:
    """What explain() found."""

    def __init__(self, graphs, graph_count, graph_break_count, break_reasons, op_count, ops_per_graph, out_guards):
        self.graphs = graphs
        self.graph_count = graph_count
        self.graph_break_count = graph_break_count
        self.break_reasons = break_reasons
        self.op_count = op_count
        self.ops_per_graph = ops_per_graph
        self.out_guards = out_guards

    def __str__(self):
        output = f"Graph Count: {self.graph_count}\n"
        output += f"Graph Break Count: {self.graph_break_count}\n"
        output += f"Op Count: {self.op_count}\n"
        output += "Break Reasons:\n"
        for idx, break_reason in enumerate(self.break_reasons):
            output += f"  Break Reason {idx + 1}:\n"
            output += f"    Reason: {break_reason.reason}\n"
            output += "    User Stack:\n"
            for frame_summary in break_reason.user_stack:
                output += f"      {frame_summary}\n"
        output += "Ops per Graph:\n"
        for idx, ops in enumerate(self.ops_per_graph):
            output += f"  Ops {idx + 1}:\n"
            for op in ops:
                output += f"    {op}\n"
        return output


class GraphCompileReason:
    def __init__(self, reason, user_stack, graph_break=True):
        self.reason = reason
        self.user_stack = user_stack
        self.graph_break = graph_break


# The guards that every frame has.
_ambient = ("AUTOGRAD_SAVED_TENSORS_HOOKS", "DEFAULT_DEVICE", "DETERMINISTIC_ALGORITHMS", "GLOBAL_STATE", "GRAD_MODE",
            "SHAPE_ENV", "TORCH_FUNCTION_STATE")


class _Guard:
    def __init__(self, kind, name, source):
        self._kind = kind
        self.name = name
        self.source = source

    def create_fn_name(self):
        return self._kind

    def is_specialized_nn_module(self):
        return self.source.is_specialized_nn_module()

    def is_fsdp_module(self):
        return self.source.is_fsdp_module()

    def is_local(self):
        return self.source.is_local()

    def __repr__(self):
        return f"{self.source.name.lower()} {self.name!r} {self._kind}"


class _FrameSummary:
    def __init__(self, filename, lineno, name, line):
        self.filename = filename
        self.lineno = lineno
        self.name = name
        self.line = line

    def __repr__(self):
        return f"<FrameSummary file {self.filename}, line {self.lineno} in {self.name}>"


def explain(f, *extra_args, **extra_kwargs):
    def inner(*args, **kwargs):
        reset()
        graphs = []

        def collect(gm, example_inputs):
            graphs.append(gm)
            return gm.forward

        before = _native.mark()
        _compiled(f, False, collect)(*args, **kwargs)
        found = _native.since(before)
        reset()
        reasons = [GraphCompileReason(reason, [_FrameSummary(*entry) for entry in stack])
                   for reason, stack in found["breaks"]]
        ops_per_graph = []
        op_count = 0
        for gm in graphs:
            ops = [node.target for node in gm.graph.nodes if node.op == "call_function"]
            ops_per_graph.append(ops)
            op_count += sum(1 for node in gm.graph.nodes if node.op in ("call_function", "call_method", "call_module"))
        guards = [_Guard(kind, name, GuardSource[source]) for kind, name, source in found["guards"]]
        guards += [_Guard(kind, "", GuardSource.SHAPE_ENV if kind == "SHAPE_ENV" else GuardSource.GLOBAL)
                   for kind in _ambient]
        return ExplainOutput(graphs, len(graphs), len(graphs) - 1, reasons, op_count, ops_per_graph,
                             guards)

    if extra_args or extra_kwargs:
        return inner(*extra_args, **extra_kwargs)
    return inner


def export(f, *extra_args, aten_graph=False, **constraints):
    def inner(*args, **kwargs):
        graphs = []

        def collect(gm, example_inputs):
            graphs.append(gm)
            return gm.forward

        call = f.__call__ if isinstance(f, nn.Module) else f
        result = _native.export(call, args, kwargs, collect)
        if not graphs:
            return None, None
        graphs[0]._give(type(result) if isinstance(result, (tuple, list)) else None)
        return graphs[0], None

    if extra_args:
        return inner(*extra_args)
    return inner
