"""def f[T], class A[T], type X[T] = ...: variables that only the definition sees."""
import typing


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def first[T](items: list[T], other: "T | None" = None, *, key: int = 3) -> T:
    return items[0], T, key


print(first([1]), first([2], key=4), first.__type_params__, first.__annotations__, first.__defaults__, first.__kwdefaults__)
print(first.__name__, first.__qualname__, first.__type_params__[0] is first.__annotations__["return"])
shown(lambda: T)


class Box[T, *Ts, **P](dict):
    kind = "box"
    default: T

    def __init__(self, value: T, *rest):
        super().__init__()
        self.value = value

    def map[U](self, function: typing.Callable[[T], U]) -> "Box[U]":
        return Box(function(self.value))

    def variables(self):
        return T, Ts, P, __class__

    class Inner[V: int]:
        owner: V

        def get(self):
            return T, V


print(Box.__type_params__, Box.__parameters__, Box.__bases__, Box.__orig_bases__, Box.__mro__[1:])
print(Box(3).map(str).value, Box(1).variables(), Box.Inner().get(), Box.Inner.__qualname__, Box.map.__qualname__)
print(Box.map.__type_params__, Box.__annotations__, Box.Inner.__annotations__, hasattr(Box, "T"), hasattr(Box, "U"))
print(Box[int, str, [int]], typing.get_args(Box[int, str, [int]]), typing.get_origin(Box[int, str, [int]]) is Box)


class Plain:
    pass


print(Plain.__type_params__, shown.__type_params__, (lambda: 0).__type_params__, int.__type_params__)


class Child[T](Box[T]):
    pass


class Bounded[T: (int, str), U: "Later", V: undefined]:
    pass


class Later:
    pass


print(Child.__mro__[1].__name__, Child.__parameters__, Child[int], Child[int]("x").value)
a, b, c = Bounded.__type_params__
print(a.__constraints__, a.__bound__, b.__constraints__, b.__bound__, a.__infer_variance__, a.__covariant__, a.__name__, a.__module__)
shown(lambda: c.__bound__)

type Numbers = int | float
type Nested[T] = list[T] | dict[str, Nested[T]]
type Wrong = undefined
print(Numbers, repr(Numbers), Numbers.__value__, Numbers.__type_params__, type(Numbers).__name__, Numbers.__name__)
print(Nested.__type_params__, Nested.__value__, Nested[int], Nested.__module__)
shown(lambda: Wrong.__value__)
shown(lambda: Numbers[int])
shown(lambda: isinstance(1, Numbers))


def outer():
    local = 5

    def inner[T](x=local) -> T:
        return x, local, T

    class Local[T]:
        value = local

        def method(self) -> T:
            return local, T

    type Alias = list[local]
    return inner, Local, Alias


inner, Local, Alias = outer()
print(inner(), Local().method(), Local.value, inner.__qualname__, Local.__qualname__, inner.__annotations__, Alias.__value__)


def decorate(function):
    function.mark = function.__type_params__
    return function


class Body:
    width = 7
    type Width = width

    @decorate
    def sized[T: width](self, x: width = width) -> T:
        return x

    @decorate
    class Made[T]:
        size = 1


print(Body.Width.__value__, Body().sized(), Body.sized.mark, Body.sized.__annotations__, Body.sized.__type_params__[0].__bound__)
print(Body.Made.size, Body.Made.mark)


class Private[__T]:
    def get(self):
        return __T


print(Private().get(), Private.__type_params__)
