"""What an evaluator remembers of classes, functions and containers at one place of a program, and what makes it void."""


class Point:
    def __init__(self, x, y=2):
        self.x = x
        self.y = y

    def size(self):
        return self.x + self.y


def read(one):
    return one.x


def write(one, value):
    one.x = value


def call(one):
    return one.size()


def make(cls, *args):
    try:
        return cls(*args)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def rounds(what, *args):
    return [what(*args) for _ in range(3)]


# Attributes: the class gets a say, a descriptor, a way of its own, and loses them.
point = Point(1)
print(rounds(read, point))
Point.x = property(lambda self: "property", lambda self, value: print("set", value))
print(rounds(read, point))
write(point, 5)
del Point.x
print(rounds(read, point))
Point.x = 7
print(rounds(read, point), rounds(read, Point))
del point.x
print(rounds(read, point))
del Point.x
Point.__getattr__ = lambda self, name: f"no {name}"
print(rounds(read, point))
Point.__getattribute__ = lambda self, name: f"all {name}"
print(rounds(read, point))
del Point.__getattribute__, Point.__getattr__
write(point, 8)
print(rounds(read, point))
Point.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value * 2)
write(point, 8)
print(point.x, point.__dict__)
del Point.__setattr__
write(point, 8)
print(point.x, point.__dict__)

# The instance's dict changes its order, its size, and is another.
for _ in range(2):
    del point.x
    write(point, 9)
    print(read(point), list(point.__dict__))
point.__dict__ = {"z": 0, "x": 10}
print(read(point), list(point.__dict__))
point.__dict__.clear()
write(point, 11)
print(point.__dict__)
for i in range(300):
    setattr(point, f"a{i}", i)
del point.x
write(point, 12)
print(read(point), len(point.__dict__), list(point.__dict__)[-1])

# Methods: hidden by the instance, replaced in the class, in a base, by what is no function.
point = Point(1)
print(rounds(call, point))
point.size = lambda: "own"
print(rounds(call, point))
del point.size
Point.size = lambda self: "new"
print(rounds(call, point))
Point.size = staticmethod(lambda: "static")
print(rounds(call, point))
Point.size = classmethod(lambda cls: cls.__name__)
print(rounds(call, point))
Point.size = property(lambda self: lambda: "from a property")
print(rounds(call, point))


class Base:
    def size(self):
        return "base"


class Derived(Base):
    x = "class"


derived = Derived()
print(rounds(call, derived), rounds(read, derived))
Base.size = lambda self: "base again"
print(rounds(call, derived))
Derived.size = lambda self: "derived"
print(rounds(call, derived))
derived.__class__ = Point
print(rounds(call, derived))

# Properties: an AttributeError of the getter, and who is asked then.


class Lazy:
    @property
    def x(self):
        return self.missing


lazy = Lazy()
try:
    read(lazy)
except AttributeError as error:
    print(error)
Lazy.__getattr__ = lambda self, name: f"made {name}"
print(rounds(read, lazy))
Lazy.x = property(lambda self, more=3: more)
print(rounds(read, lazy))

# Making instances: defaults, wrong arguments, what __init__ returns, __new__, metaclasses, abstract classes.
print([make(Point, *range(count)).__class__.__name__ for count in range(5)])
print(make(Point), make(Point, 1, 2, 3), sep="\n")


class Odd(Point):
    def __init__(self):
        return 1


print(make(Odd))
Odd.__init__ = lambda self: None
print(type(make(Odd)).__name__)
Odd.__new__ = lambda cls: "something else"
print(make(Odd))
del Odd.__new__
print(type(make(Odd)).__name__)


class Meta(type):
    def __call__(cls, *args):
        return ("called", args)


class Made(metaclass=Meta):
    def __init__(self, x):
        self.x = x


print(make(Made, 1, 2))
del Meta.__call__
print(make(Made, 1).x)

from abc import ABC, abstractmethod


class Abstract(ABC):
    def __init__(self):
        pass

    @abstractmethod
    def run(self):
        pass


print(make(Abstract))


class Raises:
    def __init__(self, depth):
        if depth == 0:
            raise ValueError("deep")
        self.inner = Raises(depth - 1)


print(make(Raises, 3))


class Generates:
    def __init__(self):
        yield 1


print(make(Generates))


class Endless:
    def __init__(self):
        self.inner = Endless()


print(make(Endless))


class Keywords:
    def __init__(self, a, /, b=2, *, c, d=4):
        self.all = (a, b, c, d)


print(Keywords(1, c=3).all, Keywords(1, c=3, b=5, d=6).all, Keywords(*[1], **{"c": 3}).all)
for wrong in (lambda: Keywords(1), lambda: Keywords(a=1, c=2), lambda: Keywords(1, 2, b=3, c=4), lambda: Keywords(1, c=1, e=2),
              lambda: Keywords(1, 2, 3, c=4), lambda: Keywords(c=1)):
    try:
        wrong()
    except TypeError as error:
        print(error)


# super(): of several bases, of a class method, of a class that changes.
class Left(Base):
    def size(self):
        return "left " + super().size()

    @classmethod
    def build(cls):
        return f"left {cls.__name__}"


class Right(Base):
    def size(self):
        return "right " + super().size()

    @classmethod
    def build(cls):
        return f"right {cls.__name__}"


class Both(Left, Right):
    def size(self):
        return "both " + super().size()

    @classmethod
    def build(cls):
        return "both " + super().build()

    def other(self):
        return super().nothing()


both = Both()
print(call(both), Both.build())
Right.size = lambda self: "changed"
print(call(both))
Left.size = staticmethod(lambda: "without self")
try:
    print(call(both))
    both.other()
except AttributeError as error:
    print(error)

# Functions: defaults and names change.


def shifted(a, b=1, *, c=2):
    return (a, b, c)


def call_shifted():
    return shifted(0), shifted(0, c=5), shifted(b=3, a=4)


print(call_shifted())
shifted.__defaults__ = (10,)
shifted.__kwdefaults__ = {"c": 20}
print(call_shifted())
shifted.__defaults__ = None
try:
    call_shifted()
except TypeError as error:
    print(error)


# Built-in functions: hidden, with values of classes of the program, with wrong ones.
class Size(int):
    def __len__(self):
        return 99

    def __abs__(self):
        return "abs"

    def __gt__(self, other):
        return True

    def __lt__(self, other):
        return False


class Text(str):
    def __eq__(self, other):
        return "never"

    __hash__ = str.__hash__

    def __len__(self):
        return 5


def try_all(what, *all_arguments):
    answers = []
    for arguments in all_arguments:
        try:
            answers.append(what(*arguments))
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
    print(*answers, sep=" | ")


try_all(lambda x: len(x), ([1],), (Size(3),), (Text("abc"),), (3,), ({1: 2},), (range(5),), ("ä",))
try_all(lambda a, b: max(a, b), (1, 2), (1, 2.5), (Size(1), 2), (2, Size(1)), ("a", "b"), (1, "a"), (0.0, -0.0), (True, 2))
try_all(lambda a, b: min(a, b), (1, 2), (2.5, 1), (Size(1), 2), ("a", "b"), (1, "a"))
try_all(lambda x: abs(x), (-3,), (-2.5,), (Size(1),), ("a",), (-2**63,), (True,))
try_all(lambda x: int(x), (3,), (2.9,), (-2.9,), (True,), ("12",), ("x",), (float("inf"),), (1e30,))
try_all(lambda x: ord(x), ("a",), ("ä",), ("ab",), (1,))
try_all(lambda x: chr(x), (97,), (228,), (-1,), (True,))
try_all(lambda x: isinstance(x, (int, str)), (1,), (1.5,), (Size(1),), (None,), (True,))
try_all(lambda x, y: isinstance(x, y), (1, int), (1, 2), (1, (int, 2)), (1.0, (int, 2)), (Point, type))
try_all(lambda x: list(x), ([1, 2],), ((1, 2),), (range(3),), ("ab",), (3,))
try_all(lambda x: type(x).__name__, (1,), (Size(1),), (Point,))
try_all(lambda d, k: d.get(k), ({1: 2}, 1), ({1: 2}, 3), ({"a": 1}, Text("a")), ({1: 2}, []), ({1: 2}, True), ({1: 2}, 1.0))
try_all(lambda d, k: d[k], ({1: 2}, 1), ({1: 2}, 3), ((1, 2), -1), ((1, 2), 5), ({"a": 1}, "a"), ({1: 2}, 1.0), ((1, 2), True))
try_all(lambda l, i: (l.pop(i), l), ([1, 2, 3], 0), ([1, 2, 3], -1), ([1], 4), ([], 0), ([1], True))
try_all(lambda l, i: (l.insert(i, 9), l), ([1, 2, 3], 0), ([1, 2, 3], -1), ([1], 40), ([1], -40), ([1], "a"))
try_all(lambda a, b: a == b, ("a", "a"), ("a", Text("a")), (Text("a"), "b"), ("a", 1))
try_all(lambda a, b: a / b, (1, 2), (1, 0), (2**53 + 1, 1), (1.5, 2), (3, 0.5), (1, 0.0), (2**70, 2))
try_all(lambda a, b: a * b, (2, 1.5), (2**60 + 1, 1.0), (2**62, 4), (1.5, True), ("a", 2))
try_all(lambda a, b: a ** b, (2.0, 3), (2, 0.5), (-8, 1 / 3), (2, -1), (0.0, -1))
try_all(lambda a: -a, (1,), (1.5,), (-2**63,), (True,), ("a",), (0.0,))
len = lambda x: "hidden"
try_all(lambda x: len(x), ([1],))
del len
try_all(lambda x: len(x), ([1],))

# Sorting: keys of one kind, of several, that cannot be compared, that run code.
try_all(sorted, ([3, 1, 2],), ([2.5, 1, 3.5],), (["b", "a", "ä"],), ([True, 0, 2],), ([1, "a"],), ([(1, "b"), (1, "a"), (0, "z")],),
        ([(1, "b"), (1, 2)],), ([(2,), (1, 5), (1,)],), ([[2], [1]],), ([None, None],), ([2**70, 1],), ([],))
rows = [(i * 7 % 5, -i, "row") for i in range(12)]
print(sorted(rows, key=lambda row: row[0], reverse=True))
print(sorted(rows, key=lambda row: (row[0], -row[1])))
rows.sort(key=lambda row: row[2])
print(rows[0], rows[-1])
try:
    rows.sort(key=lambda row: rows.append(1))
except (ValueError, TypeError) as error:
    print(error)

# Loops over what changes meanwhile.
items = [1, 2, 3]
for item in items:
    if item < 3:
        items.append(item + 10)
print(items)
walk = iter((1, 2))
print([x for x in walk], [x for x in walk])
a, b, c = 1, 2, 3
a, b, c = c, a, b
print(a, b, c)
