"""Abstract base classes.

That an abstract class can't be instantiated is what object.__new__ says, which reads __abstractmethods__.
"""

__all__ = ["ABC", "ABCMeta", "abstractmethod", "abstractclassmethod", "abstractstaticmethod", "abstractproperty",
           "get_cache_token", "update_abstractmethods"]


def abstractmethod(funcobj):
    """Marks a method that a class must define before it can have instances."""
    funcobj.__isabstractmethod__ = True
    return funcobj


class abstractclassmethod(classmethod):
    """classmethod and abstractmethod in one."""

    __isabstractmethod__ = True

    def __init__(self, callable):
        callable.__isabstractmethod__ = True
        super().__init__(callable)


class abstractstaticmethod(staticmethod):
    """staticmethod and abstractmethod in one."""

    __isabstractmethod__ = True

    def __init__(self, callable):
        callable.__isabstractmethod__ = True
        super().__init__(callable)


class abstractproperty(property):
    """property and abstractmethod in one."""

    __isabstractmethod__ = True


# How often a class was registered: what was found not to be a subclass before may be one now.
_registrations = 0


class _Known:
    """What an abstract class knows about others: who was registered, who was found to be a subclass, and who not."""

    __slots__ = ("registered", "subclasses", "others", "registrations")

    def __init__(self):
        self.registered = set()
        self.subclasses = set()
        self.others = set()
        self.registrations = _registrations


def _abstract_names(namespace, bases, lookup):
    names = [name for name, value in namespace.items() if getattr(value, "__isabstractmethod__", False)]
    for base in bases:
        for name in getattr(base, "__abstractmethods__", ()):
            if name not in names and getattr(lookup(name), "__isabstractmethod__", False):
                names.append(name)
    return frozenset(names)


class ABCMeta(type):
    """The class of abstract base classes."""

    def __new__(mcls, name, bases, namespace, /, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        cls.__abstractmethods__ = _abstract_names(namespace, bases, lambda one: getattr(cls, one, None))
        cls._abc_impl = _Known()
        return cls

    def register(cls, subclass):
        """Makes `subclass` count as a subclass, which it returns."""
        global _registrations
        if not isinstance(subclass, type):
            raise TypeError("Can only register classes")
        if issubclass(subclass, cls):
            return subclass
        if issubclass(cls, subclass):
            raise RuntimeError("Refusing to create an inheritance cycle")
        cls._abc_impl.registered.add(subclass)
        _registrations += 1
        return subclass

    def __instancecheck__(cls, instance):
        own = type(instance)
        if own in cls._abc_impl.subclasses:
            return True
        claimed = instance.__class__
        return cls.__subclasscheck__(claimed) or (claimed is not own and cls.__subclasscheck__(own))

    def __subclasscheck__(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError("issubclass() arg 1 must be a class")
        known = cls._abc_impl
        if subclass in known.subclasses:
            return True
        if known.registrations != _registrations:
            known.others.clear()
            known.registrations = _registrations
        elif subclass in known.others:
            return False
        answer = cls.__subclasshook__(subclass)
        if answer is NotImplemented:
            answer = (cls in type.mro(subclass) if subclass is type else cls in subclass.__mro__) or \
                any(issubclass(subclass, one) for one in known.registered) or \
                any(issubclass(subclass, one) for one in type.__subclasses__(cls))
        (known.subclasses if answer else known.others).add(subclass)
        return answer


class ABC(metaclass=ABCMeta):
    """A base class whose metaclass is ABCMeta."""

    __slots__ = ()


def get_cache_token():
    """A number that changes whenever a class is registered anywhere."""
    return _registrations


def update_abstractmethods(cls):
    """Looks again which methods of an abstract class are abstract, after some were added; returns the class."""
    if hasattr(cls, "__abstractmethods__"):
        cls.__abstractmethods__ = _abstract_names(cls.__dict__, cls.__bases__, lambda one: getattr(cls, one, None))
    return cls
