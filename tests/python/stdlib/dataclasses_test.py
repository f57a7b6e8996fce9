import dataclasses
from collections import namedtuple
from dataclasses import dataclass, field, fields, asdict, astuple, replace, InitVar, KW_ONLY, make_dataclass, is_dataclass
from typing import ClassVar, List, Optional


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


@dataclass
class Config:
    block_size: int = 1024
    name: str = "gpt"
    bias: bool = True
    sizes: list = field(default_factory=list)
    kind: ClassVar[int] = 3


c = Config(bias=False)
print(c, c == Config(bias=False), c != Config(), Config.kind, c.sizes is Config().sizes, [f.name for f in fields(c)])
print(asdict(c), astuple(c), replace(c, name="x"), Config.__match_args__, is_dataclass(c), is_dataclass(Config), is_dataclass(3))
print(Config.__doc__)
shown(lambda: Config(1, 2, 3, 4, 5))
shown(lambda: Config(nope=1))
shown(lambda: hash(c))
shown(lambda: fields(3))
shown(lambda: asdict(Config))
shown(lambda: replace(c, nope=1))


@dataclass(order=True, frozen=True)
class Point:
    x: int
    y: int = field(default=0, compare=False, repr=False, metadata={"unit": "m"})


p = Point(1, 2)
print(p, p < Point(2), p <= Point(1), p == Point(1, 9), hash(p) == hash(Point(1)), sorted([Point(3), Point(1)]), fields(p)[1].metadata["unit"])
shown(lambda: setattr(p, "x", 5))
shown(lambda: delattr(p, "x"))
shown(lambda: setattr(p, "q", 5))
shown(lambda: Point())
shown(lambda: p < 3)
print(issubclass(dataclasses.FrozenInstanceError, AttributeError))


@dataclass
class Base:
    a: int
    b: int = 2


@dataclass
class Derived(Base):
    c: int = 3
    a: float = 1.5
    total: int = field(init=False)
    scale: InitVar[int] = 10

    def __post_init__(self, scale):
        self.total = (self.b + self.c) * scale


print(Derived(), Derived(c=5, scale=2), [f.name for f in fields(Derived)], Derived.__match_args__)


def broken():
    @dataclass
    class Broken:
        a: int = 1
        b: int


shown(broken)


def mutable():
    @dataclass
    class Mutable:
        a: list = []


shown(mutable)


def thaw():
    @dataclass
    class Thawed(Point):
        z: int = 0


shown(thaw)
shown(lambda: field(default=1, default_factory=list))
shown(lambda: dataclass(order=True, eq=False)(type("T", (), {})))


@dataclass
class Keyword:
    a: int
    _: KW_ONLY
    b: int = 0
    c: int


print(Keyword(1, c=2))
shown(lambda: Keyword(1, 2, 3))
shown(lambda: Keyword(1))


@dataclass(kw_only=True)
class AllKeyword:
    a: int
    b: str = field(default="x", kw_only=False)


print(AllKeyword("q", a=1), AllKeyword.__match_args__)


@dataclass(slots=True)
class Slotted:
    a: int
    b: int = 5

    def both(self):
        return self.a, self.b


s = Slotted(1)
print(s, s.both(), Slotted.__slots__, hasattr(s, "__dict__"))
shown(lambda: setattr(s, "zzz", 1))


@dataclass
class Inner:
    v: int


@dataclass
class Outer:
    inner: Inner
    many: List[Inner]
    table: dict
    pair: tuple = ()


NT = namedtuple("NT", "q")
o = Outer(Inner(1), [Inner(2), Inner(3)], {"k": Inner(4)}, (Inner(5), NT(Inner(6))))
print(asdict(o))
print(astuple(o))
print(o)
d = asdict(o, dict_factory=lambda pairs: sorted(pairs, key=lambda pair: pair[0]))
print(d[0])
M = make_dataclass("M", ["x", ("y", int), ("z", int, field(default=7))], namespace={"plus": lambda self: self.y + self.z})
print(M(1, 2), M(1, 2).plus(), M.__module__)
shown(lambda: make_dataclass("M", ["class"]))


@dataclass(eq=False)
class Identity:
    a: int = 1


print(Identity() == Identity(), hash(Identity()) is not None)


@dataclass(repr=False, init=False)
class Manual:
    a: int = 1

    def __init__(self):
        self.a = 99


print(Manual().a, "Manual object" in repr(Manual()))


@dataclass
class Node:
    value: int
    next: Optional["Node"] = None


n = Node(1)
n.next = n
print(n)
print(Node.__init__.__name__, Node.__init__.__qualname__, Node.__eq__.__qualname__, Node.__repr__.__name__)


@dataclass(unsafe_hash=True)
class Hashed:
    a: int
    b: list = field(default_factory=list, hash=False)


print(hash(Hashed(1)) == hash((1,)))
match Point(1, 2):
    case Point(x, y):
        print("matched", x, y)
for f in fields(Config):
    print(f.name, f.type, f.default is dataclasses.MISSING, f.default_factory is list, f.init, f.kw_only)
