"""Settings of torch._dynamo. What decides how frames are traced is told to the tracer when it changes.

Behaviour: torch/_dynamo/config.py.
"""
import sys
import types

from torch._C import _dynamo as _native

recompile_limit = 8
cache_size_limit = 8
inline_inbuilt_nn_modules = True
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
skip_nnmodule_hook_guards = True
guard_nn_modules = True
skip_fsdp_guards = True
error_on_recompile = False
suppress_errors = False
verbose = False
assume_static_by_default = True
automatic_dynamic_shapes = True
allow_unspec_int_on_nn_module = False
force_parameter_static_shapes = True
nested_graph_breaks = False
compiled_autograd = False
specialize_int = False
specialize_float = True
dynamic_shapes = True
allow_rnn = False
fail_on_recompile_limit_hit = False
accumulated_recompile_limit = 256
trace_numpy = True
ignore_logging_functions = set()
reorderable_logging_functions = set()


class _Config(types.ModuleType):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        _native.set_config("recompile_limit" if name == "cache_size_limit" else name, value)

    def patch(self, *args, **kwargs):
        changes = dict(args[0]) if args and isinstance(args[0], dict) else ({args[0]: args[1]} if args else {})
        changes.update(kwargs)
        return _Patch(self, changes)


class _Patch:
    def __init__(self, config, changes):
        self.config = config
        self.changes = changes
        self.before = {}

    def __enter__(self):
        for name, value in self.changes.items():
            self.before[name] = getattr(self.config, name)
            setattr(self.config, name, value)

    def __exit__(self, *args):
        for name, value in self.before.items():
            setattr(self.config, name, value)

    def __call__(self, function):
        def patched(*args, **kwargs):
            with _Patch(self.config, self.changes):
                return function(*args, **kwargs)

        return patched


sys.modules[__name__].__class__ = _Config
inline_inbuilt_nn_modules = _native.get_config("inline_inbuilt_nn_modules")
