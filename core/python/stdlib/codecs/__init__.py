"""Texts and bytes. Behaviour: CPython Lib/codecs.py. The encodings are those of str.encode()."""
import builtins as _builtins

from _codecs import decode, encode

BOM_UTF8 = b"\xef\xbb\xbf"
BOM_LE = BOM_UTF16_LE = b"\xff\xfe"
BOM_BE = BOM_UTF16_BE = b"\xfe\xff"
BOM_UTF32_LE, BOM_UTF32_BE = b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"
BOM = BOM_UTF16 = BOM_UTF16_LE
BOM_UTF32 = BOM_UTF32_LE


class CodecInfo(tuple):
    """What encodes and decodes."""

    def __new__(cls, encode, decode, streamreader=None, streamwriter=None, incrementalencoder=None,
                incrementaldecoder=None, name=None, *, _is_text_encoding=None):
        made = super().__new__(cls, (encode, decode, streamreader, streamwriter))
        made.name, made.encode, made.decode = name, encode, decode
        made.streamreader, made.streamwriter = streamreader, streamwriter
        made.incrementalencoder, made.incrementaldecoder = incrementalencoder, incrementaldecoder
        return made

    def __repr__(self):
        return f"<codecs.CodecInfo object for encoding {self.name} at {id(self):#x}>"


_NAMES = {"utf8": "utf-8", "utf_8": "utf-8", "u8": "utf-8", "latin1": "iso8859-1", "latin_1": "iso8859-1",
          "latin": "iso8859-1", "iso_8859_1": "iso8859-1", "iso8859_1": "iso8859-1", "us_ascii": "ascii",
          "utf16": "utf-16", "utf32": "utf-32", "utf_16": "utf-16", "utf_32": "utf-32", "utf_8_sig": "utf-8-sig"}


class StreamReader:
    """Reads texts off a file of bytes."""

    encoding = "utf-8"

    def __init__(self, stream, errors="strict"):
        self.stream, self.errors = stream, errors
        self._text = None

    def _load(self):
        if self._text is None:
            import io
            self._text = io.StringIO(self.stream.read().decode(self.encoding, self.errors), newline="")
        return self._text

    def read(self, size=-1, chars=-1, firstline=False):
        return self._load().read(chars if chars >= 0 else size)

    def readline(self, size=None, keepends=True):
        line = self._load().readline()
        return line if keepends else line.splitlines()[0] if line else line

    def readlines(self, sizehint=None, keepends=True):
        return self._load().read().splitlines(keepends)

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if line:
            return line
        raise StopIteration

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.stream.close()

    def __getattr__(self, name):
        return getattr(self.stream, name)


class StreamWriter:
    """Writes texts into a file of bytes."""

    encoding = "utf-8"

    def __init__(self, stream, errors="strict"):
        self.stream, self.errors = stream, errors

    def write(self, object):
        self.stream.write(object.encode(self.encoding, self.errors))

    def writelines(self, list):
        self.write("".join(list))

    def reset(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.stream.close()

    def __getattr__(self, name):
        return getattr(self.stream, name)


class IncrementalEncoder:
    """Encodes piece by piece."""

    encoding = "utf-8"

    def __init__(self, errors="strict"):
        self.errors = errors

    def encode(self, input, final=False):
        return input.encode(self.encoding, self.errors)

    def reset(self):
        pass


class IncrementalDecoder:
    """Decodes piece by piece; what a piece breaks off comes with the next."""

    encoding = "utf-8"

    def __init__(self, errors="strict"):
        self.errors, self._rest = errors, b""

    def decode(self, input, final=False):
        data = self._rest + bytes(input)
        self._rest = b""
        for kept in range(0 if final else min(4, len(data) + 1)):
            try:
                text = data[:len(data) - kept].decode(self.encoding, "strict")
            except UnicodeDecodeError:
                continue
            self._rest = data[len(data) - kept:]
            return text
        return data.decode(self.encoding, self.errors)

    def reset(self):
        self._rest = b""


def lookup(encoding, /):
    shown = encoding.lower().replace(" ", "_").replace("-", "_")
    "".encode(encoding)
    name = _NAMES.get(shown, shown.replace("_", "-"))

    def encode_all(input, errors="strict"):
        return input.encode(encoding, errors), len(input)

    def decode_all(input, errors="strict"):
        return bytes(input).decode(encoding, errors), len(input)

    parts = {"encoding": encoding}
    made = [type(base.__name__, (base,), dict(parts))
            for base in (StreamReader, StreamWriter, IncrementalEncoder, IncrementalDecoder)]
    return CodecInfo(encode_all, decode_all, made[0], made[1], made[2], made[3], name)


def getencoder(encoding):
    return lookup(encoding).encode


def getdecoder(encoding):
    return lookup(encoding).decode


def getreader(encoding):
    return lookup(encoding).streamreader


def getwriter(encoding):
    return lookup(encoding).streamwriter


def getincrementalencoder(encoding):
    return lookup(encoding).incrementalencoder


def getincrementaldecoder(encoding):
    return lookup(encoding).incrementaldecoder


def open(filename, mode="r", encoding=None, errors="strict", buffering=-1):
    """A file of texts, whose line ends stay as they are."""
    if encoding is None:
        return _builtins.open(filename, mode, buffering)
    return _builtins.open(filename, mode.replace("b", ""), encoding=encoding, errors=errors, newline="")


def iterencode(iterator, encoding, errors="strict"):
    for text in iterator:
        if text:
            yield text.encode(encoding, errors)


def iterdecode(iterator, encoding, errors="strict"):
    decoder = getincrementaldecoder(encoding)(errors)
    for data in iterator:
        text = decoder.decode(data)
        if text:
            yield text
    text = decoder.decode(b"", True)
    if text:
        yield text


def register(search_function, /):
    raise NotImplementedError("codecs.register: nnscope's encodings are those that it has")


def escape_decode(data, errors="strict"):
    """The bytes that the escapes of a bytes literal mean, and how many were read."""
    given = data.encode() if isinstance(data, str) else bytes(data)
    text = given.decode("latin-1").replace("\n", "\\n").replace("'", "\\'")
    return eval(f"b'{text}'", {"__builtins__": {}}), len(given)
