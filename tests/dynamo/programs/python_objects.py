"""Classes, exceptions and functions of Python inside of what is compiled.

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


G = 10
@t
def nonlocal_(x):
    n = 0
    def inc(k):
        nonlocal n
        n += k
        return n
    inc(2); inc(3)
    return x + n
@t
def closures_loop(x):
    fs = [lambda i=i: x + i for i in range(3)]
    gs = [lambda: x + i for i in range(3)]
    return fs[0](), gs[0]()
@t
def gen_basic(x):
    def g():
        for i in range(3): yield x + i
    return sum(g())
@t
def gen_send(x):
    def g():
        got = yield 1
        while True:
            got = yield got * 2
    k = g()
    next(k)
    return x + k.send(3), k.send(5)
@t
def gen_partly(x):
    def g():
        yield 1
        yield 2
        yield 3
    k = g()
    a = next(k)
    return x + a, list(k)
@t
def gen_returned(x):
    def g():
        yield x + 1
        yield x + 2
    return list(g()), g
@t
def gen_return_gen(x):
    def g():
        y = x + 1
        yield y
        yield y + 2
    return [i for i in g()]
@t
def gen_ret_value(x):
    def inner():
        yield 1
        return 5
    def g():
        r = yield from inner()
        yield r
    return x + sum(g()), list(g())
@t
def gen_stopiter(x):
    def g():
        yield 1
        return 7
    k = g()
    next(k)
    try:
        next(k)
    except StopIteration as e:
        return x + e.value
@t
def gen_close(x):
    log = []
    def g():
        try:
            yield 1
            yield 2
        finally:
            log.append("closed")
    k = g()
    next(k)
    k.close()
    return x, log, next(k, None)
@t
def gen_throw(x):
    def g():
        try:
            yield 1
        except ValueError as e:
            yield str(e)
    k = g()
    next(k)
    return x, k.throw(ValueError("boo"))
@t
def genexpr(x):
    return sum(i * x for i in range(4) if i % 2), any(i > 2 for i in range(4)), max(i for i in [1, 5, 2])
@t
def comps(x):
    l = [i * 2 for i in range(5) if i > 1 if i < 4]
    d = {k: v for k, v in zip("abc", l)}
    s = {i % 2 for i in range(5)}
    n = [(i, j) for i in range(2) for j in range(i + 1)]
    return x, l, d, s, n
@t
def comp_tensor(x):
    return [x + i for i in range(2)], {i: x * i for i in range(2)}
@t
def defaults(x):
    f = lambda a, b=2, *c, d=4, **e: (a, b, c, d, e)
    return x, f(1), f(1, 2, 3, 4, d=5, z=6), f(*[1, 2], **{"d": 9})
@t
def posonly(x):
    def f(a, /, b, *, c): return a + b + c
    return x + f(1, 2, c=3), f(1, b=2, c=3)
@t
def posonly_err(x):
    def f(a, /): return a
    try:
        f(a=1)
    except TypeError as e:
        return x, str(e)
@t
def missing_args(x):
    def f(a, b, c): return a
    out = []
    for args, kw in [((), {}), ((1,), {}), ((1, 2), {}), ((1, 2, 3, 4), {}), ((1, 2, 3), {"q": 1}), ((1, 2, 3), {"a": 1})]:
        try:
            f(*args, **kw)
        except TypeError as e:
            out.append(str(e))
    return x, out
@t
def missing_kw(x):
    def f(*, k, j): return k
    try:
        f()
    except TypeError as e:
        return x, str(e)
@t
def unpack_calls(x):
    def f(*a, **k): return a, k
    return x, f(*[1], *(2, 3), **{"a": 1}, **{"b": 2}), f(*range(3))
@t
def recursion(x):
    def fact(n): return 1 if n < 2 else n * fact(n - 1)
    return x + fact(5)
@t
def star_targets(x):
    a, *b, c = [1, 2, 3, 4]
    (d, e), f = (1, 2), 3
    *g, = "abc"
    return x, a, b, c, d, e, f, g
@t
def unpack_err(x):
    try:
        a, b = [1, 2, 3]
    except ValueError as e:
        m = str(e)
    try:
        a, b = [1]
    except ValueError as e:
        return x, m, str(e)
@t
def walrus(x):
    if (n := 5) > 3:
        x = x + n
    return x, [y := 1, y ** 2], [q for i in range(3) if (q := i * 2) > 1]
@t
def match_(x):
    out = []
    for v in [1, "a", [1, 2], {"k": 3}, (1, 2, 3), None, 2.5, [1, [2, 3]], {"k": 1, "z": 2}]:
        match v:
            case 1: out.append("one")
            case "a" | "b": out.append("str")
            case [a, b] if isinstance(b, int): out.append(("pair", a, b))
            case (a, *r): out.append(("seq", a, r))
            case None: out.append("none")
            case float(): out.append("float")
            case _: out.append("other")
    return x, out
class Pt:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x = x; self.y = y
@t
def match_class(x):
    p = Pt(1, x)
    match p:
        case Pt(x=0): return x
        case Pt(1, q): return q + 1
@t
def try_(x):
    try:
        raise ValueError("a", 1)
    except (KeyError, ValueError) as e:
        y = x + e.args[1]
    else:
        y = x
    finally:
        y = y * 2
    return y
@t
def try_else(x):
    try:
        y = x + 1
    except ValueError:
        y = x
    else:
        y = y * 3
    finally:
        z = 1
    return y + z
@t
def try_nested(x):
    log = []
    try:
        try:
            {}["a"]
        except IndexError:
            log.append("no")
        finally:
            log.append("fin")
    except KeyError as e:
        log.append(repr(e))
    return x, log
@t
def try_return_finally(x):
    def f():
        try:
            return 1
        finally:
            log.append(2)
    log = []
    return x + f(), log
@t
def try_loop(x):
    out = []
    for i in range(4):
        try:
            if i == 1: continue
            if i == 3: break
            out.append(i)
        finally:
            out.append("f")
    return x, out
@t
def raise_from(x):
    try:
        try:
            1 / 0
        except ZeroDivisionError as e:
            raise ValueError("v") from e
    except ValueError as e:
        return x, type(e.__cause__).__name__, str(e), e.__suppress_context__
@t
def raise_ctx(x):
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise KeyError("v")
    except KeyError as e:
        return x, type(e.__context__).__name__, e.__cause__
@t
def raise_from_none(x):
    try:
        raise KeyError("v") from None
    except KeyError as e:
        return x, e.__cause__, e.__suppress_context__
class MyErr(Exception):
    def __init__(self, a, b=3):
        super().__init__(f"{a}-{b}")
        self.a = a
class MyErr2(MyErr):
    pass
@t
def custom_exc(x):
    try:
        raise MyErr2(1, b=4)
    except MyErr as e:
        return x + e.a, str(e), e.args, type(e).__name__, repr(e)
@t
def reraise(x):
    try:
        try:
            raise ValueError("q")
        except ValueError:
            raise
    except ValueError as e:
        return x, str(e)
@t
def assert_(x):
    assert 1 == 1, "no"
    assert x.shape[0] == 3
    try:
        assert 1 == 2, "msg"
    except AssertionError as e:
        return x, str(e)
@t
def del_(x):
    y = x + 1
    del y
    try:
        return y
    except UnboundLocalError as e:
        return x, str(e)
@t
def del_items(x):
    d = {"a": 1, "b": 2}
    del d["a"]
    l = [1, 2, 3, 4, 5]
    del l[0]
    del l[1:3]
    del l[::2]
    return x, d, l
@t
def global_(x):
    global G
    G = G + 1
    G = 10
    return x + G
@t
def while_else(x):
    i = 0
    while i < 3:
        i += 1
    else:
        x = x + 10
    for j in range(3):
        if j == 1: break
    else:
        x = x + 100
    for j in []: pass
    else: x = x + 1000
    return x
@t
def chained(x):
    return x, 1 < 2 < 3, 1 < 3 < 2, 1 == 1 != 2, 3 > 2 >= 2
@t
def str_methods(x):
    s = " Hello World "
    return x, s.strip().lower().upper().title(), s.split(), "a,b".split(","), "-".join(["a", "b"]), s.replace("l", "L"), s.find("W"), s.startswith(" H"), s.strip().endswith(("d", "x")), "abc"[::-1], "a" * 3, "a" in "abc", "abc".index("b"), "x".zfill(3), "abc".partition("b"), "a\nb".splitlines(), "abc".isalpha(), "1".isdigit(), "ab".center(6, "*"), "aXb".swapcase(), "abc".encode(), ord("a"), chr(98), "abc" < "abd", "abc".count("b"), "a-b".rsplit("-", 1), "abc".removeprefix("a"), "{:>4}".format("a"), "abc".translate({97: "z"}), len("abc")
@t
def num_methods(x):
    return x, (5).bit_length(), (2.5).is_integer(), 2.0.hex(), (3).to_bytes(2, "big"), int("12"), int("ff", 16), float("1.5"), complex(1, 2).real, abs(-3), abs(3 + 4j), round(2.567, 2), round(2.5), divmod(7, 3), pow(2, 5), pow(2, 5, 7), 7 // 2, -7 // 2, -7 % 3, 2 ** -1, bool(0), int(3.9), int(True), float(3), 1e3, (5).__add__(3), hex(10), oct(8), bin(3), 5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 3, 16 >> 2, (2.5).as_integer_ratio(), min(1, 2), max(3, 2.5), sum([1, 2.5]), 10 / 4, True + True, float("inf"), math.isnan(float("nan"))
class A:
    cls_v = 5
    def __init__(self, v=1): self.v = v
    @property
    def p(self): return self.v * 2
    @p.setter
    def p(self, n): self.v = n
    @p.deleter
    def p(self): self.v = -1
    @classmethod
    def make(cls, v): return cls(v)
    @staticmethod
    def st(a): return a + 1
    def __add__(self, o): return A(self.v + (o.v if isinstance(o, A) else o))
    def __radd__(self, o): return A(o + self.v)
    def __mul__(self, o): return NotImplemented
    def __eq__(self, o): return isinstance(o, A) and self.v == o.v
    def __lt__(self, o): return self.v < o.v
    def __hash__(self): return 7
    def __neg__(self): return A(-self.v)
    def __iadd__(self, o): self.v += o; return self
    def __getitem__(self, k): return (self.v, k)
    def __setitem__(self, k, v): self.v = (k, v)
    def __delitem__(self, k): self.v = ("del", k)
    def __len__(self): return 4
    def __contains__(self, k): return k == 3
    def __iter__(self): return iter([self.v, 2])
    def __call__(self, a, b=2): return (a, b, self.v)
    def __bool__(self): return self.v != 0
    def __enter__(self): self.v = 10; return self
    def __exit__(self, *a): self.v = 20; return True
    def __int__(self): return 3
    def __float__(self): return 2.5
    def __index__(self): return 1
    def __abs__(self): return 8
    def __repr__(self): return f"A({self.v})"
    def __format__(self, s): return "fmt" + s
    def __invert__(self): return 12
    def __matmul__(self, o): return 13
    def __divmod__(self, o): return (1, 2)
    def __round__(self, n=None): return 14
    def __reversed__(self): return iter([9, 8])
    def __pow__(self, o): return 15
    def __floordiv__(self, o): return 16
    def __rsub__(self, o): return 17
    def __or__(self, o): return 18
    def __trunc__(self): return 19
    def __le__(self, o): return True
    def __ge__(self, o): return False
@t
def user_iop(x):
    a = A(3); b = a
    a += 4
    a[2] = 3
    c = a.v
    del a[7]
    return x, b is a, c, a.v
@t
def user_mul_err(x):
    try: A(1) * 3
    except TypeError as e: return x, str(e)
@t
def props(x):
    a = A(x)
    a.p = x + 5
    del a.p
    return x, a.v, A.make(3).v, A.st(2), a.st(3), a.make(4).p, A.cls_v
@t
def ctx_user(x):
    with A(1) as a:
        y = x + a.v
        raise ValueError
    return x, a.v
class Cm:
    def __init__(self, log): self.log = log
    def __enter__(self): self.log.append("in"); return 5
    def __exit__(self, t, v, tb): self.log.append(("out", t.__name__ if t else None)); return False
@t
def ctx_exc(x):
    log = []
    try:
        with Cm(log) as k, Cm(log):
            log.append(k)
            raise KeyError("z")
    except KeyError:
        pass
    with Cm(log): pass
    return x, log
@t
def ctx_return(x):
    log = []
    def f():
        with Cm(log): return 3
    r = f()
    for i in range(3):
        with Cm(log):
            if i == 1: break
    return x, r, log
@contextlib.contextmanager
def cmgr(log):
    log.append(1)
    try: yield 9
    finally: log.append(2)
@t
def contextmanager_exc(x):
    log = []
    try:
        with cmgr(log): raise ValueError("k")
    except ValueError as e: return x + 1, log, str(e)
@t
def ctx_null(x):
    with contextlib.nullcontext(3) as q: x = x + q
    with contextlib.nullcontext(): x = x + 1
    return x
@t
def ctx_suppress(x):
    with contextlib.suppress(KeyError, ValueError):
        {}["a"]
        x = x + 100
    return x + 1
@t
def ctx_exitstack(x):
    log = []
    with contextlib.ExitStack() as st:
        a = st.enter_context(Cm(log))
        st.callback(log.append, 7)
        x = x + a
    return x, log
class GA:
    def __getattr__(self, n):
        if n == "boo": raise AttributeError("no boo")
        return n + "!"
@t
def getattr_user(x):
    g = GA()
    g.real = 3
    return x, g.foo, g.real, getattr(g, "boo", 5), hasattr(g, "boo"), hasattr(g, "z")
class GAB:
    def __getattribute__(self, n):
        if n == "q": return 5
        return object.__getattribute__(self, n)
@t
def getattribute_user(x):
    g = GAB(); g.z = 3
    return x, g.q, g.z
class SA:
    def __setattr__(self, n, v): object.__setattr__(self, n, (v, 1))
    def __delattr__(self, n): super().__setattr__(n, "gone")
@t
def setattr_user(x):
    s = SA(); s.k = 3
    a = s.k
    del s.k
    return x, a, s.k
class Desc:
    def __set_name__(self, o, n): self.n = "_" + n
    def __get__(self, i, o): return self if i is None else getattr(i, self.n, 0) + 1
    def __set__(self, i, v): setattr(i, self.n, v * 2)
class HD:
    d = Desc()
@t
def descr(x):
    h = HD()
    a = h.d
    h.d = 4
    return x, a, h.d, h._d
class Sl:
    __slots__ = ("a", "b")
    def __init__(self, a): self.a = a
@t
def slots(x):
    s = Sl(x)
    s.b = 3
    try: s.c = 1
    except AttributeError as e: m = "err"
    return s.a + s.b, hasattr(s, "b"), m
@t
def slots_missing(x):
    s = Sl(x)
    try: s.b
    except AttributeError as e: return x + 1, str(e)
@t
def attrs(x):
    a = A(1)
    setattr(a, "zz", 5)
    r = getattr(a, "zz"), getattr(a, "nope", 3), hasattr(a, "nope"), a.__dict__["v"], len(a.__dict__), "zz" in a.__dict__, list(a.__dict__), vars(a)["zz"], a.__class__.__name__, type(a).__mro__[-1].__name__
    delattr(a, "zz")
    return x, r, hasattr(a, "zz"), a.__dict__ == {"v": 1}, dict(a.__dict__), sorted(vars(a).items())
@t
def locals_(x):
    y = 3
    return x, locals()["y"]
class Base:
    def __init__(self, a): self.a = a
    def f(self): return 1
    @classmethod
    def c(cls): return cls.__name__
    @property
    def p(self): return 5
class Der(Base):
    def __init__(self, a, b):
        super().__init__(a)
        self.b = b
    def f(self): return super(Der, self).f() + 1
    @classmethod
    def c(cls): return "D" + super().c()
    @property
    def p(self): return super().p + 1
class Mx:
    def f(self): return super().f() + 10
class Multi(Mx, Der): pass
@t
def supers(x):
    d = Der(1, x)
    m = Multi(2, 3)
    return d.b + d.a, d.f(), Der.c(), d.p, m.f(), m.p, isinstance(m, Base), issubclass(Multi, Mx)
class NewC:
    def __new__(cls, v):
        o = super().__new__(cls)
        o.extra = v * 3
        return o
    def __init__(self, v): self.v = v
@t
def new_(x):
    n = NewC(x)
    return n.extra + n.v
class Single:
    inst = None
    def __new__(cls):
        if cls.inst is None: cls.inst = object.__new__(cls)
        return cls.inst
@t
def new_single(x):
    return x, Single() is Single()
class NewInt(int):
    def __new__(cls, v): return super().__new__(cls, v + 1)
@t
def new_int(x):
    return x, NewInt(3) + 1
class Meta(type):
    def __call__(cls, *a): 
        o = super().__call__(*a)
        o.m = 1
        return o
    def hello(cls): return cls.__name__
    @property
    def pp(cls): return 4
    def __len__(cls): return 3
    def __getitem__(cls, k): return k + 1
class WM(metaclass=Meta):
    def __init__(self, v): self.v = v
@t
def meta_(x):
    return x, WM.hello(), WM.pp, len(WM), WM[3]
@t
def meta_call(x):
    w = WM(x)
    return w.v + w.m
class AB(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
class AC(AB):
    def f(self): return 3
@t
def abc_(x):
    return x + AC().f(), isinstance(AC(), AB)
@t
def abc_err(x):
    try: AB()
    except TypeError as e: return x + 1, str(e)[:30]
@t
def copy_(x):
    a = A([1, 2])
    b = copy.copy(a); c = copy.deepcopy(a)
    return x, b.v is a.v, c.v is a.v, c.v, copy.copy([1, 2]), copy.deepcopy({"a": [1]})
@t
def evals(x):
    return x, eval("1+2")
@t
def importin(x):
    import math as m
    from collections import OrderedDict as OD
    import os.path
    return x + m.pi, OD(a=1)["a"], os.path.sep
@t
def simple_ns(x):
    n = types.SimpleNamespace(a=x, b=2)
    n.c = 3
    return n.a + n.b + n.c
@t
def hash_(x):
    return x, hash("a") == hash("a"), hash(1), hash((1, "a")) == hash((1, "a"))
@t
def func_attrs(x):
    def f(a, b=1): "doc"; return a
    f.k = 3
    return x, f.__name__, f.__doc__, f.k, f.__defaults__, f.__code__.co_argcount, f.__module__, f.__qualname__[-1], hasattr(f, "k"), getattr(f, "zz", 1)
def gfunc(a, b=2): return a
gfunc.tag = 4
@t
def func_attrs_g(x):
    return x, gfunc.__name__, gfunc.tag, gfunc.__defaults__, hasattr(gfunc, "nope"), A.f2.__name__ if hasattr(A, "f2") else None, A.make.__name__, A.make.__func__.__name__
@t
def method_attrs(x):
    a = A(2)
    m = a.__call__
    return x, m(1), m.__self__ is a, a.__len__(), a.__add__(3).v, A.__add__(a, 4).v, A.__len__(a)
class LS(list):
    def total(self): return sum(self)
class DSub(dict):
    def __getattr__(self, k):
        try: return self[k]
        except KeyError: raise AttributeError(k)
    def __setattr__(self, k, v): self[k] = v
class TS(tuple):
    def first(self): return self[0]
class IS(int):
    def dbl(self): return self * 2
class SS(str):
    def shout(self): return self.upper() + "!"
class SetS(set):
    def k(self): return len(self)
@t
def sub_list(x):
    l = LS([1, 2]); l.append(3)
    return x, l.total(), len(l), l[0], l == [1, 2, 3], isinstance(l, list), l
@t
def sub_dict(x):
    d = DSub(a=x); d.b = 2
    return d.a + d.b, list(d), d
@t
def sub_tuple(x):
    t_ = TS([x, 2])
    return t_.first() + 1, len(t_), t_[1]
@t
def sub_int(x):
    return x, IS(3).dbl(), IS(3) + 1
@t
def sub_str(x):
    return x, SS("a").shout(), SS("a") + "b"
@t
def sub_set(x):
    s = SetS([1, 2]); s.add(3)
    return x, s.k(), 3 in s

for function in FUNCTIONS:
    wanted = show(function(torch.tensor([1.0, 2.0, 3.0])))
    print(function.__name__, wanted)
    for is_whole in (True, False):
        found = run(function, is_whole)
        if found != wanted:
            print("   differs", "as a whole" if is_whole else "with breaks", found)
