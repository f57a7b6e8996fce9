"""Functions of functions: caches, partial calls, wrappers, single dispatch."""

__all__ = ["update_wrapper", "wraps", "WRAPPER_ASSIGNMENTS", "WRAPPER_UPDATES", "total_ordering", "cache", "cmp_to_key",
           "lru_cache", "reduce", "partial", "partialmethod", "singledispatch", "singledispatchmethod", "cached_property",
           "Placeholder"]

from reprlib import recursive_repr as _recursive_repr
from types import GenericAlias, MethodType

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotate__", "__type_params__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """Makes `wrapper` look like `wrapped`, which it keeps as __wrapped__."""
    for name in assigned:
        try:
            value = getattr(wrapped, name)
        except AttributeError:
            continue
        setattr(wrapper, name, value)
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    """The decorator that makes a function look like `wrapped`."""

    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)

    return decorate


_missing = object()


def reduce(function, iterable, /, initial=_missing):
    """function(... function(function(a, b), c) ..., z) over the items, `initial` in front."""
    items = iter(iterable)
    if initial is _missing:
        try:
            value = next(items)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    else:
        value = initial
    for item in items:
        value = function(value, item)
    return value


# Orders from one comparison: root -> the others, each from the root's answer and equality.

def _negated(root):
    def compare(self, other):
        answer = getattr(type(self), root)(self, other)
        return answer if answer is NotImplemented else not answer
    return compare


def _or_equal(root):
    def compare(self, other):
        answer = getattr(type(self), root)(self, other)
        return answer if answer is NotImplemented else answer or self == other
    return compare


def _and_unequal(root):
    def compare(self, other):
        answer = getattr(type(self), root)(self, other)
        return answer if answer is NotImplemented else answer and self != other
    return compare


def _negated_and_unequal(root):
    def compare(self, other):
        answer = getattr(type(self), root)(self, other)
        return answer if answer is NotImplemented else not answer and self != other
    return compare


def _negated_or_equal(root):
    def compare(self, other):
        answer = getattr(type(self), root)(self, other)
        return answer if answer is NotImplemented else not answer or self == other
    return compare


_ORDERS = {
    "__lt__": [("__gt__", _negated_and_unequal), ("__le__", _or_equal), ("__ge__", _negated)],
    "__le__": [("__ge__", _negated_or_equal), ("__lt__", _and_unequal), ("__gt__", _negated)],
    "__gt__": [("__lt__", _negated_and_unequal), ("__ge__", _or_equal), ("__le__", _negated)],
    "__ge__": [("__le__", _negated_or_equal), ("__gt__", _and_unequal), ("__lt__", _negated)],
}


def total_ordering(cls):
    """Adds to a class with __eq__ and one of < <= > >= the other three."""
    roots = [name for name in _ORDERS if getattr(cls, name, None) is not getattr(object, name, None)]
    if not roots:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    root = next(name for name in ("__lt__", "__le__", "__gt__", "__ge__") if name in roots)
    for name, make in _ORDERS[root]:
        if name not in roots:
            function = make(root)
            function.__name__ = name
            function.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, function)
    return cls


def cmp_to_key(mycmp):
    """A key function from one that compares two: negative, zero or positive."""

    class K:
        __slots__ = ("obj",)

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0

        __hash__ = None

    return K


class _PlaceholderType:
    """The place of an argument that a partial object leaves open."""

    __slots__ = ()
    _made = None

    def __new__(cls):
        if cls._made is None:
            cls._made = object.__new__(cls)
        return cls._made

    def __init_subclass__(cls, *args, **kwargs):
        raise TypeError("type 'functools._PlaceholderType' is not an acceptable base type")

    def __repr__(self):
        return "Placeholder"

    def __reduce__(self):
        return "Placeholder"


Placeholder = _PlaceholderType()


def _filled(held, given):
    """`held` with its placeholders replaced by the first of `given`; the rest of `given`."""
    rest = iter(given)
    return tuple(next(rest) if item is Placeholder else item for item in held), tuple(rest)


class partial:
    """A function with some of its arguments given."""

    __slots__ = ("func", "args", "keywords", "_open", "__dict__", "__weakref__")

    def __new__(cls, /, *args, **keywords):
        if not args:
            raise TypeError("type 'partial' takes at least one argument")
        func, *rest = args
        if not callable(func):
            raise TypeError("the first argument must be callable")
        args = tuple(rest)
        if args and args[-1] is Placeholder:
            raise TypeError("trailing Placeholders are not allowed")
        if any(value is Placeholder for value in keywords.values()):
            raise TypeError("Placeholder cannot be passed as a keyword argument")
        if isinstance(func, partial) and not func.__dict__:
            if func._open:
                missing = func._open - len(args)
                held, more = _filled(func.args, args + (Placeholder,) * max(missing, 0))
                args = held + more
                while args and args[-1] is Placeholder:
                    args = args[:-1]
            else:
                args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self = object.__new__(cls)
        self.func = func
        self.args = args
        self.keywords = keywords
        self._open = sum(1 for item in args if item is Placeholder)
        return self

    def __call__(self, /, *args, **keywords):
        if self._open:
            if len(args) < self._open:
                raise TypeError("missing positional arguments in 'partial' call; "
                                f"expected at least {self._open}, got {len(args)}")
            held, rest = _filled(self.args, args)
            return self.func(*held, *rest, **{**self.keywords, **keywords})
        if keywords:
            return self.func(*self.args, *args, **{**self.keywords, **keywords})
        return self.func(*self.args, *args, **self.keywords)

    def __get__(self, instance, owner=None):
        return self if instance is None else MethodType(self, instance)

    @_recursive_repr()
    def __repr__(self):
        cls = type(self)
        parts = [repr(self.func)]
        parts.extend(map(repr, self.args))
        parts.extend(f"{name}={value!r}" for name, value in self.keywords.items())
        return f"{cls.__module__}.{cls.__qualname__}({', '.join(parts)})"

    def __reduce__(self):
        return type(self), (self.func,), (self.func, self.args, self.keywords or None, self.__dict__ or None)

    def __setstate__(self, state):
        if not isinstance(state, tuple) or len(state) != 4:
            raise TypeError("invalid partial state")
        func, args, keywords, attributes = state
        self.func = func
        self.args = tuple(args)
        self.keywords = dict(keywords or {})
        self._open = sum(1 for item in self.args if item is Placeholder)
        self.__dict__.clear()
        self.__dict__.update(attributes or {})

    __class_getitem__ = classmethod(GenericAlias)


class partialmethod:
    """A method with some of its arguments given."""

    def __init__(self, func, /, *args, **keywords):
        if isinstance(func, partialmethod):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        elif not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(f"the first argument {func!r} must be a callable or a descriptor")
        self.func = func
        self.args = args
        self.keywords = keywords

    def __repr__(self):
        cls = type(self)
        parts = [repr(self.func)]
        parts.extend(map(repr, self.args))
        parts.extend(f"{name}={value!r}" for name, value in self.keywords.items())
        return f"{cls.__module__}.{cls.__qualname__}({', '.join(parts)})"

    def _unbound(self):
        def method(cls_or_self, /, *args, **keywords):
            return self.func(cls_or_self, *self.args, *args, **{**self.keywords, **keywords})

        method.__isabstractmethod__ = self.__isabstractmethod__
        method.__partialmethod__ = self
        return method

    def __get__(self, instance, owner=None):
        get = getattr(self.func, "__get__", None)
        if get is not None:
            bound = get(instance, owner)
            if bound is not self.func:
                result = partial(bound, *self.args, **self.keywords)
                try:
                    result.__self__ = bound.__self__
                except AttributeError:
                    pass
                return result
        return self._unbound().__get__(instance, owner)

    @property
    def __isabstractmethod__(self):
        return getattr(self.func, "__isabstractmethod__", False)

    __class_getitem__ = classmethod(GenericAlias)


_CacheInfo = None
_keywords_follow = object()


def _cache_info(hits, misses, maxsize, currsize):
    global _CacheInfo
    if _CacheInfo is None:
        from collections import namedtuple
        _CacheInfo = namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"], module=__name__)
    return _CacheInfo(hits, misses, maxsize, currsize)


def _key(args, keywords, typed):
    """What a call is remembered under. One int or str is its own key, so that 1 and 1.0 differ."""
    key = args
    if keywords:
        key += (_keywords_follow, *keywords.items())
    if typed:
        key += tuple(map(type, args))
        if keywords:
            key += tuple(map(type, keywords.values()))
    elif len(key) == 1 and type(key[0]) in (int, str):
        return key[0]
    # What can't be hashed is named itself, not the tuple around it.
    hash(key)
    return key


def lru_cache(maxsize=128, typed=False):
    """Remembers the results of the `maxsize` last different calls, of all with None."""
    if isinstance(maxsize, int):
        maxsize = max(maxsize, 0)
    elif callable(maxsize) and isinstance(typed, bool):
        return _cached(maxsize, 128, typed)
    elif maxsize is not None:
        raise TypeError("Expected first argument to be an integer, a callable, or None")

    def decorate(function):
        return _cached(function, maxsize, typed)

    return decorate


def cache(user_function, /):
    """Remembers the results of all calls."""
    return lru_cache(maxsize=None)(user_function)


def _cached(function, maxsize, typed):
    results = {}  # the key that was used last is the last one
    hits = misses = 0

    if maxsize is None:
        def wrapper(*args, **keywords):
            nonlocal hits, misses
            key = _key(args, keywords, typed)
            result = results.get(key, _missing)
            if result is not _missing:
                hits += 1
                return result
            misses += 1
            result = results[key] = function(*args, **keywords)
            return result
    elif maxsize == 0:
        def wrapper(*args, **keywords):
            nonlocal misses
            misses += 1
            return function(*args, **keywords)
    else:
        def wrapper(*args, **keywords):
            nonlocal hits, misses
            key = _key(args, keywords, typed)
            result = results.pop(key, _missing)
            if result is not _missing:
                hits += 1
                results[key] = result
                return result
            misses += 1
            result = function(*args, **keywords)
            if key not in results and len(results) >= maxsize:
                del results[next(iter(results))]
            results[key] = result
            return result

    def cache_info():
        return _cache_info(hits, misses, maxsize, len(results))

    def cache_clear():
        nonlocal hits, misses
        results.clear()
        hits = misses = 0

    wrapper.cache_info = cache_info
    wrapper.cache_clear = cache_clear
    wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}
    return update_wrapper(wrapper, function)


class cached_property:
    """A property that is computed once for each instance, then is an attribute of it."""

    def __init__(self, func):
        self.func = func
        self.attrname = None
        self.__doc__ = func.__doc__
        self.__module__ = func.__module__

    def __set_name__(self, owner, name):
        if self.attrname is None:
            self.attrname = name
        elif name != self.attrname:
            raise TypeError("Cannot assign the same cached_property to two different names "
                            f"({self.attrname!r} and {name!r}).")

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        name = self.attrname
        if name is None:
            raise TypeError("Cannot use cached_property instance without calling __set_name__ on it.")
        try:
            attributes = instance.__dict__
        except AttributeError:
            raise TypeError(f"No '__dict__' attribute on {type(instance).__name__!r} instance "
                            f"to cache {name!r} property.") from None
        value = attributes.get(name, _missing)
        if value is _missing:
            value = self.func(instance)
            try:
                attributes[name] = value
            except TypeError:
                raise TypeError(f"The '__dict__' attribute on {type(instance).__name__!r} instance does not support "
                                f"item assignment for caching {name!r} property.") from None
        return value

    __class_getitem__ = classmethod(GenericAlias)


def _dispatch(cls, registry):
    """The registered class that fits `cls` best: an abstract one stands behind the last class that it holds for."""
    mro = cls.__mro__
    best, best_place = None, None
    for candidate in registry:
        if candidate in mro:
            place = (mro.index(candidate), 0)
        else:
            try:
                if not issubclass(cls, candidate):
                    continue
            except TypeError:
                continue
            place = (max(at for at, base in enumerate(mro) if issubclass(base, candidate)), 1)
        if best is None or place < best_place:
            best, best_place = candidate, place
        elif place == best_place:
            if issubclass(candidate, best):
                best = candidate
            elif not issubclass(best, candidate):
                raise RuntimeError(f"Ambiguous dispatch: {best} or {candidate}")
    return best


def singledispatch(func):
    """A function whose implementation is chosen by the class of its first argument."""
    registry = {object: func}
    chosen = {}

    def dispatch(cls):
        """The implementation for arguments of class `cls`."""
        found = chosen.get(cls)
        if found is None:
            found = chosen[cls] = registry[_dispatch(cls, registry)]
        return found

    def register(cls, func=None):
        """Adds an implementation for a class, or one whose first parameter is annotated."""
        arguments = getattr(cls, "__args__", None) if not isinstance(cls, type) else None
        if isinstance(cls, type) or (arguments and all(isinstance(one, type) for one in arguments)):
            if func is None:
                return lambda function: register(cls, function)
        else:
            if func is not None:
                raise TypeError(f"Invalid first argument to `register()`. {cls!r} is not a class or union type.")
            if not getattr(cls, "__annotations__", None):
                raise TypeError(f"Invalid first argument to `register()`: {cls!r}. Use either `@register(some_class)` "
                                "or plain `@register` on an annotated function.")
            func = cls
            from typing import get_type_hints
            name, cls = next(iter(get_type_hints(func).items()))
            arguments = getattr(cls, "__args__", None) if not isinstance(cls, type) else None
            if not isinstance(cls, type) and not (arguments and all(isinstance(one, type) for one in arguments)):
                raise TypeError(f"Invalid annotation for {name!r}. {cls!r} is not a class.")
        for one in arguments or (cls,):
            registry[one] = func
        chosen.clear()
        return func

    def wrapper(*args, **keywords):
        if not args:
            raise TypeError(f"{name} requires at least 1 positional argument")
        return dispatch(type(args[0]))(*args, **keywords)

    from types import MappingProxyType
    name = getattr(func, "__name__", "singledispatch function")
    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = MappingProxyType(registry)
    wrapper._clear_cache = chosen.clear
    return update_wrapper(wrapper, func)


class singledispatchmethod:
    """A method whose implementation is chosen by the class of its first argument behind self."""

    def __init__(self, func):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError(f"{func!r} is not callable or a descriptor")
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        """Adds an implementation for a class."""
        return self.dispatcher.register(cls, func=method)

    def __get__(self, instance, owner=None):
        dispatch = self.dispatcher.dispatch
        name = getattr(self.func, "__name__", "singledispatchmethod method")

        def method(*args, **keywords):
            if not args:
                raise TypeError(f"{name} requires at least 1 positional argument")
            return dispatch(type(args[0])).__get__(instance, owner)(*args, **keywords)

        method.__isabstractmethod__ = self.__isabstractmethod__
        method.register = self.register
        return update_wrapper(method, self.func)

    @property
    def __isabstractmethod__(self):
        return getattr(self.func, "__isabstractmethod__", False)
