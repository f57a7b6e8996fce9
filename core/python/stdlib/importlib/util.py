"""What importers are made with, and whether there is a module of a name. Behaviour: CPython Lib/importlib/util.py."""
import sys as _sys
from importlib._bootstrap import (_find_spec, _imported, _spec_of, module_from_spec, spec_from_file_location,
                                  spec_from_loader)
from importlib.abc import Loader as _Loader


def find_spec(name, package=None):
    """What is known of a module, None if there is none; the packages around it are imported."""
    fullname = resolve_name(name, package) if name.startswith(".") else name
    if fullname in _sys.modules:
        module = _sys.modules[fullname]
        return None if module is None else _spec_of(module)
    parent = fullname.rpartition(".")[0]
    path = None
    if parent:
        try:
            path = _imported(parent).__path__
        except AttributeError as problem:
            raise ModuleNotFoundError(f"__path__ attribute not found on {parent!r} while trying to find {fullname!r}",
                                      name=fullname) from problem
    return _find_spec(fullname, path)


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


def source_from_cache(path):
    """Refused: nothing compiled is kept in files."""
    raise ValueError(f"{path!r} is no compiled file: nnscope keeps none")


class _LazyModule(type(_sys)):
    """A module whose code runs when it is first looked into."""

    def __getattribute__(self, attribute):
        own = object.__getattribute__(self, "__dict__")
        spec = own["__spec__"]
        object.__setattr__(self, "__class__", spec.loader_state["__class__"])
        if spec.loader_state.get("is_run"):
            return getattr(self, attribute)
        spec.loader_state["is_run"] = True
        spec.loader.exec_module(self)
        return getattr(self, attribute)

    def __delattr__(self, attribute):
        self.__getattribute__(attribute)
        delattr(self, attribute)


class LazyLoader(_Loader):
    """A loader around another one: the module's code runs when an attribute is asked for."""

    def __init__(self, loader):
        if not hasattr(loader, "exec_module"):
            raise TypeError("loader must define exec_module()")
        self.loader = loader

    @classmethod
    def factory(cls, loader):
        return lambda *args, **kwargs: cls(loader(*args, **kwargs))

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        module.__spec__.loader_state = {"__class__": module.__class__}
        module.__class__ = _LazyModule
