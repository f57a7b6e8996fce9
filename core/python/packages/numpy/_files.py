"""Arrays in files: npy, npz, plain bytes. Behaviour: numpy/lib/_format_impl.py, _npyio_impl.py."""
import ast
import io
import os
import pickle
import struct
import zipfile

from torch import _bytes

from numpy._array import asarray, ndarray
from numpy._dtypes import absent, as_dtype

_MAGIC = b"\x93NUMPY"
_ALIGNMENT = 64
_ROOM_FOR_SIZE = 21  # digits that the first size in a header may grow to


def _is_path(file):
    return isinstance(file, (str, bytes)) or hasattr(file, "__fspath__")


# The npy format.

def header_of(array):
    """The text before the items, and whether they are in the order of Fortran."""
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    shape = array.shape
    text = f"{{'descr': {array.dtype.str!r}, 'fortran_order': {is_fortran}, 'shape': {shape!r}, }}"
    if shape:
        text += " " * (_ROOM_FOR_SIZE - len(repr(shape[-1 if is_fortran else 0])))
    size = len(text) + 1
    size += _ALIGNMENT - (len(_MAGIC) + 4 + size) % _ALIGNMENT
    return _MAGIC + b"\x01\x00" + struct.pack("<H", size) + text.ljust(size - 1).encode("latin1") + b"\n", is_fortran


def write_array(fp, array, version=None, allow_pickle=True, pickle_kwargs=None):
    array = asarray(array)
    header, is_fortran = header_of(array)
    fp.write(header)
    fp.write((array.T if is_fortran else array).tobytes())


def _exactly(fp, count, what):
    data = b""
    while len(data) < count:
        more = fp.read(count - len(data))
        if not more:
            raise ValueError(f"EOF: reading {what}, expected {count} bytes got {len(data)}")
        data += more
    return data


def _items(data, descr, count):
    """The items of bytes, in the order of bytes that a name such as ">f4" tells."""
    if not isinstance(descr, str):
        raise absent("load of structured arrays")
    if descr.lstrip("<>|=")[:1] == "O":
        raise ValueError("Object arrays cannot be loaded when allow_pickle=False")
    found = as_dtype(descr.replace(">", "<"))
    made = ndarray._of(_bytes.from_bytes(data, found.torch, 0, count), found)
    if descr.startswith(">") and found.itemsize > 1:
        part = found.itemsize // (2 if found.kind == "c" else 1)
        swapped = made.view("uint8").reshape(-1, part)[:, ::-1].copy()
        made = swapped.reshape(-1).view(found)
    return made


def read_array(fp, allow_pickle=False, pickle_kwargs=None, *, max_header_size=10000):
    magic = _exactly(fp, len(_MAGIC) + 2, "magic string")
    if magic[:-2] != _MAGIC:
        raise ValueError(f"the magic string is not correct; expected {_MAGIC!r}, got {magic[:-2]!r}")
    version = tuple(magic[-2:])
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"we only support format version (1,0), (2,0), and (3,0), not {version}")
    form = "<H" if version == (1, 0) else "<I"
    size = struct.unpack(form, _exactly(fp, struct.calcsize(form), "array header length"))[0]
    text = _exactly(fp, size, "array header").decode("utf8" if version == (3, 0) else "latin1")
    try:
        header = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):
        raise ValueError(f"Cannot parse header: {text!r}") from None
    if not isinstance(header, dict) or set(header) != {"descr", "fortran_order", "shape"}:
        raise ValueError(f"Header does not contain the correct keys: {sorted(header) if isinstance(header, dict) else header!r}")
    shape = header["shape"]
    count = 1
    for one in shape:
        count *= one
    descr = header["descr"]
    if isinstance(descr, str) and descr.lstrip("<>|=")[:1] == "O":
        if not allow_pickle:
            raise ValueError("Object arrays cannot be loaded when allow_pickle=False")
        raise absent("load of arrays of objects")
    width = as_dtype(descr.replace(">", "<")).itemsize if isinstance(descr, str) else 1
    made = _items(_exactly(fp, count * width, "array data"), descr, count)
    return made.reshape(shape[::-1]).T if header["fortran_order"] else made.reshape(shape)


def save(file, arr, allow_pickle=True):
    if not _is_path(file):
        write_array(file, arr)
        return
    file = os.fspath(file)
    with open(file if file.endswith(".npy") else file + ".npy", "wb") as fp:
        write_array(fp, arr)


# Several arrays in an archive.

def _savez(file, args, kwds, compression):
    named = dict(kwds)
    for i, one in enumerate(args):
        if f"arr_{i}" in named:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        named[f"arr_{i}"] = one
    if _is_path(file):
        file = os.fspath(file)
        file = file if file.endswith(".npz") else file + ".npz"
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, one in named.items():
            buffer = io.BytesIO()
            write_array(buffer, one)
            archive.writestr(name + ".npy", buffer.getvalue())


def savez(file, *args, allow_pickle=True, **kwds):
    _savez(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    _savez(file, args, kwds, zipfile.ZIP_DEFLATED)


class _Attributes:
    """The arrays of an archive as attributes."""

    def __init__(self, archive):
        self._archive = archive

    def __getattr__(self, name):
        try:
            return self._archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self._archive.keys())


class NpzFile:
    """The arrays of an archive, each read when it is asked for."""

    def __init__(self, fid, allow_pickle=False):
        self._text = fid if isinstance(fid, str) else getattr(fid, "name", "object")
        self.zip = zipfile.ZipFile(fid)
        self.allow_pickle = allow_pickle
        self._names = self.zip.namelist()
        self.files = [name.removesuffix(".npy") for name in self._names]
        self.f = _Attributes(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        if self.zip is not None:
            self.zip.close()
            self.zip = None

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self.files or key in self._names

    def __getitem__(self, key):
        if key not in self:
            raise KeyError(f"{key} is not a file in the archive")
        data = self.zip.read(key if key in self._names else key + ".npy")
        return read_array(io.BytesIO(data), self.allow_pickle) if data.startswith(_MAGIC) else data

    def keys(self):
        return list(self.files)

    def values(self):
        return [self[name] for name in self.files]

    def items(self):
        return [(name, self[name]) for name in self.files]

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __repr__(self):
        names = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._text!r} with keys: {names}"


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *, max_header_size=10000):
    """The array of an npy file, the archive of an npz file, or what was pickled."""
    if mmap_mode is not None:
        raise absent("load(mmap_mode=...)")
    fp = open(os.fspath(file), "rb") if _is_path(file) else file
    keeps_open = not _is_path(file)
    try:
        start = fp.read(len(_MAGIC))
        if not start:
            raise EOFError("No data left in file")
        if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
            fp.seek(-len(start), 1)
            keeps_open = True
            return NpzFile(os.fspath(file) if _is_path(file) else fp, allow_pickle)
        fp.seek(-len(start), 1)
        if start == _MAGIC:
            return read_array(fp, allow_pickle)
        if not allow_pickle:
            raise ValueError("This file contains pickled (object) data. If you trust the file you can load it unsafely using the "
                             "`allow_pickle=` keyword argument or `pickle.load()`.")
        return pickle.load(fp)
    finally:
        if not keeps_open or _is_path(file):
            fp.close()


# Plain bytes.

def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    if sep:
        from numpy._tables import numbers_of
        with open(os.fspath(file)) as fp:
            return numbers_of(fp.read(), dtype, count, sep)
    found = as_dtype(dtype)
    if _is_path(file):
        with open(os.fspath(file), "rb") as fp:
            return fromfile(fp, found, count, offset=offset)
    if offset:
        file.seek(offset, 1)
    data = file.read() if count < 0 else file.read(count * found.itemsize)
    return ndarray._of(_bytes.from_bytes(data, found.torch, 0, len(data) // found.itemsize), found)


def tofile(array, fid, sep="", format="%s"):
    if _is_path(fid):
        with open(os.fspath(fid), "w" if sep else "wb") as fp:
            return tofile(array, fp, sep, format)
    if not sep:
        fid.write(array.tobytes())
        return None
    text = sep.join(format % one for one in array.ravel().tolist())
    fid.write(text)
    return None
