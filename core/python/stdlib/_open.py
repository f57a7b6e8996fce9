"""Files that are read and written at once: what they hold is in memory, and is written when they are flushed or closed."""

import _files
import io


class _File:
    """What both kinds share: where they come from, and what of them is to be written."""

    _is_dirty = False

    def _start(self, path, mode, shown):
        self.name = shown
        self.mode = mode
        self._path = path
        # Where the part begins that is appended; of other files everything is written again.
        self._appended = len(self._data) if "a" in mode else None

    def fileno(self):
        raise io.UnsupportedOperation("fileno")

    def write(self, given):
        self._check_open()
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
        sink = _files.sink(self._path, "w" if self._appended is None else "a")
        sink.write(self._bytes(self._data[self._appended or 0:]))
        sink.close()
        if self._appended is not None:
            self._appended = len(self._data)
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
        return bytes(data)

    def __repr__(self):
        return f"<_io.{type(self).__name__} name={self.name!r}>"


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
        if "a" in mode:
            self._at = len(self._data)

    def _bytes(self, data):
        if self._line_end is not None:
            data = data.replace("\n", self._line_end)
        return data.encode(self.encoding, self.errors)

    def __repr__(self):
        return f"<_io.TextIOWrapper name={self.name!r} mode={self.mode!r} encoding={self.encoding!r}>"


TextFile.__name__ = TextFile.__qualname__ = "TextIOWrapper"
BinaryFile.__name__ = BinaryFile.__qualname__ = "BufferedRandom"
for _class in (TextFile, BinaryFile):
    _class.__module__ = "_io"


def open_both_ways(path, mode, shown, encoding, errors, newline):
    """open() for a mode with "+". `path` as text; `shown`: as the program gave it."""
    contents = b""
    if "r" in mode:
        source = _files.source(path)
        contents = source.read(0, source.size())
    elif "a" in mode:
        try:
            source = _files.source(path)
            contents = source.read(0, source.size())
        except FileNotFoundError:
            pass
    # The file is there from now on, and whoever may not write it learns it here.
    kind = "x" if "x" in mode else "w" if "w" in mode else "a"
    _files.sink(path, kind).close()
    if "b" in mode:
        return BinaryFile(path, mode, shown, contents)
    return TextFile(path, mode.replace("t", ""), shown, contents, encoding, errors, newline)
