"""What is left at the end of a program is finalized, too."""
import atexit
import sys


class Told:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone:", self.name, LABEL)


LABEL = "(the names of the module are there)"
first = Told("first")
ring = Told("ring")
ring.me = ring


def steps():
    try:
        yield 1
    finally:
        print("a generator is closed")


open_one = steps()
next(open_one)
atexit.register(print, "atexit comes before")
_hidden = Told("hidden")
print("last statement")
