"""Files whose names match patterns of the shell."""

import fnmatch
import os
import re

__all__ = ["escape", "glob", "iglob", "translate"]

_magic = re.compile(r"[*?\[]")


def has_magic(s):
    """Whether it is more than a name."""
    return _magic.search(s) is not None


def _names(folder, only_folders):
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return [one for one in names if not only_folders or os.path.isdir(os.path.join(folder, one))]


def _below(root, folder, only_folders, include_hidden, depth=0):
    """All paths below a folder, seen from it."""
    for name in _names(os.path.join(root, folder), only_folders):
        if name[0] == "." and not include_hidden or depth > 100:
            continue
        path = os.path.join(folder, name)
        yield path
        yield from _below(root, path, only_folders, include_hidden, depth + 1)


def _in_folder(root, folder, pattern, only_folders, recursive, include_hidden):
    """The names in a folder that match one part of a pattern."""
    where = os.path.join(root, folder) if root else folder
    if recursive and pattern == "**":
        if os.path.isdir(where or "."):
            yield ""
            yield from _below(where, "", only_folders, include_hidden)
    elif has_magic(pattern):
        for name in _names(where, only_folders):
            if (name[0] != "." or include_hidden or pattern[0] == ".") and fnmatch.fnmatchcase(name, pattern):
                yield name
    elif pattern == "":
        if os.path.isdir(where):
            yield ""
    elif os.path.lexists(os.path.join(where, pattern)):
        yield pattern


def _found(path, root, only_folders, recursive, include_hidden):
    folder, pattern = os.path.split(path)
    if not has_magic(path):
        whole = os.path.join(root, path)
        if os.path.lexists(whole) if pattern else os.path.isdir(os.path.join(root, folder)):
            yield path
        return
    if not folder:
        for name in _in_folder(root, "", pattern, only_folders, recursive, include_hidden):
            yield name
        return
    folders = _found(folder, root, True, recursive, include_hidden) if folder != path and has_magic(folder) else [folder]
    for one in folders:
        for name in _in_folder(root, one, pattern, only_folders, recursive, include_hidden):
            yield os.path.join(one, name)


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """An iterator over the paths that match."""
    root = "" if root_dir is None else os.fspath(root_dir)
    found = _found(os.fspath(pathname), root, False, recursive, include_hidden)
    # `**` alone also finds the folder itself, which has no name.
    return (one for one in found if one)


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """The paths that match; ** goes through all folders with `recursive`."""
    return list(iglob(pathname, root_dir=root_dir, recursive=recursive, include_hidden=include_hidden))


def escape(pathname):
    """The pattern that matches this very path."""
    return _magic.sub(r"[\g<0>]", pathname)


def translate(pat, *, recursive=False, include_hidden=False, seps=None):
    """The pattern as one of module re."""
    between = "".join(re.escape(one) for one in (seps or "/"))
    part = f"[^{between}]"
    hidden = "" if include_hidden else r"(?!\.)"
    result = []
    parts = re.split(f"[{between}]", pat)
    for at, one in enumerate(parts):
        is_last = at == len(parts) - 1
        if recursive and one == "**":
            if is_last:
                result.append(".*" if include_hidden else f"(?:{hidden}{part}+(?:[{between}]{hidden}{part}+)*)?")
            else:
                result.append(f"(?:{hidden}{part}+[{between}])*")
            continue
        if one == "*":
            result.append(f"{hidden}{part}+")
        elif one:
            if not include_hidden and one[0] in "*?[":
                result.append(hidden)
            text = fnmatch.translate(one)[len("(?s:"):-len(r")\z")]
            result.append(re.sub(r"(?<!\\)\.(\*?)", lambda found: part + found[1], text))
        if not is_last:
            result.append(f"[{between}]")
    return f"(?s:{''.join(result)})\\z"
