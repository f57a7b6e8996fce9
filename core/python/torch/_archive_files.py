"""The files that torch.save and torch.load open. Behaviour: torch/serialization.py, _open_file_like, _open_zipfile_reader."""
import io
import os

import _files
import torch


def _is_path(name_or_buffer):
    return isinstance(name_or_buffer, str) or hasattr(type(name_or_buffer), "__fspath__")


def _is_zipfile(f):
    start = f.tell()
    first = f.read(4)
    f.seek(start)
    return first == b"PK\x03\x04"


def _check_seekable(f):
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        if "seek" in str(error) or "tell" in str(error):
            raise type(error)(str(error) + ". You can only torch.load from a file that is seekable."
                              " Please pre-load the data into a buffer like io.BytesIO and"
                              " try to load from it instead.")
        raise


class _open_file_like:
    """A file that a path names, closed at the end; or one that the program opened, which stays open."""

    def __init__(self, f, mode):
        self._is_own, self._writes = _is_path(f), "r" not in mode
        self._file = open(f, mode) if self._is_own else f
        if not self._is_own and "r" in mode:
            _check_seekable(f)

    def __enter__(self):
        return self._file

    def __exit__(self, *exception):
        if self._is_own:
            self._file.close()
        elif self._writes and hasattr(self._file, "flush"):
            self._file.flush()


def _rest_of(opened_file):
    """The bytes from where the file stands on: into one buffer where the file can do that."""
    if isinstance(opened_file, io.BytesIO) or not hasattr(opened_file, "readinto"):
        return opened_file.read()
    begin = opened_file.tell()
    size = opened_file.seek(0, 2) - begin
    opened_file.seek(begin)
    buffer = bytearray(size)
    count = opened_file.readinto(buffer)
    return bytes(buffer) if count == size else bytes(buffer[:count]) + opened_file.read()


def _open_archive(opened_file):
    """A reader of the archive that begins where the file stands."""
    if isinstance(opened_file, io.BufferedReader) and opened_file.tell() == 0:
        return torch._C.PyTorchFileReader(opened_file._source)
    return torch._C.PyTorchFileReader(_rest_of(opened_file))


class _open_zipfile_reader:
    """with _open_zipfile_reader(path or file) as archive."""

    def __init__(self, name_or_buffer):
        self._opened = _open_file_like(name_or_buffer, "rb")

    def __enter__(self):
        return _open_archive(self._opened.__enter__())

    def __exit__(self, *exception):
        self._opened.__exit__(*exception)


def _archive_name(path):
    """The folder in the archive: the file's name without its ending."""
    if not path.isascii():
        return "archive"
    name = path.replace("\\", "/").rpartition("/")[2]
    stem = name.rpartition(".")[0] if "." in name else name
    if not stem:
        raise RuntimeError(f"invalid file name: {path}")
    return stem


class _open_zipfile_writer:
    """The archive of torch.save: complete at the end of the with block."""

    def __init__(self, f):
        self._buffer = self._sink = None
        if _is_path(f):
            name = _archive_name(f)
            try:
                self._sink = _files.sink(f, "w")
            except FileNotFoundError:
                raise RuntimeError(f"Parent directory {os.path.dirname(f)} does not exist.") from None
            self._writer = torch._C.PyTorchFileWriter(self._sink, name)
            return
        if not callable(getattr(f, "write", None)):
            message = f"Buffer of {str(type(f)).strip('<>')} has no callable attribute 'write'"
            raise (TypeError if hasattr(f, "write") else AttributeError)(message)
        self._buffer = f
        self._writer = torch._C.PyTorchFileWriter(f.write, "archive")

    def __enter__(self):
        return self._writer

    def __exit__(self, *exception):
        if self._buffer is not None and exception[0] is not None:
            return
        self._writer.write_end_of_file()
        if self._sink is not None:
            self._sink.close()
        elif hasattr(self._buffer, "flush"):
            self._buffer.flush()


# Settings. Behaviour: torch/serialization.py, set_default_mmap_options, skip_data, set_crc32_options.

MAP_SHARED, MAP_PRIVATE = 1, 2
_settings = {"mmap": MAP_PRIVATE, "skip_data": False, "crc32": True}


class _Setting:
    """What holds from now on, or only inside of a with block."""

    def __init__(self, name, value):
        self._name, self._before = name, _settings[name]
        _settings[name] = value

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        _settings[self._name] = self._before


def get_default_mmap_options():
    return _settings["mmap"]


class set_default_mmap_options(_Setting):
    """Whether what is written to tensors of torch.load(..., mmap=True) goes to the file: mmap.MAP_SHARED, mmap.MAP_PRIVATE."""

    def __init__(self, flags):
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, "
                             f"but got {flags}")
        super().__init__("mmap", flags)


def get_crc32_options():
    return _settings["crc32"]


def set_crc32_options(compute_crc32):
    """The sums of archives are always written: what reads them may check them."""
    _settings["crc32"] = compute_crc32


class skip_data:
    """with skip_data(): torch.save leaves room for the bytes of storages, torch.load makes storages without reading them."""

    def __init__(self, materialize_fake_tensors=False):
        self.materialize_fake_tensors = materialize_fake_tensors
        self._before = False

    def __enter__(self):
        self._before = _settings["skip_data"]
        _settings["skip_data"] = True

    def __exit__(self, *exception):
        _settings["skip_data"] = self._before


def skips_data():
    return _settings["skip_data"]
