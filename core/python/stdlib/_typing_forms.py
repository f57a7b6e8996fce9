"""What module typing builds types from: special forms, aliases with arguments, type variables."""

import sys

from _generics import GenericAlias, _Either, substituted


def type_repr(given):
    """How a type reads inside of an alias."""
    if given is ...:
        return "..."
    if isinstance(given, (tuple, list)):
        return "[" + ", ".join(map(type_repr, given)) + "]"
    if isinstance(given, type) and not hasattr(given, "__origin__"):
        return given.__qualname__ if given.__module__ == "builtins" else f"{given.__module__}.{given.__qualname__}"
    if hasattr(given, "__qualname__") and callable(given) and not hasattr(given, "__origin__") and hasattr(given, "__code__"):
        return given.__name__
    return repr(given)


class ForwardRef(_Either):
    """A type that is named by a text."""

    __slots__ = ("__forward_arg__", "__forward_module__", "__forward_is_class__", "__weakref__")

    def __init__(self, arg, *, module=None, is_class=False):
        if not isinstance(arg, str):
            raise TypeError(f"Forward reference must be a string -- got {arg!r}")
        self.__forward_arg__ = arg
        self.__forward_module__ = module
        self.__forward_is_class__ = is_class

    def evaluate(self, globalns=None, localns=None):
        """The type. Errors: NameError."""
        if globalns is None:
            module = sys.modules.get(self.__forward_module__)
            globalns = {} if module is None else module.__dict__
        return type_convert(eval(self.__forward_arg__, dict(globalns), localns))

    def __eq__(self, other):
        if not isinstance(other, ForwardRef):
            return NotImplemented
        return self.__forward_arg__ == other.__forward_arg__ and self.__forward_module__ == other.__forward_module__

    def __hash__(self):
        return hash((self.__forward_arg__, self.__forward_module__))

    def __repr__(self):
        module = f", module={self.__forward_module__!r}" if self.__forward_module__ is not None else ""
        return f"ForwardRef({self.__forward_arg__!r}{module})"


def type_convert(given, module=None):
    """None as the class of None, a text as a forward reference."""
    if given is None:
        return type(None)
    if isinstance(given, str):
        return ForwardRef(given, module=module)
    return given


def type_check(given, message):
    """A type from what was given for one. Errors: TypeError."""
    given = type_convert(given)
    if isinstance(given, SpecialForm) and given._name in ("ClassVar", "Final", "Literal", "Optional", "Concatenate"):
        raise TypeError(f"Plain {given} is not valid as type argument")
    if type(given) is tuple:
        raise TypeError(f"{message} Got {given!r:.100}.")
    return given


class SpecialForm(_Either):
    """A name of typing that is no class."""

    def __init__(self, getitem):
        self._getitem = getitem
        self._name = getitem.__name__
        self.__doc__ = getitem.__doc__

    def __getattr__(self, name):
        if name in ("__name__", "__qualname__"):
            return self._name
        if name == "__module__":
            return "typing"
        raise AttributeError(f"'typing._SpecialForm' object has no attribute '{name}'")

    def __mro_entries__(self, bases):
        raise TypeError(f"Cannot subclass {self!r}")

    def __repr__(self):
        return "typing." + self._name

    def __reduce__(self):
        return self._name

    def __call__(self, *args, **kwds):
        raise TypeError(f"Cannot instantiate {self!r}")

    def __instancecheck__(self, obj):
        raise TypeError(f"{self} cannot be used with isinstance()")

    def __subclasscheck__(self, cls):
        raise TypeError(f"{self} cannot be used with issubclass()")

    def __getitem__(self, parameters):
        return self._getitem(self, parameters)


class Alias(GenericAlias):
    """A name of typing, or a generic class of a program, with its arguments."""

    __slots__ = ("_name", "_has_class")

    def __new__(cls, origin, args, name=None, has_class=True):
        self = GenericAlias.__new__(cls, origin, args)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_has_class", has_class)
        return self

    def __init__(self, origin, args, name=None, has_class=True):
        pass

    def __repr__(self):
        name = "typing." + self._name if self._name else type_repr(self.__origin__)
        inside = ", ".join(map(type_repr, self.__args__)) if self.__args__ else "()"
        return f"{name}[{inside}]"

    def __call__(self, *args, **kwargs):
        if not self._has_class:
            raise TypeError(f"Type {self._name} cannot be instantiated; use {self.__origin__.__name__}() instead")
        return GenericAlias.__call__(self, *args, **kwargs)

    def __getattr__(self, name):
        if name in ("__name__", "__qualname__") and self._name:
            return self._name
        if name == "__module__" and self._name:
            return "typing"
        if name[:2] == name[-2:] == "__" and name not in ("__name__", "__qualname__", "__doc__", "__module__"):
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __setattr__(self, name, value):
        if name[:2] == name[-2:] == "__" or name in ("_name", "_has_class"):
            object.__setattr__(self, name, value)
        else:
            setattr(self.__origin__, name, value)

    def _with(self, args):
        return type(self)(self.__origin__, args, self._name, self._has_class)

    def __getitem__(self, given):
        if not self.__parameters__:
            raise TypeError(f"{self!r} is not a generic class")
        given = tuple(map(type_convert, given)) if isinstance(given, tuple) else type_convert(given)
        return self._with(substituted(self, given))

    def __mro_entries__(self, bases):
        if not self._name:
            from typing import Generic, Protocol
            if self.__origin__ is Generic:
                if Protocol in bases:
                    return ()
                at = next((i for i, base in enumerate(bases) if base is self), -1)
                for base in bases[at + 1:]:
                    if isinstance(base, Alias) and base is not self:
                        return ()
            return (self.__origin__,)
        from typing import Generic
        result = []
        if self.__origin__ not in bases:
            result.append(self.__origin__)
        at = bases.index(self)
        if not any(isinstance(base, GenericAlias) or isinstance(base, type) and issubclass(base, Generic)
                   for base in bases[at + 1:]):
            result.append(Generic)
        return tuple(result)

    def __instancecheck__(self, obj):
        raise TypeError("Subscripted generics cannot be used with class and instance checks")

    def __subclasscheck__(self, cls):
        raise TypeError("Subscripted generics cannot be used with class and instance checks")

    def __reduce__(self):
        return type(self), (self.__origin__, self.__args__, self._name, self._has_class)


class CallableAlias(Alias):
    """Callable[[int], str] of typing."""

    __slots__ = ()

    def __repr__(self):
        args = self.__args__
        if len(args) == 2 and (args[0] is ... or isinstance(args[0], ParamSpec)):
            return Alias.__repr__(self)
        return f"typing.Callable[[{', '.join(map(type_repr, args[:-1]))}], {type_repr(args[-1])}]"


class LiteralAlias(Alias):
    """Literal[1, 'a']: equal if the values and their types are, in any order."""

    __slots__ = ()

    def __repr__(self):
        return f"typing.Literal[{', '.join(map(repr, self.__args__))}]"

    def _pairs(self):
        return {(type(value), value) for value in self.__args__}

    def __eq__(self, other):
        return self._pairs() == other._pairs() if isinstance(other, LiteralAlias) else NotImplemented

    def __hash__(self):
        return hash(frozenset(self._pairs()))


class AnnotatedAlias(Alias):
    """Annotated[T, ...]: a type with more about it."""

    __slots__ = ("__metadata__",)

    def __new__(cls, origin, metadata):
        if isinstance(origin, AnnotatedAlias):
            metadata = origin.__metadata__ + metadata
            origin = origin.__origin__
        self = Alias.__new__(cls, origin, (origin,), "Annotated")
        object.__setattr__(self, "__metadata__", metadata)
        return self

    def __init__(self, origin, metadata):
        pass

    def _with(self, args):
        return AnnotatedAlias(args[0], self.__metadata__)

    def __repr__(self):
        return f"typing.Annotated[{type_repr(self.__origin__)}, {', '.join(map(repr, self.__metadata__))}]"

    def __eq__(self, other):
        if not isinstance(other, AnnotatedAlias):
            return NotImplemented
        return self.__origin__ == other.__origin__ and self.__metadata__ == other.__metadata__

    def __hash__(self):
        return hash((self.__origin__, self.__metadata__))

    def __mro_entries__(self, bases):
        return (self.__origin__,)


class BareAlias(_Either):
    """A name of typing that stands for a class, and takes arguments: List, Dict."""

    def __init__(self, origin, count, name=None, has_class=False):
        self.__origin__ = origin
        self._nparams = count
        self._name = name or origin.__name__
        self._has_class = has_class
        self.__doc__ = f"A generic version of {origin.__module__}.{origin.__qualname__}."

    def __getattr__(self, name):
        if name in ("__name__", "__qualname__"):
            return self._name
        if name == "__module__":
            return "typing"
        if name[:2] == "__" or name in ("_name", "_nparams"):
            raise AttributeError(name)
        return getattr(self.__origin__, name)

    def __repr__(self):
        return "typing." + self._name

    def __reduce__(self):
        return self._name

    def __call__(self, *args, **kwds):
        if not self._has_class:
            raise TypeError(f"Type {self._name} cannot be instantiated; use {self.__origin__.__name__}() instead")
        return self.__origin__(*args, **kwds)

    def __getitem__(self, given):
        given = given if isinstance(given, tuple) else (given,)
        args = tuple(type_check(one, "Parameters to generic types must be types.") for one in given)
        if len(args) != self._nparams:
            word = "many" if len(args) > self._nparams else "few"
            raise TypeError(f"Too {word} arguments for {self}; actual {len(args)}, expected {self._nparams}")
        return Alias(self.__origin__, args, self._name, self._has_class)

    def __mro_entries__(self, bases):
        from typing import Generic
        result = [] if self.__origin__ in bases else [self.__origin__]
        at = bases.index(self)
        if not any(isinstance(base, (GenericAlias, BareAlias)) or isinstance(base, type) and issubclass(base, Generic)
                   for base in bases[at + 1:]):
            result.append(Generic)
        return tuple(result)

    def __instancecheck__(self, obj):
        return isinstance(obj, self.__origin__)

    def __subclasscheck__(self, cls):
        if isinstance(cls, BareAlias):
            return issubclass(cls.__origin__, self.__origin__)
        return issubclass(cls, self.__origin__)


class BareTuple(BareAlias):
    """Tuple: any number of types, the last may be ..."""

    def __getitem__(self, given):
        given = given if isinstance(given, tuple) else (given,)
        if len(given) >= 2 and given[-1] is ...:
            head = tuple(type_check(one, "Tuple[t, ...]: t must be a type.") for one in given[:-1])
            return Alias(tuple, (*head, ...), self._name)
        return Alias(tuple, tuple(type_check(one, "Tuple[t0, t1, ...]: each t must be a type.") for one in given), self._name)


class BareCallable(BareAlias):
    """Callable: the types of the parameters in a list, and that of the result."""

    def __getitem__(self, given):
        if not isinstance(given, tuple) or len(given) != 2:
            raise TypeError("Callable must be used as Callable[[arg, ...], result].")
        parameters, result = given
        result = type_check(result, "Callable[args, result]: result must be a type.")
        if isinstance(parameters, (list, tuple)):
            parameters = tuple(type_check(one, "Callable[[arg, ...], result]: each arg must be a type.") for one in parameters)
            return CallableAlias(self.__origin__, (*parameters, result), self._name)
        if parameters is ... or isinstance(parameters, ParamSpec) or isinstance(parameters, Alias):
            return CallableAlias(self.__origin__, (parameters, result), self._name)
        raise TypeError(f"Callable[args, result]: args must be a list. Got {parameters}")


class _Variable(_Either):
    """What stands for a type that is not known yet."""

    _is_many = False

    def _start(self, name, covariant, contravariant, default):
        self.__name__ = name
        self.__covariant__ = bool(covariant)
        self.__contravariant__ = bool(contravariant)
        if covariant and contravariant:
            raise ValueError("Bivariant types are not supported.")
        self.__default__ = default
        try:
            self.__module__ = sys._getframe(2).f_globals.get("__name__")
        except (AttributeError, ValueError):
            self.__module__ = None

    def has_default(self):
        """Whether it has a default."""
        return self.__default__ is not NoDefault

    def __repr__(self):
        sign = "+" if self.__covariant__ else "-" if self.__contravariant__ else \
            "" if getattr(self, "__infer_variance__", False) else "~"
        return sign + self.__name__

    def __typing_subst__(self, given):
        return given

    def __mro_entries__(self, bases):
        raise TypeError(f"Cannot subclass an instance of {type(self).__name__}")

    def __reduce__(self):
        return self.__name__


class _NoDefaultType:
    def __repr__(self):
        return "typing.NoDefault"


NoDefault = _NoDefaultType()


class TypeVar(_Variable):
    """A type variable."""

    def __init__(self, name, *constraints, bound=None, default=NoDefault, covariant=False, contravariant=False,
                 infer_variance=False):
        self._start(name, covariant, contravariant, default)
        if len(constraints) == 1:
            raise TypeError("A single constraint is not allowed")
        if constraints and bound is not None:
            raise TypeError("Constraints cannot be combined with bound=...")
        self.__infer_variance__ = infer_variance
        self._constraints = tuple(type_check(one, "TypeVar(name, constraint, ...): constraints must be types.")
                                  for one in constraints)
        self._bound = None if bound is None else type_check(bound, "Bound must be a type.")

    # A function that gives the bound, or a tuple of constraints, of a variable that stands in brackets.
    _evaluate = None

    def _look(self):
        if self._evaluate is not None:
            given = self._evaluate()
            if isinstance(given, tuple):
                self._constraints = given
            else:
                self._bound = given
            self._evaluate = None

    @property
    def __bound__(self):
        self._look()
        return self._bound

    @property
    def __constraints__(self):
        self._look()
        return self._constraints

    def __typing_subst__(self, given):
        return type_check(given, "Parameters to generic types must be types.")


class ParamSpecArgs:
    """P.args"""

    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f"{self.__origin__.__name__}.args"


class ParamSpecKwargs:
    """P.kwargs"""

    def __init__(self, origin):
        self.__origin__ = origin

    def __repr__(self):
        return f"{self.__origin__.__name__}.kwargs"


class ParamSpec(_Variable):
    """A variable for all parameters of a function."""

    _stands_for_parameters = True

    def __init__(self, name, *, bound=None, default=NoDefault, covariant=False, contravariant=False, infer_variance=False):
        self._start(name, covariant, contravariant, default)
        self.__bound__ = bound
        self.__infer_variance__ = infer_variance

    @property
    def args(self):
        """What *args is of."""
        return ParamSpecArgs(self)

    @property
    def kwargs(self):
        """What **kwargs is of."""
        return ParamSpecKwargs(self)


class TypeVarTuple(_Variable):
    """A variable for any number of types."""

    _is_many = True

    def __init__(self, name, *, default=NoDefault):
        self._start(name, False, False, default)

    def __iter__(self):
        yield UnpackedVariable(self)

    def __repr__(self):
        return self.__name__


class UnpackedVariable(_Either):
    """*Ts"""

    def __init__(self, variable):
        self._unpacked = variable
        self.__parameters__ = (variable,)
        self.__origin__ = variable
        self.__args__ = (variable,)

    def __repr__(self):
        return f"typing.Unpack[{self._unpacked!r}]"


def make_parameter(name, stars, bound):
    """What a name in the brackets of a definition is; `bound`: a function that gives its bound, or None."""
    if stars:
        made = TypeVarTuple(name) if stars == 1 else ParamSpec(name, infer_variance=True)
    else:
        made = TypeVar(name, infer_variance=True)
        made._evaluate = bound
    made.__module__ = "typing"
    return made


for _class in (ForwardRef, TypeVar, ParamSpec, ParamSpecArgs, ParamSpecKwargs, TypeVarTuple):
    _class.__module__ = "typing"
for _class, _name in ((SpecialForm, "_SpecialForm"), (Alias, "_GenericAlias"), (CallableAlias, "_CallableGenericAlias"),
                      (LiteralAlias, "_LiteralGenericAlias"), (AnnotatedAlias, "_AnnotatedAlias"),
                      (BareAlias, "_SpecialGenericAlias"), (BareTuple, "_TupleType"), (BareCallable, "_CallableType")):
    _class.__module__ = "typing"
    _class.__name__ = _class.__qualname__ = _name
