"""Paths as objects."""

__all__ = ["PurePath", "PurePosixPath", "Path", "PosixPath", "UnsupportedOperation"]

import os


class UnsupportedOperation(OSError, NotImplementedError):
    """Raised for what there is not."""


class _Parents:
    """The folders above a path, the nearest first."""

    def __init__(self, path):
        self._path = path
        self._count = len(path._tail)

    def __len__(self):
        return self._count

    def __getitem__(self, at):
        if isinstance(at, slice):
            return tuple(self[one] for one in range(*at.indices(len(self))))
        if not -self._count <= at < self._count:
            raise IndexError(at)
        path = self._path
        tail = path._tail[:self._count - 1 - (at + self._count if at < 0 else at)]
        return path._from_parts(path.root, tail)

    def __repr__(self):
        return f"<{type(self._path).__name__}.parents>"


class PurePath:
    """A path that is only a text."""

    __slots__ = ("_root", "_tail", "_str")
    parser = os.path

    def __new__(cls, *args, **kwargs):
        return object.__new__(PurePosixPath if cls is PurePath else cls)

    def __init__(self, *args):
        texts = []
        for one in args:
            if isinstance(one, PurePath):
                texts.append(str(one))
                continue
            text = one if isinstance(one, str) else getattr(type(one), "__fspath__", lambda one: one)(one)
            if not isinstance(text, str):
                raise TypeError("argument should be a str or an os.PathLike object where __fspath__ returns a str, not "
                                f"{type(text).__name__!r}")
            texts.append(text)
        _, self._root, rest = os.path.splitroot(os.path.join(*texts) if texts else "")
        self._tail = [part for part in rest.split("/") if part and part != "."]

    def with_segments(self, *pathsegments):
        """A path of the same class."""
        return type(self)(*pathsegments)

    def _from_parts(self, root, tail):
        return self.with_segments(root + "/".join(tail))

    def __str__(self):
        return self._root + "/".join(self._tail) or "."

    def __fspath__(self):
        return str(self)

    def as_posix(self):
        """The text with /."""
        return str(self)

    def as_uri(self):
        """file:// and the path. Errors: ValueError for a relative one."""
        if not self._root:
            raise ValueError("relative path can't be expressed as a file URI")
        safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-~/"
        return "file://" + "".join(chr(one) if chr(one) in safe else f"%{one:02X}" for one in str(self).encode())

    def __bytes__(self):
        return str(self).encode()

    def __repr__(self):
        return f"{type(self).__name__}({str(self)!r})"

    def __hash__(self):
        return hash(str(self))

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, PurePath) else NotImplemented

    def _key(self):
        return str(self).split("/")

    def __lt__(self, other):
        return self._key() < other._key() if isinstance(other, PurePath) else NotImplemented

    def __le__(self, other):
        return self._key() <= other._key() if isinstance(other, PurePath) else NotImplemented

    def __gt__(self, other):
        return self._key() > other._key() if isinstance(other, PurePath) else NotImplemented

    def __ge__(self, other):
        return self._key() >= other._key() if isinstance(other, PurePath) else NotImplemented

    def __truediv__(self, key):
        try:
            return self.with_segments(self, key)
        except TypeError:
            return NotImplemented

    def __rtruediv__(self, key):
        try:
            return self.with_segments(key, self)
        except TypeError:
            return NotImplemented

    def __reduce__(self):
        return type(self), self.parts

    drive = property(lambda self: "", doc="Always empty: there are no drives.")
    root = property(lambda self: self._root, doc="/ or nothing.")
    anchor = property(lambda self: self._root, doc="/ or nothing.")

    @property
    def parts(self):
        """The root and the names."""
        return (self._root, *self._tail) if self._root else tuple(self._tail)

    @property
    def parent(self):
        """The folder above."""
        return self._from_parts(self._root, self._tail[:-1]) if self._tail else self

    @property
    def parents(self):
        """The folders above, the nearest first."""
        return _Parents(self)

    @property
    def name(self):
        """The last name."""
        return self._tail[-1] if self._tail else ""

    @property
    def suffix(self):
        """The extension of the last name, with its dot."""
        name = self.name.lstrip(".")
        at = name.rfind(".")
        return name[at:] if at >= 0 else ""

    @property
    def suffixes(self):
        """All its extensions."""
        return ["." + one for one in self.name.lstrip(".").split(".")[1:]]

    @property
    def stem(self):
        """The last name without its extension."""
        suffix = self.suffix
        return self.name[:-len(suffix)] if suffix else self.name

    def with_name(self, name):
        """The path with another last name. Errors: ValueError."""
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        if not name or "/" in name or name == ".":
            raise ValueError(f"Invalid name {name!r}")
        return self._from_parts(self._root, [*self._tail[:-1], name])

    def with_stem(self, stem):
        """The path with another last name and its extension."""
        if not stem and self.suffix:
            raise ValueError(f"{self!r} has a non-empty suffix")
        return self.with_name(stem + self.suffix)

    def with_suffix(self, suffix):
        """The path with another extension, or none. Errors: ValueError."""
        if not self.name:
            raise ValueError(f"{self!r} has an empty name")
        if suffix and not suffix.startswith(".") or "/" in suffix:
            raise ValueError(f"Invalid suffix {suffix!r}")
        return self.with_name(self.stem + suffix)

    def joinpath(self, *pathsegments):
        """The path with more behind it."""
        return self.with_segments(self, *pathsegments)

    def is_absolute(self):
        """Whether it begins at the root."""
        return bool(self._root)

    def is_relative_to(self, other):
        """Whether it lies at or below the other."""
        other = self.with_segments(other)
        return other == self or other in self.parents

    def relative_to(self, other, *, walk_up=False):
        """The path as seen from another. Errors: ValueError."""
        other = self.with_segments(other)
        for step, above in enumerate([other, *other.parents]):
            if self == above or above in self.parents:
                break
            if not walk_up:
                raise ValueError(f"{str(self)!r} is not in the subpath of {str(other)!r}")
            if above.name == "..":
                raise ValueError(f"'..' segment in {str(other)!r} cannot be walked")
        else:
            raise ValueError(f"{str(self)!r} and {str(other)!r} have different anchors")
        return self._from_parts("", [".."] * step + self._tail[len(above._tail):])

    def match(self, path_pattern, *, case_sensitive=None):
        """Whether the last names fit a pattern, the whole path if that begins at the root."""
        pattern = self.with_segments(path_pattern)
        wanted, names = list(pattern.parts), list(self.parts)
        if not wanted:
            raise ValueError("empty pattern")
        if pattern._root and len(wanted) != len(names) or len(wanted) > len(names):
            return False
        return all(_fits(name, one) for name, one in zip(reversed(names), reversed(wanted)))

    def full_match(self, pattern, *, case_sensitive=None):
        """Whether the whole path fits a pattern; ** stands for any number of names."""
        return _fits_all(list(self.parts), list(self.with_segments(pattern).parts))


def _fits(name, pattern):
    """Whether a name fits a pattern of *, ? and [characters]."""
    if not pattern:
        return not name
    first = pattern[0]
    if first == "*":
        return _fits(name, pattern[1:]) or bool(name) and _fits(name[1:], pattern)
    if not name:
        return False
    if first == "[":
        end = pattern.find("]", 3 if pattern[1:2] == "!" else 2)
        if end > 0:
            inside = pattern[1:end]
            is_not = inside.startswith("!")
            inside = inside[is_not:]
            found = False
            at = 0
            while at < len(inside):
                if inside[at + 1:at + 2] == "-" and at + 2 < len(inside):
                    found = found or inside[at] <= name[0] <= inside[at + 2]
                    at += 3
                else:
                    found = found or inside[at] == name[0]
                    at += 1
            return found != is_not and _fits(name[1:], pattern[end + 1:])
    return (first == "?" or first == name[0]) and _fits(name[1:], pattern[1:])


def _fits_all(names, patterns):
    if not patterns:
        return not names
    if patterns[0] == "**":
        return _fits_all(names, patterns[1:]) or bool(names) and _fits_all(names[1:], patterns)
    return bool(names) and _fits(names[0], patterns[0]) and _fits_all(names[1:], patterns[1:])


class PurePosixPath(PurePath):
    """A path with / that is only a text."""

    __slots__ = ()


class Path(PurePath):
    """A path of the file system."""

    __slots__ = ()

    def __new__(cls, *args, **kwargs):
        return object.__new__(PosixPath if cls is Path else cls)

    @classmethod
    def cwd(cls):
        """The working folder."""
        return cls(os.getcwd())

    @classmethod
    def home(cls):
        """The home folder. Errors: RuntimeError."""
        return cls("~").expanduser()

    def expanduser(self):
        """The path with ~ as the home folder. Errors: RuntimeError."""
        if self._root or not self._tail or not self._tail[0].startswith("~"):
            return self
        home = os.path.expanduser(self._tail[0])
        if home.startswith("~"):
            raise RuntimeError("Could not determine home directory.")
        return self.with_segments(home, *self._tail[1:])

    def absolute(self):
        """The path from the root on."""
        return self if self._root else self.with_segments(os.getcwd(), self)

    def resolve(self, strict=False):
        """The path from the root on, without .. in it. Errors: OSError with strict, if it is not there."""
        path = self.with_segments(os.path.realpath(str(self)))
        if strict:
            path.stat()
        return path

    def stat(self, *, follow_symlinks=True):
        """What the file system knows of it. Errors: OSError."""
        return os.stat(str(self))

    def exists(self, *, follow_symlinks=True):
        """Whether it is there."""
        return os.path.exists(str(self))

    def is_file(self, *, follow_symlinks=True):
        """Whether it is a file."""
        return os.path.isfile(str(self))

    def is_dir(self, *, follow_symlinks=True):
        """Whether it is a folder."""
        return os.path.isdir(str(self))

    def is_symlink(self):
        """Whether it is a link."""
        return os.path.islink(str(self))

    def samefile(self, other_path):
        """Whether both are the same file."""
        return os.path.samefile(str(self), str(other_path))

    def open(self, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
        """Opens the file."""
        return open(str(self), mode, buffering, encoding, errors, newline)

    def read_text(self, encoding=None, errors=None, newline=None):
        """The text of the file."""
        with self.open("r", -1, encoding, errors, newline) as file:
            return file.read()

    def read_bytes(self):
        """The bytes of the file."""
        with self.open("rb") as file:
            return file.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        """Writes the file. Errors: TypeError, OSError."""
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with self.open("w", -1, encoding, errors, newline) as file:
            return file.write(data)

    def write_bytes(self, data):
        """Writes the file."""
        with self.open("wb") as file:
            return file.write(data)

    def iterdir(self):
        """What is in the folder."""
        for name in os.listdir(str(self)):
            yield self.with_segments(self, name)

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        """Makes the folder. Errors: FileExistsError, FileNotFoundError."""
        try:
            os.mkdir(str(self), mode)
        except FileNotFoundError:
            if not parents or self.parent == self:
                raise
            self.parent.mkdir(parents=True, exist_ok=True)
            self.mkdir(mode, exist_ok=exist_ok)
        except OSError:
            if not exist_ok or not self.is_dir():
                raise

    def touch(self, mode=0o666, exist_ok=True):
        """Makes an empty file if there is none."""
        if self.exists():
            if not exist_ok:
                raise FileExistsError(17, "File exists", str(self))
            return
        self.write_bytes(b"")

    def unlink(self, missing_ok=False):
        """Removes the file. Errors: FileNotFoundError."""
        try:
            os.remove(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rmdir(self):
        """Removes the empty folder."""
        os.rmdir(str(self))

    def rename(self, target):
        """Moves it; gives the new path."""
        os.rename(str(self), str(target))
        return self.with_segments(target)

    replace = rename

    def walk(self, top_down=True, on_error=None, follow_symlinks=False):
        """(path, names of folders, names of files) of it and each folder below it."""
        folders, files = [], []
        try:
            for one in sorted(self.iterdir()):
                (folders if one.is_dir() else files).append(one.name)
        except OSError as error:
            if on_error is not None:
                on_error(error)
            return
        if top_down:
            yield self, folders, files
        for name in folders:
            yield from self.joinpath(name).walk(top_down, on_error, follow_symlinks)
        if not top_down:
            yield self, folders, files

    def glob(self, pattern, *, case_sensitive=None, recurse_symlinks=False):
        """What fits a pattern below it; ** stands for any number of folders. Errors: ValueError."""
        pattern = self.with_segments(pattern)
        if pattern._root:
            raise NotImplementedError("Non-relative patterns are unsupported")
        if not pattern._tail:
            raise ValueError(f"Unacceptable pattern: {str(pattern)!r}")
        seen = set()
        for found in self._glob(pattern._tail):
            if found not in seen:
                seen.add(found)
                yield found

    def rglob(self, pattern, *, case_sensitive=None, recurse_symlinks=False):
        """What fits a pattern in any folder below it."""
        return self.glob(self.with_segments("**", pattern))

    def _glob(self, patterns):
        if not patterns:
            yield self
            return
        first, *rest = patterns
        if first == "**":
            yield from self._glob(rest)
            for one in self._entries():
                if one.is_dir():
                    yield from one._glob(patterns)
                elif not rest:
                    yield one
        elif any(char in first for char in "*?["):
            for one in self._entries():
                if _fits(one.name, first):
                    yield from one._glob(rest)
        else:
            one = self.joinpath(first)
            if one.exists():
                yield from one._glob(rest)

    def _entries(self):
        try:
            return list(self.iterdir()) if self.is_dir() else []
        except OSError:
            return []

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass


class PosixPath(Path, PurePosixPath):
    """A path of the file system with /."""

    __slots__ = ()
