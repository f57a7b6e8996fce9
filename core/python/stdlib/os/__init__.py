"""The system as far as programs see it: files below their folder, no environment, no processes.

What changes files is allowed below the folders that were given with --allow-write.
"""
import sys

import _files
import stat as _stat
from os import path

name = "posix"
sep, altsep, extsep, pathsep, linesep = "/", None, ".", ":", "\n"
curdir, pardir, devnull, defpath = ".", "..", "/dev/null", "/bin:/usr/bin"
F_OK, X_OK, W_OK, R_OK = 0, 1, 2, 4
error = OSError


class _Environment(dict):
    """Programs see no variables of the person who runs them; what they set, they find again."""

    def copy(self):
        return dict(self)

    def __repr__(self):
        return f"environ({super().__repr__()})"

    def __setitem__(self, key, value):
        for given in (key, value):
            if not isinstance(given, str):
                raise TypeError(f"str expected, not {type(given).__name__}")
        super().__setitem__(key, value)

    def setdefault(self, key, value):
        if key not in self:
            self[key] = value
        return self[key]


environ = _Environment()


def getenv(key, default=None):
    """What the environment has under a name."""
    return environ.get(key, default)


def putenv(name, value, /):
    """Sets a name of the environment."""
    environ[name] = value


def unsetenv(name, /):
    """Removes a name of the environment."""
    environ.pop(name, None)


class PathLike:
    """Anything with __fspath__."""

    @classmethod
    def __subclasshook__(cls, other):
        return hasattr(other, "__fspath__") if cls is PathLike else NotImplemented

    def __class_getitem__(cls, item):
        from _generics import GenericAlias
        return GenericAlias(cls, item)


def fspath(path):
    """The text of a path."""
    if isinstance(path, (str, bytes)):
        return path
    method = getattr(type(path), "__fspath__", None)
    if method is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    given = method(path)
    if not isinstance(given, (str, bytes)):
        raise TypeError(f"expected {type(path).__name__}.__fspath__() to return str or bytes, not {type(given).__name__}")
    return given


def fsdecode(filename):
    """The path as str."""
    given = fspath(filename)
    return given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given


def fsencode(filename):
    """The path as bytes."""
    given = fspath(filename)
    return given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given


_MESSAGES = {2: "No such file or directory", 5: "Input/output error", 13: "Permission denied", 17: "File exists",
             20: "Not a directory", 21: "Is a directory", 22: "Invalid argument", 28: "No space left on device",
             30: "Read-only file system", 36: "File name too long", 39: "Directory not empty"}
_CLASSES = {2: FileNotFoundError, 13: PermissionError, 17: FileExistsError, 20: NotADirectoryError, 21: IsADirectoryError}


def _check(number, filename, purpose="read"):
    """Raises the OSError of a number other than 0."""
    if number == 1 and purpose == "read":
        raise FileNotFoundError(2, "No such file or directory below the program's folder", filename)
    if number == 1:
        raise PermissionError(13, "nnscope lets programs write only below folders that --allow-write names", filename)
    if number:
        raise _CLASSES.get(number, OSError)(number, _MESSAGES[number], filename)


def strerror(code, /):
    """The text of an error's number."""
    return _MESSAGES.get(code, f"Unknown error {code}")


def getcwd():
    """The folder of the program."""
    return _files.folder()


def getcwdb():
    """The same as bytes."""
    return fsencode(getcwd())


def getpid():
    """The number of the process."""
    return _files.process_id()


def cpu_count():
    """One: programs run in one thread."""
    return 1


SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


def urandom(size, /):
    """Random bytes of the machine, fit for secrets."""
    import _entropy
    return _entropy.random_bytes(size)


class stat_result(tuple):
    """What is known of a file."""

    n_fields, n_sequence_fields, n_unnamed_fields = 10, 10, 0
    st_mode = property(lambda self: self[0])
    st_ino = property(lambda self: self[1])
    st_dev = property(lambda self: self[2])
    st_nlink = property(lambda self: self[3])
    st_uid = property(lambda self: self[4])
    st_gid = property(lambda self: self[5])
    st_size = property(lambda self: self[6])
    st_atime = property(lambda self: self._time)
    st_mtime = property(lambda self: self._time)
    st_ctime = property(lambda self: self._time)
    st_mtime_ns = property(lambda self: int(self._time * 1e9))

    def __repr__(self):
        names = ("mode", "ino", "dev", "nlink", "uid", "gid", "size", "atime", "mtime", "ctime")
        return f"os.stat_result({', '.join(f'st_{name}={value!r}' for name, value in zip(names, self))})"


def stat(path, *, dir_fd=None, follow_symlinks=True):
    """What is known of a file or folder. Errors: OSError."""
    found = _files.info(fsdecode(path))
    if isinstance(found, int):
        _check(found, path)
    is_folder, size, seconds, number = found
    mode = _stat.S_IFDIR | 0o755 if is_folder else _stat.S_IFREG | 0o644
    whole = int(seconds)
    made = stat_result((mode, number, 0, 1, 0, 0, size, whole, whole, whole))
    made._time = seconds
    return made


lstat = stat


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Whether a file or folder is there."""
    return not isinstance(_files.info(fsdecode(path)), int)


def listdir(path="."):
    """The names in a folder. Errors: OSError."""
    given = "." if path is None else fspath(path)
    names = _files.list(fsdecode(given))
    if isinstance(names, int):
        _check(names, path)
    return [fsencode(one) for one in names] if isinstance(given, bytes) else names


class DirEntry:
    """What scandir() gives for each name."""

    def __init__(self, folder, name):
        self.name = name
        self.path = path.join(folder, name)

    def is_dir(self, *, follow_symlinks=True):
        """Whether it is a folder."""
        return path.isdir(self.path)

    def is_file(self, *, follow_symlinks=True):
        """Whether it is a file."""
        return path.isfile(self.path)

    def is_symlink(self):
        """Links are followed, so none is seen."""
        return False

    def stat(self, *, follow_symlinks=True):
        """What os.stat() gives."""
        return stat(self.path)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"


class _Scan:
    def __init__(self, folder):
        self._entries = iter([DirEntry(folder, one) for one in listdir(folder)])

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._entries)

    def close(self):
        self._entries = iter(())

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def scandir(path="."):
    """An iterator over the entries of a folder."""
    return _Scan(fspath(path))


def walk(top, topdown=True, onerror=None, followlinks=False):
    """(folder, names of folders, names of files) for each folder below `top`."""
    top = fspath(top)
    try:
        names = listdir(top)
    except OSError as problem:
        if onerror is not None:
            onerror(problem)
        return
    folders = [one for one in names if path.isdir(path.join(top, one))]
    files = [one for one in names if one not in folders]
    if topdown:
        yield top, folders, files
    for one in folders:
        yield from walk(path.join(top, one), topdown, onerror, followlinks)
    if not topdown:
        yield top, folders, files


def mkdir(path, mode=0o777, *, dir_fd=None):
    """Makes a folder. Errors: OSError."""
    _check(_files.make_folder(fsdecode(path)), path, "write")


def makedirs(name, mode=0o777, exist_ok=False):
    """Makes a folder and those around it. Errors: OSError."""
    name = fspath(name)
    head, tail = path.split(name)
    if not tail:
        head, tail = path.split(head)
    if head and tail and not path.exists(head):
        makedirs(head, exist_ok=True)
    try:
        mkdir(name, mode)
    except OSError:
        if not exist_ok or not path.isdir(name):
            raise


def remove(path, *, dir_fd=None):
    """Removes a file. Errors: OSError."""
    _check(_files.remove(fsdecode(path)), path, "write")


unlink = remove


def rmdir(path, *, dir_fd=None):
    """Removes an empty folder. Errors: OSError."""
    _check(_files.remove_folder(fsdecode(path)), path, "write")


def removedirs(name):
    """Removes a folder and those around it that are empty then."""
    rmdir(name)
    head = path.dirname(name)
    while head:
        try:
            rmdir(head)
        except OSError:
            break
        head = path.dirname(head)


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Gives a file or folder another name. Errors: OSError."""
    _check(_files.rename(fsdecode(src), fsdecode(dst)), src, "write")


replace = rename


def __getattr__(wanted):
    known = ("_exit", "abort", "chmod", "chown", "execv", "execve", "fork", "get_terminal_size", "getgid", "getlogin",
             "getppid", "getuid", "kill", "link", "open", "pipe", "popen", "readlink", "spawnl", "startfile", "symlink",
             "system", "times", "truncate", "umask", "uname", "utime", "wait")
    if wanted not in known:
        raise AttributeError(f"module 'os' has no attribute '{wanted}'")
    if wanted == "get_terminal_size":
        # What asks falls back to its own idea of a terminal then.
        def size(fd=1, /):
            raise OSError(25, "Inappropriate ioctl for device")
        return size

    def refuse(*args, **kwargs):
        raise PermissionError(f"nnscope gives programs no os.{wanted}()")

    return refuse
