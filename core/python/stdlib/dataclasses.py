"""Classes that are made of their fields."""

__all__ = ["dataclass", "field", "Field", "FrozenInstanceError", "InitVar", "KW_ONLY", "MISSING", "fields", "asdict",
           "astuple", "make_dataclass", "replace", "is_dataclass"]

import sys
from reprlib import recursive_repr
from types import GenericAlias, MappingProxyType

from _generics import annotation_text

_FIELDS = "__dataclass_fields__"
_PARAMS = "__dataclass_params__"
_POST_INIT = "__post_init__"
_ATOMIC = frozenset((type(None), bool, int, float, str, complex, bytes, type(...), type(NotImplemented), type))


class FrozenInstanceError(AttributeError):
    """Raised where a field of a frozen instance is written."""


class _Sentinel:
    """A value that stands for itself only."""

    def __init__(self, text=None):
        self._text = text

    def __repr__(self):
        return self._text or object.__repr__(self)


class _MISSING_TYPE:
    pass


class _KW_ONLY_TYPE:
    pass


MISSING = _MISSING_TYPE()
KW_ONLY = _KW_ONLY_TYPE()
_FACTORY = _Sentinel("<factory>")
_FIELD = _Sentinel("_FIELD")
_CLASS_VAR = _Sentinel("_FIELD_CLASSVAR")
_INIT_VAR = _Sentinel("_FIELD_INITVAR")


class InitVar:
    """InitVar[T]: a parameter of __init__ that is no field, but given to __post_init__."""

    __slots__ = ("type",)

    def __init__(self, type):
        self.type = type

    def __repr__(self):
        name = self.type.__name__ if isinstance(self.type, type) and not hasattr(self.type, "__origin__") else repr(self.type)
        return f"dataclasses.InitVar[{name}]"

    def __class_getitem__(cls, type):
        return InitVar(type)


class Field:
    """One field of a dataclass."""

    __slots__ = ("name", "type", "default", "default_factory", "repr", "hash", "init", "compare", "metadata", "kw_only",
                 "doc", "_field_type")

    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only, doc):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = MappingProxyType({} if metadata is None else metadata)
        self.kw_only = kw_only
        self.doc = doc
        self._field_type = None

    @recursive_repr()
    def __repr__(self):
        return (f"Field(name={self.name!r},type={self.type!r},default={self.default!r},"
                f"default_factory={self.default_factory!r},init={self.init!r},repr={self.repr!r},hash={self.hash!r},"
                f"compare={self.compare!r},metadata={self.metadata!r},kw_only={self.kw_only!r},doc={self.doc!r},"
                f"_field_type={self._field_type})")

    def __set_name__(self, owner, name):
        method = getattr(type(self.default), "__set_name__", None)
        if method:
            method(self.default, owner, name)

    __class_getitem__ = classmethod(GenericAlias)


class _DataclassParams:
    """The arguments of the decorator."""

    __slots__ = ("init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot")

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    def __repr__(self):
        return f"_DataclassParams({','.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None, compare=True, metadata=None,
          kw_only=MISSING, doc=None):
    """What a field is beside its type."""
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only, doc)


def _is_named(annotation, cls, module_name, name):
    """Whether an annotation that is a text says `name` of a module, however it was imported."""
    prefix, dot, rest = annotation.strip().rpartition(".") if "[" not in annotation else \
        annotation[:annotation.index("[")].strip().rpartition(".")
    if rest.strip() != name:
        return False
    wanted = sys.modules.get(module_name)
    here = sys.modules.get(cls.__module__)
    if wanted is None:
        return False
    if not dot:
        return getattr(here, name, None) is getattr(wanted, name)
    return getattr(here, prefix.strip(), None) is wanted


def _is_class_var(annotation, cls):
    if isinstance(annotation, str):
        return _is_named(annotation, cls, "typing", "ClassVar")
    typing = sys.modules.get("typing")
    return typing is not None and (annotation is typing.ClassVar or
                                   getattr(annotation, "__origin__", None) is typing.ClassVar)


def _is_init_var(annotation, cls):
    if isinstance(annotation, str):
        return _is_named(annotation, cls, "dataclasses", "InitVar")
    return annotation is InitVar or type(annotation) is InitVar


def _is_kw_only(annotation, cls):
    return annotation is KW_ONLY or isinstance(annotation, str) and _is_named(annotation, cls, "dataclasses", "KW_ONLY")


def _read_field(cls, name, annotation, kw_only):
    default = getattr(cls, name, MISSING)
    if isinstance(default, Field):
        made = default
    else:
        if type(default).__name__ == "member_descriptor":
            # A slot of a base class is no default.
            default = MISSING
        made = field(default=default)
    made.name = name
    made.type = annotation
    made._field_type = _CLASS_VAR if _is_class_var(annotation, cls) else \
        _INIT_VAR if _is_init_var(annotation, cls) else _FIELD
    if made._field_type is not _FIELD and made.default_factory is not MISSING:
        raise TypeError(f"field {name} cannot have a default factory")
    if made._field_type is _CLASS_VAR:
        if made.kw_only is not MISSING:
            raise TypeError(f"field {name} is a ClassVar but specifies kw_only")
    elif made.kw_only is MISSING:
        made.kw_only = kw_only
    if made._field_type is _FIELD and type(made.default).__hash__ is None:
        raise ValueError(f"mutable default {type(made.default)} for field {name} is not allowed: use default_factory")
    return made


def _own_fields(cls, kw_only):
    annotations = cls.__annotations__
    found = []
    has_kw_only = False
    for name, annotation in annotations.items():
        if _is_kw_only(annotation, cls):
            if has_kw_only:
                raise TypeError(f"{name!r} is KW_ONLY, but KW_ONLY has already been specified")
            has_kw_only = kw_only = True
        else:
            found.append(_read_field(cls, name, annotation, kw_only))
    for one in found:
        if isinstance(getattr(cls, one.name, None), Field):
            if one.default is MISSING:
                delattr(cls, one.name)
            else:
                setattr(cls, one.name, one.default)
    for name, value in cls.__dict__.items():
        if isinstance(value, Field) and name not in annotations:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    return found


# The methods are written as text and compiled together: that is what makes instances quick.

def _init_source(all_fields, frozen, has_post_init, names):
    self_name = "__dataclass_self__" if any(one.name == "self" for one in all_fields) else "self"
    positional = [one for one in all_fields if one.init and not one.kw_only]
    keyword = [one for one in all_fields if one.init and one.kw_only]
    seen_default = None
    for one in positional:
        if one.default is not MISSING or one.default_factory is not MISSING:
            seen_default = one
        elif seen_default is not None:
            raise TypeError(f"non-default argument {one.name!r} follows default argument {seen_default.name!r}")

    def parameter(one):
        if one.default is not MISSING:
            return f"{one.name}=__dataclass_dflt_{one.name}__"
        return one.name + ("=__dataclass_HAS_DEFAULT_FACTORY__" if one.default_factory is not MISSING else "")

    body = []
    for one in all_fields:
        names[f"__dataclass_dflt_{one.name}__"] = one.default if one.default is not MISSING else one.default_factory
        if one.default_factory is not MISSING:
            value = f"__dataclass_dflt_{one.name}__()"
            if one.init:
                value = f"{value} if {one.name} is __dataclass_HAS_DEFAULT_FACTORY__ else {one.name}"
        elif one.init:
            value = one.name
        elif one.default is not MISSING and one._field_type is _FIELD and names["__dataclass_has_slots__"]:
            value = f"__dataclass_dflt_{one.name}__"
        else:
            continue
        if one._field_type is _INIT_VAR:
            if one.default_factory is not MISSING:
                body.append(f"{one.name} = {value}")
        elif frozen:
            body.append(f"__dataclass_builtins_object__.__setattr__({self_name}, {one.name!r}, {value})")
        else:
            body.append(f"{self_name}.{one.name} = {value}")
    if has_post_init:
        given = ", ".join(one.name for one in all_fields if one._field_type is _INIT_VAR)
        body.append(f"{self_name}.{_POST_INIT}({given})")
    parameters = [self_name, *map(parameter, positional)]
    if keyword:
        parameters += ["*", *map(parameter, keyword)]
    return _function("__init__", parameters, body or ["pass"])


def _function(name, parameters, body):
    return f"def {name}({', '.join(parameters)}):\n" + "".join(f"  {line}\n" for line in body)


def _compared(name, operator, compared):
    mine = "".join(f"self.{one.name}, " for one in compared)
    others = "".join(f"other.{one.name}, " for one in compared)
    return _function(name, ["self", "other"], ["if other.__class__ is self.__class__:",
                                               f"  return ({mine}) {operator} ({others})", "return NotImplemented"])


def _equal(compared):
    terms = " and ".join(f"self.{one.name} == other.{one.name}" for one in compared) or "True"
    return _function("__eq__", ["self", "other"], ["if self is other:", "  return True",
                                                   "if other.__class__ is self.__class__:", f"  return {terms}",
                                                   "return NotImplemented"])


def _frozen_source(own):
    test = "type(self) is __dataclass_cls__" + (f" or name in {{{', '.join(repr(one.name) for one in own)}}}" if own else "")
    return [_function("__setattr__", ["self", "name", "value"],
                      [f"if {test}:", "  raise __dataclass_FrozenInstanceError__(f'cannot assign to field {name!r}')",
                       "super(__dataclass_cls__, self).__setattr__(name, value)"]),
            _function("__delattr__", ["self", "name"],
                      [f"if {test}:", "  raise __dataclass_FrozenInstanceError__(f'cannot delete field {name!r}')",
                       "super(__dataclass_cls__, self).__delattr__(name)"])]


def _set_new(cls, name, value):
    """Sets an attribute that the class has not itself."""
    if name not in cls.__dict__:
        setattr(cls, name, value)


def _text_signature(cls, all_fields):
    parts = []
    is_keyword = False
    ordered = [one for one in all_fields if one.init and not one.kw_only]
    for one in ordered + [one for one in all_fields if one.init and one.kw_only]:
        if one.kw_only and not is_keyword:
            is_keyword = True
            parts.append("*")
        text = f"{one.name}: {annotation_text(one.type)}"
        if one.default is not MISSING:
            text += f" = {one.default!r}"
        elif one.default_factory is not MISSING:
            text += f" = {_FACTORY!r}"
        parts.append(text)
    return f"{cls.__name__}({', '.join(parts)})"


def _process_class(cls, params):
    collected = {}
    has_dataclass_bases = any_frozen_base = False
    all_frozen_bases = None
    for base in cls.__mro__[-1:0:-1]:
        base_fields = base.__dict__.get(_FIELDS)
        if base_fields is not None:
            has_dataclass_bases = True
            collected.update(base_fields)
            frozen_base = getattr(base, _PARAMS).frozen
            all_frozen_bases = frozen_base if all_frozen_bases is None else all_frozen_bases and frozen_base
            any_frozen_base = any_frozen_base or frozen_base
    own = _own_fields(cls, params.kw_only)
    for one in own:
        collected[one.name] = one
    if has_dataclass_bases:
        if any_frozen_base and not params.frozen:
            raise TypeError("cannot inherit non-frozen dataclass from a frozen one")
        if all_frozen_bases is False and params.frozen:
            raise TypeError("cannot inherit frozen dataclass from a non-frozen one")
    setattr(cls, _FIELDS, collected)
    setattr(cls, _PARAMS, params)
    if params.order and not params.eq:
        raise ValueError("eq must be true if order is true")

    hash_in_class = cls.__dict__.get("__hash__", MISSING)
    has_explicit_hash = not (hash_in_class is MISSING or hash_in_class is None and "__eq__" in cls.__dict__)
    in_init = [one for one in collected.values() if one._field_type in (_FIELD, _INIT_VAR)]
    real = [one for one in collected.values() if one._field_type is _FIELD]
    compared = [one for one in real if one.compare]

    names = {"__dataclass_HAS_DEFAULT_FACTORY__": _FACTORY, "__dataclass_builtins_object__": object,
             "__dataclass_has_slots__": params.slots, "__dataclass_FrozenInstanceError__": FrozenInstanceError,
             "__dataclass_cls__": cls}
    sources = []
    if params.init:
        sources.append(_init_source(in_init, params.frozen, hasattr(cls, _POST_INIT), names))
    if params.repr:
        shown = ", ".join(f"{one.name}={{self.{one.name}!r}}" for one in real if one.repr)
        sources.append(_function("__repr__", ["self"], [f'return f"{{self.__class__.__qualname__}}({shown})"']))
    if params.eq:
        sources.append(_equal(compared))
    if params.order:
        for name, operator in (("__lt__", "<"), ("__le__", "<="), ("__gt__", ">"), ("__ge__", ">=")):
            if name in cls.__dict__:
                raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}. "
                                "Consider using functools.total_ordering")
            sources.append(_compared(name, operator, compared))
    if params.frozen:
        for name in ("__setattr__", "__delattr__"):
            if name in cls.__dict__:
                raise TypeError(f"Cannot overwrite attribute {name} in class {cls.__name__}")
        sources += _frozen_source(real)
    hashes = "".join(f"self.{one.name}, " for one in real if (one.compare if one.hash is None else one.hash))
    wants_hash = params.unsafe_hash or params.eq and params.frozen
    if params.unsafe_hash and has_explicit_hash:
        raise TypeError(f"Cannot overwrite attribute __hash__ in class {cls.__name__}")
    if wants_hash:
        sources.append(_function("__hash__", ["self"], [f"return hash(({hashes}))"]))

    _add_methods(cls, sources, names, in_init)
    if wants_hash:
        if not has_explicit_hash:
            cls.__hash__ = names["made"]["__hash__"]
    elif params.eq and not params.unsafe_hash and not has_explicit_hash:
        cls.__hash__ = None
    if not getattr(cls, "__doc__"):
        cls.__doc__ = _text_signature(cls, in_init) if params.init else cls.__name__
    _set_new(cls, "__replace__", _replace)
    if params.match_args:
        _set_new(cls, "__match_args__", tuple(one.name for one in in_init if one.init and not one.kw_only))
    if params.weakref_slot and not params.slots:
        raise TypeError("weakref_slot is True but slots is False")
    if params.slots:
        cls = _with_slots(cls, params, own, names)
    if hasattr(cls, "__abstractmethods__"):
        from abc import update_abstractmethods
        update_abstractmethods(cls)
    return cls


def _add_methods(cls, sources, names, in_init):
    """Compiles the methods and puts those into the class that it has not itself."""
    namespace = {**names, "__name__": cls.__module__}
    made = {}
    exec("\n".join(sources), namespace, made)
    names["made"] = made
    names["namespace"] = namespace
    for name, function in made.items():
        function.__qualname__ = f"{cls.__qualname__}.{name}"
        if name == "__repr__":
            qualified = function.__qualname__
            function = recursive_repr()(function)
            function.__qualname__ = qualified
        elif name == "__init__":
            annotations = {one.name: one.type.type if type(one.type) is InitVar else one.type for one in in_init if one.init}
            function.__annotations__ = {**annotations, "return": None}
        if name == "__hash__":
            continue
        if name == "__init__":
            cls.__init__ = function
        else:
            _set_new(cls, name, function)


def _with_slots(cls, params, own, names):
    """The class once more, with slots for its fields."""
    if "__slots__" in cls.__dict__:
        raise TypeError(f"{cls.__name__} already specifies __slots__")
    attributes = dict(cls.__dict__)
    inherited = set()
    for base in cls.__mro__[1:-1]:
        slots = base.__dict__.get("__slots__", ())
        inherited.update((slots,) if isinstance(slots, str) else slots)
    field_names = tuple(one.name for one in fields(cls))
    slots = {one.name: one.doc for one in fields(cls) if one.name not in inherited}
    if params.weakref_slot and "__weakref__" not in inherited:
        slots["__weakref__"] = None
    attributes["__slots__"] = slots if any(slots.values()) else tuple(slots)
    for name in field_names:
        attributes.pop(name, None)
    attributes.pop("__dict__", None)
    attributes.pop("__weakref__", None)
    qualname = getattr(cls, "__qualname__", None)
    made = type(cls)(cls.__name__, cls.__bases__, attributes)
    if qualname is not None:
        made.__qualname__ = qualname
    names["namespace"]["__dataclass_cls__"] = made
    if params.frozen and "__getstate__" not in cls.__dict__:
        made.__getstate__ = lambda self: [getattr(self, one.name) for one in fields(self)]
        made.__setstate__ = _set_state
    _move_class_cells(cls, made)
    return made


def _set_state(self, state):
    for one, value in zip(fields(self), state):
        object.__setattr__(self, one.name, value)


def _move_class_cells(old, new):
    """Methods whose super() means the old class mean the new one from now on."""
    for member in new.__dict__.values():
        for function in (getattr(member, "__wrapped__", member), getattr(member, "fget", None), getattr(member, "fset", None)):
            code = getattr(function, "__code__", None)
            if code is None or "__class__" not in code.co_freevars:
                continue
            cell = function.__closure__[code.co_freevars.index("__class__")]
            if cell.cell_contents is old:
                cell.cell_contents = new
                return


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, match_args=True,
              kw_only=False, slots=False, weakref_slot=False):
    """Gives a class its __init__, __repr__, __eq__ and what else is asked for, from its annotations."""

    def wrap(cls):
        return _process_class(cls, _DataclassParams(
            init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen, match_args=match_args,
            kw_only=kw_only, slots=slots, weakref_slot=weakref_slot))

    return wrap if cls is None else wrap(cls)


def fields(class_or_instance):
    """The fields, in order. Errors: TypeError for what is no dataclass."""
    try:
        found = getattr(class_or_instance, _FIELDS)
    except AttributeError:
        raise TypeError("must be called with a dataclass type or instance") from None
    return tuple(one for one in found.values() if one._field_type is _FIELD)


def _is_instance(obj):
    return hasattr(type(obj), _FIELDS)


def is_dataclass(obj):
    """Whether it is a dataclass or an instance of one."""
    return hasattr(obj if isinstance(obj, type) else type(obj), _FIELDS)


def asdict(obj, *, dict_factory=dict):
    """The fields as a dict, those of dataclasses in it, too."""
    if not _is_instance(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _as_dict(obj, dict_factory)


def _as_dict(obj, factory):
    cls = type(obj)
    if cls in _ATOMIC:
        return obj
    if hasattr(cls, _FIELDS):
        return factory([(one.name, _as_dict(getattr(obj, one.name), factory)) for one in fields(obj)])
    return _rebuilt(obj, cls, lambda inner: _as_dict(inner, factory))


def astuple(obj, *, tuple_factory=tuple):
    """The fields as a tuple, those of dataclasses in it, too."""
    if not _is_instance(obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _as_tuple(obj, tuple_factory)


def _as_tuple(obj, factory):
    cls = type(obj)
    if cls in _ATOMIC:
        return obj
    if hasattr(cls, _FIELDS):
        return factory([_as_tuple(getattr(obj, one.name), factory) for one in fields(obj)])
    return _rebuilt(obj, cls, lambda inner: _as_tuple(inner, factory))


def _rebuilt(obj, cls, convert):
    """A container of the same class with its items converted; a deep copy of anything else."""
    if isinstance(obj, tuple) and hasattr(cls, "_fields"):
        return cls(*[convert(item) for item in obj])
    if isinstance(obj, (list, tuple)):
        return cls([convert(item) for item in obj])
    if isinstance(obj, dict):
        if hasattr(cls, "default_factory"):
            made = cls(obj.default_factory)
            for key, value in obj.items():
                made[convert(key)] = convert(value)
            return made
        return cls([(convert(key), convert(value)) for key, value in obj.items()])
    from copy import deepcopy
    return deepcopy(obj)


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, init=True, repr=True, eq=True, order=False,
                   unsafe_hash=False, frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False,
                   module=None, decorator=dataclass):
    """A dataclass from names, (name, type) and (name, type, field) tuples."""
    from types import new_class
    from collections import _KEYWORDS, _calling_module
    annotations = {}
    defaults = {}
    for item in fields:
        if isinstance(item, str):
            name, annotation = item, "typing.Any"
        elif len(item) == 2:
            name, annotation = item
        elif len(item) == 3:
            name, annotation, defaults[name] = item[0], item[1], item[2]
        else:
            raise TypeError(f"Invalid field: {item!r}")
        if not isinstance(name, str) or not name.isidentifier():
            raise TypeError(f"Field names must be valid identifiers: {name!r}")
        if name in _KEYWORDS:
            raise TypeError(f"Field names must not be keywords: {name!r}")
        if name in annotations:
            raise TypeError(f"Field name duplicated: {name!r}")
        annotations[name] = annotation

    def fill(body):
        body.update(namespace or {})
        body.update(defaults)
        body["__annotations__"] = annotations

    cls = new_class(cls_name, bases, {}, fill)
    if module is None:
        module = _calling_module()
    if module is not None:
        cls.__module__ = module
    return decorator(cls, init=init, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen,
                     match_args=match_args, kw_only=kw_only, slots=slots, weakref_slot=weakref_slot)


def replace(obj, /, **changes):
    """A new instance with these fields, and all others as they are."""
    if not _is_instance(obj):
        raise TypeError("replace() should be called on dataclass instances")
    return _replace(obj, **changes)


def _replace(self, /, **changes):
    for one in getattr(self, _FIELDS).values():
        if one._field_type is _CLASS_VAR:
            continue
        if not one.init:
            if one.name in changes:
                raise TypeError(f"field {one.name} is declared with init=False, it cannot be specified with replace()")
            continue
        if one.name not in changes:
            if one._field_type is _INIT_VAR and one.default is MISSING:
                raise TypeError(f"InitVar {one.name!r} must be specified with replace()")
            changes[one.name] = getattr(self, one.name)
    return self.__class__(**changes)
