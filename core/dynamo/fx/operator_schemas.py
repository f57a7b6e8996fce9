"""Arguments of functions and modules by their names. Behaviour: torch/fx/operator_schemas.py."""
import inspect
from typing import Any, Dict, NamedTuple, Tuple

from torch import nn

__all__ = ["ArgsKwargsPair", "get_signature_for_torch_op", "normalize_function", "normalize_module"]


class ArgsKwargsPair(NamedTuple):
    args: Tuple[Any, ...]
    kwargs: Dict[str, Any]


def get_signature_for_torch_op(op, return_schemas=False):
    """The signatures of a function of torch, or None where they are not known."""
    try:
        found = [inspect.signature(op)]
    except (TypeError, ValueError):
        return (None, None) if return_schemas else None
    return (found, None) if return_schemas else found


def _named(signature, args, kwargs, only_kwargs):
    """The arguments with all defaults, those with places first; all by name with `only_kwargs`."""
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in signature.parameters.values()):
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    plain, named = [], {}
    for place, (name, one) in enumerate(signature.parameters.items()):
        if not only_kwargs and place < len(args) and one.kind is not one.KEYWORD_ONLY:
            plain.append(bound.arguments[name])
        else:
            named[name] = bound.arguments[name]
    return ArgsKwargsPair(tuple(plain), named)


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """The arguments of a call by the names of its parameters, or None where they cannot be told."""
    for signature in get_signature_for_torch_op(target) or ():
        found = _named(signature, args, kwargs or {}, normalize_to_only_use_kwargs)
        if found is not None:
            return found
    return None


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """The same of a call of the module at `target`. Errors: RuntimeError  there is none."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(f"Tried to normalize node with target {target} but root did not have that target!") from error
    if not isinstance(getattr(nn, type(module).__name__, None), type):
        return None
    return _named(inspect.signature(module.forward), args, kwargs or {}, normalize_to_only_use_kwargs)
