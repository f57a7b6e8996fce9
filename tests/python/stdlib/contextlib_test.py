import contextlib
import io
from contextlib import contextmanager, closing, nullcontext, suppress, ExitStack, redirect_stdout, ContextDecorator


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


@contextmanager
def tag(name):
    "A tag."
    print("enter", name)
    try:
        yield name.upper()
    except ValueError as error:
        print("handled", error)
    finally:
        print("exit", name)


with tag("a") as value:
    print(value)
with tag("b"):
    raise ValueError("inside")
try:
    with tag("c"):
        raise KeyError("passes")
except KeyError as error:
    print("outside", error)
print(tag.__name__, tag.__doc__)


@tag("deco")
def decorated(x):
    return x + 1


print(decorated(1), decorated(2), decorated.__name__)


@contextmanager
def never():
    if False:
        yield


@contextmanager
def twice():
    yield
    yield


def use(manager):
    with manager:
        pass


shown(lambda: use(never()))
shown(lambda: use(twice()))
try:
    with tag("stop"):
        raise StopIteration("x")
except StopIteration as error:
    print("StopIteration", error)


class Resource:
    def close(self):
        print("closed")


with closing(Resource()) as r:
    print(type(r).__name__)
with nullcontext(5) as five, suppress(ZeroDivisionError, KeyError):
    print(five)
    1 / 0
with suppress():
    print("suppress nothing")
out = io.StringIO()
with redirect_stdout(out):
    print("captured")
print(repr(out.getvalue()))

with ExitStack() as stack:
    print(stack.enter_context(tag("one")), stack.enter_context(tag("two")))
    stack.callback(print, "callback", end="!\n")

    @stack.callback
    def last():
        print("last")
try:
    with ExitStack() as stack:
        stack.push(lambda kind, error, traceback: print("seen", kind.__name__, error) or True)
        stack.push(lambda kind, error, traceback: print("not suppressed", kind.__name__))
        raise ValueError("gone")
    print("after")
    with ExitStack() as stack:
        stack.callback(lambda: 1 / 0)
        raise ValueError("first")
except ZeroDivisionError as error:
    print(error, repr(error.__context__))
stack = ExitStack()
stack.enter_context(tag("kept"))
other = stack.pop_all()
stack.close()
print("now")
other.close()
shown(lambda: ExitStack().enter_context(3))


class Timer(ContextDecorator):
    def __enter__(self):
        print("start")
        return self

    def __exit__(self, *exc):
        print("end", exc[0])
        return False


@Timer()
def work():
    print("working")


work()
print(isinstance(Timer(), contextlib.AbstractContextManager), issubclass(int, contextlib.AbstractContextManager))
