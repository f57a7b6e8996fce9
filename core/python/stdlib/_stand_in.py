"""What stands for a package that is not here, so that a file which imports it loads all the same.

Names may be passed around, annotated with, inherited from and used as decorators; everything that would need the
package raises ModuleNotFoundError (of parts of torch NotImplementedError) with the name of what is missing.
"""
import sys


def _missing(name, how):
    package = name.partition(".")[0]
    if package == "torch":
        return NotImplementedError(f"{name} is not in nnscope and cannot be {how}" + _reasons.get(name, ""))
    return ModuleNotFoundError(f"No module named {package!r}: {name} stands in for a part of it and cannot be {how}",
                               name=package)


# Why parts of torch are not here, for those where that says something.
_reasons = {}


class StandIn:
    def __init__(self, name):
        self.__dict__["_name"] = name
        self.__dict__["__name__"] = name
        self.__dict__["__path__"] = []

    def __getattr__(self, attribute):
        if attribute == "__version__" and "(" not in self._name:
            made = _Version(self._name)
            sys.stderr.write(f"{made._name} reads as 0.0.0, and raises where it is compared\n")
        elif attribute.startswith("__") and attribute.endswith("__"):
            raise AttributeError(f"stand-in {self._name} has no attribute {attribute!r}")
        else:
            made = StandIn(f"{self._name}.{attribute}")
        # The same one the next time: registries know classes by identity.
        self.__dict__[attribute] = made
        return made

    def __repr__(self):
        return f"<stand-in for {self._name}>"

    def __instancecheck__(self, instance):
        return False  # where there is no class there is no instance

    def __subclasscheck__(self, cls):
        return any(base.__dict__.get("_stands_for") == self._name for base in cls.__mro__)

    def __mro_entries__(self, bases):
        return (_base_of(bases)(self._name.rpartition(".")[2], (_AbsentBase,), {"_stands_for": self._name}),)

    def __or__(self, other):
        return _union(self, other, self)

    def __ror__(self, other):
        return _union(other, self, self)

    def __getitem__(self, index):
        """`Name[...]` of an annotation; what is read from is subscripted with numbers."""
        for one in index if isinstance(index, tuple) else (index,):
            if isinstance(one, (int, float, complex, slice)) and not isinstance(index, tuple):
                raise _missing(self._name, "subscripted")
        return StandIn(f"{self._name}[{index!r}]")

    def _make_decorator(self, *args, **kwargs):
        """What is called in `@name(...)`."""
        return StandIn(f"{self._name}(...)")

    def _decorate(self, decorated):
        """What `@name` gives: the thing is known by its name and raises when it is used."""
        return StandIn(f"{self._name}(" + getattr(decorated, "__qualname__", repr(decorated)) + ")")

    def __call__(self, *args, **kwargs):
        raise _missing(self._name, "called")


def _union(left, right, stand_in):
    import typing
    other = right if left is stand_in else left
    if other is None or isinstance(other, (type, StandIn, str)) or hasattr(other, "__origin__") or callable(other):
        return typing.Union[left, right]
    raise _missing(stand_in._name, "used as a number")


class _Version(str):
    """The version of a package that is not here: its parts can be taken as those of 0.0.0, comparing it raises."""

    def __new__(cls, package):
        made = super().__new__(cls, "0.0.0")
        made._name = f"{package}.__version__"
        return made

    def __repr__(self):
        return f"<stand-in for {self._name}>"

    __str__ = __repr__

    def __format__(self, specification):
        return format(repr(self), specification)

    def __hash__(self):
        return str.__hash__(self)


class _AbsentBase:
    """In the place of a base class that is not here."""

    def __new__(cls, *args, **kwargs):
        # What an instance is the first base says, if that one is here; of a mixin behind it only the methods lack.
        first = cls.__mro__[0]
        while "_stands_for" not in first.__dict__ and first.__bases__[0] is not object and _AbsentBase in first.__mro__:
            first = first.__bases__[0]
        if _AbsentBase in first.__mro__ or first.__module__ in ("abc", "typing", "_typing_classes"):
            raise _missing(cls._stands_for, f"made an instance of, which {cls.__qualname__} derives from")
        return object.__new__(cls)

    def __init__(self, *args, **kwargs):
        raise _missing(type(self)._stands_for, f"initialised, which {type(self).__qualname__} derives from")

    def __init_subclass__(cls, **kwargs):
        pass


# The metaclasses of absent bases, by the other metaclass that the class has to have.
_bases_of = {}


def _base_of(bases):
    """The metaclass for an absent base beside others: what its classes lack stands in."""
    from abc import ABCMeta
    other = ABCMeta  # `class C(Absent, metaclass=ABCMeta)` goes, too
    for kind in [type(base) for base in bases if isinstance(base, type)]:
        if not issubclass(other, kind):
            other = kind
    if hasattr(other, "_is_of_absent"):
        return other
    if other not in _bases_of:
        def __getattr__(cls, attribute):
            if attribute.startswith("_"):
                raise AttributeError(f"type object {cls.__name__!r} has no attribute {attribute!r}")
            return StandIn(f"{cls._stands_for}.{attribute}")

        _bases_of[other] = type(other)("_AbsentBaseMeta", (other,), {"__getattr__": __getattr__, "_is_of_absent": True})
    return _bases_of[other]


def _refuse(method, how):
    def refuse(self, *args):
        raise _missing(self._name, how)

    refuse.__name__ = method
    return refuse


for _method, _how in [
    ("__bool__", "tested"), ("__len__", "counted"), ("__iter__", "iterated over"), ("__contains__", "searched"),
    ("__setitem__", "written to"), ("__delitem__", "written to"),
    ("__enter__", "entered"), ("__exit__", "left"), ("__index__", "used as a number"),
    ("__int__", "used as a number"), ("__float__", "used as a number"),
    *((f"__{prefix}{name}__", "used as a number") for prefix in ("", "r") for name in
      ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "xor", "lshift", "rshift")),
    *((f"__{name}__", "compared") for name in ("lt", "le", "gt", "ge")),
    ("__neg__", "used as a number"), ("__pos__", "used as a number"), ("__abs__", "used as a number"),
]:
    setattr(StandIn, _method, _refuse(_method, _how))
for _method in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
    setattr(_Version, _method, _refuse(_method, "compared"))


def lacking(module, names, why=""):
    """A module's __getattr__: some names of torch that nnscope has not can be imported, and raise where they are used."""
    known = frozenset(names.split())

    def missing(name):
        if name not in known:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        made = StandIn(f"{module}.{name}")
        if why:
            _reasons[made._name] = f": {why}"
        return made

    return missing


def part_of(package):
    """A module's __getattr__ for a package of which only a part is here: what is not stands in."""
    def missing(name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return StandIn(f"{package}.{name}")

    return missing
