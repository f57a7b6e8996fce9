"""torch.jit. Behaviour: torch/jit/__init__.py.

There is no compiler of TorchScript here: what is scripted or traced runs as the Python that it is, to the same results.
What a program can see of it: torch.jit.script() and trace() give back what they were given, so that it is no ScriptModule."""
from builtins import isinstance as _is

import torch

_SAVED = ("nnscope runs TorchScript's Python, and writes or reads no archives of it; `nnscope inspect` shows what is in one, "
          "torch.save() keeps a state_dict")


class Error(RuntimeError):
    """An error of TorchScript."""


class ScriptModule(torch.nn.Module):
    """A module with methods of TorchScript."""


class RecursiveScriptModule(ScriptModule):
    """What torch.jit.script() makes of a module in PyTorch."""


class ScriptFunction:
    """What torch.jit.script() makes of a function in PyTorch."""


class TopLevelTracedModule(ScriptModule):
    """What torch.jit.trace() makes of a module in PyTorch."""


class Attribute:
    """A value with the type that TorchScript shall see."""

    def __init__(self, value, type):
        self.value, self.type = value, type


class _Final:
    def __getitem__(self, item):
        return item


Final = _Final()


def _check_initialized(module):
    """Behaviour: torch/jit/_recursive.py, check_module_initialized."""
    if not hasattr(module, "_parameters"):
        raise RuntimeError(f"'{torch.typename(type(module))}' has not been initialized, did you forget to call 'super()'?")
    for kind, places in (("parameters", module._parameters), ("buffers", module._buffers)):
        for name, one in places.items():
            if one is not None and torch.nn.parameter.is_lazy(one):
                raise RuntimeError(f"'{torch.typename(type(module))}' has uninitialized {kind} {name}. Did you forget to run a "
                                   "forward pass?")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    if not callable(obj):
        raise RuntimeError(f"torch.jit.script takes a function, a class or a module, not {obj!r}")
    if _is(obj, torch.nn.Module):
        _check_initialized(obj)
    return obj


def trace(func, example_inputs=None, optimize=None, check_trace=True, check_inputs=None, check_tolerance=1e-5, strict=True,
          example_kwarg_inputs=None, **keywords):
    """Runs it once with the example, as tracing does."""
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    elif _is(example_inputs, (tuple, list)):
        func(*example_inputs)
    elif example_inputs is not None:
        func(example_inputs)
    else:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    return func


def trace_module(mod, inputs, **keywords):
    for name, example in inputs.items():
        getattr(mod, name)(*(example if _is(example, (tuple, list)) else (example,)))
    return mod


def ignore(drop=False, **keywords):
    if callable(drop):
        return drop
    return lambda function: function


def _overload_method(function):
    """What stands for it in annotations of a method that takes several types: nothing is compiled here."""
    return function


def unused(function):
    return function


def export(function):
    return function


def script_method(function):
    return function


def script_if_tracing(function):
    return function


def interface(cls):
    return cls


def annotate(the_type, the_value):
    return the_value


def isinstance(obj, target_type):
    return _is(obj, target_type)


def is_scripting():
    return False


def is_tracing():
    return False


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() on your "
                           "module before freezing.")
    return mod


def optimize_for_inference(mod, other_methods=None):
    return mod


def fork(func, *args, **kwargs):
    """Runs it at once; wait() gives what it returned."""
    made = torch.futures.Future()
    made.set_result(func(*args, **kwargs))
    return made


def wait(future):
    return future.wait()


def set_fusion_strategy(strategy):
    return strategy


def enable_onednn_fusion(enabled):
    """Fuses nothing."""


def onednn_fusion_enabled():
    return False


def save(m, f, _extra_files=None):
    raise RuntimeError(_SAVED)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    raise RuntimeError(_SAVED)
