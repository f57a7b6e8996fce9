import enum
from enum import Enum, IntEnum, Flag, IntFlag, StrEnum, auto, unique, member, nonmember


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


class Color(Enum):
    "Colors."
    RED = 1
    GREEN = auto()
    CRIMSON = 1

    def lower(self):
        return self.name.lower()

    @property
    def double(self):
        return self.value * 2

    @classmethod
    def first(cls):
        return next(iter(cls))


print(Color.RED, repr(Color.GREEN), Color(1), Color["GREEN"], Color.CRIMSON is Color.RED, list(Color), len(Color), Color)
print(Color.RED.name, Color.RED.value, Color.RED.lower(), Color.GREEN.double, Color.first(), Color.__doc__, Color.RED == 1)
print(dict(Color.__members__), Color.__members__, isinstance(Color.RED, Color), Color.RED in Color, 2 in Color, 7 in Color, type(Color))
print({Color.RED: "x"}[Color(1)], f"{Color.RED}", f"{Color.RED:>12}", hash(Color.RED) == hash("RED"), Color.RED.__class__.__name__)
shown(lambda: Color(9))
shown(lambda: Color["BLUE"])
shown(lambda: Color.BLUE)
shown(lambda: setattr(Color, "RED", 5))
shown(lambda: delattr(Color, "RED"))
shown(lambda: setattr(Color.RED, "value", 5))
shown(lambda: Color())
shown(lambda: Color.RED < Color.GREEN)
shown(lambda: Enum("Two", "a a"))


def extend():
    class More(Color):
        BLUE = 3


shown(extend)


def twice():
    class Twice(Enum):
        A = 1
        A = 2


shown(twice)


@unique
class Plain(Enum):
    A = "a"
    B = "b"


shown(lambda: unique(Color))


class Number(IntEnum):
    ONE = 1
    TWO = 2


print(Number.ONE, repr(Number.ONE), Number.ONE + 1, Number.ONE < Number.TWO, Number.ONE == 1, f"{Number.TWO:03d}", int(Number.TWO), [10, 20, 30][Number.ONE])


class Word(StrEnum):
    HELLO = auto()
    OTHER = "x-y"


print(Word.HELLO, repr(Word.HELLO), Word.HELLO == "hello", Word.OTHER.upper(), f"{Word.OTHER}", Word("x-y"))


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()
    RW = R | W


print(Perm.R | Perm.X, repr(Perm.R | Perm.W), repr(Perm(0)), Perm.R in Perm.RW, ~Perm.R, list(Perm.RW), len(Perm.RW), list(Perm), bool(Perm.R & Perm.W))
print(Perm.R ^ Perm.RW, Perm(5), repr(Perm(7)), Perm.RW.name, (Perm.R | Perm.X).name, (Perm.R | Perm.X).value, Perm(0), Perm)
shown(lambda: Perm(8))
shown(lambda: Perm("x"))
shown(lambda: Perm.R | 1)
shown(lambda: 1 in Perm.RW)


class Bits(IntFlag):
    A = 1
    B = 2
    C = 8


print(Bits.A | Bits.B, repr(Bits.A | Bits.B), repr(Bits.A | 4), repr(Bits(16)), repr(~Bits.A), Bits.A + 1, repr(Bits.A & 3), repr(5 | Bits.B), Bits.A == 1)

Shape = Enum("Shape", ["SQUARE", "CIRCLE"])
print(list(Shape), Shape.__module__, Enum("Other", {"a": 5, "b": 6}).b.value, list(IntEnum("N", "x y", start=5)), Enum("P", [("q", 3)]).q)


class Planet(Enum):
    EARTH = (5.0, 6.0)
    MARS = (3.0, 4.0)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def ratio(self):
        return self.mass / self.radius


print(Planet.EARTH.mass, Planet.MARS.ratio, Planet.EARTH.value, Planet((3.0, 4.0)))


class Coord(bytes, Enum):
    def __new__(cls, value, label):
        made = bytes.__new__(cls, [value])
        made._value_ = value
        made.label = label
        return made

    PX = (0, "P.X")
    PY = (1, "P.Y")


print(Coord.PY, Coord.PY.label, Coord(0))


class Ordinal(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.title()

    NORTH = auto()
    SOUTH = auto()

    @classmethod
    def _missing_(cls, value):
        return cls.NORTH if value == "up" else None


print(Ordinal.NORTH.value, Ordinal("up"), list(Ordinal))
shown(lambda: Ordinal("down"))


class Functions(Enum):
    @member
    def run(x):
        return x + 1

    constant = nonmember(42)
    inner = 3


print(Functions.run.value(1), Functions.constant, list(Functions)[1:])


class Activation(str, Enum):
    RELU = "relu"
    GELU = "gelu"


print(Activation.RELU, repr(Activation.RELU), Activation.RELU == "relu", Activation("gelu"), f"{Activation.RELU}", Activation.RELU.upper())
import copy
print(copy.deepcopy(Color.RED) is Color.RED, copy.copy(Perm.R) is Perm.R)
match Color.GREEN:
    case Color.RED:
        print("red")
    case Color.GREEN:
        print("green")
