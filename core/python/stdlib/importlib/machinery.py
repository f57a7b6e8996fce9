"""The finders and loaders that importing is made of. Behaviour: CPython Lib/importlib/machinery.py."""
from importlib._bootstrap import (SOURCE_SUFFIXES, BuiltinImporter, FileFinder, ModuleSpec, NamespaceLoader, PathFinder,
                                  SourceFileLoader)

BYTECODE_SUFFIXES = [".pyc"]
EXTENSION_SUFFIXES = []


def all_suffixes():
    return SOURCE_SUFFIXES + BYTECODE_SUFFIXES + EXTENSION_SUFFIXES
