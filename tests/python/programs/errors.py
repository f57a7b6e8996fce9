# try in all its forms, with, chaining.
def attempt(fn):
    try:
        fn()
    except (KeyError, IndexError) as e:
        print("lookup", type(e).__name__, e)
    except Exception as e:
        print("other", type(e).__name__, e, repr(e))
    else:
        print("fine")
    finally:
        print("done")


attempt(lambda: {}["k"])
attempt(lambda: [][3])
attempt(lambda: 1 / 0)
attempt(lambda: int("x1"))
attempt(lambda: None.attr)
attempt(lambda: undefined)
attempt(lambda: "a" + 1)
attempt(lambda: [1] < ["a"])
attempt(lambda: None)


def order():
    log = []

    def inner():
        for i in range(4):
            try:
                if i == 1:
                    continue
                if i == 3:
                    break
                log.append(i)
            finally:
                log.append(("f", i))
        else:
            log.append("else")
        try:
            return "from try"
        finally:
            log.append("return")

    return inner(), log


print(order())


def override():
    for _ in range(2):
        try:
            return 1
        finally:
            break
    return 2


print(override())


class Manager:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        print("enter", self.name)
        return self.name

    def __exit__(self, kind, value, tb):
        print("exit", self.name, kind.__name__ if kind else None, value)
        return self.swallow


with Manager("a") as a, Manager("b", True) as b:
    print(a, b)
    raise ValueError("swallowed")


def early():
    with Manager("r"):
        for i in range(3):
            with Manager(i):
                if i == 1:
                    return i


print(early())
try:
    with Manager("outer"):
        raise KeyError("k")
except KeyError as e:
    print("out", e)
try:
    try:
        raise KeyError("first")
    except KeyError as e:
        raise ValueError("second") from e
except ValueError as e:
    print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        [][0]
except IndexError as e:
    print(repr(e.__context__), e.__cause__)
try:
    try:
        raise KeyError
    finally:
        print("cleanup")
except KeyError as e:
    print(e.args)


class Custom(Exception):
    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


try:
    raise Custom(7)
except Custom as e:
    print(e, e.code, e.args)
try:
    e
except NameError as error:
    print(error)


def reraise():
    try:
        raise RuntimeError("again")
    except RuntimeError:
        raise


try:
    reraise()
except RuntimeError as e:
    print(e)
try:
    raise
except RuntimeError as e:
    print(e)
try:
    assert 1 == 2, "numbers"
except AssertionError as e:
    print("assert", e)
try:
    raise "text"
except TypeError as e:
    print(e)


def local():
    print(x)
    x = 1


try:
    local()
except UnboundLocalError as e:
    print(type(e).__name__)
for i in range(3):
    pass
else:
    print("else", i)
while True:
    break
else:
    print("never")
print([n for n in range(20) if not any(n % d == 0 for d in range(2, n)) and n > 1])
