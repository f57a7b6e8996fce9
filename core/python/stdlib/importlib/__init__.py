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
    """Runs a module's source again, in the dict that it has. What comes with nnscope stays as it is."""
    from importlib._bootstrap import BuiltinImporter, _find_spec
    if not isinstance(module, type(sys)):
        raise TypeError("reload() argument must be a module")
    name = module.__name__ if getattr(module, "__spec__", None) is None else module.__spec__.name
    if sys.modules.get(name) is not module:
        raise ImportError(f"module {name} not in sys.modules", name=name)
    file = getattr(module, "__file__", None)
    if file is None or file.startswith("<"):
        return module
    parent = name.rpartition(".")[0]
    if parent and parent not in sys.modules:
        raise ImportError(f"parent {parent!r} not in sys.modules", name=parent)
    spec = _find_spec(name, sys.modules[parent].__path__ if parent else None, module)
    if spec is None:
        raise ModuleNotFoundError(f"spec not found for the module {name!r}", name=name)
    if spec.loader is not BuiltinImporter:
        module.__spec__, module.__loader__ = spec, spec.loader
        if spec.has_location:
            module.__file__ = spec.origin
        spec.loader.exec_module(module)
    return sys.modules[name]
