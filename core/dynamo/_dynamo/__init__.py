"""torch._dynamo: how programs see the tracer. Behaviour: torch/_dynamo/__init__.py, eval_frame.py."""
import functools
import inspect
import os
import sys
import types
import warnings
from typing import NamedTuple

import torch
from torch import nn
from torch._C import _dynamo as _native
from torch._dynamo import config, exc, utils
from torch._guards import GuardSource
from torch._dynamo._library import wrap_inline as _wrap_inline
from torch._dynamo.backends import registry
from torch._dynamo.backends.registry import list_backends, lookup_backend, register_backend  # noqa: F401
# What TORCH_LOGS asks for is told from the first compilation on.
if "TORCH_LOGS" in os.environ:
    import torch._logging  # noqa: F401
from torch._dynamo.decorators import (allow_in_graph, assume_constant_result, disallow_in_graph, forbid_in_graph, is_forbidden,  # noqa: F401
                                      nonstrict_trace, patch_dynamo_config)

def _backend_of(backend):
    return backend if callable(backend) or backend in registry.BUILT_IN else registry.lookup_backend(backend)


class OptimizedModule(nn.Module):
    """What torch.compile(module) gives: calls go to the module, compiled."""

    _opt_mod_attributes = {"_orig_mod", "_settings", "__dict__", "_torchdynamo_orig_callable"}

    def __init__(self, mod, settings):
        super().__init__()
        self.__dict__.pop("training", None)
        self.__dict__["_settings"] = settings
        self._orig_mod = mod
        self.__dict__["_torchdynamo_orig_callable"] = mod.__call__

    @property
    def training(self):
        return self._orig_mod.training

    @training.setter
    def training(self, mode):
        # nn.Module's own __init__ sets it before there is a module.
        if "_orig_mod" in self._modules:
            self._orig_mod.training = mode

    def forward(self, *args, **kwargs):
        mod = self._orig_mod
        if self.__dict__["_settings"] is None:
            return _native.run_plain(mod.__call__, args, kwargs)
        fullgraph, backend, dynamic, guard_fail_fn = self.__dict__["_settings"]
        if hasattr(mod, "_initialize_hook"):
            # A lazy module learns its sizes outside of what is compiled.
            mod._infer_parameters(mod, args, kwargs)
        call = mod.__call__
        if type(mod).__module__.startswith("torch.nn."):
            call = _wrap_inline(mod)
        return _native.run(call, args, kwargs, fullgraph, backend, dynamic, guard_fail_fn)

    def __reduce__(self):
        return (type(self), (self._orig_mod, self.__dict__["_settings"]))

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name, value):
        if hasattr(type(self), name) or name in OptimizedModule._opt_mod_attributes:
            return super().__setattr__(name, value)
        return setattr(self._orig_mod, name, value)

    def __delattr__(self, name):
        if hasattr(type(self), name) or name in self.__dict__ or name == "_orig_mod":
            return super().__delattr__(name)
        return delattr(self._orig_mod, name)

    def __dir__(self):
        names = self._orig_mod.__dir__()
        return names + [name for name in super().__dir__() if name not in names]


class GuardFail(NamedTuple):
    """What `guard_fail_fn` of optimize() is given: why a function is compiled anew, and its code."""
    reason: str
    orig_code: types.CodeType


class _Context:
    """What optimize() gives: it decorates; a `with` of it is no longer supported."""

    def __init__(self, decorate):
        self._decorate = decorate

    def __call__(self, fn):
        return self._decorate(fn)

    def __enter__(self):
        if config.raise_on_ctx_manager_usage:
            raise RuntimeError("torch._dynamo.optimize(...) is used with a context manager. Please refer to "
                               "https://pytorch.org/tutorials/intermediate/torch_compile_tutorial.html to use "
                               "torch._dynamo.optimize(...) as an annotation/decorator. ")

    def __exit__(self, *error):
        pass


def optimize(backend="inductor", *, nopython=False, error_on_graph_break=None, guard_export_fn=None, guard_fail_fn=None,
             guard_filter_fn=None, disable=False, dynamic=None, package=None, rebuild_ctx=None, recompile_limit=None):
    """A decorator that compiles functions and modules with a backend."""
    if disable or config.disable or os.environ.get("TORCHDYNAMO_DISABLE", "") == "1":
        return _Context(lambda fn: fn)
    compiler = _backend_of(backend)
    if guard_fail_fn is not None:
        fail, guard_fail_fn = guard_fail_fn, lambda reason, code: fail(GuardFail(reason, code))
    return _Context(lambda fn: _compiled(fn, nopython, compiler, dynamic, guard_fail_fn))


def optimize_assert(backend, *, dynamic=None, **options):
    """The same; a break of the graph is an error."""
    return optimize(backend, nopython=True, dynamic=dynamic, **options)


def is_dynamo_supported():
    return True


def is_inductor_supported():
    return True


def innermost_fn(fn, unaltered_fn_attr="_torchdynamo_orig_callable"):
    """The function inside of all that torch.compile and disable have put around it."""
    while hasattr(fn, unaltered_fn_attr):
        fn = getattr(fn, unaltered_fn_attr)
    return fn


def _has_own_frame(fn):
    """Whether a call runs a frame of the program's Python, and none of the library alone."""
    code = getattr(fn, "__code__", None) or getattr(getattr(type(fn), "__call__", None), "__code__", None)
    if code is None:
        return False
    return not code.co_filename.startswith("<") or code.co_filename.startswith(("<stdin>", "<string>", "<eval_with_key>"))


def _compiled(fn, fullgraph, backend, dynamic=None, guard_fail_fn=None):
    """guard_fail_fn(why, code): called where guards have a function compiled anew."""
    if isinstance(fn, nn.Module):
        if isinstance(fn, OptimizedModule):
            fn = fn._orig_mod
        return OptimizedModule(fn, (fullgraph, backend, dynamic, guard_fail_fn))
    if isinstance(fn, type):
        return _class_with(fn, lambda method: _compiled(method, fullgraph, backend, dynamic, guard_fail_fn))
    if not callable(fn):
        raise AssertionError(f"A callable function is expected, but {type(fn)} is provided.")
    if not getattr(fn, "_torchdynamo_disable", False):
        # The outermost decorator decides.
        fn = innermost_fn(fn)

    call = fn if _has_own_frame(fn) else _wrap_inline(fn)

    @functools.wraps(fn)
    def compiled(*args, **kwargs):
        return _native.run(call, args, kwargs, fullgraph, backend, dynamic, guard_fail_fn)

    compiled._torchdynamo_orig_callable = fn
    return compiled


def _class_with(cls, decorate):
    """A class that was decorated itself: calls of its instances are."""
    cls.__call__ = decorate(cls.__call__)
    return cls


_MODES = ("default", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def _compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, name=None, disable=False,
             recompile_limit=None, isolate_recompiles=False):
    if model is None:
        def decorate(fn):
            if fn is None:
                raise RuntimeError("Model can't be None")
            return _compile(fn, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                            disable=disable)

        return decorate
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if backend == "inductor" and mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if disable or config.disable:
        return model
    return _compiled(model, fullgraph, _backend_of(backend), dynamic)


def disable(fn=None, recursive=True, *, reason=None, wrapping=True):
    """What is not compiled: the function and all that it calls, or (`recursive=False`) only its own frame."""
    if not recursive:
        if reason is not None:
            raise AssertionError("Reason is not supported for recursive=False.")
        return skip(fn)
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason, wrapping=wrapping)
    if isinstance(fn, nn.Module):
        made = OptimizedModule(fn._orig_mod if isinstance(fn, OptimizedModule) else fn, None)
        made.__dict__["_torchdynamo_disable_msg"] = reason
        return made
    if isinstance(fn, type):
        return _class_with(fn, lambda method: disable(method, reason=reason))
    if not callable(fn):
        raise AssertionError
    fn = innermost_fn(fn)

    @functools.wraps(fn)
    def disabled(*args, **kwargs):
        return _native.run_plain(fn, args, kwargs)

    disabled._torchdynamo_disable = True
    disabled._torchdynamo_disable_msg = reason
    disabled._torchdynamo_orig_callable = fn
    return disabled


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
    if "torch._logging" in sys.modules:
        torch._logging._relay.forget()


def reset_code_caches():
    _native.reset()


def graph_break(msg=""):
    pass


def step_unsupported(msg=""):
    """Ends the graph before its statement: the rest of the frame runs plainly."""


def skip_frame(msg=""):
    """The frame that calls it is not compiled."""


def skip(fn=None):
    """A function whose own frame is not compiled; what it calls may be."""
    if fn is None:
        return skip
    fn = innermost_fn(fn)
    if not callable(fn):
        raise AssertionError
    fn._torchdynamo_disable = True
    return fn


def run(fn=None):
    """A function that uses what was compiled before, and compiles nothing itself."""
    if fn is None:
        return run
    fn = innermost_fn(fn)

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        before = _native.set_stance("eager_on_recompile")
        try:
            return _native.run(fn, args, kwargs, False, None)
        finally:
            _native.set_stance(before)

    wrapped._torchdynamo_orig_callable = fn
    return wrapped


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
    """The tensor's memory stays where it is: `guard` has another address compile anew."""
    if not isinstance(t, torch.Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


for _function in (mark_dynamic, maybe_mark_dynamic, mark_static_address):
    forbid_in_graph(_function)


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


def _guards_of(found):
    """The guards that _native.since() tells of."""
    guards = [_Guard(kind, name, GuardSource[source]) for kind, name, source in found["guards"]]
    return guards + [_Guard(kind, "", GuardSource.SHAPE_ENV if kind == "SHAPE_ENV" else GuardSource.GLOBAL) for kind in _ambient]


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
        return ExplainOutput(graphs, len(graphs), len(graphs) - 1, reasons, op_count, ops_per_graph, _guards_of(found))

    if extra_args or extra_kwargs:
        return inner(*extra_args, **extra_kwargs)
    return inner


class ExportResult(NamedTuple):
    graph_module: object
    guards: object

    def __iter__(self):
        # Two, whatever fields there will be.
        return iter((self.graph_module, self.guards))


def _argument_names(signature, args, kwargs):
    """What an exported program calls its arguments. Behaviour: torch/_dynamo/eval_frame.py, argument_names."""
    def of_kind(kind):
        return [one for one in signature.parameters.values() if one.kind is kind]

    plain = of_kind(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [one.name for one in plain[:len(args)]]
    starred = of_kind(inspect.Parameter.VAR_POSITIONAL)
    names += [f"{starred[0].name}_{i}" for i in range(len(args) - len(names))]
    return names + list(kwargs)


_CONSTANTS = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis), torch.device, torch.dtype, torch.memory_format,
              torch.layout)


def export(f, *extra_args, aten_graph=False, pre_dispatch=False, decomposition_table=None, tracing_mode="symbolic", dynamic_shapes=None,
           specialize_float=True, assume_static_by_default=False, same_signature=True, disable_constraint_solver=False,
           prefer_deferred_runtime_asserts_over_guards=False, _log_export_usage=True, constraints=None, **extra_kwargs):
    """The program as one graph with the signature of `f`: sizes are those of the arguments. Behaviour:
    torch/_dynamo/eval_frame.py, export and rewrite_signature."""
    from torch.fx.graph import _PyTreeCodeGen, _PyTreeInfo
    from torch.utils import _pytree as pytree

    ignored = {"aten_graph": aten_graph, "pre_dispatch": pre_dispatch, "decomposition_table": decomposition_table,
               "dynamic_shapes": dynamic_shapes, "constraints": constraints}
    if asked := [name for name, value in ignored.items() if value]:
        warnings.warn(f"torch._dynamo.export: nnscope keeps the program's own ops and the sizes of the arguments, and does not look at "
                      f"{', '.join(asked)}; torch.export.export() gives ATen's ops and sizes that may change", stacklevel=2)

    def inner(*args, **kwargs):
        leaves, in_spec = pytree.tree_flatten((args, kwargs))
        ran = []

        def collect(gm, example_inputs):
            def run(*inputs):
                made = gm.forward(*inputs)
                ran.extend(made)
                return made

            return run

        before = _native.mark()
        call = f.__call__ if isinstance(f, nn.Module) else f
        result = _native.export(call, args, kwargs, collect, leaves)
        found, out_spec = pytree.tree_flatten(result)
        places = {id(one): i for i, one in enumerate([*ran, *leaves])}
        results = []
        for i, one in enumerate(found):
            if isinstance(one, _CONSTANTS):
                results.append((None, one))
            elif id(one) in places:
                results.append((places[id(one)], None))
            else:
                raise AssertionError(f"traced result #{i + 1} ({type(one)}) is not among graph-captured outputs or original args")
        gm = _native.exported_graph(len(leaves), results)
        if gm is None:
            return ExportResult(None, None)
        names = _argument_names(inspect.signature(f.forward if isinstance(f, nn.Module) else f), args, kwargs)
        for node in gm.graph.nodes:
            node.type = None
        gm.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, in_spec, out_spec))
        gm.recompile()
        return ExportResult(gm, _guards_of(_native.since(before)))

    if extra_args or extra_kwargs:
        warnings.warn("export(f, *args, **kwargs) is deprecated, use export(f)(*args, **kwargs) instead.  If you don't migrate, we "
                      "may break your export call in the future if your user defined kwargs conflict with future kwargs added "
                      "to export(f).", FutureWarning, stacklevel=2)
        return inner(*extra_args, **extra_kwargs)
    return inner
