# match in all its patterns.
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def look(v):
    match v:
        case None:
            return "none"
        case True | False as b:
            return f"bool {b}"
        case 0 | -1:
            return "small"
        case int(n) if n > 100:
            return f"big {n}"
        case int() | float():
            return "number"
        case "" | "empty":
            return "empty text"
        case str(s):
            return f"text {s}"
        case []:
            return "empty list"
        case [x]:
            return f"one {x}"
        case [1, *rest]:
            return f"one and {rest}"
        case [*_, Point(x=0)]:
            return "ends with a point at zero"
        case (a, (b, c)):
            return f"nested {a} {b} {c}"
        case {"kind": "a", "value": value, **rest}:
            return f"kind a {value} {rest}"
        case {}:
            return "mapping"
        case Point(0, y):
            return f"on the axis at {y}"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "point"
        case _:
            return "something"


for value in (None, True, 0, -1, 500, 7, 2.5, "", "hi", [], [9], [1, 2, 3], [3, Point(0, 1)], (1, (2, 3)), {"kind": "a", "value": 1, "more": 2},
              {"x": 1}, Point(0, 4), Point(3, 3), Point(1, 2), {1, 2}):
    print(look(value))


class Color:
    RED = 1


match 1:
    case Color.RED:
        print("red")
match (1, 2):
    case (a, b) | [a, b, _]:
        print(a, b)
try:
    match Point(1, 2):
        case Point(a, b, c):
            pass
except TypeError as e:
    print(e)


# In a loop, so that what a pattern leaves behind would add up.
def rests(values):
    found = []
    for value in values:
        match value:
            case {"k": key, "z": {"deep": [*_]}, **rest}:
                found.append((key, rest))
            case {"k": 1 | 2 as key, **rest}:
                found.append((key, sorted(rest)))
            case {**rest}:
                found.append(rest)
            case [{"k": key}, *others]:
                found.append((key, others))
    return found


print(rests([{"k": 1, "z": 2}, {"k": 3, "z": {"deep": []}, "y": 4}, {"a": 5}, [{"k": 6}, 7], [{"j": 8}]] * 2))
