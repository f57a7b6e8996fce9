"""Specs of trees as text. Behaviour: torch/utils/_pytree.py, treespec_dumps and treespec_loads."""
import json
from enum import Enum

from torch.utils import _pytree as pytree
from torch.utils._pytree_nodes import (NO_SERIALIZED_TYPE_NAME_FOUND, SERIALIZED_TYPE_TO_PYTHON_TYPE, SUPPORTED_SERIALIZED_TYPES,
                                       named_in_module)

_PROTOCOLS = [1]


class EnumEncoder(json.JSONEncoder):
    def default(self, obj):
        if isinstance(obj, Enum):
            return {"__enum__": True, "fqn": f"{type(obj).__module__}:{type(obj).__qualname__}", "name": obj.name}
        return super().default(obj)


def enum_object_hook(obj):
    if "__enum__" not in obj:
        return obj
    module, _, name = obj["fqn"].partition(":")
    found = named_in_module(module, name)
    if not (isinstance(found, type) and issubclass(found, Enum)):
        raise ValueError(f"Can't deserialize {obj['fqn']}: it is no enum.")
    return found[obj["name"]]


def _check(protocol):
    if protocol not in _PROTOCOLS:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: {_PROTOCOLS}")


def treespec_dumps(treespec, protocol=None):
    """A spec as JSON. Errors: TypeError  no spec, or a context that JSON has not; NotImplementedError  a class without a name;
    ValueError  another protocol than 1."""
    if not isinstance(treespec, pytree.TreeSpec):
        raise TypeError("treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got item of type "
                        f"{type(treespec)}.")
    protocol = 1 if protocol is None else protocol
    _check(protocol)
    return json.dumps((protocol, _written(treespec)), cls=EnumEncoder)


def _written(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    known = SUPPORTED_SERIALIZED_TYPES.get(spec.type)
    if known is None:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    if known.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(f"No registered serialization name for {spec.type} found. Please update your "
                                  "_register_pytree_node call with a `serialized_type_name` kwarg.")
    if known.to_dumpable_context is not None:
        context = known.to_dumpable_context(spec.context)
    else:
        try:
            context = json.dumps(spec.context, cls=EnumEncoder)
        except TypeError as error:
            raise TypeError("Unable to serialize context. Please make the context json dump-able, or register a custom serializer "
                            "using _register_pytree_node.") from error
    return {"type": known.serialized_type_name, "context": context, "children_spec": [_written(one) for one in spec.children_specs]}


def treespec_loads(serialized):
    """The spec of such a text. Differs: modules that it names are not imported.

    Errors: ValueError  no such text, another protocol, a name of a module that is not imported; NotImplementedError  a class that
    nobody registered.
    """
    protocol, data = json.loads(serialized)
    _check(protocol)
    return _read(data)


def _read(data):
    if data["type"] is None and data["context"] is None and not data["children_spec"]:
        return pytree.treespec_leaf()
    cls = SERIALIZED_TYPE_TO_PYTHON_TYPE.get(data["type"])
    if cls is None:
        raise NotImplementedError(f"Deserializing {data['type']} in pytree is not registered.")
    read = SUPPORTED_SERIALIZED_TYPES[cls].from_dumpable_context
    if read is not None:
        context = read(data["context"])
    else:
        try:
            context = json.loads(data["context"], object_hook=enum_object_hook)
        except TypeError as error:
            raise TypeError("Unable to deserialize context. Please make the context json load-able, or register a custom serializer "
                            "using _register_pytree_node.") from error
    return pytree.TreeSpec(cls, context, [_read(one) for one in data["children_spec"]])
