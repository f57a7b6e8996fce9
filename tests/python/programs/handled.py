# sys.exc_info() before, in and behind handlers: what is handled is restored on every way out.
import sys


class Manager:
    def __init__(self, swallows=False):
        self.swallows = swallows

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return self.swallows


def show(tag):
    print(tag, repr(sys.exc_info()[1]))


with Manager(True):
    raise ValueError("a")
show("after suppressed")
try:
    with Manager():
        raise ValueError("b")
except ValueError:
    show("inside")
show("after")


def unmatched():
    try:
        raise KeyError("k")
    except ValueError:
        pass


try:
    unmatched()
except KeyError:
    show("unmatched")
show("after unmatched")


def nested():
    try:
        raise KeyError("k")
    except KeyError as e:
        with Manager(True):
            raise ValueError("d")
        show("in except")
        try:
            raise IndexError("i")
        except IndexError:
            show("inner")
        show("outer again")
        return 5


nested()
show("after nested")


def lazily():
    try:
        yield 1
        raise RuntimeError("in generator")
    except RuntimeError:
        show("generator")
        yield 2
        show("generator again")
    show("generator after")


for _ in lazily():
    show("loop")
try:
    raise OSError("outer")
except OSError:
    for _ in lazily():
        show("loop in except")
show("end")


# What may be assigned to an exception, and what may not.
def tried(act):
    try:
        act()
    except TypeError as error:
        print("TypeError:", error)


caught = ValueError("first", 1)
for name, value in [
    ("args", "ab"),
    ("args", [1, 2]),
    ("args", 5),
    ("__cause__", 5),
    ("__context__", "text"),
    ("__traceback__", 5),
    ("__suppress_context__", 1),
    ("__suppress_context__", False),
    ("__cause__", None),
]:
    tried(lambda: setattr(caught, name, value))
    print(name, repr(caught), caught.args, caught.__cause__, caught.__suppress_context__)
for name in ["args", "__cause__", "__context__", "__traceback__", "__suppress_context__"]:
    tried(lambda: delattr(caught, name))
tried(lambda: caught.with_traceback("here"))
print(caught.with_traceback(None) is caught)
