"""Bases of what a program imports by. Behaviour: CPython Lib/importlib/abc.py."""
import abc
from importlib._bootstrap import (BuiltinImporter, FileFinder, PathFinder, SourceFileLoader, _load, _SourceLoader,
                                  spec_from_loader)


class Loader(metaclass=abc.ABCMeta):
    """Makes modules of specifications."""

    def create_module(self, spec):
        """None: the usual module."""
        return None

    def load_module(self, fullname):
        if not hasattr(self, "exec_module"):
            raise ImportError
        return _load(spec_from_loader(fullname, self))


class MetaPathFinder(metaclass=abc.ABCMeta):
    """For sys.meta_path; has find_spec(fullname, path, target=None)."""

    def invalidate_caches(self):
        pass


class PathEntryFinder(metaclass=abc.ABCMeta):
    """For one folder of a path; has find_spec(fullname, target=None)."""

    def invalidate_caches(self):
        pass


class ResourceLoader(Loader):
    @abc.abstractmethod
    def get_data(self, path):
        raise OSError


class InspectLoader(Loader):
    """Knows the sources of its modules."""

    def is_package(self, fullname):
        raise ImportError

    def get_code(self, fullname):
        source = self.get_source(fullname)
        return None if source is None else self.source_to_code(source)

    @abc.abstractmethod
    def get_source(self, fullname):
        raise ImportError

    @staticmethod
    def source_to_code(data, path="<string>"):
        return compile(data, path, "exec", dont_inherit=True)

    def exec_module(self, module):
        code = self.get_code(module.__name__)
        if code is None:
            raise ImportError(f"cannot load module {module.__name__!r} when get_code() returns None")
        exec(code, module.__dict__)


class ExecutionLoader(InspectLoader):
    """Knows the files of its modules."""

    @abc.abstractmethod
    def get_filename(self, fullname):
        raise ImportError

    def get_code(self, fullname):
        source = self.get_source(fullname)
        return None if source is None else self.source_to_code(source, self.get_filename(fullname))


class FileLoader(ResourceLoader, ExecutionLoader):
    def __init__(self, fullname, path):
        self.name = fullname
        self.path = path

    def get_data(self, path):
        with open(path, "rb") as file:
            return file.read()

    def get_filename(self, fullname=None):
        return self.path


class SourceLoader(ResourceLoader, ExecutionLoader):
    def get_source(self, fullname):
        return self.get_data(self.get_filename(fullname)).decode("utf-8")

    is_package = _SourceLoader.is_package


FileLoader.register(SourceFileLoader)
SourceLoader.register(SourceFileLoader)
InspectLoader.register(BuiltinImporter)
MetaPathFinder.register(PathFinder)
MetaPathFinder.register(BuiltinImporter)
PathEntryFinder.register(FileFinder)
