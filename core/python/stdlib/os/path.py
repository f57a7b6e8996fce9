"""Paths as texts, with / between their parts."""

import os
import stat

curdir = "."
pardir = ".."
extsep = "."
sep = "/"
pathsep = ":"
defpath = "/bin:/usr/bin"
altsep = None
devnull = "/dev/null"
supports_unicode_filenames = False


def _text(path):
    if isinstance(path, (str, bytes)):
        return path
    method = getattr(type(path), "__fspath__", None)
    if method is None:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(path).__name__}")
    return method(path)


def _like(path, text):
    return text.encode() if isinstance(path, bytes) else text


def normcase(s):
    """The path as it is."""
    return _text(s)


def isabs(s):
    """Whether it begins at the root."""
    s = _text(s)
    return s.startswith(_like(s, "/"))


def join(a, /, *p):
    """The parts with / between; what begins at the root starts again."""
    a = _text(a)
    between = _like(a, "/")
    path = a
    for part in p:
        if not isinstance(part, (str, bytes)) and not hasattr(type(part), "__fspath__"):
            raise TypeError(f"join() argument must be str, bytes, or os.PathLike object, not {type(part).__name__!r}")
        part = _text(part)
        if type(part) is not type(path):
            raise TypeError("Can't mix strings and bytes in path components")
        if part.startswith(between) or not path:
            path = part
        elif path.endswith(between):
            path += part
        else:
            path += between + part
    return path


def split(p):
    """(what is before the last /, what is behind it)"""
    p = _text(p)
    between = _like(p, "/")
    at = p.rfind(between) + 1
    head, tail = p[:at], p[at:]
    if head and head != between * len(head):
        head = head.rstrip(between)
    return head, tail


def splitext(p):
    """(all but the extension, extension with its dot)"""
    p = _text(p)
    dot = _like(p, ".")
    start = p.rfind(_like(p, "/")) + 1
    at = p.rfind(dot)
    if at > start and p[start:at].strip(dot):
        return p[:at], p[at:]
    return p, p[:0]


def splitdrive(p):
    """("", path): there are no drives."""
    p = _text(p)
    return p[:0], p


def splitroot(p):
    """("", root, rest)"""
    p = _text(p)
    between = _like(p, "/")
    empty = p[:0]
    if p[:1] != between:
        return empty, empty, p
    if p[1:2] != between or p[2:3] == between:
        return empty, between, p[1:]
    return empty, p[:2], p[2:]


def basename(p):
    """What is behind the last /."""
    p = _text(p)
    return p[p.rfind(_like(p, "/")) + 1:]


def dirname(p):
    """What is before the last /."""
    return split(p)[0]


def normpath(path):
    """The path without . and .. and doubled slashes."""
    path = _text(path)
    between, dot, dots = _like(path, "/"), _like(path, "."), _like(path, "..")
    if not path:
        return dot
    _, root, rest = splitroot(path)
    parts = []
    for part in rest.split(between):
        if not part or part == dot:
            continue
        if part != dots or not root and not parts or parts and parts[-1] == dots:
            parts.append(part)
        elif parts:
            parts.pop()
    return root + between.join(parts) or dot


def abspath(path):
    """The path from the root on, normalised."""
    path = _text(path)
    if not isabs(path):
        here = os.getcwd()
        path = join(here.encode() if isinstance(path, bytes) else here, path)
    return normpath(path)


def realpath(filename, *, strict=False):
    """The path from the root on; links are not followed."""
    return abspath(filename)


def relpath(path, start=None):
    """The path as seen from `start`, the working folder without it. Errors: ValueError for an empty path."""
    path = _text(path)
    if not path:
        raise ValueError("no path specified")
    between = _like(path, "/")
    begin = abspath(_like(path, ".") if start is None else _text(start)).lstrip(between)
    path = abspath(path).lstrip(between)
    starts = begin.split(between) if begin else []
    parts = path.split(between) if path else []
    common = 0
    while common < min(len(starts), len(parts)) and starts[common] == parts[common]:
        common += 1
    result = [_like(path, "..")] * (len(starts) - common) + parts[common:]
    return between.join(result) or _like(path, ".")


def commonprefix(m):
    """The longest text that all begin with."""
    if not m:
        return ""
    m = list(map(_text, m)) if not isinstance(m[0], (list, tuple)) else m
    first, last = min(m), max(m)
    for at, item in enumerate(first):
        if item != last[at]:
            return first[:at]
    return first


def commonpath(paths):
    """The longest path that all lie below. Errors: ValueError."""
    paths = tuple(map(_text, paths))
    if not paths:
        raise ValueError("commonpath() arg is an empty sequence")
    between, dot = _like(paths[0], "/"), _like(paths[0], ".")
    if len({path.startswith(between) for path in paths}) > 1:
        raise ValueError("Can't mix absolute and relative paths")
    split_paths = [[part for part in path.split(between) if part and part != dot] for path in paths]
    common = commonprefix(split_paths)
    return (between if isabs(paths[0]) else paths[0][:0]) + between.join(common)


def expanduser(path):
    """~ as the home folder, where there is one."""
    path = _text(path)
    tilde = _like(path, "~")
    if not path.startswith(tilde) or path[1:2] not in (path[:0], _like(path, "/")):
        return path
    home = os.environ.get("HOME")
    if home is None:
        return path
    home = home.encode() if isinstance(path, bytes) else home
    return home.rstrip(_like(path, "/")) + path[1:] or _like(path, "/")


def expandvars(path):
    """$NAME and ${NAME} as what the environment has for them."""
    path = _text(path)
    result = []
    at = 0
    while True:
        start = path.find("$", at)
        if start < 0:
            return "".join(result) + path[at:]
        result.append(path[at:start])
        is_braced = path[start + 1:start + 2] == "{"
        begin = end = start + 1 + is_braced
        if is_braced:
            end = path.find("}", begin)
        else:
            while end < len(path) and path[end].isascii() and (path[end].isalnum() or path[end] == "_"):
                end += 1
        name = path[begin:end] if end > begin else None
        at = start + 1 if name is None else end + is_braced
        result.append(path[start:at] if name is None else os.environ.get(name, path[start:at]))


# What the file system knows.

def _stat(path):
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def exists(path):
    """Whether there is such a file or folder."""
    return _stat(path) is not None


lexists = exists


def isfile(path):
    """Whether there is such a file."""
    found = _stat(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def isdir(s):
    """Whether there is such a folder."""
    found = _stat(s)
    return found is not None and stat.S_ISDIR(found.st_mode)


def islink(path):
    """Whether it is a link: links are followed, so none is seen."""
    return False


def ismount(path):
    """Whether something is mounted there."""
    return normpath(_text(path)) == "/"


def getsize(filename):
    """The size in bytes. Errors: OSError."""
    return os.stat(filename).st_size


def getmtime(filename):
    """When it was written, in seconds. Errors: OSError."""
    return os.stat(filename).st_mtime


def getatime(filename):
    """When it was read, in seconds. Errors: OSError."""
    return os.stat(filename).st_atime


def getctime(filename):
    """When it was changed, in seconds. Errors: OSError."""
    return os.stat(filename).st_ctime


def samefile(f1, f2):
    """Whether both are the same file."""
    return samestat(os.stat(f1), os.stat(f2))


def samestat(s1, s2):
    """Whether two results of os.stat() are of the same file."""
    return s1.st_ino == s2.st_ino and s1.st_dev == s2.st_dev
