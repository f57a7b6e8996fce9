"""What open() gives: files whose contents are in memory, and are written when they are flushed or closed."""

import _files
import io
import os


class _File:
    """What both kinds of files share: where they come from, and what of them is to be written."""

    _is_dirty = False

    def _start(self, path, mode, shown):
        self.name = shown
        self.mode = mode
        self._path = path
        self._reads = "r" in mode or "+" in mode
        self._writes = mode[0] in "wax" or "+" in mode
        # Where the part begins that is appended; of other files everything is written again.
        self._appended = len(self._data) if "a" in mode else None

    def readable(self):
        self._check_open()
        return self._reads

    def writable(self):
        self._check_open()
        return self._writes

    def fileno(self):
        raise io.UnsupportedOperation("fileno")

    def _check_reads(self):
        self._check_open()
        if not self._reads:
            raise io.UnsupportedOperation("not readable" if isinstance(self, TextFile) else "read")

    def read(self, size=-1):
        self._check_reads()
        return super().read(size)

    def readline(self, size=-1):
        self._check_reads()
        return super().readline(size)

    def write(self, given):
        self._check_open()
        if not self._writes:
            raise io.UnsupportedOperation("not writable" if isinstance(self, TextFile) else "write")
        if self._appended is not None:
            self._at = len(self._data)
        self._is_dirty = True
        return super().write(given)

    def truncate(self, size=None):
        self._is_dirty = True
        return super().truncate(size)

    def flush(self):
        self._check_open()
        if not self._is_dirty:
            return
        if self._appended is not None:
            os._check(_files.write(self._path, self._bytes(self._data[self._appended:]), "a"), self.name, "write")
            self._appended = len(self._data)
        else:
            os._check(_files.write(self._path, self._bytes(self._data), "w"), self.name, "write")
        self._is_dirty = False

    def close(self):
        if not self._closed:
            self.flush()
            super().close()

    def __del__(self):
        self.close()


class BinaryFile(_File, io.BytesIO):
    """A file of bytes."""

    def __init__(self, path, mode, shown, contents):
        super().__init__(contents)
        self._start(path, mode, shown)

    def _bytes(self, data):
        return data

    def readinto(self, buffer):
        """Fills a bytearray and tells how many bytes there were."""
        part = self.read(len(buffer))
        buffer[:len(part)] = part
        return len(part)

    def __repr__(self):
        return f"<_io.{type(self).__name__} name={self.name!r}>"


class BinaryReader(BinaryFile):
    pass


class BinaryWriter(BinaryFile):
    pass


class TextFile(_File, io.StringIO):
    """A file of text."""

    def __init__(self, path, mode, shown, contents, encoding, errors, newline):
        self.encoding = encoding
        self.errors = errors
        text = contents.decode(encoding, errors)
        if newline is None and "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        super().__init__(text)
        self._line_end = newline if newline in ("\r", "\r\n") else None
        self._start(path, mode, shown)

    def _bytes(self, data):
        if self._line_end is not None:
            data = data.replace("\n", self._line_end)
        return data.encode(self.encoding, self.errors)

    def __repr__(self):
        return f"<_io.TextIOWrapper name={self.name!r} mode={self.mode!r} encoding={self.encoding!r}>"


TextFile.__name__ = TextFile.__qualname__ = "TextIOWrapper"
BinaryFile.__name__ = BinaryFile.__qualname__ = "BufferedRandom"
BinaryReader.__name__ = BinaryReader.__qualname__ = "BufferedReader"
BinaryWriter.__name__ = BinaryWriter.__qualname__ = "BufferedWriter"
for _class in (TextFile, BinaryFile, BinaryReader, BinaryWriter):
    _class.__module__ = "_io"


def _check_mode(mode):
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    letters = set(mode)
    if not mode or letters - set("axrwb+t") or len(mode) > len(letters):
        raise ValueError(f"invalid mode: {mode!r}")
    if "t" in letters and "b" in letters:
        raise ValueError("can't have text and binary mode at once")
    if len(letters & set("rwax")) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode"
                         if letters & set("rwax") else
                         "Must have exactly one of create/read/write/append mode and at most one plus")


def open_file(file, mode, encoding, errors, newline):
    """open() of Python. Behaviour: CPython Lib/_pyio.py, open."""
    if isinstance(file, int):
        raise TypeError("nnscope opens files by their names, not by numbers")
    path = os.fsdecode(file)
    _check_mode(mode)
    is_binary = "b" in mode
    if is_binary:
        for given, name in ((encoding, "encoding"), (errors, "errors"), (newline, "newline")):
            if given is not None:
                raise ValueError(f"binary mode doesn't take {'a' if name == 'newline' else 'an'} {name} argument")
    if newline not in (None, "", "\n", "\r", "\r\n"):
        raise ValueError(f"illegal newline value: {newline!r}")
    contents = b""
    if "r" in mode or "a" in mode:
        contents = _files.read(path)
        if contents is None:
            found = _files.info(path)
            if isinstance(found, int):
                if "r" in mode or found != 2:
                    os._check(found, file, "read" if "r" in mode else "write")
            elif found[0]:
                os._check(21, file, "read")
            contents = b""
        if "+" in mode or "a" in mode:
            os._check(_files.write(path, b"", "a"), file, "write")
    else:
        os._check(_files.write(path, b"", "x" if "x" in mode else "w"), file, "write")
    if is_binary:
        cls = BinaryFile if "+" in mode else BinaryReader if "r" in mode else BinaryWriter
        return cls(path, mode, file, contents)
    encoding = "utf-8" if encoding in (None, "locale") else encoding
    made = TextFile(path, mode.replace("t", ""), file, contents, encoding, errors or "strict", newline)
    if "a" in mode:
        made._at = len(made._data)
    return made
