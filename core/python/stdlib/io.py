"""Files in memory: StringIO and BytesIO."""

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class UnsupportedOperation(OSError, ValueError):
    """The file does not do that."""


class IOBase:
    """What all files have."""

    _closed = False

    @property
    def closed(self):
        return self._closed

    def close(self):
        self._closed = True

    def flush(self):
        self._check_open()

    def readable(self):
        return False

    def writable(self):
        return False

    def seekable(self):
        return False

    def isatty(self):
        return False

    def _check_open(self):
        if self._closed:
            raise ValueError("I/O operation on closed file")

    def __enter__(self):
        self._check_open()
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def readlines(self, hint=-1):
        lines, size = [], 0
        for line in self:
            lines.append(line)
            size += len(line)
            if hint is not None and 0 < hint <= size:
                break
        return lines

    def writelines(self, lines):
        for line in lines:
            self.write(line)


class TextIOBase(IOBase):
    encoding = errors = newlines = None


class RawIOBase(IOBase):
    pass


class BufferedIOBase(IOBase):
    pass


class _InMemory:
    """Reading, writing and seeking in `_data`, which is a str or bytes."""

    def readable(self):
        self._check_open()
        return True

    def writable(self):
        self._check_open()
        return True

    def seekable(self):
        self._check_open()
        return True

    def getvalue(self):
        self._check_open()
        return self._data

    def tell(self):
        self._check_open()
        return self._at

    def read(self, size=-1):
        self._check_open()
        end = len(self._data) if size is None or size < 0 else self._at + size
        part = self._data[self._at:end]
        self._at += len(part)
        return part

    def readline(self, size=-1):
        self._check_open()
        end = self._data.find(self._newline, self._at)
        end = len(self._data) if end < 0 else end + 1
        if size is not None and size >= 0:
            end = min(end, self._at + size)
        line = self._data[self._at:end]
        self._at += len(line)
        return line

    def _put(self, part):
        gap = self._at - len(self._data)
        if gap > 0:
            self._data += self._zero * gap
        self._data = self._data[:self._at] + part + self._data[self._at + len(part):]
        self._at += len(part)
        return len(part)

    def truncate(self, size=None):
        self._check_open()
        size = self._at if size is None else size
        if size < 0:
            raise ValueError(f"Negative size value {size}")
        self._data = self._data[:size]
        return size


class StringIO(_InMemory, TextIOBase):
    """A text file in memory."""

    _newline, _zero = "\n", "\0"

    def __init__(self, initial_value="", newline="\n"):
        if initial_value is not None and not isinstance(initial_value, str):
            raise TypeError(f"initial_value must be str or None, not {type(initial_value).__name__}")
        self._data, self._at = initial_value or "", 0

    def write(self, text):
        self._check_open()
        if not isinstance(text, str):
            raise TypeError(f"string argument expected, got '{type(text).__name__}'")
        return self._put(text)

    def seek(self, position, whence=SEEK_SET):
        self._check_open()
        if whence not in (0, 1, 2):
            raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
        if whence == SEEK_SET and position < 0:
            raise ValueError(f"Negative seek position {position}")
        if whence != SEEK_SET and position != 0:
            raise OSError("Can't do nonzero cur-relative seeks")
        self._at = position if whence == SEEK_SET else self._at if whence == SEEK_CUR else len(self._data)
        return self._at


class BytesIO(_InMemory, BufferedIOBase):
    """A binary file in memory."""

    _newline, _zero = b"\n", b"\0"

    def __init__(self, initial_bytes=b""):
        self._data, self._at = bytes(initial_bytes), 0

    def write(self, data):
        self._check_open()
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        return self._put(bytes(data))

    def getbuffer(self):
        return self.getvalue()

    def seek(self, position, whence=SEEK_SET):
        self._check_open()
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        start = 0 if whence == SEEK_SET else self._at if whence == SEEK_CUR else len(self._data)
        if whence == SEEK_SET and position < 0:
            raise ValueError(f"negative seek value {position}")
        self._at = max(0, start + position)
        return self._at
