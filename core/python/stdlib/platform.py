"""What a program may know of the machine: nothing but what all have in common."""

import sys

_SYSTEM, _MACHINE = "Linux", "x86_64"


def system():
    """The system's name."""
    return _SYSTEM


def machine():
    """The kind of processor."""
    return _MACHINE


def processor():
    """The same, as far as it is known."""
    return ""


def node():
    """The machine's name: it is not told."""
    return ""


def release():
    """The system's release: it is not told."""
    return ""


version = release


def platform(aliased=False, terse=False):
    """What all of it makes."""
    return f"{_SYSTEM}-{_MACHINE}"


def architecture(executable="", bits="", linkage=""):
    """(bits, format of programs)"""
    return "64bit", "ELF"


def python_version():
    """The version of the language."""
    return ".".join(map(str, sys.version_info[:3]))


def python_version_tuple():
    """The same as texts."""
    return tuple(map(str, sys.version_info[:3]))


def python_implementation():
    """Who runs the program."""
    return "nnscope"


class uname_result(tuple):
    """What uname() gives."""

    system = property(lambda self: self[0])
    node = property(lambda self: self[1])
    release = property(lambda self: self[2])
    version = property(lambda self: self[3])
    machine = property(lambda self: self[4])
    processor = property(lambda self: "")

    def __repr__(self):
        names = ("system", "node", "release", "version", "machine")
        return f"uname_result({', '.join(f'{name}={value!r}' for name, value in zip(names, self))})"


def uname():
    """All of it."""
    return uname_result((_SYSTEM, "", "", "", _MACHINE))
