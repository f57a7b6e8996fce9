"""Archives of tar: POSIX 1003.1 (ustar and pax) and GNU's long names. Behaviour: CPython Lib/tarfile.py.

Plain or packed by gzip; what is packed by bzip2, LZMA or Zstandard is refused by its name (CompressionError)."""
import builtins as _builtins
import io
import os
import stat
import time

USTAR_FORMAT, GNU_FORMAT, PAX_FORMAT = 0, 1, 2
DEFAULT_FORMAT, ENCODING, BLOCKSIZE, RECORDSIZE = PAX_FORMAT, "utf-8", 512, 10240
REGTYPE, AREGTYPE, LNKTYPE, SYMTYPE, CHRTYPE, BLKTYPE, DIRTYPE, FIFOTYPE, CONTTYPE = (
    b"0", b"\0", b"1", b"2", b"3", b"4", b"5", b"6", b"7")
GNUTYPE_LONGNAME, GNUTYPE_LONGLINK, XHDTYPE, XGLTYPE = b"L", b"K", b"x", b"g"


class TarError(Exception):
    """What goes wrong with archives."""


class ExtractError(TarError):
    """An entry cannot be put where it belongs."""


class ReadError(TarError):
    """The file is no archive, or damaged."""


class CompressionError(TarError):
    """The archive is packed in a way that is not read here."""


class StreamError(TarError):
    """The file cannot seek."""


class HeaderError(TarError):
    """An entry's head cannot be read."""


class FilterError(TarError):
    """An entry is refused."""

    def __init__(self, tarinfo, text):
        self.tarinfo = tarinfo
        super().__init__(text)


class AbsolutePathError(FilterError):
    def __init__(self, tarinfo):
        super().__init__(tarinfo, f"member {tarinfo.name!r} has an absolute path")


class OutsideDestinationError(FilterError):
    def __init__(self, tarinfo, path):
        super().__init__(tarinfo, f"{tarinfo.name!r} would be extracted to {path!r}, which is outside the destination")


class SpecialFileError(FilterError):
    def __init__(self, tarinfo):
        super().__init__(tarinfo, f"{tarinfo.name!r} is a special file")


def fully_trusted_filter(member, dest_path):
    return member


def tar_filter(member, dest_path):
    """The entry, if it stays inside of the folder."""
    member.name = member.name.lstrip("/")
    root = os.path.realpath(dest_path)
    target = os.path.realpath(os.path.join(root, member.name))
    if os.path.commonpath([target, root]) != root:
        raise OutsideDestinationError(member, target)
    return member


def data_filter(member, dest_path):
    """The same, and it is a file or a folder."""
    member = tar_filter(member, dest_path)
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        raise SpecialFileError(member)
    return member


_FILTERS = {"fully_trusted": fully_trusted_filter, "tar": tar_filter, "data": data_filter}


class TarInfo:
    """What an archive says of one entry."""

    def __init__(self, name=""):
        self.name, self.mode, self.uid, self.gid, self.size, self.mtime = name, 0o644, 0, 0, 0, 0
        self.chksum, self.type, self.linkname, self.uname, self.gname = 0, REGTYPE, "", "", ""
        self.devmajor = self.devminor = self.offset = self.offset_data = 0
        self.pax_headers, self.tarfile, self.sparse = {}, None, None

    path = property(lambda self: self.name, lambda self, name: setattr(self, "name", name))
    linkpath = property(lambda self: self.linkname, lambda self, name: setattr(self, "linkname", name))

    def isfile(self):
        return self.type in (REGTYPE, AREGTYPE, CONTTYPE)

    isreg = isfile

    def isdir(self):
        return self.type == DIRTYPE

    def issym(self):
        return self.type == SYMTYPE

    def islnk(self):
        return self.type == LNKTYPE

    def ischr(self):
        return self.type == CHRTYPE

    def isblk(self):
        return self.type == BLKTYPE

    def isfifo(self):
        return self.type == FIFOTYPE

    def isdev(self):
        return self.type in (CHRTYPE, BLKTYPE, FIFOTYPE)

    def get_info(self):
        return {name: getattr(self, name) for name in (
            "name", "mode", "uid", "gid", "size", "mtime", "chksum", "type", "linkname", "uname", "gname", "devmajor",
            "devminor")}

    def replace(self, *, deep=True, **changes):
        import copy
        made = copy.deepcopy(self) if deep else copy.copy(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def tobuf(self, format=DEFAULT_FORMAT, encoding=ENCODING, errors="surrogateescape"):
        """The blocks of its head."""
        longer, pax = b"", {}
        name = self.name + "/" if self.isdir() and not self.name.endswith("/") else self.name
        for text, key, limit in ((name, "path", 100), (self.linkname, "linkpath", 100), (self.uname, "uname", 32),
                                 (self.gname, "gname", 32)):
            if len(text.encode(encoding)) > limit or not text.isascii():
                pax[key] = text
        if self.size >= 1 << 33:
            pax["size"] = str(self.size)
        if isinstance(self.mtime, float) and self.mtime != int(self.mtime):
            pax["mtime"] = str(self.mtime)
        if pax and format == USTAR_FORMAT:
            raise ValueError("name is too long")
        if pax and format == GNU_FORMAT:
            for key, kind in (("linkpath", GNUTYPE_LONGLINK), ("path", GNUTYPE_LONGNAME)):
                if key in pax:
                    text = pax[key].encode(encoding) + b"\0"
                    longer += _head("././@LongLink", 0, 0, 0, len(text), 0, kind, "", "", "", 0, 0, True) + _padded(text)
        elif pax:
            records = b""
            for key, value in pax.items():
                rest = b" " + key.encode() + b"=" + value.encode("utf-8") + b"\n"
                length = len(rest) + 1
                while length != len(rest) + len(str(length)):
                    length = len(rest) + len(str(length))
                records += str(length).encode() + rest
            longer = _head("././@PaxHeader", 0, 0, 0, len(records), 0, XHDTYPE, "", "", "", 0, 0, False) + _padded(records)
        return longer + _head(name, self.mode & 0o7777, self.uid, self.gid, self.size, int(self.mtime), self.type,
                              self.linkname, self.uname, self.gname, self.devmajor, self.devminor, format == GNU_FORMAT)

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r} at {id(self):#x}>"


def _padded(data):
    return data + bytes(-len(data) % BLOCKSIZE)


def _head(name, mode, uid, gid, size, mtime, kind, linkname, uname, gname, major, minor, is_gnu):
    def text(given, length):
        return given.encode("ascii", "replace")[:length].ljust(length, b"\0")

    def number(given, digits):
        if 0 <= given < 8 ** (digits - 1):
            return b"%0*o\0" % (digits - 1, given)
        return b"\x80" + given.to_bytes(digits - 1, "big", signed=False)

    block = (text(name, 100) + number(mode, 8) + number(uid, 8) + number(gid, 8) + number(size, 12) + number(mtime, 12) +
             b"        " + kind + text(linkname, 100) + (b"ustar  \0" if is_gnu else b"ustar\x0000") + text(uname, 32) +
             text(gname, 32) + number(major, 8) + number(minor, 8)).ljust(BLOCKSIZE, b"\0")
    return block[:148] + b"%06o\0 " % sum(block[:148], sum(block[156:], 256)) + block[156:]


def _number(field):
    if field[:1] in (b"\x80", b"\xff"):
        value = int.from_bytes(field[1:], "big")
        return value - (256 ** (len(field) - 1)) if field[:1] == b"\xff" else value
    text = field.split(b"\0")[0].strip().decode("ascii", "replace")
    try:
        return int(text or "0", 8)
    except ValueError:
        raise HeaderError("invalid header") from None


def _text(field):
    return field.split(b"\0")[0].decode("utf-8", "replace")


class TarFile:
    """An archive, entry by entry."""

    tarinfo = TarInfo
    dereference, ignore_zeros, errorlevel, format, encoding = False, False, 1, DEFAULT_FORMAT, ENCODING
    extraction_filter = None

    def __init__(self, name=None, mode="r", fileobj=None, format=None, tarinfo=None, dereference=None, ignore_zeros=None,
                 encoding=None, errors="surrogateescape", pax_headers=None, debug=None, errorlevel=None,
                 copybufsize=None, stream=False):
        if mode not in ("r", "a", "w", "x"):
            raise ValueError("mode must be 'r', 'a', 'w' or 'x'")
        self.mode, self.closed, self.members, self.pax_headers = mode, False, [], dict(pax_headers or {})
        self._is_own = fileobj is None
        if fileobj is None:
            fileobj = _builtins.open(name, {"r": "rb", "a": "r+b", "w": "wb", "x": "xb"}[mode])
        self.name, self.fileobj = os.path.abspath(name) if name else getattr(fileobj, "name", None), fileobj
        if format is not None:
            self.format = format
        if tarinfo is not None:
            self.tarinfo = tarinfo
        if encoding is not None:
            self.encoding = encoding
        self.offset, self._packing = 0, None
        if mode in ("r", "a"):
            try:
                self._data = fileobj.read()
                self._load()
            except BaseException:
                if self._is_own:
                    fileobj.close()
                raise
            if mode == "a":
                fileobj.seek(self.offset)

    @classmethod
    def open(cls, name=None, mode="r", fileobj=None, bufsize=RECORDSIZE, **kwargs):
        if not name and not fileobj:
            raise ValueError("nothing to open")
        base, _, packing = mode.replace("|", ":").partition(":")
        if packing in ("bz2", "xz", "zst"):
            raise CompressionError(f"{packing} module is not available")
        if packing not in ("", "*", "gz"):
            raise CompressionError(f"unknown compression type {packing!r}")
        import gzip
        if base in ("", "r"):
            file = fileobj or _builtins.open(name, "rb")
            head = file.read()
            if fileobj is None:
                file.close()
            is_packed = head[:2] == b"\x1f\x8b"
            for magic, shown in ((b"BZh", "bz2"), (b"\xfd7zXZ", "lzma"), (b"\x28\xb5\x2f\xfd", "zstd")):
                if head.startswith(magic) and packing in ("", "*"):
                    raise CompressionError(f"{shown} module is not available")
            if packing == "gz" and not is_packed:
                raise ReadError("not a gzip file")
            if is_packed and not (packing == "" and ":" in mode):
                try:
                    head = gzip.decompress(head)
                except (OSError, EOFError, gzip.zlib.error) as problem:
                    raise ReadError("unexpected end of data" if isinstance(problem, EOFError) else
                                    "not a gzip file") from None
            made = cls(name, "r", io.BytesIO(head), **kwargs)
            made._is_own = True
            return made
        if packing == "gz":
            level = kwargs.pop("compresslevel", 9)
            file = gzip.GzipFile(name, base + "b", level, fileobj)
            made = cls(name, "w", file, **kwargs)
            made._packing = file
            return made
        return cls(name, base, fileobj, **kwargs)

    taropen = classmethod(lambda cls, name, mode="r", fileobj=None, **kwargs: cls(name, mode, fileobj, **kwargs))
    gzopen = classmethod(lambda cls, name, mode="r", fileobj=None, compresslevel=9, **kwargs: cls.open(
        name, mode + ":gz", fileobj, **kwargs))

    def _load(self):
        data, at, coming, global_headers = self._data, 0, {}, {}
        while at + BLOCKSIZE <= len(data):
            block = data[at:at + BLOCKSIZE]
            if not block.strip(b"\0"):
                break
            start = at
            try:
                stated = _number(block[148:156])
                if stated != sum(block[:148], sum(block[156:], 256)):
                    raise HeaderError("bad checksum")
                size = _number(block[124:136])
            except HeaderError as problem:
                if at == 0:
                    raise ReadError(f"file could not be opened successfully:\n- method tar: {problem}") from None
                break
            kind = block[156:157]
            at += BLOCKSIZE
            if kind in (XHDTYPE, XGLTYPE, GNUTYPE_LONGNAME, GNUTYPE_LONGLINK):
                contents = data[at:at + size]
                at += size + -size % BLOCKSIZE
                if kind == GNUTYPE_LONGNAME:
                    coming["path"] = _text(contents)
                elif kind == GNUTYPE_LONGLINK:
                    coming["linkpath"] = _text(contents)
                else:
                    (global_headers if kind == XGLTYPE else coming).update(_pax_records(contents))
                continue
            made = self.tarinfo(_text(block[:100]))
            made.offset, made.offset_data, made.tarfile = start, at, self
            made.mode, made.uid, made.gid = _number(block[100:108]), _number(block[108:116]), _number(block[116:124])
            made.size, made.mtime, made.chksum, made.type = size, _number(block[136:148]), stated, kind
            made.linkname, made.uname, made.gname = _text(block[157:257]), _text(block[265:297]), _text(block[297:329])
            prefix = _text(block[345:500])
            if prefix and block[257:263] == b"ustar\0":
                made.name = f"{prefix}/{made.name}"
            headers = {**global_headers, **coming}
            made.pax_headers, coming = headers, {}
            made.name, made.linkname = headers.get("path", made.name), headers.get("linkpath", made.linkname)
            made.uname, made.gname = headers.get("uname", made.uname), headers.get("gname", made.gname)
            made.size = int(headers.get("size", made.size))
            if "mtime" in headers:
                made.mtime = float(headers["mtime"])
            if kind == AREGTYPE and made.name.endswith("/"):
                made.type = DIRTYPE
            made.name = made.name.rstrip("/") if made.isdir() else made.name
            if made.isfile():
                at += made.size + -made.size % BLOCKSIZE
            self.members.append(made)
        else:
            if not data and self.mode == "r":
                raise ReadError("empty file")
            if at == 0 and data:
                raise ReadError("file could not be opened successfully:\n- method tar: truncated header")
        self.offset = at

    def _check(self, modes=None):
        if self.closed:
            raise OSError(f"{type(self).__name__} is closed")
        if modes is not None and self.mode not in modes:
            raise OSError(f"bad operation for mode {self.mode!r}")

    def getmembers(self):
        self._check()
        return self.members

    def getnames(self):
        return [one.name for one in self.getmembers()]

    def getmember(self, name):
        for one in reversed(self.getmembers()):
            if one.name == name.rstrip("/"):
                return one
        raise KeyError(f"filename {name!r} not found")

    def next(self):
        self._check("ra")
        at = getattr(self, "_walked", 0)
        self._walked = at + 1
        return self.members[at] if at < len(self.members) else None

    def __iter__(self):
        self._check()
        return iter(list(self.members))

    def list(self, verbose=True, *, members=None):
        for one in self if members is None else members:
            if verbose:
                moment = "%d-%02d-%02d %02d:%02d:%02d" % time.localtime(one.mtime)[:6]
                kind = 0o40000 if one.isdir() else 0o100000
                print(f"{stat.filemode(kind | one.mode)} {one.uname or one.uid}/{one.gname or one.gid} {one.size:10d} "
                      f"{moment}", end=" ")
            print(one.name + ("/" if one.isdir() else ""))

    def extractfile(self, member):
        self._check("r")
        one = self.getmember(member) if isinstance(member, str) else member
        if one.islnk() or one.issym():
            target = one.linkname if one.islnk() else os.path.normpath(os.path.join(os.path.dirname(one.name),
                                                                                   one.linkname))
            return self.extractfile(target)
        if not one.isfile():
            return None
        contents = self._data[one.offset_data:one.offset_data + one.size]
        if len(contents) < one.size:
            raise ReadError("unexpected end of data")
        file = io.BytesIO(contents)
        file.name, file.mode = one.name, "r"
        return file

    def _filter_of(self, given):
        if given is None:
            given = self.extraction_filter or data_filter
        if isinstance(given, str):
            if given not in _FILTERS:
                raise ValueError(f"filter {given!r} not found")
            return _FILTERS[given]
        return given

    def extract(self, member, path="", set_attrs=True, *, numeric_owner=False, filter=None):
        self._check("r")
        one = self.getmember(member) if isinstance(member, str) else member
        one = self._filter_of(filter)(one.replace(deep=False), path or ".")
        if one is None:
            return
        target = os.path.join(os.fspath(path), one.name) if path else one.name
        if one.isdir():
            os.makedirs(target, exist_ok=True)
            return
        folder = os.path.dirname(target)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if one.isdev():
            raise ExtractError(f"special devices not supported: nnscope makes no {one.name!r}")
        # A link becomes a copy of what it leads to: nnscope makes no links.
        source = self.extractfile(one)
        with _builtins.open(target, "wb") as file:
            file.write(source.read())

    def extractall(self, path=".", members=None, *, numeric_owner=False, filter=None):
        for one in self if members is None else members:
            self.extract(one, path, filter=filter)

    def gettarinfo(self, name=None, arcname=None, fileobj=None):
        self._check("awx")
        name = fileobj.name if fileobj is not None else name
        made = self.tarinfo((arcname or name).replace(os.sep, "/").lstrip("/"))
        facts = os.stat(name)
        is_folder = os.path.isdir(name)
        made.type, made.mode = (DIRTYPE, 0o755) if is_folder else (REGTYPE, 0o644)
        made.size, made.mtime = 0 if is_folder else facts.st_size, facts.st_mtime
        return made

    def add(self, name, arcname=None, recursive=True, *, filter=None):
        self._check("awx")
        name = os.fspath(name)
        made = self.gettarinfo(name, arcname)
        if filter is not None:
            made = filter(made)
            if made is None:
                return
        if made.isdir():
            self.addfile(made)
            if recursive:
                for one in sorted(os.listdir(name)):
                    self.add(os.path.join(name, one), os.path.join(arcname or name, one), recursive, filter=filter)
            return
        with _builtins.open(name, "rb") as file:
            self.addfile(made, file)

    def addfile(self, tarinfo, fileobj=None):
        self._check("awx")
        if fileobj is None and tarinfo.isreg() and tarinfo.size != 0:
            raise ValueError("fileobj not provided for non zero-size regular file")
        head = tarinfo.tobuf(self.format, self.encoding)
        self.fileobj.write(head)
        self.offset += len(head)
        if fileobj is not None:
            contents = fileobj.read(tarinfo.size)
            if len(contents) < tarinfo.size:
                raise OSError("unexpected end of data")
            self.fileobj.write(_padded(contents))
            self.offset += len(_padded(contents))
        self.members.append(tarinfo)

    def close(self):
        if self.closed:
            return
        self.closed = True
        if self.mode in ("a", "w", "x"):
            end = bytes(2 * BLOCKSIZE)
            self.fileobj.write(end + bytes(-(self.offset + len(end)) % RECORDSIZE))
        if self._packing is not None:
            self._packing.close()
        elif self._is_own:
            self.fileobj.close()

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.close()
        else:
            if self._is_own:
                self.fileobj.close()
            self.closed = True


def _pax_records(data):
    found, at = {}, 0
    while at < len(data):
        space = data.find(b" ", at)
        if space < 0 or not data[at:space].isdigit():
            break
        length = int(data[at:space])
        if length == 0 or at + length > len(data):
            raise ReadError("invalid header")
        key, _, value = data[space + 1:at + length - 1].partition(b"=")
        found[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        at += length
    return found


def is_tarfile(name):
    """Whether a file (its path, or itself) is an archive."""
    try:
        if hasattr(name, "read"):
            before = name.tell()
            open(fileobj=name).close()
            name.seek(before)
        else:
            open(name).close()
        return True
    except TarError:
        return False


open = TarFile.open
