"""What a program may know of the system that it runs on: no environment, no processes, files by open() only."""
import sys

from os import path

name = "posix"
sep, altsep, extsep, pathsep, linesep = "/", None, ".", ":", "\n"
curdir, pardir, devnull, defpath = ".", "..", "/dev/null", "/bin:/usr/bin"
# Programs see no variables of the person who runs them.
environ = {}
error = OSError


def getenv(key, default=None):
    return environ.get(key, default)


class PathLike:
    """Anything with __fspath__."""

    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "__fspath__") if cls is PathLike else NotImplemented


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    method = getattr(type(path), "__fspath__", None)
    if method is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    given = method(path)
    if not isinstance(given, (str, bytes)):
        raise TypeError(f"expected {type(path).__name__}.__fspath__() to return str or bytes, not {type(given).__name__}")
    return given


def fsdecode(filename):
    given = fspath(filename)
    return given.decode() if isinstance(given, bytes) else given


def fsencode(filename):
    given = fspath(filename)
    return given.encode() if isinstance(given, str) else given


def __getattr__(wanted):
    known = ("chdir", "getcwd", "getpid", "listdir", "makedirs", "mkdir", "remove", "rename", "rmdir", "scandir", "stat",
             "system", "unlink", "walk")
    if wanted not in known:
        raise AttributeError(f"module 'os' has no attribute '{wanted}'")

    def refuse(*args, **kwargs):
        raise PermissionError(f"nnscope gives programs no os.{wanted}()")

    return refuse
