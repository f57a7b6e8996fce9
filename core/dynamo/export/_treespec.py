"""Specs of nested inputs as text. Behaviour: torch/utils/_pytree.py, treespec_dumps and treespec_loads."""
import json
from collections import OrderedDict, defaultdict, deque, namedtuple

from torch.utils import _pytree as pytree

_PROTOCOL = 1
_NAMES = {tuple: "builtins.tuple", list: "builtins.list", dict: "builtins.dict", OrderedDict: "collections.OrderedDict",
          defaultdict: "collections.defaultdict", deque: "collections.deque", namedtuple: "collections.namedtuple"}


def treespec_dumps(spec):
    return json.dumps([_PROTOCOL, _written(spec)])


def _written(spec):
    if spec.type is None:
        return {"type": None, "context": None, "children_spec": []}
    context = spec.context
    if spec.type in _NAMES:
        name = _NAMES[spec.type]
        if spec.type is namedtuple:
            context = f"{context.__module__}.{context.__qualname__}"
        elif spec.type is defaultdict:
            factory = context[0]
            context = {"default_factory_module": getattr(factory, "__module__", None), "default_factory_name":
                       getattr(factory, "__qualname__", None), "dict_context": context[1]}
        text = json.dumps(context)
    else:
        name, write, _ = pytree._SERIALIZED.get(spec.type, (None, None, None))
        if name is None:
            raise NotImplementedError(f"No registered serialization name for {spec.type} found. Please update your "
                                      "_register_pytree_node call with a `serialized_type_name` kwarg.")
        text = json.dumps(write(context) if write is not None else context)
    return {"type": name, "context": text, "children_spec": [_written(one) for one in spec.children_specs]}


def treespec_loads(text):
    protocol, data = json.loads(text)
    if protocol != _PROTOCOL:
        raise NotImplementedError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return _read(data)


def _read(data):
    if data["type"] is None:
        return pytree.treespec_leaf()
    children = [_read(one) for one in data["children_spec"]]
    context = json.loads(data["context"]) if data["context"] is not None else None
    for kind, name in _NAMES.items():
        if name != data["type"]:
            continue
        if kind is namedtuple:
            # The class of another program is not here: one with as many fields stands in.
            word = (context if isinstance(context, str) else str(context)).rpartition(".")[2]
            context = namedtuple(word, [f"field_{index}" for index in range(len(children))])
        elif kind is defaultdict:
            context = [None, context["dict_context"]]
        return pytree.TreeSpec(kind, context, children)
    for cls, (name, _, read) in pytree._SERIALIZED.items():
        if name is not None and name == data["type"]:
            return pytree.TreeSpec(cls, read(context) if read is not None else context, children)
    raise NotImplementedError(f"torch.export.load: the container {data['type']} is not registered (torch.export.register_dataclass)")
