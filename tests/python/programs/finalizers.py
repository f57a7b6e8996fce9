"""When __del__ is called, what it may do, and what becomes of generators that nobody needs any more."""
import gc
import sys
import weakref

told = []


class Told:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        told.append(self.name)


def show(what):
    print(what, told)
    told.clear()


# Names that go.
one = Told("one")
del one
show("del:")
two = Told("two")
two = None
show("assigned:")
two = Told("first")
two = Told("second")
show("assigned again:")


def local():
    inside = Told("inside")
    return len(inside.name)


print(local(), end=" ")
show("a call's locals:")
print(local() + len(told), told)
told.clear()

# Containers.
many = [Told(i) for i in range(4)]
del many[1]
show("del item:")
many[0] = None
show("set item:")
many.clear()
show("clear:")
many.append(Told("popped"))
many.pop()
show("pop:")
named = {"a": Told("a"), "b": Told("b")}
named["a"] = 1
show("dict:")
del named
show("dict gone:")
pair = (Told("left"), Told("right"))
del pair
show("tuple:")
chosen = {Told("in a set")}
chosen.pop()
show("set:")


class Holder:
    def __init__(self, name):
        self.part = Told(name + "'s part")
        self.name = name

    def __del__(self):
        told.append(self.name)


holder = Holder("holder")
del holder
show("what an object holds:")


class Chain:
    def __init__(self, next):
        self.next = next

    def __del__(self):
        told.append(1)


chain = None
for _ in range(20_000):
    chain = Chain(chain)
del chain
print("a chain:", len(told))
told.clear()

# A class gets and loses it, and inherits it.
class Plain:
    pass


class Derived(Told):
    def __del__(self):
        super().__del__()
        told.append("derived")


plain = Plain()
del plain
Plain.__del__ = lambda self: told.append("added")
plain = Plain()
del plain
show("added:")
del Plain.__del__
plain = Plain()
del plain
show("taken away:")
derived = Derived("base")
del derived
show("derived:")
other = Plain()
other.__del__ = lambda: told.append("never")
del other
show("an instance's own is not asked:")


class Slots:
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __del__(self):
        told.append(self.name)


slots = Slots("slots")
del slots
show("slots:")


class Words(list):
    def __del__(self):
        told.append(list(self))


words = Words("ab")
del words
show("of a list:")

# Once only, even when the object comes back.
kept = []


class Back:
    def __del__(self):
        told.append("back")
        kept.append(self)


back = Back()
del back
show("came back:")
print(len(kept), type(kept[0]).__name__)
kept.clear()
show("and went:")

# Cycles.
class Node:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        told.append((self.name, self.other.name))


a, b = Node("a"), Node("b")
a.other, b.other = b, a
del a, b
show("not yet:")
gc.collect()
show("collected:")


class Phoenix:
    def __del__(self):
        kept.append(self)


bird = Phoenix()
bird.me = bird
where = weakref.ref(bird)
del bird
gc.collect()
print(len(kept), kept[0].me is kept[0])
kept.clear()
gc.collect()
print(len(kept), where() is None)

# Weak references: of an object that was never in a cycle they are alive in __del__.
class Watched:
    def __del__(self):
        told.append(watch() is self)


watched = Watched()
watch = weakref.ref(watched, lambda _: told.append("forgotten"))
del watched
show("weak:")

# An object whose __init__ fails.
class Fails(Told):
    def __init__(self):
        super().__init__("failed")
        raise ValueError("no")


try:
    Fails()
except ValueError as error:
    print("raised", error)
show("failed:")

# Exceptions go to a hook.
def hook(unraisable):
    told.append((unraisable.exc_type.__name__, str(unraisable.exc_value), unraisable.exc_traceback is not None))


before, sys.unraisablehook = sys.unraisablehook, hook


class Raises:
    def __del__(self):
        raise KeyError("in __del__")


raises = Raises()
del raises
show("raised:")
watched = Plain()
watch = weakref.ref(watched, lambda gone: 1 / 0)
del watched
show("a callback:")

# Generators.
def steps(name):
    try:
        yield 1
        yield 2
    finally:
        told.append(name + " closed")


made = steps("made")
del made
show("not begun:")
made = steps("made")
next(made)
del made
show("begun:")
for step in steps("loop"):
    break
show("left:")


def outer():
    with Manager():
        yield from steps("inner")


class Manager:
    def __enter__(self):
        told.append("enter")

    def __exit__(self, kind, *rest):
        told.append(kind and kind.__name__)


made = outer()
print(next(made), next(made))
del made
show("yield from:")


def stubborn():
    while True:
        try:
            yield
        except GeneratorExit:
            pass
        else:
            break


made = stubborn()
next(made)
del made
show("stubborn:")


def cyclic():
    me = yield
    try:
        yield me
    finally:
        told.append("cycle closed")


made = cyclic()
next(made)
made.send(made)
del made
show("not yet:")
gc.collect()
show("collected:")
sys.unraisablehook = before


# What happens in the middle of something.
class Removes:
    def __init__(self, target):
        self.target = target

    def __del__(self):
        self.target.clear()
        self.target.append("cleared")


target = []
target.extend([Removes(target), Removes(target), 3])
target[:] = [4, 5]
print(target)
target[:] = []
target.append(Removes(target))
target.append(Removes(target))
target.clear()
print(target)


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.number == other.number

    def __del__(self):
        table.clear()


table = {Key(i): i for i in range(5)}
table.pop(Key(3))
print(len(table))
print(sys.is_finalizing())
