# Classes: order of bases, super, descriptors, class creation, special methods.
class A:
    def who(self):
        return "A"


class B(A):
    def who(self):
        return "B" + super().who()


class C(A):
    def who(self):
        return "C" + super().who()


class D(B, C):
    def who(self):
        return "D" + super(D, self).who()


print(D().who(), [k.__name__ for k in D.__mro__])
try:
    class Bad(A, B):
        pass
except TypeError as e:
    print(type(e).__name__, str(e).splitlines()[0])


class Registered:
    kinds = []

    def __init_subclass__(cls, /, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Registered.kinds.append((cls.__name__, tag))


class One(Registered, tag="first"):
    pass


class Two(One):
    pass


print(Registered.kinds)


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name
        print("named", owner.__name__, name)

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, "unset")

    def __set__(self, instance, value):
        if not isinstance(value, int):
            raise TypeError(f"{self.name[1:]} wants an int, not {type(value).__name__}")
        setattr(instance, self.name, value)


class Point:
    x = Typed()
    y = Typed()

    def __init__(self, x, y=0):
        self.x, self.y = x, y

    def __repr__(self):
        return f"{type(self).__name__}({self.x}, {self.y})"

    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    def __hash__(self):
        return hash((self.x, self.y))

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y) if isinstance(other, Point) else NotImplemented

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __iadd__(self, other):
        self.x += other.x
        return self

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __bool__(self):
        return bool(self.x or self.y)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __call__(self, k):
        return Point(self.x * k, self.y * k)

    def __neg__(self):
        return Point(-self.x, -self.y)


p = Point(1, 2)
try:
    p.x = "one"
except TypeError as e:
    print(e)
q = p
q += Point(5, 0)
print(p, q is p, p + Point(1, 1), sum([Point(1, 1), Point(2, 2)]), bool(Point(0)), list(p), 6 in p, p(3), -p, p[-1], len(p))
print(sorted([Point(3), Point(1, 9), Point(1, 2)]), {Point(1, 1): "a"}[Point(1, 1)], Point.x is Point.__dict__["x"])
try:
    p + 1
except TypeError as e:
    print(e)


class Temperature:
    def __init__(self):
        self._c = 0

    @property
    def f(self):
        "degrees"
        return self._c * 9 / 5 + 32

    @f.setter
    def f(self, value):
        self._c = (value - 32) * 5 / 9

    @f.deleter
    def f(self):
        print("deleted")

    @staticmethod
    def name():
        return "temperature"

    @classmethod
    def hot(cls):
        made = cls()
        made.f = 212
        return made


t = Temperature.hot()
print(t.f, t._c, Temperature.name(), t.name())
del t.f


class Lazy:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return name.upper()

    def __delattr__(self, name):
        print("del", name)

    def __dir__(self):
        return ["b", "a"]


lazy = Lazy()
print(lazy.anything, dir(lazy), hasattr(lazy, "__x"))
del lazy.gone


class Slotted:
    __slots__ = ("a", "b")


s = Slotted()
s.a = 1
try:
    s.c = 2
except AttributeError as e:
    print(type(e).__name__)


class Meta(type):
    def __new__(mcls, name, bases, ns, **kwargs):
        made = super().__new__(mcls, name, bases, ns)
        made.extra = kwargs
        return made

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.by = cls.__name__
        return made

    def __len__(cls):
        return 42


class WithMeta(metaclass=Meta, key=1):
    def __init__(self, v):
        self.v = v


m = WithMeta(7)
print(m.v, m.by, WithMeta.extra, len(WithMeta), type(WithMeta).__name__)
Made = type("Made", (A,), {"who": lambda self: "made " + A.who(self)})
print(Made().who(), Made.__name__, isinstance(Made(), A), issubclass(Made, (int, A)))


def outer():
    class Inner:
        def method(self):
            return __class__.__qualname__

    return Inner


print(outer()().method(), outer().__qualname__)


class Private:
    __secret = 3

    def get(self):
        return self.__secret


print(Private().get(), Private._Private__secret)
