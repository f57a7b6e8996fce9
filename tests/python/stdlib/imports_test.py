"""importlib, keyword, errno, timeit, and what sys tells."""
import copy
import errno
import importlib
import importlib.util
import keyword
import sys
import timeit


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(importlib.import_module("os.path") is sys.modules["os.path"], importlib.import_module(".path", "os").__name__ != "")
print(importlib.util.find_spec("json").name, importlib.util.find_spec("no_such_module_here"), importlib.util.find_spec("math") is not None)
shown(lambda: importlib.import_module("no_such_module_here"))
shown(lambda: importlib.import_module(".x"))
print(keyword.iskeyword("for"), keyword.iskeyword("fort"), keyword.issoftkeyword("match"), len(keyword.kwlist))
print(errno.ENOENT, errno.errorcode[13], errno.EEXIST)
print(timeit.timeit(lambda: None, number=3) >= 0, len(timeit.repeat("x = 1", repeat=2, number=2)))
print(sys.version_info.major, sys.version_info[:1], sys.version_info >= (3, 8), sys.float_info.epsilon, sys.float_info.max, sys.float_info.dig)
print(sys.maxunicode, sys.getdefaultencoding(), sys.exception(), sys.__stdout__ is sys.stdout, sys.stdout.writable(), sys.stdin.name)
sys.stdout.writelines(["one\n", "two\n"])
try:
    raise ValueError("now")
except ValueError:
    print(repr(sys.exception()))
print(copy.Error.__name__, copy.Error is copy.error, issubclass(copy.Error, Exception))
