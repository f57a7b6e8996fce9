import collections
from collections import namedtuple, Counter, deque, ChainMap, OrderedDict, defaultdict, UserDict, UserList


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


Point = namedtuple("Point", "x y")
p = Point(1, y=2)
print(p, p.x, p[1], p == (1, 2), p._asdict(), p._replace(x=5), Point._fields, Point._make([3, 4]))
x, y = p
print(x, y, len(p), isinstance(p, tuple), Point.__doc__, Point.__name__, Point.__module__, Point.__match_args__)
shown(lambda: Point(1))
shown(lambda: Point(1, 2, 3))
shown(lambda: Point(1, 2, z=3))
shown(lambda: p._replace(z=1))
shown(lambda: Point._make([1]))
shown(lambda: setattr(p, "x", 3))
shown(lambda: p.z)
shown(lambda: namedtuple("A", "1x"))
shown(lambda: namedtuple("A", "class"))
shown(lambda: namedtuple("A", "_x"))
shown(lambda: namedtuple("A", "x x"))
shown(lambda: namedtuple("A", "x", defaults=[1, 2]))
print(namedtuple("A", "x class _y x", rename=True)._fields)
D = namedtuple("D", ["a", "b", "c"], defaults=[10, 20])
print(D(1), D(1, 2), D._field_defaults)


class Sub(namedtuple("Base", "a b")):
    @property
    def total(self):
        return self.a + self.b


print(Sub(1, 2), Sub(1, 2).total)

c = Counter("abracadabra")
print(c, c["z"], c.most_common(2), c.total(), sorted(c.elements()))
c.update("aaa")
c.subtract({"b": 5})
print(c, +c, -c)
print(Counter(a=3, b=1) + Counter(a=1, b=2), Counter(a=3, b=1) - Counter(a=1, b=2))
print(Counter(a=3, b=1) & Counter(a=1, b=2), Counter(a=3, b=1) | Counter(a=1, b=2))
print(Counter(), Counter(a=1) == Counter(a=1, b=0), Counter(a=1) <= Counter(a=2), dict(Counter([1, 1, 2])))
shown(lambda: Counter.fromkeys("ab"))
e = Counter(a=1)
e += Counter(b=2)
print(e)
del e["nothing"]

d = deque([1, 2, 3], maxlen=3)
d.append(4)
print(d, d.maxlen, len(d), d[0], d[-1])
d.appendleft(0)
print(d, list(reversed(d)), 2 in d, d.index(3), d.count(3))
d = deque("abc")
d.rotate(1)
print(d)
d.extendleft("xy")
d.extend("z")
print(d, d.pop(), d.popleft(), d)
d.insert(1, "I")
d.remove("a")
d.reverse()
print(d, d == deque(d), d + deque([1]), d * 2, d.copy())
del d[0]
d[0] = "first"
print(d, bool(d), bool(deque()))
shown(lambda: deque().pop())
shown(lambda: deque().popleft())
shown(lambda: deque([1])[3])
shown(lambda: deque([1]).remove(2))
shown(lambda: deque([1]).index(2))
shown(lambda: deque([], -1))
shown(lambda: [d.append(1) for _ in d])
q = deque()
for i in range(1000):
    q.append(i)
    if i % 3 == 0:
        q.popleft()
for i in range(500):
    q.appendleft(i)
print(len(q), q[0], q[-1], sum(q))

m = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(m, m["a"], m["b"], len(m), sorted(m), m.new_child({"c": 4}), m.parents, dict(m))
m["z"] = 9
print(m.maps)
shown(lambda: m["nope"])
shown(lambda: m.pop("b"))


class Lower(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)


u = Lower(A=1)
u["B"] = 2
print(u, len(u), "a" in u, u.get("q", 0), u.pop("a"), u, u.setdefault("c", 5), sorted(u.items()))
shown(lambda: u["x"])
v = UserList([3, 1, 2])
v.sort()
v += [9]
print(v, v[1:], v + [4], v.index(2), len(v), v == [1, 2, 3, 9])
s = collections.UserString("abc")
print(s.upper(), s + "d", s[1], len(s), repr(s))
print(OrderedDict(a=1), defaultdict(int)["x"])
