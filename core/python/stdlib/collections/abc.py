"""Abstract base classes of containers: what each kind must have, and what that gives."""

__all__ = ["Awaitable", "Coroutine", "AsyncIterable", "AsyncIterator", "AsyncGenerator", "Hashable", "Iterable", "Iterator",
           "Generator", "Reversible", "Sized", "Container", "Callable", "Collection", "Set", "MutableSet", "Mapping",
           "MutableMapping", "MappingView", "KeysView", "ItemsView", "ValuesView", "Sequence", "MutableSequence", "Buffer"]

from abc import ABCMeta, abstractmethod

from _generics import GenericAlias, _type_repr


def _has(cls, *names):
    """Whether each name is found first in a class that does not say that it is None."""
    for name in names:
        for base in cls.__mro__:
            if name in base.__dict__:
                if base.__dict__[name] is None:
                    return NotImplemented
                break
        else:
            return NotImplemented
    return True


@classmethod
def _hook(cls, other):
    names = _METHODS.get(cls)
    return NotImplemented if names is None else _has(other, *names)


class Hashable(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def __hash__(self):
        return 0


class Awaitable(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook
    __class_getitem__ = classmethod(GenericAlias)

    @abstractmethod
    def __await__(self):
        yield


class Coroutine(Awaitable):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def send(self, value):
        raise StopIteration

    @abstractmethod
    def throw(self, typ, val=None, tb=None):
        raise val if val is not None else typ

    def close(self):
        _close(self, "coroutine")


def _close(generator, kind):
    try:
        generator.throw(GeneratorExit)
    except (GeneratorExit, StopIteration):
        return
    raise RuntimeError(f"{kind} ignored GeneratorExit")


class AsyncIterable(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook
    __class_getitem__ = classmethod(GenericAlias)

    @abstractmethod
    def __aiter__(self):
        return AsyncIterator()


class AsyncIterator(AsyncIterable):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    async def __anext__(self):
        raise StopAsyncIteration

    def __aiter__(self):
        return self


class AsyncGenerator(AsyncIterator):
    __slots__ = ()
    __subclasshook__ = _hook

    async def __anext__(self):
        return await self.asend(None)

    @abstractmethod
    async def asend(self, value):
        raise StopAsyncIteration

    @abstractmethod
    async def athrow(self, typ, val=None, tb=None):
        raise val if val is not None else typ

    async def aclose(self):
        try:
            await self.athrow(GeneratorExit)
        except (GeneratorExit, StopAsyncIteration):
            return
        raise RuntimeError("asynchronous generator ignored GeneratorExit")


class Iterable(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook
    __class_getitem__ = classmethod(GenericAlias)

    @abstractmethod
    def __iter__(self):
        yield from ()


class Iterator(Iterable):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def __next__(self):
        raise StopIteration

    def __iter__(self):
        return self


class Reversible(Iterable):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def __reversed__(self):
        yield from ()


class Generator(Iterator):
    __slots__ = ()
    __subclasshook__ = _hook

    def __next__(self):
        return self.send(None)

    @abstractmethod
    def send(self, value):
        raise StopIteration

    @abstractmethod
    def throw(self, typ, val=None, tb=None):
        raise val if val is not None else typ

    def close(self):
        _close(self, "generator")


class Sized(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def __len__(self):
        return 0


class Container(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook
    __class_getitem__ = classmethod(GenericAlias)

    @abstractmethod
    def __contains__(self, x):
        return False


class Collection(Sized, Iterable, Container):
    __slots__ = ()
    __subclasshook__ = _hook


class Buffer(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook

    @abstractmethod
    def __buffer__(self, flags, /):
        raise NotImplementedError


class _CallableAlias(GenericAlias):
    """Callable[[int], str]: its arguments are those of the function, then what it returns."""

    __slots__ = ()

    def __new__(cls, origin, args):
        if not isinstance(args, tuple) or len(args) != 2:
            raise TypeError("Callable must be used as Callable[[arg, ...], result].")
        parameters, result = args
        if isinstance(parameters, (tuple, list)):
            args = (*parameters, result)
        elif parameters is not ... and not hasattr(parameters, "__typing_subst__") and not hasattr(parameters, "__args__"):
            raise TypeError(f"Expected a list of types, an ellipsis, ParamSpec, or Concatenate. Got {parameters}")
        return GenericAlias.__new__(cls, origin, args)

    def __init__(self, origin, args):
        pass

    def __repr__(self):
        args = self.__args__
        if len(args) == 2 and (args[0] is ... or getattr(args[0], "_stands_for_parameters", False)):
            return f"collections.abc.Callable[{_type_repr(args[0])}, {_type_repr(args[1])}]"
        return f"collections.abc.Callable[[{', '.join(map(_type_repr, args[:-1]))}], {_type_repr(args[-1])}]"

    def __getitem__(self, given):
        from _generics import substituted
        args = substituted(self, given)
        return _CallableAlias(self.__origin__, (list(args[:-1]), args[-1]))

    def __reduce__(self):
        return _CallableAlias, (Callable, (list(self.__args__[:-1]), self.__args__[-1]))


class Callable(metaclass=ABCMeta):
    __slots__ = ()
    __subclasshook__ = _hook
    __class_getitem__ = classmethod(_CallableAlias)

    @abstractmethod
    def __call__(self, *args, **kwds):
        return False


class Set(Collection):
    """A set that has __contains__, __iter__ and __len__: comparisons and operators come from these."""

    __slots__ = ()

    def __le__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) <= len(other) and all(item in other for item in self)

    def __lt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) < len(other) and self.__le__(other)

    def __gt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) > len(other) and self.__ge__(other)

    def __ge__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) >= len(other) and all(item in self for item in other)

    def __eq__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and self.__le__(other)

    @classmethod
    def _from_iterable(cls, it):
        """A set of the same kind from items."""
        return cls(it)

    def __and__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(item for item in other if item in self)

    __rand__ = __and__

    def isdisjoint(self, other):
        """Whether no item of `other` is here."""
        return not any(item in self for item in other)

    def __or__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(item for part in (self, other) for item in part)

    __ror__ = __or__

    def __sub__(self, other):
        if not isinstance(other, Set):
            if not isinstance(other, Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return self._from_iterable(item for item in self if item not in other)

    def __rsub__(self, other):
        if not isinstance(other, Set):
            if not isinstance(other, Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return self._from_iterable(item for item in other if item not in self)

    def __xor__(self, other):
        if not isinstance(other, Set):
            if not isinstance(other, Iterable):
                return NotImplemented
            other = self._from_iterable(other)
        return (self - other) | (other - self)

    __rxor__ = __xor__

    def _hash(self):
        """A hash that does not depend on the order of the items."""
        return hash(frozenset(self))


class MutableSet(Set):
    """A set that has add and discard, too."""

    __slots__ = ()

    @abstractmethod
    def add(self, value):
        """Adds an item."""
        raise NotImplementedError

    @abstractmethod
    def discard(self, value):
        """Removes an item if it is there."""
        raise NotImplementedError

    def remove(self, value):
        """Removes an item. Errors: KeyError."""
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self):
        """Removes and returns an item. Errors: KeyError if there is none."""
        try:
            value = next(iter(self))
        except StopIteration:
            raise KeyError from None
        self.discard(value)
        return value

    def clear(self):
        """Removes all."""
        try:
            while True:
                self.pop()
        except KeyError:
            pass

    def __ior__(self, it):
        for value in it:
            self.add(value)
        return self

    def __iand__(self, it):
        for value in self - it:
            self.discard(value)
        return self

    def __ixor__(self, it):
        if it is self:
            self.clear()
            return self
        for value in it if isinstance(it, Set) else self._from_iterable(it):
            (self.discard if value in self else self.add)(value)
        return self

    def __isub__(self, it):
        if it is self:
            self.clear()
            return self
        for value in it:
            self.discard(value)
        return self


# Who has these methods is an instance; classes derived from these ask their bases.
_METHODS = {
    Hashable: ("__hash__",),
    Awaitable: ("__await__",),
    Coroutine: ("__await__", "send", "throw", "close"),
    AsyncIterable: ("__aiter__",),
    AsyncIterator: ("__anext__", "__aiter__"),
    AsyncGenerator: ("__aiter__", "__anext__", "asend", "athrow", "aclose"),
    Iterable: ("__iter__",),
    Iterator: ("__iter__", "__next__"),
    Reversible: ("__reversed__", "__iter__"),
    Generator: ("__iter__", "__next__", "send", "throw", "close"),
    Sized: ("__len__",),
    Container: ("__contains__",),
    Collection: ("__len__", "__iter__", "__contains__"),
    Buffer: ("__buffer__",),
    Callable: ("__call__",),
}

from collections._mappings import (ItemsView, KeysView, Mapping, MappingView, MutableMapping, MutableSequence,  # noqa: E402
                                   Sequence, ValuesView, _register)

_register()
