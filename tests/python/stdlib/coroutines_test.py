import contextlib
import inspect
import types
import collections.abc as abc


class Later:
    """Waits `turns` times for whoever runs the coroutine."""

    def __init__(self, turns, value):
        self.turns, self.value = turns, value

    def __await__(self):
        for turn in range(self.turns):
            got = yield f"turn {turn}"
            print("  sent", got)
        return self.value


async def add(a, b):
    x = await Later(a, a)
    y = await Later(b, b)
    return x + y


def drive(coroutine, send="go"):
    value = None
    while True:
        try:
            print("  asks", coroutine.send(value))
        except StopIteration as ended:
            return ended.value
        value = send


print(drive(add(1, 2)))


async def nested():
    return [await add(0, 1), (await add(1, 0)) * 10]


print(drive(nested()))

one = add(0, 0)
print(type(one).__name__, inspect.iscoroutine(one), inspect.isawaitable(one), isinstance(one, abc.Coroutine), inspect.iscoroutinefunction(add))
print(one.cr_running, repr(one).startswith("<coroutine object add at 0x"), add.__code__.co_flags & inspect.CO_COROUTINE)
one.close()
for broken in (lambda: one.send(None), lambda: iter(add), lambda: [x for x in Later(0, 0)]):
    try:
        broken()
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)


async def fails():
    try:
        await Later(3, None)
    except KeyError as error:
        print("caught", error)
        return await add(0, 0)
    finally:
        print("finally")


run = fails()
print(run.send(None))
try:
    run.throw(KeyError("x"))
except StopIteration as ended:
    print("gave", ended.value)

run = fails()
print(run.send(None))
run.close()


async def stops():
    raise StopIteration(1)


try:
    drive(stops())
except RuntimeError as error:
    print(error, repr(error.__cause__))


# Asynchronous iterators, generators and comprehensions.
class Count:
    def __init__(self, to):
        self.at, self.to = 0, to

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.at == self.to:
            raise StopAsyncIteration
        self.at += 1
        return await Later(self.at % 2, self.at)


async def walk():
    async for i in Count(3):
        if i == 2:
            continue
        print("item", i)
    else:
        print("no more")
    async for i in Count(5):
        if i == 2:
            break
    else:
        print("not this")
    return i


print(drive(walk()))


async def squares(n):
    try:
        for i in range(n):
            got = yield (await Later(0, i)) ** 2
            if got is not None:
                print("got", got)
    finally:
        print("squares end")


async def comprehensions():
    print([x async for x in squares(4) if x % 2 == 0])
    print({x: await Later(0, -x) async for x in Count(2)})
    print({y async for x in Count(2) for y in (x, x)})
    print([[y async for y in Count(x)] for x in (1, 2)])
    made = (x * 2 async for x in squares(3))
    print(type(made).__name__, inspect.isasyncgen(made))
    total = 0
    async for x in made:
        total += x
    return total


print(drive(comprehensions()))


async def by_hand():
    made = squares(3)
    print(inspect.isasyncgenfunction(squares), isinstance(made, abc.AsyncGenerator), made.__aiter__() is made)
    print(await made.__anext__(), await made.asend("hello"))
    await made.aclose()
    print(await anext(made, "none left"))
    try:
        await anext(made)
    except StopAsyncIteration as error:
        print("StopAsyncIteration", error.args)
    made = squares(3)
    await anext(made)
    try:
        await made.athrow(ValueError("thrown in"))
    except ValueError as error:
        print(error)


drive(by_hand())


async def with_return():
    yield 1
    return


async def raises_stop():
    yield 1
    raise StopAsyncIteration


async def ends():
    print([x async for x in with_return()])
    try:
        print([x async for x in raises_stop()])
    except RuntimeError as error:
        print(error)


drive(ends())


# async with.
class Door:
    def __init__(self, name, hides=False):
        self.name, self.hides = name, hides

    async def __aenter__(self):
        print("enter", self.name)
        return await Later(1, self.name.upper())

    async def __aexit__(self, kind, error, traceback):
        print("leave", self.name, kind and kind.__name__)
        return await Later(1, self.hides)


async def doors():
    async with Door("a") as a, Door("b"):
        print("in", a)
    async with Door("c", hides=True):
        raise ValueError("hidden")
    for i in range(3):
        async with Door(f"d{i}"):
            if i == 0:
                continue
            if i == 1:
                break
    async with Door("e"):
        return "returned"


print(drive(doors()))


@contextlib.asynccontextmanager
async def managed(name):
    print("begin", name)
    try:
        yield name
    except KeyError as error:
        print("handled", error)
    finally:
        print("end", name)


async def stacks():
    async with managed("x") as x:
        print(x)
    async with managed("y"):
        raise KeyError("k")
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(managed("1"))
        await stack.enter_async_context(managed("2"))
        stack.callback(print, "called back")
    async with contextlib.aclosing(squares(2)) as made:
        async for x in made:
            break
    async with contextlib.nullcontext(3) as three:
        print(three)


drive(stacks())


@types.coroutine
def old():
    got = yield "old style"
    return got


async def uses_old():
    return await old()


print(drive(uses_old(), send="new"))


async def bad():
    await 3


for wrong in (bad(), ):
    try:
        drive(wrong)
    except TypeError as error:
        print(type(error).__name__, error)
for text in ("def f():\n    await x", "await x", "async def f():\n    yield from x", "def f():\n    async with x: pass",
             "def f():\n    async for x in y: pass", "async def f():\n    yield 1\n    return 2", "def f():\n    [x async for x in y]"):
    try:
        compile(text, "t", "exec")
    except SyntaxError as error:
        print(error.msg)


class Model:
    async def __call__(self, x):
        return await self.forward(x)

    async def forward(self, x):
        return x + 1

    @staticmethod
    async def helper():
        return "static"

    @classmethod
    async def build(cls):
        return cls()


async def methods():
    model = await Model.build()
    return await model(1), await Model.helper()


print(drive(methods()))
deep = 100


async def recursive(n):
    return 0 if n == 0 else 1 + await recursive(n - 1)


print(drive(recursive(deep)))


async def named():
    yield


print(Model().forward.__name__, (lambda c: (c.__name__, c.__qualname__, c.close()))(Model().forward(1)), named().__name__, old.__name__)
