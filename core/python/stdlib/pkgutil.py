"""What lies in packages. Behaviour: CPython Lib/pkgutil.py."""
import importlib as _importlib
import os as _os


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


def extend_path(path, name):
    return path


def iter_modules(path=None, prefix=""):
    raise NotImplementedError("pkgutil.iter_modules: nnscope lists no folders of modules")


def walk_packages(path=None, prefix="", onerror=None):
    raise NotImplementedError("pkgutil.walk_packages: nnscope lists no folders of modules")
