import typing
from typing import *


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


class Foo:
    pass


print(List[int], Dict[str, List[int]], Tuple[int, ...], Tuple[int, str], Tuple[()], Callable[[int, str], bool], Callable[..., Any])
print(List, Tuple, Callable, Any, Type[Foo], Set[Foo], List["Foo"], Literal["a", 1], ClassVar[int], Final[int], ClassVar)
print(Iterable[int], Mapping[str, Any], Sequence[int], DefaultDict[str, int], Deque[int], Generator[int, None, str], NoReturn)
print(list[int], dict[str, int], list["Foo"], type[Foo], Annotated[int, "meta", 3], TypeVar("T"), TypeVar("K", covariant=True))
shown(lambda: List[1])
shown(lambda: Dict[int])
shown(lambda: List())
shown(lambda: Any())
shown(lambda: isinstance(1, List[int]))
shown(lambda: Callable[int])
shown(lambda: NoReturn[int])
print(isinstance([], List), isinstance({}, Mapping), issubclass(list, Sequence), List[int] == List[int], hash(List[int]) == hash(List[int]))
print(get_origin(List[int]), get_args(Dict[str, int]), get_args(Callable[[int], str]), get_origin(int), get_args(Tuple[int, ...]), get_origin(Literal[1]))
print(cast(int, "x"), TYPE_CHECKING, Text is str, AnyStr)

T = TypeVar("T")
K = TypeVar("K", bound=int)
S = TypeVar("S", int, str)
print(T, K.__bound__, S.__constraints__, T.__name__, List[T][int], Dict[str, T][Foo], T.__module__)


class Box(Generic[T]):
    def __init__(self, value: T):
        self.value = value


class IntBox(Box[int]):
    pass


class Pair(Generic[T, K]):
    pass


b = Box[int](5)
print(b.value, Box[int], Box[T][str], IntBox(3).value, IntBox.__orig_bases__, Box.__parameters__, Pair[str, int], b.__orig_class__, IntBox.__mro__)
shown(lambda: Pair[int])
shown(lambda: Generic[int])
shown(lambda: type("X", (Generic,), {}))
shown(lambda: Foo[int])


class Mine(List[int]):
    pass


class Table(Dict[str, T], Generic[T]):
    pass


print(Mine([1]), Mine.__mro__[1:3], Table[int], Table(a=1))


@runtime_checkable
class Closes(Protocol):
    def close(self) -> None: ...


class File:
    def close(self):
        pass


class Door(Closes):
    def __init__(self):
        self.x = 1


print(isinstance(File(), Closes), isinstance(3, Closes), issubclass(File, Closes), Door().x)
shown(lambda: Closes())


class Unchecked(Protocol):
    x: int


shown(lambda: isinstance(1, Unchecked))


class Point(NamedTuple):
    "A point."
    x: int
    y: int = 0

    def norm(self):
        return self.x + self.y


p = Point(1)
print(p, p.norm(), Point.__annotations__, Point._field_defaults, Point.__doc__, Point._fields, p._replace(y=5))
print(NamedTuple("Other", [("a", int), ("b", str)])(1, "q"))


def wrong():
    class Wrong(NamedTuple):
        x: int = 1
        y: int


shown(wrong)


class Movie(TypedDict):
    name: str
    year: int


class More(Movie, total=False):
    extra: NotRequired[int]


m = Movie(name="x", year=1)
print(m, type(m), Movie.__annotations__, sorted(More.__required_keys__), sorted(More.__optional_keys__), Movie.__total__)
shown(lambda: isinstance({}, Movie))
print(TypedDict("Alt", {"a": int})(a=1))
UserId = NewType("UserId", int)
print(UserId(5), UserId, UserId.__supertype__)


@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x):
    return x


print(f(3), len(get_overloads(f)))


class Node:
    next: "Node"
    items: List["Node"]
    count: Annotated[int, "n"]
    nothing: None

    def walk(self, depth: "int" = 1) -> "Node":
        pass


print(get_type_hints(Node), get_type_hints(Node.walk), get_type_hints(Node, include_extras=True)["count"])
shown(lambda: get_type_hints(3))
print(Literal[1] == Literal[1], Literal[1, 2] == Literal[2, 1], Annotated[int, 1].__metadata__, get_origin(Annotated[int, 1]))
print(SupportsInt, isinstance(3, SupportsInt), isinstance("a", SupportsInt), SupportsIndex)
P = ParamSpec("P")
print(P, P.args, P.kwargs, Callable[P, int], Concatenate[int, P], ForwardRef("A"))


@final
class Last:
    pass


print(Last.__final__, is_typeddict(Movie), is_typeddict(dict), assert_type(1, int))
shown(lambda: assert_never(1))
