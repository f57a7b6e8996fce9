"""ZIP archives: APPNOTE.TXT of PKWARE. Behaviour: CPython Lib/zipfile.

Entries are stored or deflated; others (bzip2, LZMA, what is encrypted) are refused by their names."""
import io
import os
import stat
import struct
import time
import zlib

ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA, ZIP_ZSTANDARD = 0, 8, 12, 14, 93
ZIP64_LIMIT, ZIP_FILECOUNT_LIMIT, ZIP_MAX_COMMENT = (1 << 31) - 1, (1 << 16) - 1, (1 << 16) - 1
_END, _CENTRAL, _LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"
_METHODS = {0: "store", 8: "deflate", 12: "bzip2", 14: "lzma", 93: "zstd"}


class BadZipFile(Exception):
    """The file is no archive, or damaged."""


class LargeZipFile(Exception):
    """The archive would need its larger form, which is not allowed."""


error = BadZipfile = BadZipFile


def _end_record(file):
    """(place of the list of entries, its size, how many there are, comment, how far all places are off)."""
    size = file.seek(0, io.SEEK_END)
    from_here = max(0, size - 22 - ZIP_MAX_COMMENT)
    file.seek(from_here)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < 22:
        return None
    _, _, _, _, count, length, offset, comment_size = struct.unpack("<4s4H2LH", tail[at:at + 22])
    comment = tail[at + 22:at + 22 + comment_size]
    place = from_here + at
    # The larger form may stand there although its numbers would fit the small one, as in PyTorch's archives.
    file.seek(max(0, place - 20))
    locator = file.read(20)
    if place >= 76 and locator[:4] == b"PK\x06\x07":
        file.seek(place - 76)
        large = file.read(56)
        if large[:4] == b"PK\x06\x06":
            count, length, offset = struct.unpack("<QQQ", large[32:56])
            place -= 76
    return offset, length, count, comment, place - length - offset


def is_zipfile(filename):
    """Whether a file (its path, or itself) is an archive."""
    try:
        if hasattr(filename, "read"):
            before = filename.tell()
            found = _end_record(filename)
            filename.seek(before)
            return found is not None
        with open(filename, "rb") as file:
            return _end_record(file) is not None
    except (OSError, BadZipFile):
        return False


class ZipInfo:
    """What an archive says of one entry."""

    def __init__(self, filename="NoName", date_time=(1980, 1, 1, 0, 0, 0)):
        end = filename.find("\x00")
        self.orig_filename = filename
        self.filename = filename[:end] if end >= 0 else filename
        if date_time[0] < 1980:
            raise ValueError("ZIP does not support timestamps before 1980")
        self.date_time = date_time
        self.compress_type, self.compress_level, self.comment, self.extra = ZIP_STORED, None, b"", b""
        self.create_system, self.create_version, self.extract_version, self.reserved = 3, 20, 20, 0
        self.flag_bits = self.volume = self.internal_attr = self.external_attr = 0
        self.header_offset = self.CRC = self.compress_size = self.file_size = 0

    @classmethod
    def from_file(cls, filename, arcname=None, *, strict_timestamps=True):
        filename = os.fspath(filename)
        is_folder = os.path.isdir(filename)
        moment = time.localtime(os.path.getmtime(filename))[:6]
        arcname = os.path.normpath(filename if arcname is None else arcname).lstrip("/")
        made = cls(arcname + "/" if is_folder else arcname, moment if moment[0] >= 1980 else (1980, 1, 1, 0, 0, 0))
        made.external_attr = (0o40775 << 16 | 0x10) if is_folder else 0o100644 << 16
        made.file_size = 0 if is_folder else os.path.getsize(filename)
        return made

    def is_dir(self):
        return self.filename.endswith("/")

    def _moment(self):
        year, month, day, hour, minute, second = self.date_time
        return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day

    def _large_extra(self, with_offset):
        values = [size for size in (self.file_size, self.compress_size) if size > ZIP64_LIMIT]
        if with_offset and self.header_offset > ZIP64_LIMIT:
            values.append(self.header_offset)
        return struct.pack(f"<HH{len(values)}Q", 1, 8 * len(values), *values) if values else b""

    def _name_and_flags(self):
        if self.filename.isascii():
            return self.filename.encode("ascii"), self.flag_bits
        return self.filename.encode(), self.flag_bits | 0x800

    def FileHeader(self, zip64=None):
        name, flags = self._name_and_flags()
        moment, day = self._moment()
        extra = self._large_extra(False)
        sizes = [0xFFFFFFFF if size > ZIP64_LIMIT else size for size in (self.compress_size, self.file_size)]
        return struct.pack("<4s5H3L2H", _LOCAL, 45 if extra else self.extract_version, flags, self.compress_type, moment,
                           day, self.CRC, *sizes, len(name), len(extra) + len(self.extra)) + name + extra + self.extra

    def _central(self):
        name, flags = self._name_and_flags()
        moment, day = self._moment()
        extra = self._large_extra(True) + self.extra
        sizes = [0xFFFFFFFF if size > ZIP64_LIMIT else size for size in (self.compress_size, self.file_size)]
        offset = 0xFFFFFFFF if self.header_offset > ZIP64_LIMIT else self.header_offset
        return struct.pack("<4s4B4H3L5H2L", _CENTRAL, self.create_version, self.create_system, self.extract_version,
                           self.reserved, flags, self.compress_type, moment, day, self.CRC, *sizes, len(name), len(extra),
                           len(self.comment), 0, self.internal_attr, self.external_attr, offset) + name + extra + \
            self.comment

    def __repr__(self):
        parts = [f"<{type(self).__name__} filename={self.filename!r}"]
        if self.compress_type != ZIP_STORED:
            shown = _METHODS.get(self.compress_type, self.compress_type)
            parts.append(f" compress_type={shown}")
        high, low = self.external_attr >> 16, self.external_attr & 0xFFFF
        if high:
            parts.append(f" filemode={stat.filemode(high)!r}")
        if low:
            parts.append(f" external_attr={low:#x}")
        is_dir = self.is_dir()
        if not is_dir or self.file_size:
            parts.append(f" file_size={self.file_size!r}")
        if (not is_dir or self.compress_size) and (self.compress_type != ZIP_STORED or
                                                   self.file_size != self.compress_size):
            parts.append(f" compress_size={self.compress_size!r}")
        return "".join(parts) + ">"


class ZipExtFile(io.BytesIO):
    """The contents of an entry."""

    def __init__(self, data, name, mode="r"):
        super().__init__(data)
        self.name, self.mode, self.newlines = name, mode, None

    def writable(self):
        return False

    def peek(self, n=1):
        at = self.tell()
        shown = self.read(n)
        self.seek(at)
        return shown


class _NewEntry(io.BytesIO):
    """An entry that is being written."""

    def __init__(self, archive, info):
        super().__init__()
        self._archive, self._info = archive, info

    def close(self):
        if not self.closed:
            self._archive._put(self._info, self.getvalue())
            super().close()


def _unpack(info, packed, name):
    if info.flag_bits & 1:
        raise NotImplementedError(f"zipfile: {name!r} is encrypted, which nnscope does not read")
    if info.compress_type == ZIP_STORED:
        data = packed
    elif info.compress_type == ZIP_DEFLATED:
        try:
            data = zlib.decompress(packed, -zlib.MAX_WBITS)
        except zlib.error as problem:
            raise zlib.error(str(problem)) from None
    else:
        raise NotImplementedError("That compression method is not supported" if info.compress_type not in _METHODS else
                                  f"zipfile: nnscope does not read entries of {_METHODS[info.compress_type]}")
    if zlib.crc32(data) != info.CRC:
        raise BadZipFile(f"Bad CRC-32 for file {name!r}")
    return data


class ZipFile:
    """An archive that is read, written or added to. `file`: a path, or a file of bytes that can seek."""

    fp = None

    def __init__(self, file, mode="r", compression=ZIP_STORED, allowZip64=True, compresslevel=None, *,
                 strict_timestamps=True, metadata_encoding=None):
        if mode not in ("r", "w", "x", "a"):
            raise ValueError("ZipFile requires mode 'r', 'w', 'x', or 'a'")
        self._check_compression(compression)
        self.mode, self.compression, self.compresslevel = mode, compression, compresslevel
        self.filelist, self.NameToInfo, self.debug, self.pwd, self._comment = [], {}, 0, None, b""
        self._did_modify = mode in ("w", "x")
        self._encoding = metadata_encoding or "cp437"
        if hasattr(file, "read") or hasattr(file, "write"):
            self._is_own, self.fp, self.filename = False, file, getattr(file, "name", None)
        else:
            self.filename, self._is_own = os.fspath(file), True
            if mode == "a" and not os.path.exists(self.filename):
                self.mode = mode = "w"
            self.fp = open(self.filename, {"r": "rb", "w": "w+b", "x": "x+b", "a": "r+b"}[mode])
        try:
            if mode in ("r", "a"):
                self._read_list()
            self._end = self.fp.tell() if mode in ("w", "x") else self.start_dir
        except BaseException:
            self._close_file()
            raise

    @staticmethod
    def _check_compression(method):
        if method not in _METHODS:
            raise NotImplementedError("That compression method is not supported")
        if method not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError(f"zipfile: nnscope does not write entries of {_METHODS[method]}")

    def _read_list(self):
        try:
            found = _end_record(self.fp)
        except OSError:
            raise BadZipFile("File is not a zip file") from None
        if found is None:
            if self.mode == "a" and self.fp.seek(0, io.SEEK_END) == 0:
                self.start_dir = 0
                return
            raise BadZipFile("File is not a zip file")
        offset, length, _, self._comment, off = found
        self.start_dir = offset + off
        if self.start_dir < 0 or off < 0:
            raise BadZipFile("Bad offset for central directory")
        self.fp.seek(self.start_dir)
        data, at = self.fp.read(length), 0
        while at < length:
            if len(data) - at < 46:
                raise BadZipFile("Truncated central directory")
            fields = struct.unpack("<4s4B4HL2L5H2L", data[at:at + 46])
            if fields[0] != _CENTRAL:
                raise BadZipFile("Bad magic number for central directory")
            name_size, extra_size, comment_size = fields[12:15]
            at += 46
            flags = fields[5]
            raw = data[at:at + name_size]
            name = raw.decode() if flags & 0x800 or raw.isascii() else raw.decode("latin-1")
            info = ZipInfo(name)
            info.extra = data[at + name_size:at + name_size + extra_size]
            info.comment = data[at + name_size + extra_size:at + name_size + extra_size + comment_size]
            at += name_size + extra_size + comment_size
            (info.create_version, info.create_system, info.extract_version, info.reserved, info.flag_bits,
             info.compress_type, moment, day, info.CRC, info.compress_size, info.file_size) = fields[1:12]
            info.volume, info.internal_attr, info.external_attr, info.header_offset = fields[15:19]
            info.date_time = ((day >> 9) + 1980, day >> 5 & 0xF, day & 0x1F, moment >> 11, moment >> 5 & 0x3F,
                              (moment & 0x1F) * 2)
            self._read_large(info)
            info.header_offset += off
            self.filelist.append(info)
            self.NameToInfo[info.filename] = info

    @staticmethod
    def _read_large(info):
        at = 0
        while at + 4 <= len(info.extra):
            kind, size = struct.unpack("<HH", info.extra[at:at + 4])
            if kind == 1:
                values = list(struct.unpack(f"<{size // 8}Q", info.extra[at + 4:at + 4 + size // 8 * 8]))
                for field in ("file_size", "compress_size", "header_offset"):
                    if getattr(info, field) == 0xFFFFFFFF:
                        if not values:
                            raise BadZipFile(f"Corrupt zip64 extra field. {field.replace('_', ' ').capitalize()} "
                                             "not found.")
                        setattr(info, field, values.pop(0))
            at += 4 + size

    def _check_open(self):
        if self.fp is None:
            raise ValueError("Attempt to use ZIP archive that was already closed")

    def namelist(self):
        return [info.filename for info in self.filelist]

    def infolist(self):
        return self.filelist

    def printdir(self, file=None):
        print("%-46s %19s %12s" % ("File Name", "Modified    ", "Size"), file=file)
        for info in self.filelist:
            moment = "%d-%02d-%02d %02d:%02d:%02d" % info.date_time[:6]
            print("%-46s %s %12d" % (info.filename, moment, info.file_size), file=file)

    def getinfo(self, name):
        info = self.NameToInfo.get(name)
        if info is None:
            raise KeyError(f"There is no item named {name!r} in the archive")
        return info

    @property
    def comment(self):
        return self._comment

    @comment.setter
    def comment(self, comment):
        if not isinstance(comment, bytes):
            raise TypeError(f"comment: expected bytes, got {type(comment)}")
        self._comment, self._did_modify = comment[:ZIP_MAX_COMMENT], True

    def setpassword(self, pwd):
        self.pwd = pwd

    def read(self, name, pwd=None):
        with self.open(name, "r", pwd) as file:
            return file.read()

    def open(self, name, mode="r", pwd=None, *, force_zip64=False):
        if mode not in ("r", "w"):
            raise ValueError('open() requires mode "r" or "w"')
        if mode == "w":
            self._check_writable("write()")
            info = name if isinstance(name, ZipInfo) else ZipInfo(name, time.localtime()[:6])
            if not isinstance(name, ZipInfo):
                info.compress_type, info.compress_level = self.compression, self.compresslevel
                info.external_attr = 0o600 << 16
            return _NewEntry(self, info)
        if self.fp is None:
            raise ValueError("Attempt to use ZIP archive that was already closed")
        info = name if isinstance(name, ZipInfo) else self.getinfo(name)
        self.fp.seek(info.header_offset)
        head = self.fp.read(30)
        if len(head) < 30:
            raise BadZipFile("Truncated file header")
        if head[:4] != _LOCAL:
            raise BadZipFile("Bad magic number for file header")
        name_size, extra_size = struct.unpack("<HH", head[26:30])
        self.fp.seek(name_size + extra_size, io.SEEK_CUR)
        packed = self.fp.read(info.compress_size)
        if len(packed) < info.compress_size:
            raise EOFError
        return ZipExtFile(_unpack(info, packed, info.filename), info.filename)

    def testzip(self):
        for info in self.filelist:
            try:
                self.read(info)
            except BadZipFile:
                return info.filename
        return None

    def extract(self, member, path=None, pwd=None):
        info = member if isinstance(member, ZipInfo) else self.getinfo(member)
        # Nothing goes outside of the folder.
        parts = [part for part in info.filename.replace(os.path.altsep or "/", "/").split("/")
                 if part not in ("", ".", "..")]
        target = os.path.normpath(os.path.join(os.getcwd() if path is None else os.fspath(path), *parts))
        if info.is_dir():
            os.makedirs(target, exist_ok=True)
            return target
        folder = os.path.dirname(target)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(target, "wb") as file:
            file.write(self.read(info))
        return target

    def extractall(self, path=None, members=None, pwd=None):
        for member in self.namelist() if members is None else members:
            self.extract(member, path, pwd)

    def _check_writable(self, what):
        if self.fp is None:
            raise ValueError("Attempt to write to ZIP archive that was already closed")
        if self.mode not in ("w", "x", "a"):
            raise ValueError(f"{what} requires mode 'w', 'x', or 'a'")

    def _put(self, info, data):
        if info.filename in self.NameToInfo:
            import warnings
            warnings.warn(f"Duplicate name: {info.filename!r}", stacklevel=3)
        self._check_compression(info.compress_type)
        packed = data
        if info.compress_type == ZIP_DEFLATED:
            packing = zlib.compressobj(-1 if info.compress_level is None else info.compress_level, zlib.DEFLATED, -15)
            packing.compress(data)
            packed = packing.flush()
        info.CRC, info.file_size, info.compress_size = zlib.crc32(data), len(data), len(packed)
        info.header_offset = self._end
        self.fp.seek(self._end)
        self.fp.write(info.FileHeader() + packed)
        self._end = self.fp.tell()
        self._did_modify = True
        self.filelist.append(info)
        self.NameToInfo[info.filename] = info

    def write(self, filename, arcname=None, compress_type=None, compresslevel=None):
        self._check_writable("write()")
        info = ZipInfo.from_file(filename, arcname)
        if info.is_dir():
            self._put(info, b"")
            return
        info.compress_type = self.compression if compress_type is None else compress_type
        info.compress_level = self.compresslevel if compresslevel is None else compresslevel
        with open(filename, "rb") as file:
            self._put(info, file.read())

    def writestr(self, zinfo_or_arcname, data, compress_type=None, compresslevel=None):
        self._check_writable("write()")
        if isinstance(data, str):
            data = data.encode("utf-8")
        if isinstance(zinfo_or_arcname, ZipInfo):
            info = zinfo_or_arcname
        else:
            info = ZipInfo(zinfo_or_arcname, time.localtime()[:6])
            info.compress_type, info.compress_level = self.compression, self.compresslevel
            info.external_attr = (0o40775 << 16 | 0x10) if info.is_dir() else 0o600 << 16
        if compress_type is not None:
            info.compress_type = compress_type
        if compresslevel is not None:
            info.compress_level = compresslevel
        self._put(info, bytes(data))

    def mkdir(self, zinfo_or_directory_name, mode=511):
        self._check_writable("mkdir()")
        info = zinfo_or_directory_name
        if not isinstance(info, ZipInfo):
            name = info if info.endswith("/") else info + "/"
            info = ZipInfo(name)
            info.external_attr = (0o40000 | mode) << 16 | 0x10
        self._put(info, b"")

    def close(self):
        if self.fp is None:
            return
        try:
            if self.mode in ("w", "x", "a") and self._did_modify:
                self.fp.seek(self._end)
                listed = b"".join(info._central() for info in self.filelist)
                end = self._end_of(len(self.filelist), len(listed))
                self.fp.write(listed + end)
                if self.mode == "a":
                    self.fp.truncate()
                self.fp.flush()
        finally:
            self._close_file()

    def _end_of(self, count, length):
        large = b""
        if count > ZIP_FILECOUNT_LIMIT or self._end > ZIP64_LIMIT or length > ZIP64_LIMIT:
            large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, self._end)
            large += struct.pack("<4sLQL", b"PK\x06\x07", 0, self._end + length, 1)
        shown = min(count, 0xFFFF)
        return large + struct.pack("<4s4H2LH", _END, 0, 0, shown, shown, min(length, 0xFFFFFFFF),
                                   min(self._end, 0xFFFFFFFF), len(self._comment)) + self._comment

    def _close_file(self):
        file, self.fp = self.fp, None
        if self._is_own and file is not None:
            file.close()

    def __enter__(self):
        return self

    def __exit__(self, *given):
        self.close()

    def __del__(self):
        self.close()

    def __repr__(self):
        name = f"<{type(self).__module__}.{type(self).__qualname__}"
        if self.fp is None:
            return name + " [closed]>"
        return f"{name} filename={self.filename!r} mode={self.mode!r}>"
