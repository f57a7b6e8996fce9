import io
import traceback


def inner(x):
    raise ValueError(f"bad {x}")


def outer(x):
    try:
        inner(x)
    except ValueError as error:
        raise KeyError("wrapped") from error


def steps(text):
    # The marks below the source lines are left out here.
    return "\n".join(line for line in text.splitlines() if line.strip("~^ "))


try:
    outer(3)
except KeyError as error:
    print(steps(traceback.format_exc()))
    caught = error
print(traceback.format_exception_only(caught), traceback.format_exception_only(type(caught), caught))
tb = traceback.extract_tb(caught.__traceback__)
print([(one.name, one.lineno, one.line) for one in tb], len(tb), tb[0].filename, tb[0])
print(steps("".join(traceback.format_exception(caught, chain=False))))
print(steps("".join(traceback.format_exception(type(caught), caught, caught.__traceback__, limit=1))))
out = io.StringIO()
try:
    {}["x"]
except KeyError:
    traceback.print_exc(file=out)
print(steps(out.getvalue()))


def deep(n):
    return deep(n - 1) if n else 1 / 0


try:
    deep(10)
except ZeroDivisionError as error:
    print(steps("".join(traceback.format_exception(error))))


class Custom(Exception):
    pass


try:
    try:
        raise Custom
    except Custom:
        raise Custom("second\nline")
except Custom as error:
    error.add_note("a note")
    print(steps("".join(traceback.format_exception(error))))
try:
    raise ValueError("hidden") from None
except ValueError as error:
    print(steps(traceback.format_exc()), error.__suppress_context__)
print(traceback.format_list([("f.py", 3, "g", "x = 1")]), traceback.format_tb(caught.__traceback__, 0))
