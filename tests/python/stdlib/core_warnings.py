"""What the core warns of reaches module warnings at the statement that caused it, with the place of that statement."""
import contextlib
import io
import traceback
import unittest
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.zeros(2, 3)


def last():
    return F.softmax(x)


class Net(nn.Module):
    def forward(self, given):
        return F.softmax(given)


# Recorded: in the list as soon as the statement has ended.
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(type(told), len(told))
    F.softmax(x)
    print(len(told), told[0].category.__name__, told[0].message, told[0].lineno)
    nn.init.constant(torch.empty(2), 1.0)
    print(len(told), told[1].category.__name__, told[1].message, told[1].lineno)
    last()
    Net()(x)
    [F.softmax(x) for _ in range(2)]
    (lambda: F.softmax(
        x))()
    print([one.lineno for one in told[2:]], told[0].filename.endswith("core_warnings.py"))
print(len(told), type(told[0]).__name__)

# What filters make of it, place by place.
for action in ("always", "default", "module", "once", "ignore"):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter(action)
        for _ in range(2):
            F.softmax(x)
            last()
        F.softmax(x)
        print(action, [one.lineno for one in told])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message="implicit dimension")
    F.softmax(x)
    nn.init.constant(torch.empty(2), 1.0)
    print([one.category.__name__ for one in told])
    warnings.filterwarnings("ignore", category=FutureWarning, module="__main__")
    nn.init.constant(torch.empty(2), 1.0)
    print(len(told))
with warnings.catch_warnings(record=True) as outer:
    warnings.simplefilter("always")
    with warnings.catch_warnings(record=True) as inner:
        F.softmax(x)
    print(len(outer), len(inner))
    F.softmax(x)
    print(len(outer), len(inner))

# Shown by the program, between what it prints before and behind.
with warnings.catch_warnings():
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, category, filename, lineno, file=None, line=None: print(
        "shown:", category.__name__, lineno)
    print("before")
    F.softmax(x)
    print("behind")
    for step in range(2):
        last()
        print("step", step)

# Shown as Python shows it.
shown = io.StringIO()
with warnings.catch_warnings(), contextlib.redirect_stderr(shown):
    warnings.simplefilter("default")
    F.softmax(x)
    last()
    last()
for line in shown.getvalue().splitlines():
    print(line.split("core_warnings.py:")[-1])


# As an exception.
def places(error):
    return [(at.name, at.lineno) for at in traceback.extract_tb(error.__traceback__)
            if at.filename.endswith("core_warnings.py")]


def guarded():
    try:
        F.softmax(x)
        print("not reached")
    finally:
        print("finally")


def handled():
    try:
        return F.softmax(x)
    except UserWarning:
        return "handled inside"


def items():
    yield 1
    F.softmax(x)
    yield 2


class Block:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, where):
        print("exit with", kind and kind.__name__)
        return True


with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        F.softmax(x)
        print("not reached")
    except UserWarning as error:
        print(type(error).__name__, error, places(error))
    for function in (last, guarded, lambda: Net()(x), lambda: list(items()), handled):
        try:
            print(function())
        except UserWarning as error:
            print(places(error)[1:])
    try:
        for step in range(3):
            print("step", step)
            F.softmax(x)
    except UserWarning:
        print("ended at", step)
    with Block():
        F.softmax(x)
    with contextlib.suppress(UserWarning):
        F.softmax(x)
    warnings.filterwarnings("ignore", category=UserWarning)
    F.softmax(x)
    try:
        nn.init.constant(torch.empty(2), 1.0)
    except Warning as error:
        print(type(error).__name__)
    warnings.simplefilter("error")
    # Another exception of the same statement.
    try:
        F.softmax(x), 1 / 0
    except (UserWarning, ZeroDivisionError) as error:
        print(isinstance(error, Exception))

# In tests of programs.
case = unittest.TestCase()
with case.assertWarns(UserWarning) as found:
    F.softmax(x)
print(found.lineno, str(found.warning)[:18])
case.assertWarnsRegex(FutureWarning, "deprecated in favor", nn.init.constant, torch.empty(2), 1.0)
try:
    with case.assertWarns(FutureWarning):
        print("quiet")
except AssertionError as error:
    print(error)

# Differs: the statement that warns runs to its end before the exception is raised.
before = x
x = None
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        x = F.softmax(before)
    except UserWarning:
        print("assigned:", x is not None)
