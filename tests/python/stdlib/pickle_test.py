import collections
import copyreg
import fractions
import functools
import io
import pickle


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return abs(self.x) + abs(self.y)

    def __repr__(self):
        return f"Point({self.x!r}, {self.y!r})"


class Slots:
    __slots__ = ("a", "b", "__dict__")

    def __init__(self):
        self.a, self.c = 1, 3


class Items(list):
    pass


class Table(dict):
    pass


class Number(int):
    pass


class Pair(tuple):
    pass


class Failure(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.extra = b


class Outer:
    class Inner:
        pass


class Reduced:
    def __reduce__(self):
        return list, ([1, 2],)


class ByProtocol:
    def __reduce_ex__(self, protocol):
        return Point, (protocol, 0), {"z": 1}


class NewArguments:
    def __new__(cls, n):
        made = object.__new__(cls)
        made.n = n
        return made

    def __getnewargs__(self):
        return (self.n,)


class NewKeywords:
    def __new__(cls, *, k=0):
        made = object.__new__(cls)
        made.k = k
        return made

    def __getnewargs_ex__(self):
        return (), {"k": self.k}


class State:
    def __init__(self):
        self.v = 1

    def __getstate__(self):
        return {"v": self.v + 1}

    def __setstate__(self, state):
        self.v = state["v"] * 10


Named = collections.namedtuple("Named", "x y")

print("bytes: the same as the reference writes")
values = [None, True, 0, -1, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -2**31 - 1, 2**64, -10**40, 0.0, -0.5, 1e300,
          "", "abc", "\xe9\u20ac\U0001f600", "a\\u\n\r\0\x1a", "x" * 300, b"", b"abc\xff", b"y" * 300, bytearray(b"abc"),
          (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [1, 2], {}, {"a": 1}, {"a": 1, "b": [2]}, set(), {1},
          frozenset(), frozenset({1}), Point(1, [2]), Items([1, 2]), Table(a=1), Number(5), Pair((1, 2)), Outer.Inner,
          Named(1, 2), collections.OrderedDict(a=1), collections.defaultdict(list, {1: [2]}), len, Point, int,
          NotImplemented, ValueError("x", 1), KeyError("k"), Failure("a", 2), range(1, 5, 2), 1 + 2j,
          fractions.Fraction(1, 3), Reduced(), ByProtocol(), NewArguments(3), NewKeywords(k=4), State(),
          Point(3, -4).norm]
for value in values:
    for protocol in range(2, 6):
        data = pickle.dumps(value, protocol)
        print(protocol, data.hex() if len(data) < 90 else (len(data), data[:20].hex(), data[-20:].hex()))

print("back again, from all protocols")
for value in [*values[:-1], Slots()]:
    shown = set()
    for protocol in range(0 if not isinstance(value, Slots) else 2, 6):
        made = pickle.loads(pickle.dumps(value, protocol))
        if type(made) is not type(value) and not isinstance(value, (Reduced, ByProtocol)):
            print("another type", type(made), protocol)
        shown.add("len" if made is len else repr(made) if " at 0x" not in repr(made) else repr(sorted(vars(made).items())) if hasattr(made, "__dict__") else "")
    print(len(shown), sorted(shown)[0][:60])

print("objects that hold themselves, and shared ones")
loop = [1]
loop.append(loop)
for protocol in range(6):
    made = pickle.loads(pickle.dumps(loop, protocol))
    nested = ([],)
    nested[0].append(nested)
    around = pickle.loads(pickle.dumps(nested, protocol))
    point = Point(None, 1)
    point.x = point
    own = pickle.loads(pickle.dumps(point, protocol))
    a = [1]
    both = pickle.loads(pickle.dumps((a, a), protocol))
    print(made[1] is made, around[0][0] is around, own.x is own, both[0] is both[1])

print("files, persistent ids, find_class, dispatch tables")
file = io.BytesIO()
for value in ("one", [2], {"three": 3}):
    pickle.dump(value, file)
file.write(b"rest")
file.seek(0)
print(pickle.load(file), pickle.load(file), pickle.load(file), file.read())


class Database:
    def __init__(self, name):
        self.name = name


class Writer(pickle.Pickler):
    def persistent_id(self, obj):
        return ("db", obj.name) if isinstance(obj, Database) else None


class Reader(pickle.Unpickler):
    def persistent_load(self, pid):
        print("asked for", pid)
        return Database(pid[1] + "!")

    def find_class(self, module, name):
        if name == "Point":
            return lambda *args: ("no point", args)
        return super().find_class(module, name)


file = io.BytesIO()
Writer(file, 4).dump([Database("main"), Database("main"), len])
file.seek(0)
made = Reader(file).load()
print([one.name for one in made[:2]], made[2] is len)


class Override(pickle.Pickler):
    def reducer_override(self, obj):
        if isinstance(obj, Database):
            return Database, (obj.name.upper(),)
        return NotImplemented


file = io.BytesIO()
Override(file).dump(Database("x"))
print(pickle.loads(file.getvalue()).name)
copyreg.pickle(Database, lambda one: (Database, (one.name + "?",)))
print(pickle.loads(pickle.dumps(Database("y"))).name)
writer = pickle.Pickler(file)
writer.dispatch_table = collections.ChainMap({Database: lambda one: (Database, ("own",))}, copyreg.dispatch_table)
file.seek(0)
file.truncate()
writer.dump(Database("z"))
print(pickle.loads(file.getvalue()).name)
print(pickle.loads(pickle.dumps(functools.partial(Point, 1)))(2))

print("what cannot be pickled")


def inner():
    class Hidden:
        pass

    return Hidden(), lambda: None


for value in ((x for x in ()), io, inner()[0], {}.keys()):
    try:
        pickle.dumps(value)
    except Exception as error:
        print(type(error).__name__, str(error).split(" at 0x")[0])
for what in (5, (1,), (len, 5), (5, ())):
    class Odd:
        def __reduce__(self):
            return what

    try:
        pickle.dumps(Odd())
    except Exception as error:
        print(type(error).__name__)
try:
    pickle.dumps(1, 6)
except ValueError as error:
    print(error)

print("pickles that are none")
for data in (b"", b"\x80", b"\x80\x09.", b"(", b".", b"X\xff\xff\xff\x7fabc", b"\x8e\xff\xff\xff\x7f\x00\x00\x00\x00.",
             b"\x8b\xff\xff\xff\xff.", b"h\x05.", b"0.", b"1.", b"cnope\nx\n.", b"N)\x81.", b"NNR.", b"(K\x01d.",
             b"\x93.", b"K\x01K\x02\x93.", b"\xff", b"'", b"Z", b"\x82\x05.", b"S'a\n.", b"I1x\n.", b"p-1\n."):
    try:
        print(data[:10], pickle.loads(data))
    except Exception as error:
        print(data[:10], type(error).__name__, error)

print("depth")
deep = pickle.loads(b"\x80\x02" + b"]" * 50000 + b"a" * 49999 + b".")
print(len(deep))
del deep
nested = []
for _ in range(20000):
    nested = [nested]
try:
    pickle.dumps(nested)
except RecursionError:
    print("RecursionError")
while nested:
    nested = nested[0]

print("pickles of Python 2")
print(pickle.loads(b"(dp0\nS'a\\n\\x41'\np1\n(lp2\nI1\naL2L\naF2.5\nas."),
      pickle.loads(b"\x80\x02U\x03ab\xe9.", encoding="latin1"), pickle.loads(b"\x80\x02U\x03ab\xe9.", encoding="bytes"),
      pickle.loads(b"c__builtin__\nxrange\n(I1\nI4\ntR."), pickle.loads(b"cexceptions\nValueError\n."),
      pickle.loads(b"VA\\u20ac\\\\u0041\n."))
try:
    pickle.loads(b"\x80\x02U\x03ab\xe9.")
except UnicodeDecodeError as error:
    print(error)
