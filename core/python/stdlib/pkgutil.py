"""What lies in packages. Behaviour: CPython Lib/pkgutil.py."""
import collections as _collections
import importlib as _importlib
import os as _os
import sys as _sys
from importlib._bootstrap import FileFinder as _FileFinder


def get_data(package, resource):
    """The bytes of a file that lies beside a module; None: the module has no file."""
    module = _importlib.import_module(package)
    file = getattr(module, "__file__", None)
    if file is None or file.startswith("<"):
        return None
    with open(_os.path.join(_os.path.dirname(file), *resource.split("/")), "rb") as found:
        return found.read()


def resolve_name(name):
    """The object that "package.module:attribute" or "package.module.attribute" names."""
    place, colon, attributes = name.partition(":")
    if colon:
        found = _importlib.import_module(place)
        rest = attributes.split(".") if attributes else []
    else:
        parts, end = name.split("."), 1
        found = _importlib.import_module(parts[0])
        while end < len(parts):
            try:
                found = _importlib.import_module(".".join(parts[:end + 1]))
            except ImportError:
                break
            end += 1
        rest = parts[end:]
    for part in rest:
        found = getattr(found, part)
    return found


ModuleInfo = _collections.namedtuple("ModuleInfo", "module_finder name ispkg")


def extend_path(path, name):
    """A package's __path__ with the folders of its name in sys.path that hold a part of it."""
    if not isinstance(path, list):
        return path
    found = list(path)
    parent, _, last = name.rpartition(".")
    for folder in _sys.path if not parent else getattr(_sys.modules.get(parent), "__path__", []):
        part = _os.path.join(folder, last)
        if _os.path.isdir(part) and part not in found:
            found.append(part)
    return found


def iter_modules(path=None, prefix=""):
    """ModuleInfo of each module in the folders of `path` (of sys.path), by names.

    Errors: ValueError  path is no list.
    """
    if isinstance(path, str):
        raise ValueError("path must be None or list of paths to look for modules in")
    told = set()
    for folder in _sys.path if path is None else path:
        folder = _os.fspath(folder)
        try:
            names = sorted(_os.listdir(folder))
        except OSError:
            continue
        finder = _FileFinder(folder)
        for file in names:
            name, suffix = _os.path.splitext(file)
            is_package = not suffix and _os.path.isfile(_os.path.join(folder, file, "__init__.py"))
            if not (is_package or suffix == ".py") or name == "__init__" or "." in name or name in told:
                continue
            told.add(name)
            yield ModuleInfo(finder, prefix + name, is_package)


def walk_packages(path=None, prefix="", onerror=None):
    """iter_modules() of the folders, of the packages in them (which are imported), and so on."""
    walked = set()
    for info in iter_modules(path, prefix):
        yield info
        if not info.ispkg:
            continue
        try:
            __import__(info.name)
        except ImportError:
            if onerror is not None:
                onerror(info.name)
        except Exception:
            if onerror is None:
                raise
            onerror(info.name)
        else:
            folders = [folder for folder in getattr(_sys.modules[info.name], "__path__", None) or []
                       if folder not in walked]
            walked.update(folders)
            yield from walk_packages(folders, info.name + ".", onerror)


def get_loader(module_or_name):
    """The loader of a module; None: there is no such module."""
    from importlib.util import find_spec
    spec = find_spec(module_or_name if isinstance(module_or_name, str) else module_or_name.__name__)
    return None if spec is None else spec.loader


find_loader = get_loader


def get_importer(path_item):
    return _FileFinder(path_item)
