"""The classes whose instances are containers in trees. Behaviour: torch/utils/_pytree.py."""
import dataclasses
import sys
import warnings
from collections import OrderedDict, defaultdict, deque, namedtuple

from torch.utils._pytree_keys import GetAttrKey, MappingKey, SequenceKey

NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"

# flatten_fn(x) -> (children, context); unflatten_fn(children, context) -> x; flatten_with_keys_fn(x) -> ([(key, child)], context).
NodeDef = namedtuple("NodeDef", "type flatten_fn unflatten_fn flatten_with_keys_fn")
_SerializeNodeDef = namedtuple("_SerializeNodeDef", "typ serialized_type_name to_dumpable_context from_dumpable_context")

SUPPORTED_NODES = {}
SUPPORTED_SERIALIZED_TYPES = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE = {}
CONSTANT_NODES = set()


def _private_register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                                  from_dumpable_context=None, flatten_with_keys_fn=None):
    if cls in SUPPORTED_NODES:
        warnings.warn(f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=3)
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    name = NO_SERIALIZED_TYPE_NAME_FOUND if serialized_type_name is None else serialized_type_name
    SUPPORTED_SERIALIZED_TYPES[cls] = _SerializeNodeDef(cls, name, to_dumpable_context, from_dumpable_context)
    SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None):
    """Makes a class a container: flatten_fn(x) -> (children, context), unflatten_fn(children, context) -> x, and for paths
    flatten_with_keys_fn(x) -> ([(key, child)], context).

    Errors: ValueError  it is one, or its context can be written and not read.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name,
                                  to_dumpable_context=to_dumpable_context, from_dumpable_context=from_dumpable_context,
                                  flatten_with_keys_fn=flatten_with_keys_fn)


def _register_pytree_node(cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, *, serialized_type_name=None,
                          to_dumpable_context=None, from_dumpable_context=None, flatten_with_keys_fn=None):
    warnings.warn("`torch.utils._pytree._register_pytree_node` is deprecated. Please use "
                  "`torch.utils._pytree.register_pytree_node` instead.", FutureWarning, stacklevel=2)
    if to_str_fn is not None or maybe_from_str_fn is not None:
        warnings.warn("`to_str_fn` and `maybe_from_str_fn` is deprecated. Please use `to_dumpable_context` and "
                      "`from_dumpable_context` instead.", FutureWarning, stacklevel=2)
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name,
                                  to_dumpable_context=to_dumpable_context, from_dumpable_context=from_dumpable_context,
                                  flatten_with_keys_fn=flatten_with_keys_fn)


def _deregister_pytree_node(cls):
    del SUPPORTED_NODES[cls]
    del SERIALIZED_TYPE_TO_PYTHON_TYPE[SUPPORTED_SERIALIZED_TYPES.pop(cls).serialized_type_name]
    CONSTANT_NODES.discard(cls)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Makes a dataclass a container of its fields; those that are None belong to its shape.

    Errors: ValueError  the names are not those of its fields, or it is no dataclass and has none given.
    """
    dropped = drop_field_names or []
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a "
                             "dataclass.")
    else:
        fields = {field.name for field in dataclasses.fields(cls) if field.init}
        if field_names is None:
            field_names = [field.name for field in dataclasses.fields(cls) if field.init]
        elif fields - set(dropped) != set(field_names):
            text = "field_names does not include all dataclass fields.\n"
            if missing := fields - set(dropped) - set(field_names):
                text += (f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please add "
                         "them to `field_names`, otherwise please add them to `drop_field_names`.\n")
            if unexpected := set(field_names) - (fields - set(dropped)):
                text += (f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to "
                         "`drop_field_names`.\n")
            raise ValueError(text)

    def flatten(found):
        given, absent = [], []
        for name in field_names:
            (absent if getattr(found, name) is None else given).append(name)
        return [getattr(found, name) for name in given], [given, absent]

    def unflatten(children, context):
        given, absent = context
        return cls(**dict(zip(given, children)), **dict.fromkeys(absent))

    def flatten_with_keys(found):
        children, context = flatten(found)
        return [(GetAttrKey(name), child) for name, child in zip(context[0], children)], context

    _private_register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name,
                                  flatten_with_keys_fn=flatten_with_keys)


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    value: object


def register_constant(cls):
    """Makes instances of a class parts of the tree's shape, not leaves. Errors: TypeError  they cannot be compared or hashed."""
    if cls.__eq__ is object.__eq__:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.")
    if cls.__hash__ is None:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__hash__` implementation.")

    def flatten(found):
        return [], ConstantNode(found)

    _private_register_pytree_node(cls, flatten, lambda children, context: context.value, flatten_with_keys_fn=flatten)
    CONSTANT_NODES.add(cls)


def is_constant_class(cls):
    return isinstance(cls, type) and cls in CONSTANT_NODES


def is_namedtuple_class(cls):
    return (isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
            and all(type(field) is str for field in cls._fields))


def is_namedtuple_instance(obj):
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


_is_namedtuple_instance = is_namedtuple_instance


def is_structseq_class(cls):
    return (isinstance(cls, type) and cls.__bases__ == (tuple,)
            and all(isinstance(getattr(cls, name, None), int) for name in ("n_fields", "n_sequence_fields", "n_unnamed_fields")))


def is_structseq_instance(obj):
    return is_structseq_class(type(obj))


def is_structseq(obj):
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _flatten_sequence(found):
    return list(found), None


def _sequence_keys(found):
    return [(SequenceKey(place), child) for place, child in enumerate(found)], None


def _flatten_dict(found):
    return list(found.values()), list(found.keys())


def _dict_keys(found):
    return [(MappingKey(key), child) for key, child in found.items()], list(found.keys())


def _namedtuple_flatten(found):
    return list(found), type(found)


def _namedtuple_flatten_with_keys(found):
    return [(GetAttrKey(field), child) for field, child in zip(type(found)._fields, found)], type(found)


def _namedtuple_unflatten(children, context):
    return context(children) if context.__module__ == "torch.return_types" else context(*children)


def _namedtuple_serialize(context):
    known = SUPPORTED_SERIALIZED_TYPES.get(context)
    if known is None or known.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        why = "didn't register" if known is None else "couldn't find"
        raise NotImplementedError(f"Can't serialize TreeSpec of namedtuple class {context} because we {why} a "
                                  "serializated_type_name. Please register using `_register_namedtuple`.")
    return known.serialized_type_name


def _namedtuple_deserialize(dumpable_context):
    if dumpable_context not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Can't deserialize TreeSpec of namedtuple class {dumpable_context} because we couldn't find a "
                                  "serializated name.")
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[dumpable_context]


def _register_namedtuple(cls, *, serialized_type_name):
    """Gives a class of namedtuples the name that it has in texts of specs."""
    _private_register_pytree_node(cls, _namedtuple_flatten, _namedtuple_unflatten, serialized_type_name=serialized_type_name,
                                  to_dumpable_context=_namedtuple_serialize, from_dumpable_context=_namedtuple_deserialize,
                                  flatten_with_keys_fn=_namedtuple_flatten_with_keys)


def _flatten_default(found):
    return list(found.values()), [found.default_factory, list(found.keys())]


def _write_default(context):
    factory, keys = context
    return {"default_factory_module": getattr(factory, "__module__", None),
            "default_factory_name": getattr(factory, "__qualname__", None), "dict_context": keys}


def named_in_module(module, name):
    """What an imported module has under a dotted name: texts of specs import nothing. Errors: ValueError  it is not there."""
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise ValueError(f"Can't deserialize {module}.{name}: the module is not imported, or has no such name.")
    return found


def _read_default(context):
    name = context["default_factory_name"]
    return [None if name is None else named_in_module(context["default_factory_module"], name), context["dict_context"]]


for _cls, _made, _flatten, _keys, _name in (
        (tuple, lambda children, context: tuple(children), _flatten_sequence, _sequence_keys, "builtins.tuple"),
        (list, lambda children, context: list(children), lambda found: (found, None), _sequence_keys, "builtins.list"),
        (dict, lambda children, context: dict(zip(context, children)), _flatten_dict, _dict_keys, "builtins.dict"),
        (OrderedDict, lambda children, context: OrderedDict(zip(context, children)), _flatten_dict, _dict_keys,
         "collections.OrderedDict"),
        (deque, lambda children, context: deque(children, maxlen=context), lambda found: (list(found), found.maxlen),
         lambda found: (_sequence_keys(found)[0], found.maxlen), "collections.deque")):
    _private_register_pytree_node(_cls, _flatten, _made, serialized_type_name=_name, flatten_with_keys_fn=_keys)
_private_register_pytree_node(defaultdict, _flatten_default, lambda children, context: defaultdict(context[0], zip(context[1], children)),
                              serialized_type_name="collections.defaultdict", to_dumpable_context=_write_default,
                              from_dumpable_context=_read_default,
                              flatten_with_keys_fn=lambda found: (_dict_keys(found)[0], _flatten_default(found)[1]))
_private_register_pytree_node(namedtuple, _namedtuple_flatten, _namedtuple_unflatten, serialized_type_name="collections.namedtuple",
                              to_dumpable_context=_namedtuple_serialize, from_dumpable_context=_namedtuple_deserialize,
                              flatten_with_keys_fn=_namedtuple_flatten_with_keys)
