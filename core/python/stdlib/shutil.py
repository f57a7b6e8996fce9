"""Copying, moving and removing files, below the folders that --allow-write names."""

import os


class Error(OSError):
    """What went wrong with several files."""


class SameFileError(Error):
    """A file can't be copied onto itself."""


def copyfileobj(fsrc, fdst, length=0):
    """Copies what is left of one file into another."""
    while True:
        part = fsrc.read(length or 65536)
        if not part:
            return
        fdst.write(part)


def copyfile(src, dst, *, follow_symlinks=True):
    """Copies the contents of a file; returns the copy's path."""
    if os.path.exists(dst) and os.path.samefile(src, dst):
        raise SameFileError(f"{src!r} and {dst!r} are the same file")
    with open(src, "rb") as source, open(dst, "wb") as target:
        target.write(source.read())
    return dst


def copy(src, dst, *, follow_symlinks=True):
    """Copies a file, into a folder too; returns the copy's path."""
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    return copyfile(src, dst)


copy2 = copy


def copytree(src, dst, symlinks=False, ignore=None, copy_function=copy2, ignore_dangling_symlinks=False, dirs_exist_ok=False):
    """Copies a folder with all that is in it; returns the copy's path."""
    names = os.listdir(src)
    left_out = set() if ignore is None else set(ignore(os.fspath(src), names))
    os.makedirs(dst, exist_ok=dirs_exist_ok)
    for name in names:
        if name in left_out:
            continue
        source, target = os.path.join(src, name), os.path.join(dst, name)
        if os.path.isdir(source):
            copytree(source, target, symlinks, ignore, copy_function, ignore_dangling_symlinks, dirs_exist_ok)
        else:
            copy_function(source, target)
    return dst


def ignore_patterns(*patterns):
    """What copytree() leaves out: names that match."""
    def ignore(path, names):
        import fnmatch
        return {name for pattern in patterns for name in fnmatch.filter(names, pattern)}

    return ignore


def rmtree(path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None):
    """Removes a folder with all that is in it."""
    try:
        for name in os.listdir(path):
            inner = os.path.join(path, name)
            if os.path.isdir(inner):
                rmtree(inner, ignore_errors, onerror, onexc=onexc)
            else:
                os.remove(inner)
        os.rmdir(path)
    except OSError as problem:
        if ignore_errors:
            return
        if onexc is not None:
            onexc(os.rmdir, path, problem)
            return
        if onerror is not None:
            import sys
            onerror(os.rmdir, path, sys.exc_info())
            return
        raise


def move(src, dst, copy_function=copy2):
    """Gives a file or folder another place; returns it."""
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(os.fspath(src).rstrip("/")))
        if os.path.exists(dst):
            raise Error(f"Destination path '{dst}' already exists")
    os.rename(src, dst)
    return dst


def which(cmd, mode=1, path=None):
    """None: there are no other programs."""
    return None


def get_terminal_size(fallback=(80, 24)):
    """The size that is taken where no terminal tells one."""
    from collections import namedtuple
    size = namedtuple("terminal_size", ("columns", "lines"))
    columns, lines = (int(os.environ.get(name, 0) or 0) for name in ("COLUMNS", "LINES"))
    return size(columns or fallback[0], lines or fallback[1])


def __getattr__(name):
    if name not in ("chown", "copymode", "copystat", "disk_usage", "make_archive", "unpack_archive", "get_archive_formats"):
        raise AttributeError(f"module 'shutil' has no attribute {name!r}")

    def refuse(*args, **kwargs):
        raise PermissionError(f"nnscope gives programs no shutil.{name}()")

    return refuse
