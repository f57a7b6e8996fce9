"""Type hints, as objects."""

import collections
import collections.abc
import contextlib
import sys

from _generics import GenericAlias, Union, union_of
from _typing_classes import (Generic, NamedTuple, NamedTupleMeta, Protocol, TypedDict, TypedDictMeta, _ProtocolMeta,
                             protocol_members, runtime_checkable)
from _typing_forms import (Alias as _GenericAlias, AnnotatedAlias as _AnnotatedAlias, BareAlias as _SpecialGenericAlias,
                           BareCallable as _CallableType, BareTuple as _TupleType, ForwardRef,
                           LiteralAlias as _LiteralGenericAlias, NoDefault, ParamSpec, ParamSpecArgs, ParamSpecKwargs,
                           SpecialForm as _SpecialForm, TypeVar, TypeVarTuple, UnpackedVariable as _UnpackedVariable,
                           type_check as _type_check, type_convert as _type_convert, type_repr as _type_repr)
from abc import ABCMeta, abstractmethod

TYPE_CHECKING = False


class _AnyMeta(type):
    def __instancecheck__(self, obj):
        if self is Any:
            raise TypeError("typing.Any cannot be used with isinstance()")
        return super().__instancecheck__(obj)

    def __repr__(self):
        return "typing.Any" if self is Any else super().__repr__()


class Any(metaclass=_AnyMeta):
    """Fits every type."""

    def __new__(cls, *args, **kwargs):
        if cls is Any:
            raise TypeError("Any cannot be instantiated")
        return super().__new__(cls)


# Special forms

def _plain(name, doc):
    def getitem(self, parameters):
        raise TypeError(f"{self} is not subscriptable")
    getitem.__name__ = name
    getitem.__doc__ = doc
    return _SpecialForm(getitem)


def _of_one(name, doc, message="accepts only single type."):
    def getitem(self, parameters):
        return _GenericAlias(self, (_type_check(parameters, f"{self} {message}"),), name, False)
    getitem.__name__ = name
    getitem.__doc__ = doc
    return _SpecialForm(getitem)


NoReturn = _plain("NoReturn", "The type of functions that never return.")
Never = _plain("Never", "The type that nothing is of.")
Self = _plain("Self", "The class around.")
LiteralString = _plain("LiteralString", "Texts that were written in the program.")
TypeAlias = _plain("TypeAlias", "Marks an assignment as the name of a type.")
ClassVar = _of_one("ClassVar", "An attribute of the class, not of its instances.")
Final = _of_one("Final", "A name that is not assigned again.")
Required = _of_one("Required", "A key of a TypedDict that must be there.", "accepts only a single type.")
NotRequired = _of_one("NotRequired", "A key of a TypedDict that may be missing.", "accepts only a single type.")
ReadOnly = _of_one("ReadOnly", "A key of a TypedDict that is not written.", "accepts only a single type.")
TypeGuard = _of_one("TypeGuard", "What a function of a value says of its type.")
TypeIs = _of_one("TypeIs", "What a function of a value says of its type, either way.")


@_SpecialForm
def Optional(self, parameters):
    """Optional[X] is X | None."""
    return union_of((_type_check(parameters, f"{self} requires a single type."), type(None)))


@_SpecialForm
def Literal(self, parameters):
    """One of these values."""
    given = parameters if isinstance(parameters, tuple) else (parameters,)
    flat = []
    for value in given:
        flat.extend(value.__args__ if isinstance(value, _LiteralGenericAlias) else (value,))
    try:
        flat = list({(type(value), value): value for value in flat}.values())
    except TypeError:
        pass
    return _LiteralGenericAlias(self, tuple(flat), "Literal", False)


@_SpecialForm
def Concatenate(self, parameters):
    """Parameters in front of those of a ParamSpec."""
    parameters = parameters if isinstance(parameters, tuple) else (parameters,)
    if parameters[-1] is not ... and not isinstance(parameters[-1], ParamSpec):
        raise TypeError("The last parameter to Concatenate should be a ParamSpec variable or ellipsis.")
    return _GenericAlias(self, tuple(map(_type_convert, parameters)), "Concatenate", False)


@_SpecialForm
def Unpack(self, parameters):
    """Unpack[Ts] is *Ts."""
    if isinstance(parameters, TypeVarTuple):
        return _UnpackedVariable(parameters)
    return _GenericAlias(self, (_type_check(parameters, f"{self} accepts only single type."),), "Unpack", False)


@_SpecialForm
def Annotated(self, parameters):
    """A type, and more about it that typing itself does not read."""
    if not isinstance(parameters, tuple) or len(parameters) < 2:
        raise TypeError("Annotated[...] should be used with at least two arguments (a type and an annotation).")
    first = parameters[0]
    if first not in (ClassVar, Final):
        first = _type_check(first, "Annotated[t, ...]: t must be a type.")
    return _AnnotatedAlias(first, tuple(parameters[1:]))


# Names for classes

T = TypeVar("T")
KT = TypeVar("KT")
VT = TypeVar("VT")
T_co = TypeVar("T_co", covariant=True)
V_co = TypeVar("V_co", covariant=True)
VT_co = TypeVar("VT_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)
AnyStr = TypeVar("AnyStr", bytes, str)
Text = str

List = _SpecialGenericAlias(list, 1, "List")
Dict = _SpecialGenericAlias(dict, 2, "Dict")
Set = _SpecialGenericAlias(set, 1, "Set")
FrozenSet = _SpecialGenericAlias(frozenset, 1, "FrozenSet")
Type = _SpecialGenericAlias(type, 1, "Type")
Tuple = _TupleType(tuple, -1, "Tuple")
Callable = _CallableType(collections.abc.Callable, 2, "Callable")
DefaultDict = _SpecialGenericAlias(collections.defaultdict, 2, "DefaultDict", True)
OrderedDict = _SpecialGenericAlias(collections.OrderedDict, 2, "OrderedDict", True)
Counter = _SpecialGenericAlias(collections.Counter, 1, "Counter", True)
Deque = _SpecialGenericAlias(collections.deque, 1, "Deque", True)
AbstractSet = _SpecialGenericAlias(collections.abc.Set, 1, "AbstractSet")
ContextManager = _SpecialGenericAlias(contextlib.AbstractContextManager, 1, "ContextManager")
Generator = _SpecialGenericAlias(collections.abc.Generator, 3, "Generator")
for _name, _count in (("Awaitable", 1), ("Coroutine", 3), ("AsyncIterable", 1), ("AsyncIterator", 1), ("AsyncGenerator", 2),
                      ("Hashable", 0), ("Sized", 0), ("Iterable", 1), ("Iterator", 1), ("Reversible", 1), ("Container", 1),
                      ("Collection", 1), ("MutableSet", 1), ("Mapping", 2), ("MutableMapping", 2), ("Sequence", 1),
                      ("MutableSequence", 1), ("MappingView", 1), ("KeysView", 1), ("ItemsView", 2), ("ValuesView", 1)):
    globals()[_name] = _SpecialGenericAlias(getattr(collections.abc, _name), _count, _name)
del _name, _count


def __getattr__(name):
    # Rarely asked for, and they cost the import of another module.
    if name == "ChainMap":
        value = _SpecialGenericAlias(collections.ChainMap, 2, "ChainMap", True)
    elif name in ("Pattern", "Match"):
        import re
        value = _SpecialGenericAlias(getattr(re, name), 1, name)
    elif name in ("SupportsInt", "SupportsFloat", "SupportsComplex", "SupportsBytes", "SupportsIndex", "SupportsAbs",
                  "SupportsRound"):
        value = _supports(name, f"__{name[8:].lower()}__")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _supports(name, method):
    def required(self):
        pass
    required.__name__ = method
    variables = (Generic[T_co],) if name in ("SupportsAbs", "SupportsRound") else ()
    import types
    made = types.new_class(name, (Protocol, *variables), {}, lambda names: names.update(
        {method: abstractmethod(required), "__module__": "typing", "__slots__": ()}))
    return runtime_checkable(made)


class IO(Generic[AnyStr]):
    """A file."""

    __slots__ = ()


class BinaryIO(IO[bytes]):
    """A file of bytes."""

    __slots__ = ()


class TextIO(IO[str]):
    """A file of text."""

    __slots__ = ()


class NewType:
    """A name for a type that checkers tell apart; called, it gives what it was given."""

    def __init__(self, name, tp):
        self.__qualname__ = name
        self.__name__ = name.rpartition(".")[2]
        self.__supertype__ = tp
        self.__module__ = sys._getframe(1).f_globals.get("__name__")

    def __call__(self, x, /):
        return x

    def __repr__(self):
        return f"{self.__module__}.{self.__qualname__}"

    def __or__(self, other):
        return union_of((self, other))

    def __ror__(self, other):
        return union_of((other, self))

    def __mro_entries__(self, bases):
        raise TypeError("Cannot subclass an instance of NewType. Perhaps you were looking for: "
                        f"`{bases[0].__name__} = NewType({bases[0].__name__!r}, {self.__name__})`")


class TypeAliasType:
    """type Name = value"""

    def __init__(self, name, value, *, type_params=()):
        self._start(name, lambda: value, type_params, sys._getframe(1).f_globals.get("__name__"))

    def _start(self, name, evaluate, type_params, module):
        self.__name__ = name
        self.evaluate_value = evaluate
        self.__type_params__ = type_params
        self.__parameters__ = tuple(item for one in type_params
                                    for item in (one if isinstance(one, TypeVarTuple) else (one,)))
        self.__module__ = module

    @property
    def __value__(self):
        """What the name stands for, evaluated when it is first asked for."""
        if not hasattr(self, "_value"):
            self._value = self.evaluate_value()
        return self._value

    def __repr__(self):
        return self.__name__

    def __getitem__(self, given):
        if not self.__type_params__:
            raise TypeError("Only generic type aliases are subscriptable")
        return GenericAlias(self, given)

    def __or__(self, other):
        return union_of((self, other))

    def __ror__(self, other):
        return union_of((other, self))


def _make_alias(name, evaluate, type_params, module):
    made = object.__new__(TypeAliasType)
    made._start(name, evaluate, type_params, module)
    return made


# Functions

def cast(typ, val):
    """`val`, as it is."""
    return val


def assert_type(val, typ, /):
    """`val`, as it is."""
    return val


def assert_never(arg, /):
    """Raises: this place should not be reached."""
    value = repr(arg)
    if len(value) > 100:
        value = value[:100] + "..."
    raise AssertionError(f"Expected code to be unreachable, but got: {value}")


def reveal_type(obj, /):
    """Prints the type on stderr."""
    print(f"Runtime type is {type(obj).__name__!r}", file=sys.stderr)
    return obj


def _marked(name, value=True):
    def mark(arg):
        try:
            setattr(arg, name, value)
        except (AttributeError, TypeError):
            pass
        return arg
    return mark


final = _marked("__final__")
override = _marked("__override__")
no_type_check = _marked("__no_type_check__")
final.__name__, override.__name__, no_type_check.__name__ = "final", "override", "no_type_check"
_overloads = {}


def _overload_dummy(*args, **kwds):
    raise NotImplementedError("You should not call an overloaded function. A series of @overload-decorated functions "
                              "outside a stub module should always be followed by an implementation that is not "
                              "@overload-ed.")


def overload(func):
    """Marks one of several signatures; the function without the mark comes last."""
    function = getattr(func, "__func__", func)
    _overloads.setdefault((function.__module__, function.__qualname__), []).append(func)
    return _overload_dummy


def get_overloads(func):
    """The signatures that were marked."""
    function = getattr(func, "__func__", func)
    return list(_overloads.get((function.__module__, function.__qualname__), ()))


def clear_overloads():
    """Forgets all signatures that were marked."""
    _overloads.clear()


def dataclass_transform(*, eq_default=True, order_default=False, kw_only_default=False, frozen_default=False,
                        field_specifiers=(), **kwargs):
    """Tells checkers that a decorator makes dataclasses."""
    return _marked("__dataclass_transform__", {
        "eq_default": eq_default, "order_default": order_default, "kw_only_default": kw_only_default,
        "frozen_default": frozen_default, "field_specifiers": field_specifiers, "kwargs": kwargs})


def is_typeddict(tp):
    """Whether it is a class made by TypedDict."""
    return isinstance(tp, TypedDictMeta)


def is_protocol(tp, /):
    """Whether it is a protocol."""
    return isinstance(tp, type) and getattr(tp, "_is_protocol", False) and tp is not Protocol


def get_protocol_members(tp, /):
    """The names that an object must have to be of the protocol."""
    if not is_protocol(tp):
        raise TypeError(f"{tp!r} is not a Protocol")
    return frozenset(protocol_members(tp))


def get_origin(tp):
    """The class or form of an alias, or None."""
    if isinstance(tp, _AnnotatedAlias):
        return Annotated
    if isinstance(tp, (ParamSpecArgs, ParamSpecKwargs)):
        return tp.__origin__
    if tp is Generic:
        return Generic
    if isinstance(tp, type) and not isinstance(tp, (GenericAlias,)) and "__args__" not in dir(tp):
        return None
    return getattr(tp, "__origin__", None)


def get_args(tp):
    """The arguments of an alias."""
    if isinstance(tp, _AnnotatedAlias):
        return (tp.__origin__, *tp.__metadata__)
    args = getattr(tp, "__args__", None)
    if not isinstance(args, tuple):
        return ()
    if get_origin(tp) is collections.abc.Callable and not (len(args) == 2 and (
            args[0] is ... or isinstance(args[0], ParamSpec))):
        return list(args[:-1]), args[-1]
    return args


def _evaluated(hint, globalns, localns):
    """A hint with every forward reference in it replaced by what it names."""
    if isinstance(hint, str):
        hint = ForwardRef(hint)
    if isinstance(hint, ForwardRef):
        return _evaluated(hint.evaluate(globalns, localns), globalns, localns)
    if hint is None:
        return type(None)
    if isinstance(hint, _LiteralGenericAlias):
        return hint
    args = getattr(hint, "__args__", None)
    if not isinstance(args, tuple) or isinstance(hint, type) and not isinstance(hint, GenericAlias) and \
            not hasattr(hint, "__origin__"):
        return hint
    new = tuple(_evaluated(one, globalns, localns) if isinstance(one, (str, ForwardRef)) or hasattr(one, "__args__") else one
                for one in args)
    if new == args:
        return hint
    if isinstance(hint, Union):
        return union_of(new)
    if isinstance(hint, _GenericAlias):
        return hint._with(new)
    return GenericAlias(hint.__origin__, new)


def _stripped(hint):
    """A hint without Annotated, Required and the like."""
    if isinstance(hint, _AnnotatedAlias):
        return _stripped(hint.__origin__)
    if getattr(hint, "__origin__", None) in (Required, NotRequired, ReadOnly):
        return _stripped(hint.__args__[0])
    args = getattr(hint, "__args__", None)
    if isinstance(hint, Union):
        return union_of(tuple(map(_stripped, args)))
    if isinstance(hint, GenericAlias) and not isinstance(hint, _LiteralGenericAlias):
        new = tuple(map(_stripped, args))
        if new != args:
            return hint._with(new) if isinstance(hint, _GenericAlias) else GenericAlias(hint.__origin__, new)
    return hint


def get_type_hints(obj, globalns=None, localns=None, include_extras=False):
    """The annotations of a class (with its bases'), module or function; texts are evaluated. Errors: NameError, TypeError."""
    if getattr(obj, "__no_type_check__", None):
        return {}
    hints = {}
    if isinstance(obj, type):
        for base in reversed(obj.__mro__):
            module = sys.modules.get(base.__module__)
            names = globalns if globalns is not None else getattr(module, "__dict__", {})
            own = localns if localns is not None else dict(vars(base))
            for name, value in (getattr(base, "__annotations__", None) or {}).items():
                hints[name] = _evaluated(value, names, own)
    else:
        annotations = getattr(obj, "__annotations__", None)
        if annotations is None:
            raise TypeError(f"{obj!r} is not a module, class, method, or function.")
        if globalns is None:
            inner = obj
            while hasattr(inner, "__wrapped__"):
                inner = inner.__wrapped__
            globalns = getattr(inner, "__globals__", None) or getattr(obj, "__dict__", {})
        for name, value in dict(annotations).items():
            hints[name] = _evaluated(value, globalns, localns)
    return hints if include_extras else {name: _stripped(hint) for name, hint in hints.items()}


__all__ = [_name for _name in list(globals()) if _name[0] != "_" and _name not in (
    "ABCMeta", "GenericAlias", "KT", "NamedTupleMeta", "T", "T_co", "T_contra", "TypedDictMeta", "VT", "VT_co", "V_co",
    "abstractmethod", "collections", "contextlib", "protocol_members", "sys", "union_of")]
__all__ += ["ChainMap", "Match", "Pattern", "SupportsAbs", "SupportsBytes", "SupportsComplex", "SupportsFloat",
            "SupportsIndex", "SupportsInt", "SupportsRound"]
