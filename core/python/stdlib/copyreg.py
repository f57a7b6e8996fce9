"""How objects are taken apart for copies and pickles.

Behaviour: Lib/copyreg.py; Objects/typeobject.c, object___reduce_ex__."""
import sys

from _pickle import is_rebuilt_from_state

__all__ = ["pickle", "constructor", "add_extension", "remove_extension", "clear_extension_cache"]

dispatch_table = {}

_extension_registry = {}
_inverted_registry = {}
_extension_cache = {}


def pickle(ob_type, pickle_function, constructor_ob=None):
    """`pickle_function(object)` takes apart the objects of this class."""
    if not callable(pickle_function):
        raise TypeError("reduction functions must be callable")
    dispatch_table[ob_type] = pickle_function
    if constructor_ob is not None:
        constructor(constructor_ob)


def constructor(object):
    if not callable(object):
        raise TypeError("constructors must be callable")


def pickle_complex(number):
    return complex, (number.real, number.imag)


pickle(complex, pickle_complex, complex)


def _reconstructor(cls, base, state):
    """An object of `cls` with the value of its built-in base: pickles of protocols 0 and 1."""
    if base is object:
        return object.__new__(cls)
    made = base.__new__(cls, state)
    if base.__init__ is not object.__init__:
        base.__init__(made, state)
    return made


def __newobj__(cls, *args):
    return cls.__new__(cls, *args)


def __newobj_ex__(cls, args, kwargs):
    return cls.__new__(cls, *args, **kwargs)


def _slotnames(cls):
    """The slots of a class and its bases."""
    names = cls.__dict__.get("__slotnames__")
    if names is not None:
        return names
    names = []
    for base in cls.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__"):
                continue
            if name.startswith("__") and not name.endswith("__"):
                stripped = base.__name__.lstrip("_")
                name = f"_{stripped}{name}" if stripped else name
            names.append(name)
    try:
        cls.__slotnames__ = names
    except (AttributeError, TypeError):
        pass
    return names


# Functions of C++ and methods that were read from an object.
_FUNCTIONS = ("builtin_function_or_method", "function", "method", "method_descriptor", "wrapper_descriptor")
_VALUES = (int, float, complex, str, bytes, tuple)
_absent = object()


def _base_value(obj):
    """The built-in value that an object of a derived class is; _absent for all others."""
    for base in _VALUES:
        if isinstance(obj, base):
            return base(obj) if base is not tuple else tuple(obj)
    return _absent


def _state(obj):
    method = getattr(type(obj), "__getstate__", None)
    if method is not None and method is not object.__getstate__:
        return obj.__getstate__()
    state = getattr(obj, "__dict__", None) or None
    slots = {}
    for name in _slotnames(type(obj)):
        value = getattr(obj, name, _absent)
        if value is not _absent:
            slots[name] = value
    return (state, slots) if slots else state


def _cannot(obj):
    return TypeError(f"cannot pickle '{type(obj).__name__}' object")


def _reduce_ex(self, proto):
    """What protocols 0 and 1 do."""
    cls = type(self)
    for base in (*_VALUES, list, dict, set, frozenset):
        if isinstance(self, base):
            if base is cls:
                raise _cannot(self)
            value = base(self)
            break
    else:
        if not is_rebuilt_from_state(self):
            raise _cannot(self)
        base, value = object, None
    if _slotnames(cls) and not _has_own_state(cls):
        raise TypeError("a class that defines __slots__ without defining __getstate__ cannot be pickled "
                        f"with protocol {proto}")
    args = (cls, base, value)
    state = _state(self)
    return (_reconstructor, args, state) if state else (_reconstructor, args)


def _special(obj):
    """What objects of built-in classes say themselves; _absent for all others."""
    cls = type(obj)
    if isinstance(obj, BaseException):
        state = _state(obj) if _has_own_state(cls) else dict(obj.__dict__)
        return (cls, obj.args, state) if state else (cls, obj.args)
    if isinstance(obj, (set, frozenset)):
        return cls, (list(obj),), _state(obj)
    if isinstance(obj, bytearray):
        return cls, (bytes(obj),), _state(obj)
    if cls is slice:
        return slice, (obj.start, obj.stop, obj.step)
    if cls is range:
        return range, (obj.start, obj.stop, obj.step)
    if obj is NotImplemented:
        return "NotImplemented"
    if obj is Ellipsis:
        return "Ellipsis"
    if cls.__name__ in _FUNCTIONS:
        owner = getattr(obj, "__self__", None)
        if owner is not None and type(owner) is not type(sys):
            return getattr, (owner, obj.__name__)
        return _function_name(obj)
    if isinstance(obj, _ordered_dict()):
        return cls, (), _state(obj), None, iter(obj.items())
    if isinstance(obj, _default_dict()):
        factory = obj.default_factory
        return cls, () if factory is None else (factory,), None, None, iter(obj.items())
    return _absent


def _function_name(obj):
    """The name of a function of C++; some know it only by the module that they are in."""
    name = getattr(obj, "__qualname__", None)
    if name is not None:
        return name
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is obj:
                return name
    raise _cannot(obj)


def _has_own_state(cls):
    return getattr(cls, "__getstate__", None) is not object.__getstate__


def _ordered_dict():
    from _collections import OrderedDict
    return OrderedDict


def _default_dict():
    from collections import defaultdict
    return defaultdict


def _new_arguments(obj):
    cls = type(obj)
    if hasattr(cls, "__getnewargs_ex__"):
        given = obj.__getnewargs_ex__()
        if not isinstance(given, tuple):
            raise TypeError(f"__getnewargs_ex__ should return a tuple, not '{type(given).__name__}'")
        if len(given) != 2:
            raise ValueError(f"__getnewargs_ex__ should return a tuple of length 2, not {len(given)}")
        args, kwargs = given
        if not isinstance(args, tuple):
            raise TypeError("first item of the tuple returned by __getnewargs_ex__ must be a tuple, "
                            f"not '{type(args).__name__}'")
        if not isinstance(kwargs, dict):
            raise TypeError("second item of the tuple returned by __getnewargs_ex__ must be a dict, "
                            f"not '{type(kwargs).__name__}'")
        return args, kwargs
    if hasattr(cls, "__getnewargs__"):
        args = obj.__getnewargs__()
        if not isinstance(args, tuple):
            raise TypeError(f"__getnewargs__ should return a tuple, not '{type(args).__name__}'")
        return args, {}
    value = _base_value(obj)
    return (() if value is _absent else (value,)), {}


def _reduce(obj):
    """object.__reduce__."""
    special = _special(obj)
    return _reduce_ex(obj, 0) if special is _absent else special


def _reduce_by_protocol(obj, protocol):
    """object.__reduce_ex__: what __reduce__ says, else the class, what __new__ needs, the state and the items."""
    cls = type(obj)
    if cls.__reduce__ is not object.__reduce__:
        return obj.__reduce__()
    special = _special(obj)
    if special is not _absent:
        return special
    if protocol < 2:
        return _reduce_ex(obj, protocol)
    if not is_rebuilt_from_state(obj):
        raise _cannot(obj)
    args, kwargs = _new_arguments(obj)
    if kwargs:
        maker, args = __newobj_ex__, (cls, args, kwargs)
    else:
        maker, args = __newobj__, (cls, *args)
    return (maker, args, _state(obj), iter(obj) if isinstance(obj, list) else None,
            iter(obj.items()) if isinstance(obj, dict) else None)


def add_extension(module, name, code):
    """A number for a global, in its place in pickles."""
    code = int(code)
    if not 1 <= code <= 0x7FFFFFFF:
        raise ValueError("code out of range")
    key = (module, name)
    if _extension_registry.get(key) == code and _inverted_registry.get(code) == key:
        return
    if key in _extension_registry:
        raise ValueError(f"key {key} is already registered with code {_extension_registry[key]}")
    if code in _inverted_registry:
        raise ValueError(f"code {code} is already in use for key {_inverted_registry[code]}")
    _extension_registry[key] = code
    _inverted_registry[code] = key


def remove_extension(module, name, code):
    key = (module, name)
    if _extension_registry.get(key) != code or _inverted_registry.get(code) != key:
        raise ValueError(f"key {key} is not registered with code {code}")
    del _extension_registry[key]
    del _inverted_registry[code]
    _extension_cache.pop(code, None)


def clear_extension_cache():
    _extension_cache.clear()
