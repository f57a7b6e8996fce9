"""The protocol __torch_function__. Behaviour: torch/overrides.py.

Functions of torch (add, stack, mean, ...) ask modes, and arguments whose class has __torch_function__ (core/ops/overrides.h)."""
import functools

import torch


def _overloaded(relevant_args, get_type=type):
    """Arguments whose class overrides functions, the most derived classes first."""
    found, kinds = [], set()
    if not torch._C._is_torch_function_enabled():
        return found
    for one in relevant_args:
        kind = get_type(one)
        if kind in kinds or not hasattr(kind, "__torch_function__") or \
                kind.__torch_function__ is torch._C._disabled_torch_function_impl:
            continue
        if kind is torch.Tensor:
            continue
        kinds.add(kind)
        at = next((i for i, other in enumerate(found) if issubclass(kind, get_type(other))), len(found))
        found.insert(at, one)
    return found


def has_torch_function(relevant_args):
    return bool(_overloaded(relevant_args))


def has_torch_function_unary(arg):
    return bool(_overloaded((arg,)))


def has_torch_function_variadic(*args):
    return bool(_overloaded(args))


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Asks each argument that overrides functions, until one does it. Errors: TypeError  none does."""
    found = _overloaded(relevant_args)
    kinds = tuple(map(type, found))
    for one in found:
        result = type(one).__torch_function__(public_api, kinds, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: "
                    f"{[type(one) for one in found]}")


def wrap_torch_function(dispatcher):
    """Makes a function ask the arguments that `dispatcher` names."""
    def inner(func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            relevant_args = dispatcher(*args, **kwargs)
            if has_torch_function(relevant_args):
                return handle_torch_function(wrapped, relevant_args, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


def is_tensor_like(inp):
    """Whether it is a tensor, or says that functions of torch may be called with it."""
    return type(inp) is torch.Tensor or isinstance(inp, torch.Tensor) or hasattr(type(inp), "__torch_function__")


_NAMESPACES = (("torch", torch), ("torch.functional", None), ("torch.nn.functional", None), ("torch.nn.init", None),
               ("torch.Tensor", torch.Tensor), ("torch.linalg", None), ("torch.fft", None), ("torch.special", None))


def _namespaces():
    import importlib
    for name, where in _NAMESPACES:
        try:
            yield name, importlib.import_module(name) if where is None else where
        except ModuleNotFoundError:
            continue


@functools.lru_cache(None)
def get_ignored_functions():
    """Functions that take no tensors, so that nothing overrides them."""
    names = ("is_tensor", "is_storage", "set_default_dtype", "get_default_dtype", "manual_seed", "initial_seed", "seed", "save",
             "load", "set_printoptions", "get_num_threads", "set_num_threads", "is_grad_enabled", "tensor", "as_tensor",
             "from_numpy", "arange", "eye", "empty", "full", "linspace", "logspace", "ones", "zeros", "rand", "randn",
             "randint", "randperm", "range", "tril_indices", "triu_indices", "no_grad", "enable_grad", "set_grad_enabled",
             "finfo", "iinfo", "device", "promote_types", "broadcast_shapes", "get_rng_state", "set_rng_state")
    return {getattr(torch, name) for name in names}


@functools.lru_cache(None)
def get_overridable_functions():
    """{namespace: its functions that take tensors}"""
    ignored = get_ignored_functions()
    found = {}
    for name, where in _namespaces():
        functions = []
        for attribute in dir(where):
            if attribute.startswith("__") and name != "torch.Tensor" or attribute.startswith("_") and name != "torch.Tensor":
                continue
            value = getattr(where, attribute, None)
            if not callable(value) or isinstance(value, type) or value in ignored:
                continue
            functions.append(value)
        found[where] = functions
    return found


@functools.lru_cache(None)
def _names():
    return {value: f"{name}.{value.__name__}" for name, where in _namespaces()
            for value in get_overridable_functions().get(where, ()) if hasattr(value, "__name__")}


def resolve_name(f):
    """"torch.add" of torch.add; None: it is none of these functions."""
    return _names().get(f)


def is_tensor_method_or_property(func):
    return func in get_overridable_functions()[torch.Tensor] or getattr(func, "__name__", "") == "__get__"


def _parameters_of(function):
    """(name, is_keyword_only, is_optional) of each parameter; "*" and "**" in front of the names of those that take the rest."""
    known = torch._C._parameters_of(function)
    if known is not None:
        return known
    import inspect
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [("*args", False, False), ("**kwargs", False, False)]
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [(stars.get(one.kind, "") + one.name, one.kind is inspect.Parameter.KEYWORD_ONLY,
             one.default is not inspect.Parameter.empty) for one in parameters]


def _dummy_like(function):
    """A function of the same parameters that gives -1."""
    import keyword
    parts, has_star = [], False
    for name, is_keyword_only, is_optional in _parameters_of(function):
        has_star = has_star or (name.startswith("*") and not name.startswith("**"))
        if is_keyword_only and not has_star:
            parts.append("*")
            has_star = True
        parts.append(name + "_" * keyword.iskeyword(name) + ("=None" if is_optional else ""))
    return eval(f"lambda {', '.join(parts)}: -1")


@functools.lru_cache(None)
def get_testing_overrides():
    """{function: one of the same parameters that gives -1}, for all that can be overridden."""
    return {function: _dummy_like(function) for functions in get_overridable_functions().values() for function in functions}


@functools.lru_cache(None)
def get_default_nowrap_functions():
    """Functions whose results Tensor.__torch_function__ leaves as they are."""
    return {getattr(torch.Tensor, name).__get__ for name in ("_base", "grad", "_grad") if hasattr(torch.Tensor, name)}


class TorchFunctionMode:
    """While it is entered its __torch_function__ is asked in the place of all functions of torch, the innermost mode first."""

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        torch._C._push_on_torch_function_stack(self)
        return self

    def __exit__(self, kind, value, trace):
        torch._C._pop_torch_function_stack()

    @classmethod
    def push(cls, *args, **kwargs):
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """One that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **({} if kwargs is None else kwargs))
