# Paths to the leaves of nested containers, and their shapes as text.
import enum
import json
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass

import torch
from torch.utils import _pytree as pytree

Point = namedtuple("Point", "x y")


class Side(enum.Enum):
    LEFT = 1


@dataclass
class Pair:
    first: object
    second: object = None


class Bag:
    def __init__(self, *items):
        self.items = items


def refused(function):
    try:
        function()
    except (TypeError, ValueError, NotImplementedError) as error:
        print(type(error).__name__, error)


tree = ({"a": [1, Point(2, 3)]}, deque([4], maxlen=3), OrderedDict(b=(5, None)), defaultdict(int, c=6))
found, spec = pytree.tree_flatten_with_path(tree)
print([f"{pytree.keystr(path)}={leaf}" for path, leaf in found])
print(found[1][0], all(pytree.key_get(tree, path) is leaf for path, leaf in found), spec == pytree.tree_structure(tree))
print(pytree.tree_map_with_path(lambda path, x, y: f"{pytree.keystr(path)}:{x + y}", {"k": [1, 2]}, {"k": [10, 20]}))
print(pytree.tree_leaves_with_path([(1, 2), 3], is_leaf=lambda x: isinstance(x, tuple)))

# Texts of shapes.
refused(lambda: pytree.treespec_dumps(spec))
pytree._register_namedtuple(Point, serialized_type_name="trees.Point")
text = pytree.treespec_dumps(spec)
print(text)
print(pytree.treespec_loads(text) == spec, pytree.tree_unflatten([leaf for _, leaf in found], pytree.treespec_loads(text)) == tree)
enums = pytree.tree_structure({Side.LEFT: 1})
print(pytree.treespec_loads(pytree.treespec_dumps(enums)) == enums)
listed = pytree.TreeSpec(list, [Side.LEFT], [])
print(pytree.treespec_dumps(listed), pytree.treespec_loads(pytree.treespec_dumps(listed)) == listed)
refused(lambda: pytree.treespec_loads(text.replace("trees.Point", "trees.Gone")))
refused(lambda: pytree.treespec_loads(text.replace('"builtins"', '"antigravity"')))
refused(lambda: pytree.treespec_loads(json.dumps([2, None])))
refused(lambda: pytree.treespec_dumps("spec"))
refused(lambda: pytree.treespec_dumps(spec, 7))

# Classes of programs.
pytree.register_dataclass(Pair, serialized_type_name="trees.Pair")
pair = [Pair(1), Pair(2, [3])]
print([pytree.keystr(path) for path, _ in pytree.tree_leaves_with_path(pair)], pytree.tree_map(lambda x: -x, pair))
spec = pytree.tree_structure(pair)
print(pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec)
pytree.register_pytree_node(Bag, lambda bag: (list(bag.items), None), lambda items, _: Bag(*items))
refused(lambda: pytree.tree_leaves_with_path(Bag(1)))
refused(lambda: pytree.treespec_dumps(pytree.tree_structure(Bag(1))))
refused(lambda: pytree.register_pytree_node(Bag, None, None))
refused(lambda: pytree.register_pytree_node(Side, None, None, to_dumpable_context=str))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pytree._register_pytree_node(Bag, lambda bag: (list(bag.items), None), lambda items, _: Bag(*items))
print([(one.category.__name__, str(one.message)) for one in caught])
pytree._deregister_pytree_node(Bag)
print(len(pytree.tree_leaves([Bag(1), torch.ones(1)])), all(hasattr(pytree, name) for name in pytree.__all__))
