"""Which backends there are. Behaviour: torch/_dynamo/backends/registry.py."""
from torch._dynamo.exc import InvalidBackend

__all__ = ["register_backend", "lookup_backend", "list_backends"]

# Those that the engine runs without a call of a function, and their tags.
BUILT_IN = {"eager": ("debug",), "aot_eager": ("debug",), "inductor": (), "nnscope": (), "cudagraphs": ()}
_made, _tags = {}, {}


def register_backend(compiler_fn=None, name=None, tags=()):
    """Makes a function (graph module, example inputs) -> callable a backend that a program can name. Gives the function."""
    if compiler_fn is None:
        return lambda function: register_backend(function, name, tags)
    if not callable(compiler_fn):
        raise AssertionError
    name = name or compiler_fn.__name__
    if _made.get(name, compiler_fn) is not compiler_fn:
        raise AssertionError(f"duplicate name: {name}")
    _made[name], _tags[name] = compiler_fn, tuple(tags)
    compiler_fn._tags = tuple(tags)
    return compiler_fn


def lookup_backend(compiler_fn):
    """The function of a backend. Errors: InvalidBackend  there is none of that name."""
    if not isinstance(compiler_fn, str):
        return compiler_fn
    if compiler_fn not in _made:
        raise InvalidBackend(compiler_fn)
    return _made[compiler_fn]


def list_backends(exclude_tags=("debug", "experimental")):
    """The names of the backends, but for those that only help to find mistakes."""
    return sorted(name for name, tags in _tags.items() if not set(exclude_tags or ()).intersection(tags))


def _runs_as_captured(name):
    def backend(gm, fake_tensor_inputs, **kwargs):
        return gm.forward

    backend.__name__ = name
    register_backend(backend, name, BUILT_IN[name])


# Each of these runs the graph as it was captured; "nnscope" plans and fuses when torch.compile is given its name.
for _name in BUILT_IN:
    _runs_as_captured(_name)
