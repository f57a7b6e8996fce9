"""Names of the classes that the language itself makes objects of."""

import sys as _sys

from _generics import GenericAlias, Union as UnionType


def _generator():
    yield


async def _coroutine():
    pass


async def _async_generator():
    yield


def _closure():
    shared = None

    def inner():
        return shared

    return inner


class _Sample:
    def method(self):
        pass


FunctionType = LambdaType = type(_generator)
CodeType = type(_generator.__code__)
CellType = type(_closure().__closure__[0])
GeneratorType = type(_generator())
_made = _coroutine()
CoroutineType = type(_made)
_made.close()
AsyncGeneratorType = type(_async_generator())
MethodType = type(_Sample().method)
BuiltinFunctionType = type(len)
BuiltinMethodType = type([].append)
WrapperDescriptorType = type(object.__init__)
MethodWrapperType = type(object().__str__)
MethodDescriptorType = type(str.join)
ClassMethodDescriptorType = type(dict.__dict__["fromkeys"])
ModuleType = type(_sys)
GetSetDescriptorType = type(FunctionType.__code__)
MemberDescriptorType = type(FunctionType.__globals__)
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)

try:
    raise TypeError
except TypeError as _raised:
    TracebackType = type(_raised.__traceback__)
    FrameType = type(_raised.__traceback__.tb_frame)


class MappingProxyType:
    """A view of a mapping through which it can't be changed."""

    __slots__ = ("_mapping", "__weakref__")

    def __new__(cls, mapping):
        if not hasattr(type(mapping), "__getitem__") or isinstance(mapping, (list, tuple, str)):
            raise TypeError(f"mappingproxy() argument must be a mapping, not {type(mapping).__name__}")
        self = object.__new__(cls)
        self._mapping = mapping
        return self

    def __getitem__(self, key):
        return self._mapping[key]

    def __contains__(self, key):
        return key in self._mapping

    def __len__(self):
        return len(self._mapping)

    def __iter__(self):
        return iter(self._mapping)

    def __reversed__(self):
        return reversed(self._mapping)

    def get(self, key, default=None, /):
        """The value of `key`, or `default`."""
        return self._mapping.get(key, default)

    def keys(self):
        """The keys."""
        return self._mapping.keys()

    def values(self):
        """The values."""
        return self._mapping.values()

    def items(self):
        """The pairs."""
        return self._mapping.items()

    def copy(self):
        """A copy of the mapping."""
        return self._mapping.copy()

    def __eq__(self, other):
        return self._mapping == (other._mapping if isinstance(other, MappingProxyType) else other)

    def __hash__(self):
        return hash(self._mapping)

    def __or__(self, other):
        return self._mapping | (other._mapping if isinstance(other, MappingProxyType) else other)

    def __ror__(self, other):
        return other | self._mapping

    def __ior__(self, other):
        raise TypeError(f"'|=' is not supported by {type(self).__name__}; use '|' instead")

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'mappingproxy' object")

    def __str__(self):
        return str(self._mapping)

    def __repr__(self):
        return f"mappingproxy({self._mapping!r})"

    __class_getitem__ = classmethod(GenericAlias)


MappingProxyType.__name__ = MappingProxyType.__qualname__ = "mappingproxy"


class SimpleNamespace:
    """An object whose attributes are what it was made with."""

    def __init__(self, mapping_or_iterable=(), /, **kwargs):
        self.__dict__.update(mapping_or_iterable)
        self.__dict__.update(kwargs)

    def __repr__(self):
        key = id(self)
        name = "namespace" if type(self) is SimpleNamespace else type(self).__name__
        if key in _shown:
            return f"{name}(...)"
        _shown.add(key)
        try:
            return f"{name}({', '.join(f'{item}={value!r}' for item, value in self.__dict__.items())})"
        finally:
            _shown.discard(key)

    def __getattr__(self, name):
        kind = "types.SimpleNamespace" if type(self) is SimpleNamespace else type(self).__name__
        raise AttributeError(f"'{kind}' object has no attribute '{name}'")

    def __eq__(self, other):
        if isinstance(other, SimpleNamespace):
            return self.__dict__ == other.__dict__
        return NotImplemented

    __hash__ = None

    def __replace__(self, /, **kwargs):
        made = type(self)()
        made.__dict__.update(self.__dict__)
        made.__dict__.update(kwargs)
        return made


_shown = set()


class DynamicClassAttribute:
    """A property for instances; of the class itself the metaclass's __getattr__ is asked."""

    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel
        self.__doc__ = doc or getattr(fget, "__doc__", None)
        self.overwrite_doc = doc is None
        self.__isabstractmethod__ = bool(getattr(fget, "__isabstractmethod__", False))

    def __get__(self, instance, ownerclass=None):
        if instance is None:
            if self.__isabstractmethod__:
                return self
            raise AttributeError()
        if self.fget is None:
            raise AttributeError("unreadable attribute")
        return self.fget(instance)

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError("can't set attribute")
        self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError("can't delete attribute")
        self.fdel(instance)

    def getter(self, fget):
        """The same with another getter."""
        return type(self)(fget, self.fset, self.fdel, (fget.__doc__ if self.overwrite_doc else None) or self.__doc__)

    def setter(self, fset):
        """The same with another setter."""
        return type(self)(self.fget, fset, self.fdel, self.__doc__)

    def deleter(self, fdel):
        """The same with another deleter."""
        return type(self)(self.fget, self.fset, fdel, self.__doc__)


def resolve_bases(bases):
    """`bases` with what is no class replaced by what its __mro_entries__ gives."""
    resolved = []
    for base in bases:
        entries = None if isinstance(base, type) else getattr(base, "__mro_entries__", None)
        if entries is None:
            resolved.append(base)
            continue
        given = entries(bases)
        if not isinstance(given, tuple):
            raise TypeError("__mro_entries__ must return a tuple")
        resolved.extend(given)
    return bases if len(resolved) == len(bases) and all(a is b for a, b in zip(resolved, bases)) else tuple(resolved)


def prepare_class(name, bases=(), kwds=None):
    """(metaclass, namespace, keywords) as the class statement makes them."""
    kwds = dict(kwds or {})
    meta = kwds.pop("metaclass", None) or (type(bases[0]) if bases else type)
    if isinstance(meta, type):
        for base in bases:
            kind = type(base)
            if issubclass(meta, kind):
                continue
            if not issubclass(kind, meta):
                raise TypeError("metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass "
                                "of the metaclasses of all its bases")
            meta = kind
    namespace = meta.__prepare__(name, bases, **kwds) if hasattr(meta, "__prepare__") else {}
    return meta, namespace, kwds


def new_class(name, bases=(), kwds=None, exec_body=None):
    """A class, made as the class statement makes it; `exec_body` fills the namespace."""
    resolved = resolve_bases(bases)
    meta, namespace, kwds = prepare_class(name, resolved, kwds)
    if exec_body is not None:
        exec_body(namespace)
    if resolved is not bases:
        namespace["__orig_bases__"] = bases
    return meta(name, resolved, namespace, **kwds)


def get_original_bases(cls, /):
    """The bases as they were written."""
    if not isinstance(cls, type):
        raise TypeError(f"Expected an instance of type, not {type(cls).__name__!r}")
    return cls.__dict__.get("__orig_bases__", cls.__bases__)


def coroutine(func):
    """A generator function whose generators may be awaited."""
    if not callable(func):
        raise TypeError("types.coroutine() expects a callable")
    flags = getattr(getattr(func, "__code__", None), "co_flags", 0)
    if flags & 0x280:  # it gives what may be awaited, or walked by async for
        return func
    from functools import wraps
    from _coroutines import GeneratorCoroutine

    @wraps(func)
    def wrapped(*args, **kwargs):
        given = func(*args, **kwargs)
        return GeneratorCoroutine(given) if isinstance(given, GeneratorType) else given

    return wrapped



__all__ = [name for name in globals() if name[0] != "_"]
