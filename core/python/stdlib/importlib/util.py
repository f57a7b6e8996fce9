"""Whether there is a module of a name."""

import sys


class ModuleSpec:
    """What is known of a module."""

    def __init__(self, name, loader, *, origin=None, loader_state=None, is_package=None):
        self.name = name
        self.loader = loader
        self.origin = origin
        self.loader_state = loader_state
        self.submodule_search_locations = [] if is_package else None

    @property
    def parent(self):
        """The package around."""
        return self.name if self.submodule_search_locations is not None else self.name.rpartition(".")[0]

    def __repr__(self):
        return f"ModuleSpec(name={self.name!r}, loader={self.loader!r})"


def find_spec(name, package=None):
    """What is known of a module, None if there is none. It is imported for that."""
    from importlib import import_module
    try:
        module = import_module(name, package)
    except ModuleNotFoundError as problem:
        missing = getattr(problem, "name", None) or str(problem).partition("'")[2].partition("'")[0]
        if missing and not (name.lstrip(".") + ".").startswith(missing + ".") and not name.endswith(missing):
            raise
        return None
    return ModuleSpec(module.__name__, None, origin=getattr(module, "__file__", None), is_package=hasattr(module, "__path__"))


def module_from_spec(spec):
    """The module that find_spec() imported."""
    return sys.modules[spec.name]


def resolve_name(name, package):
    """A name with dots in front, seen from a package."""
    if not name.startswith("."):
        return name
    if not package:
        raise ImportError(f"no package specified for {name!r} (required for relative module names)")
    level = len(name) - len(name.lstrip("."))
    parts = package.split(".")
    if level > len(parts):
        raise ImportError("attempted relative import beyond top-level package")
    base = ".".join(parts[:len(parts) - level + 1])
    return f"{base}.{name[level:]}" if name[level:] else base
