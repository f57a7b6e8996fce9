# Arguments, closures, decorators, generators.
def f(a, b=2, /, c=3, *args, d, e=5, **kwargs):
    return a, b, c, args, d, e, kwargs


print(f(1, d=4), f(1, 20, 30, 40, 50, d=1, z=9))
print(f(*[1, 2], **{"d": 3, "q": 4}), f(1, *(2, 3), 4, d=0, **{}))


def report(call):
    try:
        print(call())
    except TypeError as e:
        print("TypeError:", e)


def g(a, b, *, c):
    return a


report(lambda: g(1))
report(lambda: g())
report(lambda: g(1, 2))
report(lambda: g(1, 2, 3, c=1))
report(lambda: g(1, 2, c=1, d=2))
report(lambda: g(1, a=2, b=3, c=4))
report(lambda: (lambda: 0)(1))
report(lambda: 3())


def counter():
    n = 0

    def step(by=1):
        nonlocal n
        n += by
        return n

    return step


c = counter()
print(c(), c(5), c())
late = [lambda: i for i in range(3)]
early = [lambda i=i: i for i in range(3)]
print([k() for k in late], [k() for k in early])

total = 0


def add(n):
    global total
    total += n


add(3), add(4)
print(total)


def deco(tag):
    def wrap(fn):
        def inner(*args, **kwargs):
            return f"{tag}({fn(*args, **kwargs)})"

        return inner

    return wrap


@deco("outer")
@deco("inner")
def hello(name, *, mark="!"):
    "Greets."
    return "hello " + name + mark


print(hello("you", mark="?"), f.__name__, f.__defaults__, f.__kwdefaults__)


def fib(limit):
    a, b = 0, 1
    while a < limit:
        yield a
        a, b = b, a + b


print(list(fib(50)), sum(fib(50)), max(fib(50)))


def talk():
    got = []
    try:
        while True:
            got.append((yield len(got)))
    except ValueError as e:
        got.append(str(e))
        yield "caught"
    finally:
        print("closing", got)
    return "end"


t = talk()
print(next(t), t.send("a"), t.send("b"), t.throw(ValueError("x")))
try:
    next(t)
except StopIteration as e:
    print("result", e.value)


def delegate():
    result = yield from talk()
    yield ("delegated", result)


d = delegate()
next(d), d.send(1)
print(d.throw(ValueError("inner")), next(d))
d.close()


def leaky():
    yield 1
    raise StopIteration


try:
    list(leaky())
except RuntimeError as e:
    print(e, type(e.__cause__).__name__)

print([x * y for x in range(3) for y in range(3) if (x + y) % 2], {k: v for k, v in zip("abc", range(3))}, {n % 3 for n in range(9)})
print([[j for j in range(i)] for i in range(4)], next((x for x in range(10) if x > 5), None))
if (n := len("four")) > 3:
    print("walrus", n, [m := n * 2, m])
print((lambda *a, **k: (a, k))(1, 2, x=3), (lambda: (yield))().__class__.__name__)
first, *middle, last = range(6)
(a, [b, *c]), d = (1, [2, 3, 4]), 5
print(first, middle, last, a, b, c, d)
for bad in ((1,), (1, 2, 3)):
    try:
        x, y = bad
    except ValueError as e:
        print(e)
print(list(map(lambda a, b: a + b, [1, 2], [10, 20])), list(filter(None, [0, 1, "", "a"])), list(zip([1, 2], "ab")), list(enumerate("ab", 1)))
print(sorted("banana", key=lambda ch: (-ord(ch), ch)), sorted([3, 1, 2], reverse=True), min([4, 2, 9], key=lambda v: -v), any([0, 1]), all([]))


def recurse(n):
    return 0 if n == 0 else 1 + recurse(n - 1)


print(recurse(400))
try:
    (lambda h: h(h))(lambda h: h(h))
except RecursionError as e:
    print(type(e).__name__, str(e).startswith("maximum recursion depth exceeded"))
