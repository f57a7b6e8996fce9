"""inspect.getsource and its like: the text of what a program defined."""
import functools
import inspect


def deco(*args):
    def inner(f):
        return f
    return inner


# What it is for.
# In two lines.
@deco("(", ")")
@functools.lru_cache(
    maxsize=None)
def decorated(x,
              y=(1, 2)):
    """A string with a # and
def not_a_function():
    pass
    """
    if x:
        return [y,
                x]  # )

    # still inside

    return f"{x!r}: {'}'}"
# not inside


class Outer:
    a = 1

    class Inner(dict):
        # a comment

        def method(self): return "\
]"

        @property
        def value(self):
            return 5

        @staticmethod
        async def late():
            pass
    b = 2


def make():
    class Local:
        pass

    return Local, lambda x: (
        x + 1)


pair = [lambda x: x * 2,
        lambda y: y]


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


for one in (decorated, Outer, Outer.Inner, Outer.Inner.method, Outer.Inner().method, Outer.Inner.value.fget, Outer.Inner.late,
            make()[0], make()[1], pair[0], pair[1], make):
    lines, number = inspect.getsourcelines(one)
    print(number, len(lines))
    print(inspect.getsource(one), end="")
print(repr(inspect.getcomments(decorated)), inspect.getcomments(make))
print(inspect.getsource(inspect.getmodule(make)).startswith(chr(34) * 3 + "inspect.getsource"), inspect.getsourcelines(inspect.currentframe())[1])
print(inspect.getblock(["if x:\n", "    pass\n", "y = 1\n"]))
attempt(lambda: inspect.getsource(len))
attempt(lambda: inspect.getsource(int))
attempt(lambda: inspect.getsource(5))
exec(compile("def made():\n    pass\n", "<made>", "exec"))
attempt(lambda: inspect.getsource(made))  # noqa: F821
attempt(lambda: inspect.getsource(type("Nowhere", (), {})))
