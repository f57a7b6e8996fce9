"""Files beside modules. Behaviour: CPython Lib/importlib/resources."""
import contextlib as _contextlib
import pathlib as _pathlib
import types as _types
from importlib import import_module as _import_module

Package = Anchor = _types.ModuleType | str


def files(anchor=None):
    """The folder of a module or package.

    Errors: FileNotFoundError  it comes with nnscope and lies in no folder.
    """
    if anchor is None:
        import sys
        anchor = sys._getframe(1).f_globals["__name__"]
    module = _import_module(anchor) if isinstance(anchor, str) else anchor
    folders = getattr(module, "__path__", None)
    file = getattr(module, "__file__", None)
    if file is not None and not file.startswith("<"):
        return _pathlib.Path(file).parent
    if folders:
        return _pathlib.Path(folders[0])
    raise FileNotFoundError(f"{module.__name__} lies in no folder")


@_contextlib.contextmanager
def as_file(path):
    yield path


def open_text(anchor, *path_names, encoding="utf-8", errors="strict"):
    return files(anchor).joinpath(*path_names).open("r", encoding=encoding, errors=errors)


def open_binary(anchor, *path_names):
    return files(anchor).joinpath(*path_names).open("rb")


def read_text(anchor, *path_names, encoding="utf-8", errors="strict"):
    with open_text(anchor, *path_names, encoding=encoding, errors=errors) as file:
        return file.read()


def read_binary(anchor, *path_names):
    return files(anchor).joinpath(*path_names).read_bytes()


def path(anchor, *path_names):
    return as_file(files(anchor).joinpath(*path_names))


def is_resource(anchor, *path_names):
    return files(anchor).joinpath(*path_names).is_file()


def contents(anchor, *path_names):
    return (path.name for path in files(anchor).joinpath(*path_names).iterdir())
