"""Copies that a class makes in its own words, and what they share."""
import copy


class Reduced:
    def __init__(self, number):
        self.number = number

    def __reduce_ex__(self, protocol):
        return Reduced, (self.number + 1,)


class WithState:
    def __reduce__(self):
        return WithState, (), {"extra": [5]}


class Stated:
    def __init__(self):
        self.kept, self.dropped = [1], "lock"

    def __getstate__(self):
        return {"kept": self.kept}

    def __setstate__(self, state):
        self.__dict__.update(state, dropped="new")


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = [1]


class Own:
    def __init__(self, other):
        self.other = other

    def __deepcopy__(self, memo):
        made = Own(None)
        memo[id(self)] = made
        made.other = copy.deepcopy(self.other, memo)
        return made


class Listed(list):
    def __reduce__(self):
        return Listed, (), None, iter(self), None


print(copy.copy(Reduced(1)).number, copy.deepcopy(Reduced(1)).number)
print(copy.copy(WithState()).extra, copy.deepcopy(WithState()).__dict__)
stated = Stated()
print(copy.copy(stated).dropped, copy.deepcopy(stated).kept is stated.kept, copy.copy(stated).kept is stated.kept)
slotted = Slotted()
print(copy.copy(slotted).a is slotted.a, copy.deepcopy(slotted).a is slotted.a, hasattr(copy.copy(slotted), "b"))
circle = Own(None)
circle.other = [circle, circle]
made = copy.deepcopy(circle)
print(made.other[0] is made, made.other[1] is made, made is circle)
shared = [1]
pair = copy.deepcopy({"a": Own(shared), "b": Own(shared), "c": shared})
print(pair["a"].other is pair["b"].other, pair["a"].other is pair["c"], pair["c"] is shared)
memo = {}
first = copy.deepcopy(shared, memo)
print(copy.deepcopy(shared, memo) is first, copy.deepcopy([shared, shared], memo)[1] is first)
print(copy.deepcopy(Listed([1, [2]])), type(copy.copy(Listed([1]))).__name__)
try:
    copy.copy(type("Broken", (), {"__reduce_ex__": lambda self, p: 5})())
except Exception as error:
    print(type(error).__name__)
