"""Specifications of modules, and modules made by them. Behaviour: CPython Lib/importlib/_bootstrap.py and
_bootstrap_external.py; what comes with nnscope is told by importing it, which has no effects.
"""
import sys
from _imp import PathFinder, locate

SOURCE_SUFFIXES = [".py"]


class ModuleSpec:
    """What is known of a module."""

    def __init__(self, name, loader, *, origin=None, loader_state=None, is_package=None):
        self.name = name
        self.loader = loader
        self.origin = origin
        self.loader_state = loader_state
        self.submodule_search_locations = [] if is_package else None
        self._set_fileattr = False

    @property
    def parent(self):
        """The package around."""
        return self.name if self.submodule_search_locations is not None else self.name.rpartition(".")[0]

    @property
    def has_location(self):
        return self._set_fileattr

    @has_location.setter
    def has_location(self, value):
        self._set_fileattr = bool(value)

    @property
    def cached(self):
        """None: nothing compiled is kept in files."""
        return None

    def __eq__(self, other):
        names = ("name", "loader", "origin", "submodule_search_locations", "has_location")
        if not isinstance(other, ModuleSpec):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __repr__(self):
        told = [f"name={self.name!r}", f"loader={self.loader!r}"]
        if self.origin is not None:
            told.append(f"origin={self.origin!r}")
        if self.submodule_search_locations is not None:
            told.append(f"submodule_search_locations={self.submodule_search_locations}")
        return f"ModuleSpec({', '.join(told)})"


class _SourceLoader:
    """What loaders share that have a source for each name."""

    def create_module(self, spec):
        return None

    def get_code(self, fullname):
        return compile(self.get_source(fullname), self.get_filename(fullname), "exec", dont_inherit=True)

    def exec_module(self, module):
        exec(self.get_code(module.__name__), module.__dict__)

    def load_module(self, fullname=None):
        """The module, imported and entered into sys.modules."""
        name = self.name if fullname is None else fullname
        return _load(spec_from_loader(name, self))

    def is_package(self, fullname):
        """Whether its file is an __init__, unless that is its name."""
        stem = self.get_filename(fullname).rpartition("/")[2].rpartition(".")[0]
        return stem == "__init__" and fullname.rpartition(".")[2] != "__init__"


class SourceFileLoader(_SourceLoader):
    """Loads a module from a file."""

    def __init__(self, fullname, path):
        self.name = fullname
        self.path = path

    def __eq__(self, other):
        return self.__class__ == other.__class__ and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash(self.name) ^ hash(self.path)

    def __repr__(self):
        return f"<_frozen_importlib_external.SourceFileLoader object at {id(self):#x}>"

    def _check(self, fullname):
        if fullname is not None and fullname != self.name:
            raise ImportError(f"loader for {self.name} cannot handle {fullname}", name=fullname)

    def get_filename(self, fullname=None):
        self._check(fullname)
        return self.path

    def get_data(self, path):
        with open(path, "rb") as file:
            return file.read()

    def get_source(self, fullname):
        path = self.get_filename(fullname)
        try:
            return self.get_data(path).decode("utf-8").replace("\r\n", "\n")
        except OSError as problem:
            raise ImportError("source not available through get_data()", name=fullname) from problem

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return compile(self.get_data(path).decode("utf-8"), path, "exec", dont_inherit=True)


class NamespaceLoader:
    """Of packages without __init__.py."""

    def __init__(self, name, path, path_finder=None):
        self._path = path

    def is_package(self, fullname):
        return True

    def get_source(self, fullname):
        return ""

    def get_code(self, fullname):
        return compile("", "<string>", "exec", dont_inherit=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        pass


class BuiltinImporter:
    """Loads what comes with nnscope."""

    _ORIGIN = "built-in"

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None

    @staticmethod
    def create_module(spec):
        return _imported(spec.name)

    @staticmethod
    def exec_module(module):
        pass

    @staticmethod
    def is_package(fullname):
        return hasattr(_imported(fullname), "__path__")

    @staticmethod
    def get_source(fullname):
        return None

    @staticmethod
    def get_code(fullname):
        return None


class FileFinder:
    """Finds modules in one folder."""

    def __init__(self, path, *loader_details):
        self.path = path or "."

    def invalidate_caches(self):
        pass

    def find_spec(self, fullname, target=None):
        from os.path import isdir, isfile
        base = f"{self.path}/{fullname.rpartition('.')[2]}"
        if isfile(base + "/__init__.py"):
            return spec_from_file_location(fullname, base + "/__init__.py", submodule_search_locations=[base])
        if isfile(base + ".py"):
            return spec_from_file_location(fullname, base + ".py")
        if isdir(base):
            spec = ModuleSpec(fullname, None)
            spec.submodule_search_locations = [base]
            return spec
        return None

    def __repr__(self):
        return f"FileFinder({self.path!r})"


def _imported(name):
    __import__(name)
    return sys.modules[name]


def _find_here(fullname, path=None, target=None):
    """PathFinder.find_spec: of the program's folders, and of what comes with nnscope."""
    if path is not None:
        # A program may ask for other folders than those of the package.
        namespace = []
        for folder in path:
            spec = FileFinder(folder).find_spec(fullname)
            if spec is None:
                continue
            if spec.loader is not None:
                return spec
            namespace += spec.submodule_search_locations
        if namespace:
            spec = ModuleSpec(fullname, NamespaceLoader(fullname, namespace))
            spec.submodule_search_locations = namespace
            return spec
    place = locate(fullname)
    if place is not None:
        file, folders = place
        if file is not None:
            return spec_from_file_location(fullname, file, submodule_search_locations=folders)
        spec = ModuleSpec(fullname, NamespaceLoader(fullname, folders))
        spec.submodule_search_locations = folders
        return spec
    saved, sys.meta_path = sys.meta_path, [PathFinder]  # the others are asked by who asks here
    try:
        module = _imported(fullname)
    except ModuleNotFoundError as problem:
        if problem.name is not None and not (fullname + ".").startswith(problem.name + "."):
            raise
        return None
    finally:
        sys.meta_path = saved
    return _spec_of(module)


PathFinder.find_spec = staticmethod(_find_here)
PathFinder.invalidate_caches = staticmethod(lambda: None)


def _spec_of(module):
    """A module's __spec__, or what it would be."""
    spec = getattr(module, "__spec__", None)
    if spec is not None:
        return spec
    file = getattr(module, "__file__", None)
    folders = getattr(module, "__path__", None)
    if file is not None and not file.startswith("<"):
        return spec_from_file_location(module.__name__, file,
                                       submodule_search_locations=None if folders is None else list(folders))
    spec = ModuleSpec(module.__name__, BuiltinImporter, origin="built-in" if file is None else file)
    if folders is not None:
        spec.submodule_search_locations = list(folders)
    return spec


def spec_from_loader(name, loader, *, origin=None, is_package=None):
    if hasattr(loader, "get_filename"):
        if is_package is None:
            return spec_from_file_location(name, loader=loader)
        return spec_from_file_location(name, loader=loader, submodule_search_locations=[] if is_package else None)
    if is_package is None:
        try:
            is_package = loader.is_package(name) if hasattr(loader, "is_package") else False
        except ImportError:
            is_package = None
    return ModuleSpec(name, loader, origin=origin, is_package=is_package)


_unsaid = object()


def spec_from_file_location(name, location=None, *, loader=None, submodule_search_locations=_unsaid):
    """None: nothing here loads a file with that suffix."""
    if location is None:
        location = "<unknown>"
        if hasattr(loader, "get_filename"):
            try:
                location = loader.get_filename(name)
            except ImportError:
                pass
    else:
        import os
        location = os.path.abspath(os.fspath(location)) if os.path.isfile(location) else os.fspath(location)
    if loader is None:
        if not location.endswith(tuple(SOURCE_SUFFIXES)):
            return None
        loader = SourceFileLoader(name, location)
    spec = ModuleSpec(name, loader, origin=location)
    spec.has_location = True
    if submodule_search_locations is _unsaid:
        try:
            is_package = loader.is_package(name) if hasattr(loader, "is_package") else False
        except ImportError:
            is_package = False
        spec.submodule_search_locations = [] if is_package else None
    else:
        spec.submodule_search_locations = submodule_search_locations
    if spec.submodule_search_locations == [] and location:
        spec.submodule_search_locations.append(location.rpartition("/")[0])
    return spec


def module_from_spec(spec):
    """A new module with the attributes that the specification tells; its code has not run."""
    module = None
    if hasattr(spec.loader, "create_module"):
        module = spec.loader.create_module(spec)
    elif hasattr(spec.loader, "exec_module"):
        raise ImportError("loaders that define exec_module() must also define create_module()")
    if module is None:
        module = type(sys)(spec.name)
    elif spec.loader is BuiltinImporter:
        return module
    module.__name__ = spec.name
    module.__loader__ = spec.loader
    module.__package__ = spec.parent
    module.__spec__ = spec
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    if spec.has_location:
        module.__file__ = spec.origin
    return module


def _load(spec):
    """The module of a specification, entered into sys.modules and run."""
    if spec.loader is None and spec.submodule_search_locations is None:
        raise ImportError("missing loader", name=spec.name)
    if spec.loader is not None and not hasattr(spec.loader, "exec_module"):
        spec.loader.load_module(spec.name)
        return sys.modules[spec.name]
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    # The module may have put something else in its place.
    return sys.modules[spec.name]


def _load_from(finder, name, path):
    """What an entry of sys.meta_path has for an import; None: nothing."""
    if not hasattr(finder, "find_spec"):
        return None
    spec = finder.find_spec(name, path, None)
    return None if spec is None else _load(spec)


def _find_spec(name, path, target=None):
    """What the entries of sys.meta_path tell of a module that may not be imported yet."""
    for finder in list(sys.meta_path):
        if hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
    return None
