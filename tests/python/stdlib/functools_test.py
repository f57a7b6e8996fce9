import functools
from functools import partial, reduce, lru_cache, cache, wraps, total_ordering, singledispatch, cached_property


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def add(a, b=2, *rest, c=3):
    "Adds."
    return a, b, rest, c


p = partial(add, 1, c=9)
print(p(), p(5), p(5, 6, c=0), p.args, p.keywords, p.func is add)
q = partial(p, 7, c=8)
print(q(), q.func is add, q.args)
print(repr(partial(print, 1, x=2)))
shown(lambda: partial())
shown(lambda: partial(3))
print(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(max, [], 5))
shown(lambda: reduce(max, []))


@lru_cache(maxsize=2)
def square(x):
    print("computing", x)
    return x * x


print(square(2), square(3), square(2), square(4), square(3))
print(square.cache_info(), square.cache_parameters())
square.cache_clear()
print(square.cache_info(), square.__name__, square.__wrapped__(5))


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info())


@lru_cache(maxsize=None, typed=True)
def typed(x, *, y=0):
    return type(x).__name__


print(typed(1), typed(1.0), typed(1, y=1), typed(1), typed.cache_info())
shown(lambda: typed([]))
shown(lambda: lru_cache("x"))


def decorate(function):
    @wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper


@decorate
def named(x):
    "Doc."
    return x


print(named.__name__, named.__doc__, named.__qualname__, named.__wrapped__(3))


@total_ordering
class Version:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


print(Version(1) <= Version(1), Version(1) > Version(2), Version(3) >= Version(2), Version(1) != Version(2))
shown(lambda: total_ordering(type("Empty", (), {})))
print(sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)))


class Circle:
    def __init__(self, r):
        self.r = r

    @cached_property
    def area(self):
        print("area")
        return self.r * 3

    def scale(self, a, b=1):
        return self.r, a, b

    double = functools.partialmethod(scale, 2)
    keyword = functools.partialmethod(scale, b=5)


c = Circle(2)
print(c.area, c.area, vars(c), c.double(), c.double(3), c.keyword(1))
del c.area
print(c.area)


@singledispatch
def kind(x):
    return "object"


@kind.register
def _(x: int):
    return "int"


@kind.register(str)
def _(x):
    return "str"


@kind.register(list)
@kind.register(tuple)
def _(x):
    return "sequence"


print(kind(1), kind(True), kind("a"), kind([]), kind(()), kind(1.5), kind.dispatch(bool)(0))
shown(lambda: kind())
print(sorted(t.__name__ for t in kind.registry))


class Shower:
    @functools.singledispatchmethod
    def show(self, x):
        return "any"

    @show.register
    def _(self, x: int):
        return "number"


print(Shower().show(1), Shower().show("x"))
