"""Files: those of the machine, as far as a program may have them, and those in memory."""
import _files

DEFAULT_BUFFER_SIZE = 8192

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
            raise ValueError("I/O operation on closed file.")

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
        return self._data[:]

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
        if self._at == len(self._data):
            self._data += part
        else:
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

    def _check_open(self):
        if self._closed:
            raise ValueError("I/O operation on closed file")

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
        # A bytearray grows in place: many small writes cost no more than one.
        self._data, self._at = bytearray() if initial_bytes is None else bytearray(initial_bytes), 0

    def write(self, data):
        self._check_open()
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        return self._put(bytes(data))

    def read(self, size=-1):
        return bytes(super().read(size))

    def read1(self, size=-1):
        return self.read(size)

    def readline(self, size=-1):
        return bytes(super().readline(size))

    def readinto(self, buffer):
        part = self.read(len(buffer))
        buffer[:len(part)] = part
        return len(part)

    def getvalue(self):
        self._check_open()
        return bytes(self._data)

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


class BufferedReader(BufferedIOBase):
    """A file of the machine, read where it is needed."""

    mode = "rb"

    def __init__(self, source, name):
        self._source, self.name, self._at = source, name, 0
        # What was read last, and where it begins: lines and small reads come from it.
        self._part, self._part_at = b"", 0

    def readable(self):
        self._check_open()
        return True

    def seekable(self):
        self._check_open()
        return True

    def tell(self):
        self._check_open()
        return self._at

    def seek(self, position, whence=SEEK_SET):
        self._check_open()
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence value ({whence}, should be 0, 1 or 2)")
        start = 0 if whence == SEEK_SET else self._at if whence == SEEK_CUR else self._source.size()
        if start + position < 0:
            raise OSError("[Errno 22] Invalid argument")
        self._at = start + position
        return self._at

    def _fill(self):
        """Bytes at the position, in the part: False at the end."""
        if self._part_at <= self._at < self._part_at + len(self._part):
            return True
        self._part_at = self._at
        self._part = self._source.read(self._at, DEFAULT_BUFFER_SIZE)
        return len(self._part) > 0

    def read(self, size=-1):
        self._check_open()
        if size is None or size < 0:
            size = max(0, self._source.size() - self._at)
        if size < DEFAULT_BUFFER_SIZE and self._fill():
            start = self._at - self._part_at
            if start + size <= len(self._part):
                self._at += size
                return self._part[start:start + size]
        data = self._source.read(self._at, size)
        self._at += len(data)
        return data

    def read1(self, size=-1):
        return self.read(size)

    def readinto(self, buffer):
        part = self.read(len(buffer))
        buffer[:len(part)] = part
        return len(part)

    def peek(self, size=0):
        self._check_open()
        return self._part[self._at - self._part_at:] if self._fill() else b""

    def readline(self, size=-1):
        self._check_open()
        parts = []
        left = -1 if size is None or size < 0 else size
        while left != 0 and self._fill():
            start = self._at - self._part_at
            end = self._part.find(b"\n", start) + 1 or len(self._part)
            if left >= 0:
                end = min(end, start + left)
                left -= end - start
            parts.append(self._part[start:end])
            self._at += end - start
            if parts[-1].endswith(b"\n"):
                break
        return b"".join(parts)

    def close(self):
        super().close()
        self._part = b""


class BufferedWriter(BufferedIOBase):
    """A file of the machine that is being written, from its beginning or its end on."""

    mode = "wb"

    def __init__(self, sink, name):
        self._sink, self.name, self._written = sink, name, 0

    def writable(self):
        self._check_open()
        return True

    def tell(self):
        self._check_open()
        return self._written

    def write(self, data):
        self._check_open()
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        count = self._sink.write(bytes(data))
        self._written += count
        return count

    def read(self, size=-1):
        raise UnsupportedOperation("read")

    readline = read

    def seek(self, position, whence=SEEK_SET):
        raise UnsupportedOperation("seek")

    def close(self):
        if not self._closed:
            super().close()
            self._sink.close()


class TextReader(TextIOBase):
    """A text file of the machine. Places are counted in characters."""

    def __init__(self, binary, encoding, errors, newline, mode):
        self.buffer, self.name, self.mode = binary, binary.name, mode
        self.encoding, self.errors, self._newline = encoding, errors, newline
        # The lines without their ends, which is next, how much of that one was read, and where that is.
        self._lines = None
        self._next = self._within = self._place = 0

    @property
    def closed(self):
        return self.buffer.closed

    def _check_open(self):
        self.buffer._check_open()

    def _load(self):
        self._check_open()
        if self._lines is None:
            text = self.buffer.read().decode(self.encoding, self.errors)
            if self._newline is None:
                text = text.replace("\r\n", "\n").replace("\r", "\n")
            self._end = self._newline or "\n"
            self._lines = text.split(self._end)
        return self._lines

    def readable(self):
        self._check_open()
        return True

    def seekable(self):
        self._check_open()
        return True

    def readline(self, size=-1):
        lines = self._load()
        if self._next == len(lines):
            return ""
        is_last = self._next + 1 == len(lines)
        line = lines[self._next] if is_last else lines[self._next] + self._end
        if self._within or (size is not None and 0 <= size < len(line)):
            whole = len(line)
            line = line[self._within:] if size is None or size < 0 else line[self._within:self._within + size]
            self._within += len(line)
            is_ended = self._within == whole
        else:
            is_ended = True
        if is_ended:
            self._next, self._within = self._next + 1, 0
        self._place += len(line)
        return line

    def read(self, size=-1):
        lines = self._load()
        if size is None or size < 0:
            text = self._end.join(lines[self._next:])[self._within:]
            self._next, self._within, self._place = len(lines), 0, self._place + len(text)
            return text
        parts = []
        while size > 0 and (part := self.readline(size)):
            parts.append(part)
            size -= len(part)
        return "".join(parts)

    def tell(self):
        self._check_open()
        return self._place

    def seek(self, position, whence=SEEK_SET):
        self._load()
        if whence not in (0, 1, 2):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        if whence == SEEK_SET and position < 0:
            raise ValueError(f"negative seek position {position}")
        if whence != SEEK_SET and position != 0:
            kind = "cur" if whence == SEEK_CUR else "end"
            raise UnsupportedOperation(f"can't do nonzero {kind}-relative seeks")
        if whence == SEEK_SET:
            self._next = self._within = self._place = 0
            self.read(position)
        elif whence == SEEK_END:
            self.read()
        return self._place

    def write(self, text):
        raise UnsupportedOperation("not writable")

    def close(self):
        self.buffer.close()


class TextWriter(TextIOBase):
    """A text file of the machine that is being written."""

    def __init__(self, binary, encoding, errors, newline, mode):
        self.buffer, self.name, self.mode = binary, binary.name, mode
        self.encoding, self.errors = encoding, errors
        self._end = "\n" if newline in (None, "") else newline

    @property
    def closed(self):
        return self.buffer.closed

    def _check_open(self):
        self.buffer._check_open()

    def writable(self):
        self._check_open()
        return True

    def write(self, text):
        self._check_open()
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        shown = text if self._end == "\n" else text.replace("\n", self._end)
        self.buffer.write(shown.encode(self.encoding, self.errors))
        return len(text)

    def read(self, size=-1):
        raise UnsupportedOperation("not readable")

    readline = read

    def close(self):
        self.buffer.close()


def _checked_mode(mode, encoding, errors, newline):
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    kinds = [one for one in mode if one in "rwax"]
    if not mode or set(mode) - set("rwaxbt+") or len(set(mode)) < len(mode):
        raise ValueError(f"invalid mode: {mode!r}")
    if "b" in mode and "t" in mode:
        raise ValueError("can't have text and binary mode at once")
    if len(kinds) != 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if "b" in mode:
        for name, value in (("encoding", encoding), ("errors", errors), ("newline", newline)):
            if value is not None:
                raise ValueError(f"binary mode doesn't take {'an' if name[0] == 'e' else 'a'} {name} argument")
    if newline not in (None, "", "\n", "\r", "\r\n"):
        raise ValueError(f"illegal newline value: {newline}")
    return kinds[0]


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """A file of the machine. Errors: FileNotFoundError; PermissionError  where the program may not read or write."""
    if not isinstance(file, (str, bytes)) and not hasattr(type(file), "__fspath__"):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(file).__name__}")
    kind = _checked_mode(mode, encoding, errors, newline)
    path = file.__fspath__() if hasattr(type(file), "__fspath__") else file
    path = path.decode() if isinstance(path, bytes) else path
    encoding, errors = "utf-8" if encoding in (None, "locale") else encoding, errors or "strict"
    if "+" in mode:
        from _open import open_both_ways
        return open_both_ways(path, mode, file, encoding, errors, newline)
    if kind != "r":
        written = BufferedWriter(_files.sink(path, kind), file)
        written.mode = kind + "b"
        return written if "b" in mode else TextWriter(written, encoding, errors, newline, mode)
    read = BufferedReader(_files.source(path), file)
    if "b" in mode:
        return read
    return TextReader(read, encoding, errors, newline, mode)
