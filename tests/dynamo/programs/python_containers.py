"""Containers and iterators of Python inside of what is compiled.

Each line is what a function gives, in Python's own values. What is traced otherwise than it runs, or is not traced whole,
gets a line of its own."""
import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import itertools
import math
import operator
import types
import typing

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial, reduce, wraps

import torch

FUNCTIONS = []


def t(function):
    FUNCTIONS.append(function)
    return function


def show(value):
    if isinstance(value, (tuple, list)):
        return type(value).__name__ + "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, dict):
        return type(value).__name__ + "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (set, frozenset)):
        return type(value).__name__ + str(sorted(map(repr, value)))
    if isinstance(value, (int, float, str, bool, complex, bytes, type(None))):
        return repr(value)
    return type(value).__name__ if type(value).__name__ != "float" else repr(value)


def run(function, is_whole):
    called = torch.compile(function, backend="eager", fullgraph=is_whole)
    try:
        return show(called(torch.tensor([1.0, 2.0, 3.0])))
    except Exception as error:
        return type(error).__name__ + ": " + str(error).split("\n")[0]


@t
def partial_inside(x):
    f = partial(torch.add, alpha=2)
    return f(x, x)
@t
def partial_pos(x):
    def g(a, b, c=3): return a + b * c
    f = functools.partial(g, x)
    return f(2), f(2, c=5), f.func is g, len(f.args), f.keywords
@t
def partial_nested(x):
    def g(a, b, c=3): return a + b * c
    f = partial(partial(g, x), 4)
    return f(c=1)
@t
def partial_returned(x):
    def g(a, b): return a + b
    f = partial(g, x + 1)
    return f(1), callable(f)
@t
def reduce_(x):
    return reduce(lambda a, b: a + b, [x, x * 2, x * 3]), reduce(operator.mul, [1, 2, 3], 10)
@t
def wraps_(x):
    def deco(f):
        @wraps(f)
        def w(*a, **k):
            return f(*a, **k) + 1
        return w
    @deco
    def g(y):
        return y * 2
    return g(x), g.__name__
@t
def lru_inside(x):
    @lru_cache(None)
    def g(n): return n + 1
    return x + g(2)
@lru_cache(maxsize=None)
def outer_cached(n): return n * 2
@t
def lru_outside(x):
    return x + outer_cached(3)
class CP:
    def __init__(self, v): self.v = v
    @cached_property
    def twice(self): return self.v * 2
@t
def cachedprop(x):
    c = CP(x)
    return c.twice + c.twice
@t
def dd_inside(x):
    d = defaultdict(list)
    d["a"].append(x)
    d["a"].append(x + 1)
    d["b"].append(x * 2)
    return d["a"][1] + d["b"][0], len(d), "c" in d
@t
def dd_int(x):
    d = defaultdict(int)
    for c in "hello": d[c] += 1
    return x + d["l"], dict(d)
@t
def dd_lambda(x):
    d = defaultdict(lambda: x)
    return d["q"] + 1, list(d.keys())
@t
def dd_get(x):
    d = defaultdict(int)
    try:
        return x, d.get("a"), d.setdefault("b", 3), d.pop("zz", None)
    finally:
        pass
@t
def dd_none(x):
    d = defaultdict(None)
    try:
        d["a"]
    except KeyError as e:
        return x + 1, repr(e)
@t
def dd_returned(x):
    d = defaultdict(list)
    d["a"].append(x + 1)
    return d
@t
def od_(x):
    d = OrderedDict()
    d["a"] = x
    d["b"] = x + 1
    d.move_to_end("a")
    return list(d.keys()), d.popitem(last=False)[0], d
@t
def od_list(x):
    d = OrderedDict([("a", 1), ("b", 2)])
    return x + d["a"], list(reversed(d)), list(d.items())
@t
def counter_(x):
    c = Counter("abracadabra")
    return x + c["a"], c["zzz"], c.most_common(2)
@t
def counter_upd(x):
    c = Counter()
    c["a"] += 1
    c.update("ab")
    return x, dict(c), sum(c.values())
@t
def deque_(x):
    d = deque(maxlen=2)
    d.append(x); d.append(x + 1); d.append(x + 2)
    return d[0], len(d), d.popleft(), d.maxlen
@t
def deque_left(x):
    d = deque([1, 2, 3])
    d.appendleft(0); d.rotate(1); d.extend([7]); d.extendleft([8, 9])
    return x + d[0], list(d), d.pop(), d.count(2), d.index(1)
@t
def deque_ret(x):
    d = deque([x + 1], 3)
    d.append(x)
    return list(d), d.maxlen
P = namedtuple("P", "a b")
P2 = namedtuple("P2", ["a", "b"], defaults=[5])
@t
def nt_outside(x):
    p = P(x, b=2)
    return p.a + p.b, p._fields, p[1], len(p), p._replace(b=3).b, p == P(x, 2)
@t
def nt_def(x):
    p = P2(x)
    q = P2._make([x, 3])
    a, b = q
    return p.b, q.b, a + b, isinstance(p, tuple), p._asdict()["b"]
@t
def nt_inside(x):
    Q = namedtuple("Q", "u v")
    q = Q(x, 2)
    return q.u + q.v
@t
def nt_ret(x):
    return P(x + 1, 2)
class NT(typing.NamedTuple):
    a: int
    b: int = 7
    def total(self): return self.a + self.b
    @property
    def twice(self): return self.a * 2
@t
def typing_nt(x):
    n = NT(x)
    return n.total(), n.twice, n.b, n
@dataclass
class D:
    a: object
    b: int = 2
    c: list = field(default_factory=list)
    def both(self): return self.a + self.b
@t
def dc_(x):
    d = D(x)
    d.c.append(3)
    d.b += 1
    return d.both(), d.c, d
@dataclass(frozen=True)
class DF:
    a: object
    b: int = 2
@t
def dc_frozen(x):
    d = DF(x, b=4)
    return d.a + d.b
@t
def dc_frozen_set(x):
    d = DF(1)
    try:
        d.a = 3
    except dataclasses.FrozenInstanceError as e:
        return x + 1, str(e)
    return x
@t
def dc_frozen_ret(x):
    return DF(x + 1)
@dataclass
class DP:
    a: object
    b: object = field(init=False)
    def __post_init__(self): self.b = self.a * 2
@t
def dc_post(x):
    d = DP(x)
    return d.b
@t
def dc_eq(x):
    return x, D(1) == D(1), D(1) == D(2), DF(1) != DF(1)
@t
def dc_repr(x):
    return x, repr(D(1)), str(DF(1))
@t
def dc_replace(x):
    d = dataclasses.replace(DF(1), b=5)
    return x + d.b
@t
def dc_asdict(x):
    return x, dataclasses.asdict(D(1)), dataclasses.astuple(DF(1)), [f.name for f in dataclasses.fields(D)], dataclasses.is_dataclass(D)
@dataclass(order=True)
class DO:
    a: int
@t
def dc_order(x):
    return x, DO(1) < DO(2), sorted([DO(3), DO(1)])[0].a
@t
def dc_hash(x):
    return x, hash(DF(1)) == hash(DF(1)), {DF(1): 2}[DF(1)]
@dataclass(slots=True)
class DS:
    a: object
    b: int = 1
@t
def dc_slots(x):
    d = DS(x)
    d.b = 3
    return d.a + d.b
@dataclass(kw_only=True)
class DK:
    a: object
    b: int = 1
@t
def dc_kwonly(x):
    return DK(a=x).a + DK(a=1, b=3).b
class E(enum.Enum):
    A = 1
    B = "two"
    def hi(self): return self.name + "!"
class IE(enum.IntEnum):
    X = 3
    Y = 4
class Fl(enum.Flag):
    R = 1
    W = 2
@t
def enum_(x):
    e = E.A
    return x + e.value, e.name, e is E.A, E("two") is E.B, E["A"].value, e == E.B, e.hi(), [m.name for m in E], len(E), isinstance(e, E)
@t
def enum_int(x):
    return x + IE.X, IE.X < IE.Y, IE.X == 3, IE(4).name, IE.X + 1
@t
def enum_flag(x):
    f = Fl.R | Fl.W
    return x, Fl.R in f, f.value
@t
def enum_dict(x):
    d = {E.A: 1, E.B: 2}
    return x + d[E.B], E.A in d
@t
def enum_if(x):
    e = E.B
    if e == E.A: return x
    elif e == E.B: return x * 2
@t
def enum_match(x):
    e = E.B
    match e:
        case E.A: return x
        case E.B: return x * 2
@t
def list_methods(x):
    l = [3, 1, 2]
    l.append(5); l.extend((7, 8)); l.insert(1, 9); l.remove(1)
    m = l.copy(); m.sort(); n = sorted(l, reverse=True); l.reverse()
    return x, l, m, n, l.index(9), l.count(3), l.pop(), l.pop(0), l[1:], l[::-1], l + [1], l * 2, len(l), 3 in l, l == l[:], [1, 2] < [1, 3], min(l), max(l)
@t
def list_sort_key(x):
    l = ["bb", "a", "ccc"]
    l.sort(key=len, reverse=True)
    return x, l, sorted(l, key=lambda s: s[0]), sorted([(1, "b"), (1, "a")]), sorted({"b": 1, "a": 2})
@t
def list_sort_stable(x):
    return x, sorted([(1, 0), (0, 1), (1, 2), (0, 3)], key=lambda p: p[0], reverse=True)
@t
def list_slices(x):
    l = list(range(10))
    l[2:4] = [20, 30, 40]
    l[::2] = [0] * len(l[::2])
    l[-1] = 99
    del l[-3:]
    return x, l, l[-2], l[5:1:-1], l[:], l[slice(1, 3)]
@t
def list_ext(x):
    l = [1]
    l += (2, 3)
    l *= 2
    a = [0] * 3
    return x, l, a, [*l, *a], list("abc"), list({"a": 1}), l.index(3, 3), l.clear()
@t
def list_index_err(x):
    out = []
    for f in (lambda: [1][5], lambda: [1].index(4), lambda: [].pop(), lambda: (1,).index(3), lambda: [1].remove(5), lambda: [1].pop(7), lambda: [1]["a"]):
        try: f()
        except Exception as e: out.append(type(e).__name__ + str(e))
    return x, out
@t
def dict_methods(x):
    d = {"a": 1, "b": 2}
    d.update({"c": 3}); d.update(d=4); d.update([("e", 5)])
    e = d.copy()
    r = (d.get("z", 9), d.setdefault("f", 6), d.pop("a"), d.pop("zz", None), d.popitem())
    return x, d, e, r, dict.fromkeys([1, 2], 0), d | {"q": 1}, list(d), list(d.values()), list(d.items()), len(d), "b" in d, d == e, {**d, "n": 1}, list(reversed(d)), dict(a=1, **{"b": 2}), dict([(1, 2)]), dict(zip("ab", [1, 2]))
@t
def dict_ior(x):
    d = {"a": 1}
    d |= {"b": 2}
    d |= [("c", 3)]
    k = d.keys()
    d["d"] = 4
    return x, d, len(k), "d" in k, k & {"a"}, k | {"z"}, list(k), sorted(d.items())[0], d.keys() == {"a": 1, "b": 2, "c": 3, "d": 4}.keys()
@t
def dict_errs(x):
    out = []
    d = {1: 2}
    for f in (lambda: d["q"], lambda: d.pop("q"), lambda: {}.popitem(), lambda: {[]: 1}, lambda: d.__delitem__(9)):
        try: f()
        except Exception as e: out.append(type(e).__name__ + str(e))
    return x, out
@t
def dict_mutation_iter(x):
    d = {"a": 1}
    try:
        for k in d: d[k + "x"] = 1
    except RuntimeError as e:
        return x, str(e)
    return x
@t
def dict_views(x):
    d = {"a": 1, "b": 2}
    return x, type(d.keys()).__name__, type(d.items()).__name__, isinstance(d.values(), collections.abc.ValuesView), ("a", 1) in d.items(), 2 in d.values(), list(d.values())[0]
@t
def set_methods(x):
    s = {1, 2, 3}
    s.add(4); s.discard(9); s.remove(1); s.update([7])
    return x, s, s | {9}, s & {2, 3}, s - {2}, s ^ {2, 100}, s.union([5]), s.intersection({2}), s.difference([2]), s.symmetric_difference({2}), s.issubset({2, 3, 4, 7, 8}), s.issuperset({2}), s.isdisjoint({99}), s <= {2, 3, 4, 7}, s < {2, 3, 4, 7}, s == {2, 3, 4, 7}, len(s), 2 in s, frozenset([1, 2]), s.copy(), sorted(s)
@t
def set_inplace(x):
    s = {1, 2, 3}
    q = s
    s |= {4}; s &= {1, 2, 4}; s -= {1}; s ^= {2, 9}
    s.intersection_update({4, 9}); s.difference_update({9}); s.symmetric_difference_update({4, 5})
    return x, s, q is s, q
@t
def set_pop(x):
    s = {1}
    a = s.pop()
    try: s.pop()
    except KeyError as e: return x, a, str(e), s
@t
def set_rm_err(x):
    try: {1}.remove(2)
    except KeyError as e: return x, repr(e)
@t
def fs_hash(x):
    d = {frozenset([1]): 2}
    return x, d[frozenset([1])], hash((1, 2)) == hash((1, 2))
@t
def tuple_methods(x):
    a = (1, 2, 2)
    return x, a.count(2), a.index(2), a + (3,), a * 2, a[1:], a[::-1], len(a), 2 in a, a < (1, 3), tuple([1, 2]), (x, 1)[1], a == (1, 2, 2), hash(a) == hash((1, 2, 2)), max(a), sum(a), sorted(a), tuple(i for i in a)
@t
def zips(x):
    out = []
    try: list(zip([1], [1, 2], strict=True))
    except ValueError as e: out.append(str(e))
    try: list(zip([1, 2], [1], strict=True))
    except ValueError as e: out.append(str(e))
    return x, list(zip([1, 2], "ab")), list(enumerate("ab", 1)), list(enumerate("ab", start=5)), out, list(zip()), dict(enumerate("ab")), list(zip(*[(1, 2), (3, 4)])), list(zip([1, 2], [3, 4], strict=True))
@t
def maps(x):
    return x, list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, "", "a"])), list(filter(lambda v: v > 1, [1, 2, 3])), any([0, 1]), all([]), sum([1, 2], 10), sum([[1], [2]], []), min([3, 1], key=lambda v: -v), max([], default=7), min("b", "a"), max([1, 5, 3], key=lambda v: -v), min([], default=None), list(map(str, [1, 2])), list(map(int, "12")), max("ab", "abc", key=len)
@t
def min_err(x):
    try: max([])
    except ValueError as e: return x, str(e)
@t
def itools(x):
    i = itertools
    return x, list(i.chain([1], "ab")), list(i.chain.from_iterable([[1], [2]])), list(i.product([1, 2], "ab")), list(i.product([0, 1], repeat=2)), list(i.accumulate([1, 2, 3])), list(i.accumulate([1, 2, 3], operator.mul)), list(i.accumulate([1, 2], initial=5)), list(i.islice(range(10), 2, 8, 3)), list(i.islice([1, 2, 3], 2)), list(i.repeat(1, 3)), list(i.starmap(pow, [(2, 3)])), list(i.combinations([1, 2, 3], 2)), list(i.zip_longest([1], [1, 2], fillvalue=0)), list(i.pairwise([1, 2, 3])), list(i.takewhile(lambda v: v < 2, [1, 2, 1])), list(i.dropwhile(lambda v: v < 2, [1, 2, 1])), list(i.permutations([1, 2])), list(i.compress("abc", [1, 0, 1])), list(i.filterfalse(None, [0, 1])), list(i.combinations_with_replacement([1, 2], 2))
@t
def groupby_(x):
    return x, [(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 2, 1])], [(k, len(list(g))) for k, g in itertools.groupby(["a", "bb", "cc"], key=len)]
@t
def tee_(x):
    a, b = itertools.tee([1, 2])
    return x, list(a), list(b)
@t
def itools_tensor(x):
    return list(itertools.chain([x], [x + 1])), list(itertools.product([x], [1])), list(itertools.accumulate([x, x])), list(itertools.islice([x, x + 1], 1))[0], [a + b for a, b in itertools.combinations([x, x * 2, x * 3], 2)], list(itertools.zip_longest([x], [1, 2])), list(itertools.pairwise([x, x + 1]))[0][1], list(itertools.repeat(x, 2)), list(itertools.permutations([x, 1], 2)), list(itertools.starmap(torch.add, [(x, x)])), list(itertools.takewhile(lambda v: v[0] < 1, [(0, x), (1, x)]))
@t
def op_funcs(x):
    o = operator
    return o.add(x, 1), o.mul(2, 3), o.itemgetter(1)([1, 2]), o.itemgetter(0, 1)([1, 2]), o.attrgetter("shape")(x), o.methodcaller("sum")(x), o.not_(1), o.truth([]), o.is_(1, 1), o.contains([1], 1), o.getitem([1, 2], 0), o.neg(3), o.lt(1, 2), o.index(3), o.concat([1], [2]), o.countOf([1, 1], 1), o.floordiv(7, 2), o.matmul(x, x), o.pos(3), o.xor(1, 3), o.iadd([1], [2]), o.length_hint([1, 2]), o.setitem({}, 1, 2), o.indexOf([1, 2], 2)
@t
def isinst_err(x):
    try: isinstance(1, 1)
    except TypeError as e: return x, str(e)
@t
def iter_sentinel(x):
    l = [1, 2, 3, 0, 5]
    return x, list(iter(lambda: l.pop(0), 0))
@t
def iter_protocol(x):
    it = iter([1, 2, 3])
    a = next(it)
    out = []
    for v in it: out.append(v)
    try:
        next(it)
    except StopIteration as e:
        out.append(repr(e))
    return x, a, out
@t
def nested_data(x):
    d = {"a": [x, {"b": (x + 1, 2)}]}
    d["a"][1]["c"] = [d["a"][0] * 2]
    return d
class E1:
    def __str__(self): return "e1s"
    def __repr__(self): return "e1r"
@t
def bytes_(x):
    return x, b"ab" + b"c", b"ab"[0], b"a,b".split(b","), b"ab".decode(), b"\x01".hex()

for function in FUNCTIONS:
    wanted = show(function(torch.tensor([1.0, 2.0, 3.0])))
    print(function.__name__, wanted)
    for is_whole in (True, False):
        found = run(function, is_whole)
        if found != wanted:
            print("   differs", "as a whole" if is_whole else "with breaks", found)
