"""torch.utils._pytree: nested containers as lists of leaves. Behaviour: torch/utils/_pytree.py."""
from collections import OrderedDict, namedtuple
from typing import Any, Callable, Tuple

from torch.utils._pytree_keys import GetAttrKey, MappingKey, SequenceKey, key_get, keystr
from torch.utils._pytree_nodes import (CONSTANT_NODES, NO_SERIALIZED_TYPE_NAME_FOUND, SERIALIZED_TYPE_TO_PYTHON_TYPE,
                                       SUPPORTED_NODES, SUPPORTED_SERIALIZED_TYPES, ConstantNode, NodeDef, _deregister_pytree_node,
                                       _is_namedtuple_instance, _private_register_pytree_node, _register_namedtuple,
                                       _register_pytree_node, is_constant_class, is_namedtuple, is_namedtuple_class,
                                       is_namedtuple_instance, is_structseq, is_structseq_class, is_structseq_instance,
                                       register_constant, register_dataclass, register_pytree_node)

__all__ = [
    "PyTree", "Context", "FlattenFunc", "UnflattenFunc", "DumpableContext", "ToDumpableContextFn", "FromDumpableContextFn",
    "TreeSpec", "LeafSpec", "keystr", "key_get", "register_pytree_node", "tree_is_leaf", "tree_flatten", "tree_flatten_with_path",
    "tree_unflatten", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_structure", "tree_map", "tree_map_with_path",
    "tree_map_", "tree_map_only", "tree_map_only_", "tree_all", "tree_any", "tree_all_only", "tree_any_only", "treespec_dumps",
    "treespec_loads", "treespec_pprint", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance", "is_structseq",
    "is_structseq_class", "is_structseq_instance",
]

Context = Any
PyTree = Any
DumpableContext = Any
FlattenFunc = Callable
UnflattenFunc = Callable
ToDumpableContextFn = Callable
FromDumpableContextFn = Callable
KeyPath = Tuple
DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1


def _get_node_type(tree):
    return namedtuple if is_namedtuple_instance(tree) else type(tree)


def _node_of(tree):
    """How it is taken apart: a NodeDef; None for a leaf."""
    return SUPPORTED_NODES.get(_get_node_type(tree))


def tree_is_leaf(tree, is_leaf=None):
    return (is_leaf is not None and is_leaf(tree)) or _node_of(tree) is None


class TreeSpec:
    """The shape of a tree without its leaves."""

    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, list(children_specs)
        self.num_children = len(self.children_specs)
        self.num_nodes = 1 + sum(one.num_nodes for one in self.children_specs)
        self.num_leaves = 1 if type is None else sum(one.num_leaves for one in self.children_specs)

    def children(self):
        return list(self.children_specs)

    def child(self, index):
        return self.children_specs[index]

    def is_leaf(self):
        return self.type is None

    def __repr__(self, indent=0):
        if self.type is None:
            return "*"
        start = f"TreeSpec({self.type.__name__}, {self.context}, ["
        inner = indent + 2
        parts = [one.__repr__(inner) for one in self.children_specs]
        if len(parts) > 1:
            return start + (",\n" + " " * inner).join([parts[0], *parts[1:]]) + "])"
        return start + "".join(parts) + "])"

    __str__ = __repr__

    def __eq__(self, other):
        if self is other:
            return True
        return (isinstance(other, TreeSpec) and self.type is other.type and self.context == other.context
                and self.children_specs == other.children_specs)

    def __hash__(self):
        context = tuple(self.context) if isinstance(self.context, list) and self.type is dict else None
        return hash((self.type, context, tuple(self.children_specs)))

    def flatten_up_to(self, tree):
        """The subtrees of `tree` that stand where the leaves of this do."""
        found = []
        self._flatten_up_to(tree, found)
        return found

    def _flatten_up_to(self, tree, found):
        if self.type is None:
            found.append(tree)
            return
        node = _node_of(tree)
        if node is None or node.type is not self.type:
            raise ValueError(f"Type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = node.flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if self.type in (dict, OrderedDict):
            children = [tree[key] for key in self.context]
        for child, spec in zip(children, self.children_specs):
            spec._flatten_up_to(child, found)

    def unflatten(self, leaves):
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree "
                             f"that holds {self.num_leaves} items ({self}).")
        return self._unflatten(iter(leaves))

    def _unflatten(self, leaves):
        if self.type is None:
            return next(leaves)
        children = [one._unflatten(leaves) for one in self.children_specs]
        return SUPPORTED_NODES[self.type].unflatten_fn(children, self.context)


class LeafSpec(TreeSpec):
    """The shape of a leaf."""

    def __init__(self):
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def treespec_leaf():
    return _LEAF


def _flatten(tree, leaves, is_leaf):
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF
    node = _node_of(tree)
    children, context = node.flatten_fn(tree)
    return TreeSpec(node.type, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_flatten(tree, is_leaf=None):
    leaves = []
    spec = _flatten(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves, treespec):
    if not isinstance(treespec, TreeSpec):
        raise TypeError("tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of "
                        f"type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_iter(tree, is_leaf=None):
    if tree_is_leaf(tree, is_leaf):
        yield tree
        return
    for child in _node_of(tree).flatten_fn(tree)[0]:
        yield from tree_iter(child, is_leaf)


def tree_leaves(tree, is_leaf=None):
    return list(tree_iter(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(one) for one in rests]
    return spec.unflatten([func(*each) for each in zip(leaves, *others)])


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls func for its effects; gives the tree as it is."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(one) for one in rests]
    for each in zip(leaves, *others):
        func(*each)
    return tree


def map_only(type_or_types_or_pred, /):
    """A decorator: the function for what is of a class (or a predicate holds for), all else unchanged."""
    chosen = type_or_types_or_pred
    if isinstance(chosen, (type, tuple)):
        def holds(value):
            return isinstance(value, chosen)
    elif callable(chosen):
        holds = chosen
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    return lambda func: lambda value: func(value) if holds(value) else value


def tree_map_only(type_or_types_or_pred, /, func=None, tree=None, is_leaf=None):
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, /, func=None, tree=None, is_leaf=None):
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, /, pred=None, tree=None, is_leaf=None):
    return all(pred(one) for one in tree_iter(tree, is_leaf) if isinstance(one, type_or_types))


def tree_any_only(type_or_types, /, pred=None, tree=None, is_leaf=None):
    return any(pred(one) for one in tree_iter(tree, is_leaf) if isinstance(one, type_or_types))


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of `tree`, each as often as `treespec` has leaves in its place; None if the two do not fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    node = _node_of(tree)
    children, context = node.flatten_fn(tree)
    if node.type is not treespec.type or len(children) != treespec.num_children or context != treespec.context:
        return None
    leaves = []
    for child, spec in zip(children, treespec.children_specs):
        found = _broadcast_to_and_flatten(child, spec, is_leaf)
        if found is None:
            return None
        leaves += found
    return leaves


class _Asterisk:
    def __repr__(self):
        return "*"


def treespec_pprint(treespec):
    """The tree with "*" for its leaves, as text."""
    return repr(tree_unflatten([_Asterisk()] * treespec.num_leaves, treespec))


def arg_tree_leaves(*args, **kwargs):
    return tree_leaves((args, tuple(kwargs.values())))


def tree_leaves_with_path(tree, is_leaf=None):
    """[(path, leaf)]; a path is a tuple of keys (keystr, key_get). Errors: ValueError  a class that tells no keys."""
    found = []
    _with_paths((), tree, is_leaf, found)
    return found


def _with_paths(path, tree, is_leaf, found):
    if tree_is_leaf(tree, is_leaf):
        found.append((path, tree))
        return
    node = _node_of(tree)
    if node.flatten_with_keys_fn is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a flatten_with_keys_fn argument to "
                         "register_pytree_node.")
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        _with_paths((*path, key), child, is_leaf, found)


def tree_flatten_with_path(tree, is_leaf=None):
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """tree_map() of func(path, leaf, *others)."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(one) for one in rests]
    return spec.unflatten([func(path, leaf, *each) for (path, leaf), *each in zip(found, *others)])


def treespec_dumps(treespec, protocol=None):
    from torch.utils import _pytree_text
    return _pytree_text.treespec_dumps(treespec, protocol)


def treespec_loads(serialized):
    from torch.utils import _pytree_text
    return _pytree_text.treespec_loads(serialized)
