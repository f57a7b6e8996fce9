"""What stands for a package that is not here, so that a file which imports it loads all the same.

Names may be passed around, annotated with, inherited from and used as decorators; everything that would need the
package raises ModuleNotFoundError with the name of what is missing.
"""


def _missing(name, how):
    package = name.partition(".")[0]
    return ModuleNotFoundError(f"No module named {package!r}: {name} stands in for a part of it and cannot be {how}",
                               name=package)


class StandIn:
    def __init__(self, name):
        self.__dict__["_name"] = name
        self.__dict__["__name__"] = name
        self.__dict__["__path__"] = []

    def __getattr__(self, attribute):
        if attribute.startswith("__") and attribute.endswith("__"):
            raise AttributeError(f"stand-in {self._name} has no attribute {attribute!r}")
        return StandIn(f"{self._name}.{attribute}")

    def __repr__(self):
        return f"<stand-in for {self._name}>"

    def __instancecheck__(self, instance):
        return False  # where there is no class there is no instance

    def __mro_entries__(self, bases):
        return (type(self._name.rpartition(".")[2], (_AbsentBase,), {"_stands_for": self._name}),)

    def _decorate(self, decorated):
        """What `@name` gives: the thing is known by its name and raises when it is used."""
        return StandIn(f"{self._name}(" + getattr(decorated, "__qualname__", repr(decorated)) + ")")

    def __call__(self, *args, **kwargs):
        raise _missing(self._name, "called")


class _AbsentBase:
    """In the place of a base class that is not here."""

    def __new__(cls, *args, **kwargs):
        raise _missing(cls._stands_for, f"made an instance of, which {cls.__qualname__} derives from")

    def __init_subclass__(cls, **kwargs):
        pass


def _refuse(method, how):
    def refuse(self, *args):
        raise _missing(self._name, how)

    refuse.__name__ = method
    return refuse


for _method, _how in [
    ("__bool__", "tested"), ("__len__", "counted"), ("__iter__", "iterated over"), ("__contains__", "searched"),
    ("__getitem__", "subscripted"), ("__setitem__", "written to"), ("__delitem__", "written to"),
    ("__enter__", "entered"), ("__exit__", "left"), ("__index__", "used as a number"),
    ("__int__", "used as a number"), ("__float__", "used as a number"),
    *((f"__{prefix}{name}__", "used as a number") for prefix in ("", "r") for name in
      ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "xor", "lshift", "rshift")),
    *((f"__{name}__", "compared") for name in ("lt", "le", "gt", "ge")),
    ("__neg__", "used as a number"), ("__pos__", "used as a number"), ("__abs__", "used as a number"),
]:
    setattr(StandIn, _method, _refuse(_method, _how))


def part_of(package):
    """A module's __getattr__ for a package of which only a part is here: what is not stands in."""
    def missing(name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return StandIn(f"{package}.{name}")

    return missing
