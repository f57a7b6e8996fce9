"""What list[int] and int | str are: types.GenericAlias and typing.Union."""


def _type_repr(given):
    """How a type reads inside of another."""
    if given is ...:
        return "..."
    if given is None or given is type(None):
        return "None"
    if isinstance(given, list):
        return "[" + ", ".join(map(_type_repr, given)) + "]"
    if isinstance(given, type) and not hasattr(given, "__origin__"):
        if given.__module__ == "builtins":
            return given.__qualname__
        return f"{given.__module__}.{given.__qualname__}"
    return repr(given)


def annotation_text(annotation):
    """How an annotation reads in a signature."""
    if getattr(annotation, "__module__", None) == "typing":
        return repr(annotation).replace("typing.", "")
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return _type_repr(annotation) if annotation is not type(None) else "NoneType"
    return repr(annotation)


def parameters_of(arguments):
    """The type variables in `arguments`, each once, in the order in which they come."""
    found = []
    for one in arguments:
        if isinstance(one, type) and not hasattr(one, "__origin__"):
            continue
        if hasattr(one, "__typing_subst__"):
            if one not in found:
                found.append(one)
        elif isinstance(one, (list, tuple)):
            found.extend(inner for inner in parameters_of(one) if inner not in found)
        else:
            found.extend(inner for inner in getattr(one, "__parameters__", ()) if inner not in found)
    return tuple(found)


def substituted(alias, given):
    """The arguments of `alias` with its type variables replaced by `given`. Errors: TypeError for a wrong number."""
    given = given if isinstance(given, tuple) else (given,)
    variables = alias.__parameters__
    if not variables:
        raise TypeError(f"{alias!r} is not a generic class")
    if any(getattr(one, "_is_many", False) for one in variables):
        return _substituted_many(alias, given)
    if len(given) < len(variables):
        given += tuple(one.__default__ for one in variables[len(given):]
                       if getattr(one, "has_default", None) is not None and one.has_default())
    if len(given) != len(variables):
        word = "many" if len(given) > len(variables) else "few"
        raise TypeError(f"Too {word} arguments for {alias!r}; actual {len(given)}, expected {len(variables)}")
    by_variable = dict(zip(variables, given))
    return tuple(_replaced(one, by_variable) for one in alias.__args__)


def _substituted_many(alias, given):
    variables = alias.__parameters__
    at = next(i for i, one in enumerate(variables) if getattr(one, "_is_many", False))
    behind = len(variables) - at - 1
    if len(given) < len(variables) - 1:
        raise TypeError(f"Too few arguments for {alias!r}; actual {len(given)}, expected at least {len(variables) - 1}")
    end = len(given) - behind
    by_variable = dict(zip(variables, (*given[:at], given[at:end], *given[end:])))
    result = []
    for one in alias.__args__:
        many = getattr(one, "_unpacked", None)
        if many is not None and many in by_variable:
            result.extend(by_variable[many])
        else:
            result.append(_replaced(one, by_variable))
    return tuple(result)


def _replaced(one, by_variable):
    if hasattr(one, "__typing_subst__"):
        return one.__typing_subst__(by_variable[one])
    if isinstance(one, list):
        return [_replaced(inner, by_variable) for inner in one]
    inner = getattr(one, "__parameters__", ())
    if not inner or isinstance(one, type) and not hasattr(one, "__origin__"):
        return one
    return one[tuple(by_variable[variable] for variable in inner)]


class _Either:
    """a | b for what stands for a type."""

    __slots__ = ()

    def __or__(self, other):
        return make_union(self, other)

    def __ror__(self, other):
        return make_union(other, self)


class GenericAlias(_Either):
    """A class with its type arguments: list[int]. What it has not itself, its class has."""

    __slots__ = ("__origin__", "__args__", "__parameters__", "__weakref__")
    _OWN = frozenset(("__origin__", "__args__", "__parameters__", "__mro_entries__", "__reduce__", "__copy__",
                      "__deepcopy__", "__class__", "__typing_unpacked_tuple_args__", "__unpacked__"))

    def __new__(cls, origin, args, /):
        self = object.__new__(cls)
        args = args if isinstance(args, tuple) else (args,)
        object.__setattr__(self, "__origin__", origin)
        object.__setattr__(self, "__args__", args)
        object.__setattr__(self, "__parameters__", parameters_of(args))
        return self

    def __init__(self, origin, args, /):
        pass

    def __repr__(self):
        inside = ", ".join(map(_type_repr, self.__args__)) if self.__args__ else "()"
        return f"{_type_repr(self.__origin__)}[{inside}]"

    def __call__(self, *args, **kwargs):
        made = self.__origin__(*args, **kwargs)
        try:
            made.__orig_class__ = self
        except (AttributeError, TypeError):
            pass
        return made

    def __getattr__(self, name):
        if name in GenericAlias._OWN:
            raise AttributeError(f"'types.GenericAlias' object has no attribute '{name}'")
        return getattr(self.__origin__, name)

    def __getitem__(self, given):
        if not self.__parameters__:
            raise TypeError(f"{self!r} is not a generic class")
        return type(self)(self.__origin__, substituted(self, given))

    def __mro_entries__(self, bases):
        return (self.__origin__,)

    def __eq__(self, other):
        if not hasattr(other, "__origin__") or not hasattr(other, "__args__"):
            return NotImplemented
        return self.__origin__ == other.__origin__ and self.__args__ == other.__args__

    def __hash__(self):
        return hash((self.__origin__, self.__args__))

    def __instancecheck__(self, instance):
        raise TypeError("isinstance() argument 2 cannot be a parameterized generic")

    def __subclasscheck__(self, cls):
        raise TypeError("issubclass() argument 2 cannot be a parameterized generic")

    def __reduce__(self):
        return type(self), (self.__origin__, self.__args__)


class Union(_Either):
    """One of several types: int | str, Union[int, str]."""

    __slots__ = ("__args__", "__parameters__", "__weakref__")

    def __new__(cls, *args, **kwargs):
        raise TypeError("cannot create 'typing.Union' instances")

    def __class_getitem__(cls, given):
        given = given if isinstance(given, tuple) else (given,)
        if not given:
            raise TypeError("Cannot take a Union of no types.")
        return union_of(given)

    @property
    def __origin__(self):
        return Union

    def __repr__(self):
        return " | ".join(map(_type_repr, self.__args__))

    def __eq__(self, other):
        if not isinstance(other, Union):
            return NotImplemented
        mine, others = self.__args__, other.__args__
        return len(mine) == len(others) and all(one in others for one in mine)

    def __hash__(self):
        return hash(frozenset(self.__args__))

    def __getitem__(self, given):
        if not self.__parameters__:
            raise TypeError(f"{self!r} is not a generic class")
        return union_of(substituted(self, given))

    def __instancecheck__(self, instance):
        return any(isinstance(instance, one) for one in self.__args__)

    def __subclasscheck__(self, cls):
        return any(issubclass(cls, one) for one in self.__args__)

    def __mro_entries__(self, bases):
        raise TypeError(f"Cannot subclass {self!r}")


Union.__module__ = "typing"
GenericAlias.__module__ = "types"


def _is_typelike(given):
    return given is None or isinstance(given, (type, _Either, str)) or hasattr(given, "__origin__") or \
        hasattr(given, "__typing_subst__") or type(given).__module__ in ("typing", "types")


def union_of(given):
    """The union of types: unions in it are opened, what is there twice is taken once; of one type it is that type."""
    flat = []
    for one in given:
        for member in (one.__args__ if isinstance(one, Union) else (one,)):
            if member is None:
                member = type(None)
            if isinstance(member, str):
                from typing import ForwardRef
                member = ForwardRef(member)
            if member not in flat:
                flat.append(member)
    if len(flat) == 1:
        return flat[0]
    union = object.__new__(Union)
    union.__args__ = tuple(flat)
    union.__parameters__ = parameters_of(flat)
    return union


def make_union(left, right):
    """left | right, or NotImplemented if one of them is no type."""
    if not _is_typelike(left) or not _is_typelike(right):
        return NotImplemented
    return union_of((left, right))
