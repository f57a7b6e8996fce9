"""Files of gzip: RFC 1952. Behaviour: CPython Lib/gzip.py."""
import builtins
import io
import os
import struct
import time
import zlib

READ, WRITE = "rb", "wb"


class BadGzipFile(OSError):
    """The file is not one of gzip, or damaged."""


def open(filename, mode="rb", compresslevel=9, encoding=None, errors=None, newline=None):
    if "t" in mode:
        if "b" in mode:
            raise ValueError(f"Invalid mode: {mode!r}")
    else:
        for given, name in ((encoding, "encoding"), (errors, "errors"), (newline, "newline")):
            if given is not None:
                raise ValueError(f"Argument '{name}' not supported in binary mode")
    binary_mode = mode.replace("t", "")
    if isinstance(filename, (str, bytes, os.PathLike)):
        binary = GzipFile(filename, binary_mode, compresslevel)
    elif hasattr(filename, "read") or hasattr(filename, "write"):
        binary = GzipFile(None, binary_mode, compresslevel, filename)
    else:
        raise TypeError("filename must be a str or bytes object, or a file")
    if "t" not in mode:
        return binary
    text = io.TextReader if binary.mode == 1 else io.TextWriter
    return text(binary, encoding or "utf-8", errors or "strict", newline, mode)


def _head_end(data, at):
    """Where the packed bytes of a member begin."""
    if len(data) < at + 10:
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")
    if data[at:at + 2] != b"\x1f\x8b":
        raise BadGzipFile(f"Not a gzipped file ({data[at:at + 2]!r})")
    if data[at + 2] != 8:
        raise BadGzipFile("Unknown compression method")
    flags = data[at + 3]
    at += 10
    if flags & 4:
        at += 2 + int.from_bytes(data[at:at + 2], "little")
    for flag in (8, 16):
        if flags & flag:
            end = data.find(b"\x00", at)
            if end < 0:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            at = end + 1
    return at + (2 if flags & 2 else 0)


def decompress(data):
    """The bytes of all members."""
    data = zlib._bytes_of(data)
    made, at = [], 0
    while at < len(data):
        if at and data[at:at + 2] != b"\x1f\x8b":
            if not data[at:].strip(b"\x00"):
                break
            raise BadGzipFile(f"Not a gzipped file ({data[at:at + 2]!r})")
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        part = stream.decompress(data[_head_end(data, at):])
        if not stream.eof or len(stream.unused_data) < 8:
            raise EOFError("Compressed file ended before the end-of-stream marker was reached")
        sum_of_it, length = struct.unpack("<II", stream.unused_data[:8])
        if sum_of_it != zlib.crc32(part):
            raise BadGzipFile("CRC check failed" if not made else f"CRC check failed {hex(sum_of_it)} != "
                              f"{hex(zlib.crc32(part))}")
        if length != len(part) & 0xFFFFFFFF:
            raise BadGzipFile("Incorrect length of data produced")
        made.append(part)
        at = len(data) - len(stream.unused_data) + 8
    return b"".join(made)


def _packed(data, level, mtime, name=b""):
    seconds = int(time.time() if mtime is None else mtime)
    speed = 2 if level == 9 else 4 if level == 1 else 0
    head = b"\x1f\x8b\x08" + bytes([8 if name else 0]) + struct.pack("<L", seconds) + bytes([speed, 255])
    if name:
        head += name + b"\x00"
    body = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    body.compress(data)
    return head + body.flush() + struct.pack("<LL", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def compress(data, compresslevel=9, *, mtime=0):
    return _packed(zlib._bytes_of(data), compresslevel, mtime)


class GzipFile(io.BufferedIOBase):
    """A file whose bytes are packed as they are written, or unpacked as they are read. What it holds is in memory."""

    def __init__(self, filename=None, mode=None, compresslevel=9, fileobj=None, mtime=None):
        if mode and ("t" in mode or "U" in mode):
            raise ValueError(f"Invalid mode: {mode!r}")
        mode = mode or getattr(fileobj, "mode", "rb")
        if not isinstance(mode, str):
            mode = "rb"
        if mode and "b" not in mode:
            mode += "b"
        if not mode.startswith(("r", "w", "a", "x")):
            raise ValueError(f"Invalid mode: {mode!r}")
        self._own = None
        if fileobj is None:
            fileobj = self._own = builtins.open(filename, mode)
        if filename is None:
            filename = getattr(fileobj, "name", "")
            if not isinstance(filename, (str, bytes)):
                filename = ""
        self.name = os.fspath(filename)
        self.fileobj = fileobj
        self.mode = 1 if mode.startswith("r") else 2
        self._level, self._mtime = compresslevel, mtime
        self._buffer = None if self.mode == 1 else io.BytesIO()

    def _contents(self):
        if self.mode != 1:
            raise OSError(9, "read() on write-only GzipFile object")
        self._check_open()
        if self._buffer is None:
            self._buffer = io.BytesIO(decompress(self.fileobj.read()))
        return self._buffer

    def readable(self):
        return self.mode == 1

    def writable(self):
        return self.mode == 2

    def seekable(self):
        return True

    def read(self, size=-1):
        return self._contents().read(size)

    def read1(self, size=-1):
        return self._contents().read(size)

    def peek(self, n):
        contents = self._contents()
        at = contents.tell()
        shown = contents.read(n)
        contents.seek(at)
        return shown

    def readinto(self, buffer):
        return self._contents().readinto(buffer)

    def readline(self, size=-1):
        return self._contents().readline(size)

    def seek(self, offset, whence=io.SEEK_SET):
        if self.mode == 1:
            return self._contents().seek(offset, whence)
        at = offset if whence == io.SEEK_SET else self._buffer.tell() + offset
        if at < self._buffer.tell():
            raise OSError("Negative seek in write mode")
        self._buffer.write(bytes(at - self._buffer.tell()))
        return at

    def tell(self):
        return (self._contents() if self.mode == 1 else self._buffer).tell()

    def write(self, data):
        self._check_open()
        if self.mode != 2:
            raise OSError(9, "write() on read-only GzipFile object")
        return self._buffer.write(zlib._bytes_of(data))

    def flush(self, zlib_mode=zlib.Z_SYNC_FLUSH):
        self._check_open()

    def close(self):
        if self._closed:
            return
        if self.mode == 2:
            name = os.path.basename(self.name)
            name = name.encode("latin-1", "ignore") if isinstance(name, str) else name
            if name.endswith(b".gz"):
                name = name[:-3]
            self.fileobj.write(_packed(self._buffer.getvalue(), self._level, self._mtime, name))
        super().close()
        if self._own is not None:
            self._own.close()

    def __del__(self):
        self.close()

    def __repr__(self):
        return f"<gzip {self.name} {id(self):#x}>"
