"""References that keep nothing alive, and containers of them."""

import atexit
import sys
from _weakref import ReferenceType, ref
from collections.abc import MutableMapping, MutableSet

__all__ = ["ref", "WeakKeyDictionary", "ReferenceType", "WeakValueDictionary", "WeakSet", "WeakMethod", "finalize"]


class _Key:
    """A weak reference that keeps the hash of what it led to."""

    __slots__ = ("ref", "hash", "__weakref__")

    def __init__(self, target, forget=None):
        self.hash = hash(target)
        self.ref = ref(target) if forget is None else ref(target, lambda _, me=ref(self): forget(me()))

    def __hash__(self):
        return self.hash

    def __eq__(self, other):
        if self is other:
            return True
        mine, others = self.ref(), other.ref()
        return mine is not None and others is not None and (mine is others or mine == others)


class WeakKeyDictionary(MutableMapping):
    """A dict whose entries go with their keys."""

    def __init__(self, dict=None):
        self.data = {}
        if dict is not None:
            self.update(dict)

    def _forget(self, key):
        if key is not None:
            self.data.pop(key, None)

    def __getitem__(self, key):
        found = self.data.get(_Key(key), self)
        if found is self:
            raise KeyError(ref(key))
        return found

    def __setitem__(self, key, value):
        probe = _Key(key)
        if probe in self.data:
            self.data[probe] = value
            return
        me = ref(self)

        def forget(gone):
            self = me()
            if self is not None:
                self._forget(gone)

        self.data[_Key(key, forget)] = value

    def __delitem__(self, key):
        del self.data[_Key(key)]

    def __contains__(self, key):
        try:
            return _Key(key) in self.data
        except TypeError:
            return False

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        for one in list(self.data):
            target = one.ref()
            if target is not None:
                yield target

    def keyrefs(self):
        """Weak references to the keys."""
        return [one.ref for one in self.data]

    def copy(self):
        """A copy."""
        made = WeakKeyDictionary()
        for key in self:
            made[key] = self[key]
        return made

    __copy__ = copy

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


class WeakValueDictionary(MutableMapping):
    """A dict whose entries go with their values."""

    def __init__(self, other=(), /, **kw):
        self.data = {}
        self.update(other, **kw)

    def __getitem__(self, key):
        found = self.data[key]()
        if found is None:
            raise KeyError(key)
        return found

    def __setitem__(self, key, value):
        me = ref(self)

        def forget(gone):
            self = me()
            if self is not None and self.data.get(key) is gone:
                del self.data[key]

        self.data[key] = ref(value, forget)

    def __delitem__(self, key):
        del self.data[key]

    def __contains__(self, key):
        found = self.data.get(key)
        return found is not None and found() is not None

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        for key, value in list(self.data.items()):
            if value() is not None:
                yield key

    def valuerefs(self):
        """Weak references to the values."""
        return list(self.data.values())

    itervaluerefs = valuerefs

    def copy(self):
        """A copy."""
        made = WeakValueDictionary()
        for key, value in self.items():
            made[key] = value
        return made

    __copy__ = copy

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"


class WeakSet(MutableSet):
    """A set whose elements go when nothing else keeps them."""

    def __init__(self, data=None):
        self._elements = WeakKeyDictionary()
        for one in data or ():
            self.add(one)

    def add(self, item):
        """Takes an element in."""
        self._elements[item] = None

    def discard(self, item):
        """Leaves an element out."""
        self._elements.pop(item, None)

    def update(self, other):
        """Takes several in."""
        for one in other:
            self.add(one)

    def copy(self):
        """A copy."""
        return WeakSet(self)

    def __contains__(self, item):
        return item in self._elements

    def __len__(self):
        return len(self._elements)

    def __iter__(self):
        return iter(self._elements)

    def __repr__(self):
        return repr(set(self))


class WeakMethod:
    """A weak reference to a method, which would be gone at once by itself."""

    def __init__(self, meth, callback=None):
        try:
            target, function = meth.__self__, meth.__func__
        except AttributeError:
            raise TypeError(f"argument should be a bound method, not {type(meth)}") from None
        self._target = ref(target) if callback is None else ref(target, lambda _: callback(self))
        self._function = ref(function)
        self._type = type(meth)

    def __call__(self):
        target, function = self._target(), self._function()
        return None if target is None or function is None else self._type(function, target)

    def __eq__(self, other):
        if not isinstance(other, WeakMethod):
            return NotImplemented
        mine, others = self(), other()
        return self is other if mine is None or others is None else mine == others

    def __hash__(self):
        return hash(self._target)


class finalize:
    """Calls a function when an object is gone."""

    _alive = {}
    _waits_for_exit = False
    _is_over = False

    def __init__(self, obj, func, /, *args, **kwargs):
        self.atexit = True
        if not finalize._waits_for_exit:
            finalize._waits_for_exit = True
            atexit.register(finalize._at_exit)
        finalize._alive[self] = (ref(obj, lambda _: self()), func, args, kwargs)

    def __call__(self, _=None):
        known = finalize._alive.pop(self, None)
        return None if known is None or finalize._is_over else known[1](*known[2], **known[3])

    @classmethod
    def _at_exit(cls):
        """What is left, the last one first, also what is made meanwhile; nothing is called any more behind it."""
        try:
            while (last := next((one for one in reversed(cls._alive) if one.atexit), None)) is not None:
                try:
                    last()
                except Exception:
                    sys.excepthook(*sys.exc_info())
        finally:
            cls._is_over = True

    def detach(self):
        """(object, function, args, kwargs), and the function is not called any more."""
        known = finalize._alive.get(self)
        target = None if known is None else known[0]()
        if target is None:
            return None
        del finalize._alive[self]
        return target, known[1], known[2], known[3]

    def peek(self):
        """The same, and it is called still."""
        known = finalize._alive.get(self)
        target = None if known is None else known[0]()
        return None if target is None else (target, known[1], known[2], known[3])

    @property
    def alive(self):
        """Whether it has not been called."""
        return self in finalize._alive


def __getattr__(name):
    if name not in ("proxy", "ProxyType", "CallableProxyType", "ProxyTypes", "getweakrefcount", "getweakrefs"):
        raise AttributeError(f"module 'weakref' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise NotImplementedError(f"nnscope has no weakref.{name}()")

    return refuse
