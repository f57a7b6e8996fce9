"""torch.utils._pytree: nested containers as lists of leaves. Behaviour: torch/utils/_pytree.py."""
from collections import OrderedDict, defaultdict, deque, namedtuple

_Kind = namedtuple("_Kind", "flatten unflatten")
_KINDS = {}
# (the name in files, how its context is written, how it is read), of classes that programs registered.
_SERIALIZED = {}


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Makes a class a container: flatten_fn(x) -> (children, context), unflatten_fn(children, context) -> x."""
    if cls in _KINDS:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _KINDS[cls] = _Kind(flatten_fn, unflatten_fn)
    _SERIALIZED[cls] = (serialized_type_name, to_dumpable_context, from_dumpable_context)


_register_pytree_node = register_pytree_node


def _flatten_dict(found):
    return list(found.values()), list(found.keys())


_KINDS[tuple] = _Kind(lambda found: (list(found), None), lambda children, context: tuple(children))
_KINDS[list] = _Kind(lambda found: (found, None), lambda children, context: list(children))
_KINDS[dict] = _Kind(_flatten_dict, lambda children, context: dict(zip(context, children)))
_KINDS[OrderedDict] = _Kind(_flatten_dict, lambda children, context: OrderedDict(zip(context, children)))
_KINDS[defaultdict] = _Kind(lambda found: (list(found.values()), [found.default_factory, list(found.keys())]),
                            lambda children, context: defaultdict(context[0], zip(context[1], children)))
_KINDS[deque] = _Kind(lambda found: (list(found), found.maxlen), lambda children, context: deque(children, maxlen=context))
_NAMED = _Kind(lambda found: (list(found), type(found)), lambda children, context:
               context(children) if context.__module__ == "torch.return_types" else context(*children))


def is_namedtuple_class(cls):
    return (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
            and all(isinstance(field, str) for field in cls._fields))


def is_namedtuple_instance(instance):
    return is_namedtuple_class(type(instance))


_is_namedtuple_instance = is_namedtuple_instance


def _kind(tree):
    """(the class that stands for it, how it is taken apart), or (None, None) for a leaf."""
    cls = type(tree)
    if cls in _KINDS:
        return cls, _KINDS[cls]
    return (namedtuple, _NAMED) if is_namedtuple_class(cls) else (None, None)


def _is_leaf(tree, is_leaf=None):
    return (is_leaf is not None and is_leaf(tree)) or _kind(tree)[0] is None


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
        cls, kind = _kind(tree)
        if cls is not self.type:
            raise ValueError(f"Type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = kind.flatten(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if cls in (dict, OrderedDict):
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
        kind = _NAMED if self.type is namedtuple else _KINDS[self.type]
        return kind.unflatten(children, self.context)


class LeafSpec(TreeSpec):
    """The shape of a leaf."""

    def __init__(self):
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def treespec_leaf():
    return _LEAF


def _flatten(tree, leaves, is_leaf):
    if _is_leaf(tree, is_leaf):
        leaves.append(tree)
        return _LEAF
    cls, kind = _kind(tree)
    children, context = kind.flatten(tree)
    return TreeSpec(cls, context, [_flatten(child, leaves, is_leaf) for child in children])


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
    if _is_leaf(tree, is_leaf):
        yield tree
        return
    for child in _kind(tree)[1].flatten(tree)[0]:
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
    if _is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    cls, kind = _kind(tree)
    children, context = kind.flatten(tree)
    if cls is not treespec.type or len(children) != treespec.num_children or context != treespec.context:
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


def register_constant(cls):
    """Makes instances of a class parts of the tree's shape, not leaves. Errors: ValueError, TypeError  they cannot be
    compared or hashed."""
    if cls.__eq__ is object.__eq__:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.")
    if cls.__hash__ is None:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__hash__` implementation.")
    register_pytree_node(cls, lambda found: ([], found), lambda children, context: context)
    _CONSTANTS.add(cls)


_CONSTANTS = set()


def is_constant_class(cls):
    return cls in _CONSTANTS
