"""Operators as functions."""

from builtins import abs as _abs

lt = lambda a, b, /: a < b
le = lambda a, b, /: a <= b
eq = lambda a, b, /: a == b
ne = lambda a, b, /: a != b
ge = lambda a, b, /: a >= b
gt = lambda a, b, /: a > b
not_ = lambda a, /: not a
truth = lambda a, /: bool(a)
is_ = lambda a, b, /: a is b
is_not = lambda a, b, /: a is not b
is_none = lambda a, /: a is None
is_not_none = lambda a, /: a is not None
abs = lambda a, /: _abs(a)
add = lambda a, b, /: a + b
and_ = lambda a, b, /: a & b
floordiv = lambda a, b, /: a // b
inv = lambda a, /: ~a
invert = lambda a, /: ~a
lshift = lambda a, b, /: a << b
mod = lambda a, b, /: a % b
mul = lambda a, b, /: a * b
matmul = lambda a, b, /: a @ b
neg = lambda a, /: -a
or_ = lambda a, b, /: a | b
pos = lambda a, /: +a
pow = lambda a, b, /: a ** b
rshift = lambda a, b, /: a >> b
sub = lambda a, b, /: a - b
truediv = lambda a, b, /: a / b
xor = lambda a, b, /: a ^ b
contains = lambda a, b, /: b in a
getitem = lambda a, b, /: a[b]


def index(a, /):
    """a as an int. Errors: TypeError."""
    if isinstance(a, int):
        return int(a)
    method = getattr(type(a), "__index__", None)
    if method is None:
        raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
    return method(a)


def concat(a, b, /):
    """a + b of two sequences."""
    if not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    return a + b


def countOf(a, b, /):
    """How often b is in a."""
    return sum(1 for item in a if item is b or item == b)


def indexOf(a, b, /):
    """Where b is first in a."""
    for at, item in enumerate(a):
        if item is b or item == b:
            return at
    raise ValueError("sequence.index(x): x not in sequence")


def setitem(a, b, c, /):
    """a[b] = c"""
    a[b] = c


def delitem(a, b, /):
    """del a[b]"""
    del a[b]


def length_hint(obj, default=0, /):
    """How many items there may be."""
    if not isinstance(default, int):
        raise TypeError(f"'{type(default).__name__}' object cannot be interpreted as an integer")
    try:
        return len(obj)
    except TypeError:
        pass
    hint = getattr(type(obj), "__length_hint__", None)
    if hint is None:
        return default
    try:
        value = hint(obj)
    except TypeError:
        return default
    if value is NotImplemented:
        return default
    if not isinstance(value, int):
        raise TypeError(f"__length_hint__ must be an integer, not {type(value).__name__}")
    if value < 0:
        raise ValueError("__length_hint__() should return >= 0")
    return value


def call(obj, /, *args, **kwargs):
    """obj(*args, **kwargs)"""
    return obj(*args, **kwargs)


class attrgetter:
    """A function that gives an attribute (dots lead into it), or a tuple of several."""

    __slots__ = ("_names", "_call")

    def __init__(self, attr, /, *attrs):
        self._names = (attr, *attrs)
        for name in self._names:
            if not isinstance(name, str):
                raise TypeError("attribute name must be a string")
        if attrs:
            getters = tuple(map(attrgetter, self._names))
            self._call = lambda obj: tuple([getter(obj) for getter in getters])
        elif "." in attr:
            parts = attr.split(".")

            def walk(obj):
                for part in parts:
                    obj = getattr(obj, part)
                return obj

            self._call = walk
        else:
            self._call = lambda obj: getattr(obj, attr)

    def __call__(self, obj, /):
        return self._call(obj)

    def __repr__(self):
        return f"operator.attrgetter({', '.join(map(repr, self._names))})"

    def __reduce__(self):
        return attrgetter, self._names


class itemgetter:
    """A function that gives an item, or a tuple of several."""

    __slots__ = ("_items", "_call")

    def __init__(self, item, /, *items):
        self._items = (item, *items)
        if items:
            wanted = self._items
            self._call = lambda obj: tuple([obj[one] for one in wanted])
        else:
            self._call = lambda obj: obj[item]

    def __call__(self, obj, /):
        return self._call(obj)

    def __repr__(self):
        return f"operator.itemgetter({', '.join(map(repr, self._items))})"

    def __reduce__(self):
        return itemgetter, self._items


class methodcaller:
    """A function that calls a method with these arguments."""

    __slots__ = ("_name", "_args", "_kwargs")

    def __init__(self, name, /, *args, **kwargs):
        if not isinstance(name, str):
            raise TypeError("method name must be a string")
        self._name = name
        self._args = args
        self._kwargs = kwargs

    def __call__(self, obj, /):
        return getattr(obj, self._name)(*self._args, **self._kwargs)

    def __repr__(self):
        parts = [repr(self._name), *map(repr, self._args)]
        parts.extend(f"{name}={value!r}" for name, value in self._kwargs.items())
        return f"operator.methodcaller({', '.join(parts)})"


def iadd(a, b, /):
    """a += b"""
    a += b
    return a


def iand(a, b, /):
    """a &= b"""
    a &= b
    return a


def iconcat(a, b, /):
    """a += b of two sequences."""
    if not hasattr(a, "__getitem__"):
        raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
    a += b
    return a


def ifloordiv(a, b, /):
    """a //= b"""
    a //= b
    return a


def ilshift(a, b, /):
    """a <<= b"""
    a <<= b
    return a


def imod(a, b, /):
    """a %= b"""
    a %= b
    return a


def imul(a, b, /):
    """a *= b"""
    a *= b
    return a


def imatmul(a, b, /):
    """a @= b"""
    a @= b
    return a


def ior(a, b, /):
    """a |= b"""
    a |= b
    return a


def ipow(a, b, /):
    """a **= b"""
    a **= b
    return a


def irshift(a, b, /):
    """a >>= b"""
    a >>= b
    return a


def isub(a, b, /):
    """a -= b"""
    a -= b
    return a


def itruediv(a, b, /):
    """a /= b"""
    a /= b
    return a


def ixor(a, b, /):
    """a ^= b"""
    a ^= b
    return a


__all__ = sorted(name for name in globals() if name[0] != "_")
for _name in __all__:
    _function = globals()[_name]
    if not isinstance(_function, type):
        _function.__name__ = _function.__qualname__ = _name
for _name in ("lt", "le", "eq", "ne", "ge", "gt", "not_", "abs", "add", "and_", "floordiv", "index", "inv", "invert",
              "lshift", "mod", "mul", "matmul", "neg", "or_", "pos", "pow", "rshift", "sub", "truediv", "xor", "concat",
              "contains", "delitem", "getitem", "setitem", "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imod",
              "imul", "imatmul", "ior", "ipow", "irshift", "isub", "itruediv", "ixor", "call"):
    globals()[f"__{_name.strip('_')}__"] = globals()[_name]
del _name, _function
