"""Nodes of graphs and their arguments. Behaviour: torch/fx/node.py."""
import builtins
import inspect
import operator
import sys
import types
import typing
import warnings
from typing import Any, Callable, Optional, Union

import torch
from torch.fx.immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

BaseArgumentTypes = Union[str, int, float, bool, complex, torch.dtype, torch.Tensor, torch.device, torch.memory_format, torch.layout]
base_types = typing.get_args(BaseArgumentTypes)
Target = Union[Callable[..., Any], str]
Argument = Optional[Any]

_legal_ops = dict.fromkeys(["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"])
_side_effectful_functions = {torch._assert, torch._assert_async, operator.setitem}


def has_side_effect(fn):
    """Makes calls of a function stay in graphs from which unused nodes are removed. Gives the function."""
    _side_effectful_functions.add(fn)
    return fn


def _type_repr(obj):
    """A type as annotations write it: `int`, `torch.Tensor`."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{obj.__module__}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    return obj.__name__ if isinstance(obj, types.FunctionType) else repr(obj)


def _find_module_of_method(orig_method):
    name, module = orig_method.__name__, getattr(orig_method, "__module__", None)
    if module not in (None, "builtins"):
        return module
    loaded = [one for path, one in list(sys.modules.items()) if path.startswith("torch.")]
    for guess in (torch, torch.nn.functional, *loaded):
        if getattr(guess, name, None) is orig_method:
            return guess.__name__
    if module is not None:
        return module
    raise RuntimeError(f"cannot find module for {orig_method}")


def _get_qualified_name(func):
    """The path by which code refers to a function: `torch.relu`, `torch.nn.functional.relu`, `len`.

    Errors: RuntimeError  a lambda whose source is not there."""
    name = func.__name__
    if getattr(builtins, name, None) is func:
        return name
    if getattr(torch.Tensor, name, None) is func:
        return f"torch.Tensor.{name}"
    if _is_operator(func):
        return f"_operator.{name}"
    known = torch._C._dynamo.target_text(func)
    if known is not None:
        return known
    if name == "<lambda>":
        try:
            name = inspect.getsource(func).split("=")[0].strip()
        except Exception as error:
            raise RuntimeError("Unable to represent lambda") from error
    return f"{_find_module_of_method(func).replace('torch._ops', 'torch.ops')}.{name}"


def _is_operator(target):
    return getattr(target, "__module__", "") in ("_operator", "operator")


def _format_arg(arg, max_list_len=float("inf")):
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(one) for place, one in enumerate(arg) if place < max_list_len]
        rest = "" if len(arg) < max_list_len + 1 else f", ...[total_len={len(arg)}]"
        if isinstance(arg, list):
            return f"[{', '.join(shown)}{rest}]"
        return f"({', '.join(shown)}{',' if len(arg) == 1 else ''}{rest})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_format_arg(one)}" for key, one in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


def _wanted_target(op, target):
    """What a node of this kind calls or names, as an error says it; None where the target is such."""
    fits = callable(target) if op == "call_function" else isinstance(target, str)
    return None if fits else "Callable" if op == "call_function" else "str"


class Node:
    """One value of a graph: a parameter of it, an attribute, a call, or what it gives.

    `op` is one of placeholder, get_attr, call_function, call_method, call_module, output; `target` the name of the parameter, the
    path of the attribute or module, the function, or the name of the method; `users` the nodes that use it; `meta` what passes
    note. Nodes are a list with two ends: next and prev lead around it, through the root of the graph."""

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op not in _legal_ops:
            raise AssertionError(f"op {op} is not one of {list(_legal_ops)}")
        wanted = _wanted_target(op, target)
        if wanted is not None:
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target!r} has type {torch.typename(target)} but a "
                             f"{wanted} is expected")
        self.graph, self.name, self.op, self.target = graph, name, op, target
        self.users, self.meta, self.type = {}, {}, return_type
        self._input_nodes, self._repr_fn, self._erased = {}, None, False
        self._prev = self._next = self
        self._update_args_kwargs(_plain_copy(args), _plain_copy(kwargs))

    def __repr__(self):
        return self.name if self._repr_fn is None else self._repr_fn(self)

    def __lt__(self, other):
        return self.graph._position(self) < self.graph._position(other)

    def __gt__(self, other):
        return other < self

    def __le__(self, other):
        return not other < self

    def __ge__(self, other):
        return not self < other

    def _update_args_kwargs(self, args, kwargs):
        """Other arguments: the nodes among them know their users."""
        for used in self._input_nodes:
            used.users.pop(self, None)
        self._args, self._kwargs, self._input_nodes = args, kwargs, {}
        map_arg((args, kwargs), self._input_nodes.setdefault)
        for used in self._input_nodes:
            used.users.setdefault(self)

    args = property(lambda self: self._args, lambda self, args: self._update_args_kwargs(_plain_copy(args), self._kwargs))
    kwargs = property(lambda self: self._kwargs, lambda self, kwargs: self._update_args_kwargs(self._args, _plain_copy(kwargs)))
    next = property(lambda self: self._next)
    prev = property(lambda self: self._prev)
    all_input_nodes = property(lambda self: list(self._input_nodes))
    stack_trace = property(lambda self: self.meta.get("stack_trace"), lambda self, trace: self.meta.__setitem__("stack_trace", trace))

    def _remove_from_list(self):
        self._prev._next, self._next._prev = self._next, self._prev
        self.graph._order = None

    def prepend(self, x):
        """Puts a node of the graph in front of this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            warnings.warn("Trying to prepend a node to itself. This behavior has no effect on the graph.")
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x):
        """Puts a node of the graph behind this one."""
        self._next.prepend(x)

    def update_arg(self, idx, arg):
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        """Puts an argument in front of the one with this index."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key, arg):
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        def change(node):
            return new_input if node is old_input else node

        self._tell_replacement(old_input, new_input)
        self._update_args_kwargs(map_arg(self.args, change), map_arg(self.kwargs, change))

    def replace_all_uses_with(self, replace_with, delete_user_cb=lambda user: True, *, propagate_meta=False):
        """Every user of this node uses another one, unless `delete_user_cb` says no to it. Gives those that changed."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                                     "has .meta keys")
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    def _tell_replacement(self, old, new):
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            hook(old=old, new=getattr(new, "name", new), user=self)

    def _rename(self, candidate):
        if candidate == self.name:
            return
        for user in self.users:
            user._tell_replacement(self, candidate)
        self.name = self.graph._graph_namespace.create_name(candidate, None)
        self.graph._graph_namespace._rename_object(self, self.name)

    def is_impure(self, impure_random=True):
        """Whether it does something beside giving a value, so that it stays though nothing uses it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            schema = getattr(self.target, "_schema", None)
            if schema is not None and schema.is_mutable:
                return True
            return self.target in _side_effectful_functions
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        return False

    @staticmethod
    def _pretty_print_target(target):
        if isinstance(target, str):
            return target
        if _is_operator(target):
            return f"operator.{target.__name__}"
        if getattr(builtins, target.__name__, None) is target:
            return f"builtins.{target.__name__}"
        return _get_qualified_name(target)

    def format_node(self, placeholder_names=None, maybe_return_typename=None):
        """The node as a graph's text shows it."""
        kind = f"{_type_repr(self.type)} " if self.type is not None else ""
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{head}[target={self.target}]{default}"
        if self.op == "output":
            return f"return {self.args[0]}"
        target = f"{head}[target={self._pretty_print_target(self.target)}]"
        if self.op == "get_attr":
            return target
        return f"{target}(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """Arguments by the names of the target's parameters with all defaults, or None where that cannot be told."""
        from torch.fx.operator_schemas import normalize_function, normalize_module
        if self.op == "call_function":
            return normalize_function(self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs)
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None


def _plain_copy(value):
    return map_aggregate(value, lambda one: one)


def map_arg(a, fn):
    """The arguments with fn(node) in the place of each node."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda one: fn(one) if isinstance(one, Node) else one)


def map_aggregate(a, fn):
    """The arguments with fn(leaf) in the place of each leaf of tuples, lists, dicts and slices."""
    if isinstance(a, tuple):
        made = tuple(map_aggregate(one, fn) for one in a)
        return made if not hasattr(a, "_fields") else type(a)(*made)
    if isinstance(a, list):
        return immutable_list(map_aggregate(one, fn) for one in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(one, fn)) for key, one in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)
