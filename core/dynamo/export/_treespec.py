"""Specs of nested inputs in files, whose classes of namedtuples may be those of another program."""
import json
from collections import namedtuple

from torch.utils import _pytree as pytree


def treespec_dumps(spec):
    _name_namedtuples(spec)
    return pytree.treespec_dumps(spec)


def _name_namedtuples(spec):
    if spec.type is namedtuple and spec.context not in pytree.SUPPORTED_SERIALIZED_TYPES:
        pytree._register_namedtuple(spec.context, serialized_type_name=f"{spec.context.__module__}.{spec.context.__qualname__}")
    for one in spec.children_specs:
        _name_namedtuples(one)


def treespec_loads(text):
    _, data = json.loads(text)
    _stand_in(data)
    return pytree.treespec_loads(text)


def _stand_in(data):
    """For a class that is not here: one with as many fields."""
    name = data["context"]
    if data["type"] == "collections.namedtuple" and name not in pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE:
        word = str(name).rpartition(".")[2]
        cls = namedtuple(word if word.isidentifier() else "Named", [f"field_{place}" for place in range(len(data["children_spec"]))])
        pytree._register_namedtuple(cls, serialized_type_name=name)
    for one in data["children_spec"]:
        _stand_in(one)
