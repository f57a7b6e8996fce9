"""Weak references, and containers of them."""
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"Thing({self.name})"

    def method(self):
        return self.name


class Equal(Thing):
    def __eq__(self, other):
        return isinstance(other, Equal) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


a, b = Thing("a"), Thing("b")
first, second = weakref.ref(a), weakref.ref(a, lambda gone: print("gone", gone() is None))
print(first() is a, first == second, first == weakref.ref(b), hash(first) == hash(a), isinstance(first, weakref.ReferenceType))
values = weakref.WeakValueDictionary(x=a)
values["y"] = b
keys = weakref.WeakKeyDictionary()
keys[a], keys[b] = 1, 2
keys[a] = 3
some = weakref.WeakSet([a, b, a])
print(sorted(values), values["x"], values.get("z"), len(values), "x" in values, sorted(map(repr, values.values())))
print(len(keys), keys[a], a in keys, Thing("c") in keys, sorted(map(repr, keys)), len(some), a in some, sorted(map(repr, some)))
method = weakref.WeakMethod(a.method)
done = weakref.finalize(a, print, "finalized", end="!\n")
print(method()(), done.alive, done.peek()[0] is a)
del a
print(first(), method(), done.alive, list(values), len(values), "x" in values, len(keys), list(keys), len(some), list(some))
detached = weakref.finalize(b, print, "never")
print(detached.detach()[1] is print, detached.alive, detached.detach())
del keys[b]
some.discard(b)
print(len(keys), len(some), values.pop("y"), len(values))
e = Equal("e")
keys[e] = "kept"
print(keys[Equal("e")], Equal("e") in keys, Equal("f") in keys, keys.setdefault(Equal("e"), 5), len(keys))
for action in (lambda: values["q"], lambda: weakref.ref(5), lambda: weakref.WeakMethod(print), lambda: hash(weakref.ref(Thing("x")))):
    try:
        action()
    except Exception as error:
        print(type(error).__name__, error if not isinstance(error, KeyError) else error.args)
