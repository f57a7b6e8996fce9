"""Lines of source files."""

__all__ = ["getline", "getlines", "clearcache", "checkcache"]

cache = {}


def _read(filename):
    try:
        from _source import lines
    except ImportError:
        pass
    else:
        found = lines(filename)
        if found is not None:
            return found
    try:
        with open(filename) as file:
            return file.read().splitlines(True)
    except (OSError, UnicodeDecodeError):
        return []


def getlines(filename, module_globals=None):
    """All lines of a file, with their ends; none if it can't be read."""
    found = cache.get(filename)
    if found is None:
        found = _read(filename)
        if found:
            cache[filename] = found
    return found


def getline(filename, lineno, module_globals=None):
    """A line, from 1 on; empty if there is none."""
    lines = getlines(filename)
    return lines[lineno - 1] if 1 <= lineno <= len(lines) else ""


def clearcache():
    """Forgets what was read."""
    cache.clear()


def checkcache(filename=None):
    """Forgets what was read of a file, or of all."""
    if filename is None:
        cache.clear()
    else:
        cache.pop(filename, None)
