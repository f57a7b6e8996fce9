"""Objects as bytes, and back.

Behaviour: Lib/pickle.py and Modules/_pickle.c; protocols 0 to 5."""
import io

from pickle._opcodes import *
from pickle._opcodes import (HIGHEST_PROTOCOL, PickleError, PicklingError, UnpicklingError, bytes_types,
                             compatible_formats, decode_long, encode_long, format_version)
from pickle._reader import Unpickler
from pickle._writer import PickleBuffer, Pickler, whichmodule

DEFAULT_PROTOCOL = 5


def dump(obj, file, protocol=None, *, fix_imports=True, buffer_callback=None):
    Pickler(file, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback).dump(obj)


def dumps(obj, protocol=None, *, fix_imports=True, buffer_callback=None):
    file = io.BytesIO()
    Pickler(file, protocol, fix_imports=fix_imports, buffer_callback=buffer_callback).dump(obj)
    return file.getvalue()


def load(file, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
    return Unpickler(file, fix_imports=fix_imports, encoding=encoding, errors=errors, buffers=buffers).load()


def loads(data, /, *, fix_imports=True, encoding="ASCII", errors="strict", buffers=None):
    if isinstance(data, str):
        raise TypeError("a bytes-like object is required, not 'str'")
    return Unpickler(io.BytesIO(data), fix_imports=fix_imports, encoding=encoding, errors=errors,
                     buffers=buffers).load()


_Pickler, _Unpickler = Pickler, Unpickler
_dump, _dumps, _load, _loads = dump, dumps, load, loads
