"""The classes of typing that programs derive from: Generic, Protocol, NamedTuple, TypedDict."""

import sys
from abc import ABCMeta
from collections import namedtuple

from _generics import parameters_of
from _typing_forms import Alias, TypeVarTuple, UnpackedVariable, _Variable, type_check, type_convert


def own_annotations(namespace):
    """The annotations that a class body made, from its namespace."""
    names = {key: namespace[key] for key in ("__annotations__", "__annotate__", "__annotate_func__", "__module__")
             if key in namespace}
    return dict(type("annotated", (), names).__annotations__)


def _generic_parameters(cls, bases):
    """The type variables of a class, in order."""
    variables = parameters_of([base for base in bases if hasattr(base, "__args__")])
    for base in bases:
        if isinstance(base, Alias) and base.__origin__ in (Generic, Protocol) and base.__args__:
            given = base.__parameters__
            missing = [one for one in variables if one not in given]
            if missing:
                kind = base.__origin__.__name__
                raise TypeError(f"Some type variables ({', '.join(map(str, missing))}) are not listed in "
                                f"{kind}[{', '.join(map(str, given))}]")
            return given
    return variables


class Generic:
    """A base class with type variables."""

    __slots__ = ()
    _is_protocol = False

    def __class_getitem__(cls, given):
        given = given if isinstance(given, tuple) else (given,)
        if cls in (Generic, Protocol):
            name = cls.__name__
            if not given:
                raise TypeError(f"Parameter list to {cls.__qualname__}[...] cannot be empty")
            given = tuple(type_convert(one) for one in given)
            if not all(isinstance(one, (_Variable, UnpackedVariable)) for one in given):
                raise TypeError(f"Parameters to {name}[...] must all be type variables or parameter specification variables.")
            if len(set(given)) != len(given):
                raise TypeError(f"Parameters to {name}[...] must all be unique")
            return Alias(cls, given)
        variables = getattr(cls, "__parameters__", ())
        if not variables:
            raise TypeError(f"{cls} is not a generic class")
        given = tuple(one if isinstance(one, list) else
                      type_check(one, "Parameters to generic types must be types.") for one in given)
        if not any(isinstance(one, TypeVarTuple) for one in variables):
            if len(given) < len(variables):
                given += tuple(one.__default__ for one in variables[len(given):] if one.has_default())
            if len(given) != len(variables):
                wanted = sum(not one.has_default() for one in variables)
                word, expected = ("many", len(variables)) if len(given) > len(variables) else ("few", f"at least {wanted}")
                raise TypeError(f"Too {word} arguments for {cls}; actual {len(given)}, expected {expected}")
        return Alias(cls, given)

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        bases = cls.__dict__.get("__orig_bases__")
        if bases is not None:
            if Generic in bases:
                raise TypeError("Cannot inherit from plain Generic")
            cls.__parameters__ = tuple(_generic_parameters(cls, bases))
        else:
            if Generic in cls.__bases__ and cls.__name__ != "Protocol":
                raise TypeError("Cannot inherit from plain Generic")
            cls.__parameters__ = ()


def generic_base(variables):
    """Generic[...] of the type parameters of a class."""
    given = []
    for one in variables:
        given.extend(one if isinstance(one, TypeVarTuple) else (one,))
    return Generic[tuple(given)]


_NO_MEMBERS = frozenset(("__abstractmethods__", "__annotations__", "__annotate__", "__annotate_func__", "__dict__", "__doc__",
                         "__init__", "__module__", "__new__", "__slots__", "__subclasshook__", "__weakref__",
                         "__class_getitem__", "__match_args__", "__static_attributes__", "__firstlineno__", "__parameters__",
                         "__orig_bases__", "__orig_class__", "_is_protocol", "_is_runtime_protocol", "__protocol_attrs__",
                         "__non_callable_proto_members__", "__type_params__", "__annotations_cache__", "_abc_impl",
                         "__qualname__"))


def protocol_members(cls):
    """The names that an object must have to be of a protocol."""
    names = set()
    for base in cls.__mro__[:-1]:
        if base in (Generic, Protocol) or not getattr(base, "_is_protocol", False):
            continue
        for name in (*base.__dict__, *base.__annotations__):
            if name not in _NO_MEMBERS and not name.startswith("_abc_"):
                names.add(name)
    return names


class _ProtocolMeta(ABCMeta):
    def __instancecheck__(cls, instance):
        if cls is Protocol or not getattr(cls, "_is_protocol", False):
            return type.__instancecheck__(cls, instance) if cls is Protocol else super().__instancecheck__(instance)
        if not getattr(cls, "_is_runtime_protocol", False):
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        if super().__instancecheck__(instance):
            return True
        for name in protocol_members(cls):
            value = getattr(instance, name, cls)
            if value is cls or value is None and callable(getattr(cls, name, None)):
                return False
        return True

    def __subclasscheck__(cls, other):
        if cls is Protocol:
            return type.__subclasscheck__(cls, other)
        if getattr(cls, "_is_protocol", False):
            if not isinstance(other, type):
                raise TypeError("issubclass() arg 1 must be a class")
            if not getattr(cls, "_is_runtime_protocol", False):
                raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        return super().__subclasscheck__(other)


def _protocol_hook(cls, other):
    if not cls.__dict__.get("_is_protocol", False):
        return NotImplemented
    data = sorted(name for name in protocol_members(cls) if not callable(getattr(cls, name, None)))
    if data and not cls in other.__mro__:
        return NotImplemented
    for name in protocol_members(cls):
        for base in other.__mro__:
            if name in base.__dict__:
                if base.__dict__[name] is None:
                    return NotImplemented
                break
            if name in getattr(base, "__annotations__", {}) and getattr(base, "_is_protocol", False):
                break
        else:
            return NotImplemented
    return True


def _no_protocol_instances(self, *args, **kwargs):
    if type(self)._is_protocol:
        raise TypeError("Protocols cannot be instantiated")





class Protocol(Generic, metaclass=_ProtocolMeta):
    """A base class of protocols: what has the members is an instance."""

    __slots__ = ()
    _is_protocol = True
    _is_runtime_protocol = False

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        if not cls.__dict__.get("_is_protocol", False):
            cls._is_protocol = any(base is Protocol for base in cls.__bases__)
        if "__subclasshook__" not in cls.__dict__:
            cls.__subclasshook__ = classmethod(_protocol_hook)
        if cls._is_protocol:
            for base in cls.__bases__:
                if base not in (object, Generic) and not getattr(base, "_is_protocol", False) and \
                        base.__module__ not in ("collections.abc", "contextlib", "typing", "abc"):
                    raise TypeError(f"Protocols can only inherit from other protocols, got {base!r}")
            if cls.__init__ is Protocol.__init__ or "__init__" not in cls.__dict__:
                cls.__init__ = _no_protocol_instances
        elif cls.__init__ is _no_protocol_instances:
            # A class that implements a protocol begins as the next class says that is no protocol.
            cls.__init__ = next((base.__dict__["__init__"] for base in cls.__mro__
                                 if base.__dict__.get("__init__", _no_protocol_instances) is not _no_protocol_instances),
                                object.__init__)


def runtime_checkable(cls):
    """Lets isinstance() ask a protocol."""
    if not (isinstance(cls, type) and issubclass(cls, Generic) and getattr(cls, "_is_protocol", False)):
        raise TypeError(f"@runtime_checkable can be only applied to protocol classes, got {cls!r}")
    cls._is_runtime_protocol = True
    return cls


# NamedTuple

_PROHIBITED = frozenset(("__new__", "__init__", "__slots__", "__getnewargs__", "_fields", "_field_defaults", "_field_types",
                         "_make", "_replace", "_asdict", "_source"))
_SPECIAL = frozenset(("__module__", "__name__", "__annotations__", "__annotate__", "__annotate_func__",
                      "__annotations_cache__", "__qualname__", "__doc__", "__static_attributes__", "__firstlineno__",
                      "__classcell__", "__orig_bases__"))


def _make_named(name, types, defaults, module):
    types = {field: type_check(one, f"field {field} annotation must be a type") for field, one in types.items()}
    made = namedtuple(name, types, defaults=defaults, module=module)
    made.__annotations__ = made.__new__.__annotations__ = types
    return made


class NamedTupleMeta(type):
    """Makes a named tuple from a class body."""

    def __new__(mcls, typename, bases, namespace):
        types = own_annotations(namespace)
        others = tuple(base for base in bases if base is not _named_tuple_base)
        for base in others:
            if base is not Generic:
                raise TypeError("can only inherit from a NamedTuple type and Generic")
        defaults = []
        for name in types:
            if name in namespace:
                defaults.append(name)
            elif defaults:
                plural = "s" if len(defaults) > 1 else ""
                raise TypeError(f"Non-default namedtuple field {name} cannot follow default field{plural} "
                                f"{', '.join(defaults)}")
        made = _make_named(typename, types, [namespace[name] for name in defaults], namespace["__module__"])
        if others:
            made = type(typename, (made, *others), {"__slots__": (), "__module__": namespace["__module__"],
                                                    "__doc__": made.__doc__,
                                                    "__orig_bases__": namespace.get("__orig_bases__", others)})
        for key, value in namespace.items():
            if key in _PROHIBITED:
                raise AttributeError(f"Cannot overwrite NamedTuple attribute {key}")
            if key not in _SPECIAL and key not in made._fields:
                setattr(made, key, value)
                set_name = getattr(type(value), "__set_name__", None)
                if set_name is not None:
                    set_name(value, made, key)
        if namespace.get("__doc__") is not None:
            made.__doc__ = namespace["__doc__"]
        if "__qualname__" in namespace:
            made.__qualname__ = namespace["__qualname__"]
        cell = namespace.get("__classcell__")
        if cell is not None:
            cell.cell_contents = made
        return made


def NamedTuple(typename, fields, /):
    """A named tuple whose fields have types: the base of a class, or called with (name, type) pairs."""
    pairs = [(name, type_convert(one)) for name, one in fields]
    made = _make_named(typename, dict(pairs), None, sys._getframe(1).f_globals.get("__name__", "__main__"))
    made.__orig_bases__ = (NamedTuple,)
    return made


_named_tuple_base = type.__new__(NamedTupleMeta, "NamedTuple", (), {})
NamedTuple.__mro_entries__ = lambda bases: (_named_tuple_base,)


# TypedDict

class TypedDictMeta(type):
    """Makes a dict whose keys have types from a class body."""

    def __new__(mcls, name, bases, namespace, total=True, closed=None, extra_items=None):
        for base in bases:
            if type(base) is not TypedDictMeta and base is not Generic:
                raise TypeError("cannot inherit from both a TypedDict type and a non-TypedDict base class")
        own = {key: type_check(one, "TypedDict('Name', {f0: t0, f1: t1, ...}); each t must be a type")
               for key, one in own_annotations(namespace).items()}
        generic = (Generic,) if any(base is Generic or issubclass(base, Generic) for base in bases) else ()
        made = type.__new__(mcls, name, (*generic, dict), namespace)
        made.__orig_bases__ = namespace.get("__orig_bases__", bases)
        annotations = {}
        required, optional = set(), set()
        for base in bases:
            annotations.update(base.__dict__.get("__annotations__", {}))
            required |= base.__dict__.get("__required_keys__", frozenset())
            optional |= base.__dict__.get("__optional_keys__", frozenset())
        for key, one in own.items():
            annotations[key] = one
            marks = set()
            while getattr(one, "_name", None) in ("Required", "NotRequired", "ReadOnly", "Annotated"):
                marks.add(one._name)
                one = one.__args__[0]
            is_required = "Required" in marks or "NotRequired" not in marks and total
            (required if is_required else optional).add(key)
            (optional if is_required else required).discard(key)
        made.__annotations__ = annotations
        made.__required_keys__ = frozenset(required)
        made.__optional_keys__ = frozenset(optional)
        made.__total__ = total
        return made

    def __call__(cls, /, *args, **kwargs):
        return dict(*args, **kwargs)

    def __subclasscheck__(cls, other):
        raise TypeError("TypedDict does not support instance and class checks")

    __instancecheck__ = __subclasscheck__


def TypedDict(typename, fields, /, *, total=True, closed=None, extra_items=None):
    """A dict whose keys have types: the base of a class, or called with a dict of types."""
    module = sys._getframe(1).f_globals.get("__name__", "__main__")
    made = TypedDictMeta(typename, (), {"__annotations__": dict(fields), "__module__": module}, total=total)
    made.__orig_bases__ = (TypedDict,)
    return made


_typed_dict_base = type.__new__(TypedDictMeta, "TypedDict", (), {})
TypedDict.__mro_entries__ = lambda bases: (_typed_dict_base,)

for _one in (Generic, Protocol, NamedTuple, NamedTupleMeta, TypedDict, TypedDictMeta, _ProtocolMeta, runtime_checkable,
             _named_tuple_base, _typed_dict_base):
    _one.__module__ = "typing"
