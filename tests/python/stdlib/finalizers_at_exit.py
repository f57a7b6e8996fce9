"""weakref.finalize: what is left when the program ends is called, the last one first, while everything is still there."""
import weakref
from collections import OrderedDict


class Thing:
    def __init__(self, name):
        self.name = name


def told(*what):
    print(*what)
    if what == ("third",):
        weakref.finalize(keep[0], told, "made at the end")
    if what == ("second",):
        raise ValueError("of a finalizer")


keep = [Thing(n) for n in range(5)]
weakref.finalize(keep[0], told, "first")
weakref.finalize(keep[1], told, "second")
weakref.finalize(keep[2], told, "third")
silent = weakref.finalize(keep[3], told, "never")
silent.atexit = False
gone = weakref.finalize(keep[4], told, "when it goes")
del keep[4]
print(gone.alive, silent.alive)
print(OrderedDict.fromkeys((1, 2), value=3))
