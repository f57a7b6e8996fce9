"""Deflate: RFC 1950 and 1951. Behaviour: CPython Modules/zlibmodule.c.

Differs: what compressobj() packs comes out at its flush(), not before."""
import _zlib


class error(Exception):
    """The data is no such stream, or an option is none."""


error.__module__ = "zlib"
Z_BEST_COMPRESSION, Z_BEST_SPEED, Z_DEFAULT_COMPRESSION, Z_NO_COMPRESSION = 9, 1, -1, 0
Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED = 0, 1, 2, 3, 4
Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH, Z_BLOCK, Z_TREES = 0, 1, 2, 3, 4, 5, 6
DEFLATED, DEF_MEM_LEVEL, DEF_BUF_SIZE, MAX_WBITS = 8, 8, 16384, 15
ZLIB_VERSION = ZLIB_RUNTIME_VERSION = "1.2.13"


def _bytes_of(data):
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray):
        return bytes(data)
    if hasattr(data, "tobytes"):
        return data.tobytes()
    raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")


def crc32(data, value=0, /):
    return _zlib.crc32(_bytes_of(data), value)


def adler32(data, value=1, /):
    return _zlib.adler32(_bytes_of(data), value)


def _deflate(data, level, wbits, memlevel, strategy, zdict):
    try:
        return _zlib.deflate(data, level, wbits, memlevel, strategy, zdict)
    except ValueError as problem:
        raise error("Bad compression level" if not -1 <= level <= 9 else str(problem)) from None


def compress(data, /, level=-1, wbits=15):
    return _deflate(_bytes_of(data), level, wbits, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, None)


class _Decompress:
    """A stream that is unpacked piece by piece."""

    def __init__(self, wbits, zdict):
        try:
            self._inflater = _zlib.Inflater(wbits, _bytes_of(zdict))
        except ValueError as problem:
            raise ValueError(str(problem)) from None
        self.unused_data = self.unconsumed_tail = b""
        self.eof = False

    def decompress(self, data, /, max_length=0):
        if max_length < 0:
            raise ValueError("max_length must be non-negative")
        data = _bytes_of(data)
        if self.eof:
            self.unused_data += data
            return b""
        try:
            made, rest, self.eof = _zlib.unpack(self._inflater, data, max_length)
        except ValueError as problem:
            raise error(str(problem)) from None
        left = data[len(data) - rest:] if rest else b""
        if self.eof:
            self.unused_data, self.unconsumed_tail = left, b""
        else:
            self.unconsumed_tail = left
        return made

    def flush(self, length=16384, /):
        if length <= 0:
            raise ValueError("length must be greater than zero")
        return self.decompress(self.unconsumed_tail)

    def copy(self):
        raise NotImplementedError("zlib.Decompress.copy: nnscope does not copy streams")


_Decompress.__name__ = _Decompress.__qualname__ = "Decompress"
_Decompress.__module__ = "zlib"


class _Compress:
    """A stream that is packed, as a whole, when it is flushed."""

    def __init__(self, level, method, wbits, memlevel, strategy, zdict):
        if method != DEFLATED:
            raise ValueError("Invalid initialization option")
        self._settings = level, wbits, memlevel, strategy, zdict
        _deflate(b"", *self._settings)
        self._parts = []

    def compress(self, data, /):
        self._parts.append(_bytes_of(data))
        return b""

    def flush(self, mode=Z_FINISH, /):
        if mode == Z_NO_FLUSH:
            return b""
        if mode != Z_FINISH:
            raise NotImplementedError("zlib.Compress.flush: nnscope flushes streams at their end (Z_FINISH) only")
        if self._parts is None:
            raise error("Error -2 while finishing compression: inconsistent stream state")
        packed = _deflate(b"".join(self._parts), *self._settings)
        self._parts = None
        return packed

    def copy(self):
        made = _Compress(self._settings[0], DEFLATED, *self._settings[1:])
        made._parts = list(self._parts)
        return made


_Compress.__name__ = _Compress.__qualname__ = "Compress"
_Compress.__module__ = "zlib"


def decompress(data, /, wbits=15, bufsize=DEF_BUF_SIZE):
    stream = _Decompress(wbits, b"")
    try:
        made, rest, is_whole = _zlib.unpack(stream._inflater, _bytes_of(data), 0)
    except ValueError as problem:
        raise error(str(problem)) from None
    if not is_whole:
        raise error("Error -5 while decompressing data: incomplete or truncated stream")
    return made


def compressobj(level=-1, method=DEFLATED, wbits=15, memLevel=DEF_MEM_LEVEL, strategy=Z_DEFAULT_STRATEGY, zdict=None):
    return _Compress(level, method, wbits, memLevel, strategy, zdict)


def decompressobj(wbits=15, zdict=b""):
    return _Decompress(wbits, zdict)
