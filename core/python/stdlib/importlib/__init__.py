"""Imports by names that are made while a program runs."""

import sys

__all__ = ["__import__", "import_module", "invalidate_caches", "reload"]
__import__ = __import__


def import_module(name, package=None):
    """The module of a name; of one with dots in front, seen from `package`."""
    level = len(name) - len(name.lstrip("."))
    if level:
        if not package:
            raise TypeError("the 'package' argument is required to perform a relative import for "
                            f"{name!r}")
        parts = package.split(".")
        if level > len(parts):
            raise ImportError("attempted relative import beyond top-level package")
        base = ".".join(parts[:len(parts) - level + 1])
        name = f"{base}.{name[level:]}" if name[level:] else base
    __import__(name)
    return sys.modules[name]


def invalidate_caches():
    """Nothing is remembered of modules that were not found."""


def reload(module):
    """Refused."""
    raise NotImplementedError("nnscope has no importlib.reload()")
