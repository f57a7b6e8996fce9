"""Files and folders for a while, in the folders where the program may write. Behaviour: CPython Lib/tempfile.py."""
import io
import os
import random
import shutil
import weakref

template = "tmp"
tempdir = None
TMP_MAX = 10000
_letters = "abcdefghijklmnopqrstuvwxyz0123456789_"
# Names of their own, so that random.seed() of a program does not repeat them.
_names = random.Random()


def _candidate_tempdir_list():
    found = [os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]
    return [os.path.abspath(one) for one in found] + ["/tmp", "/var/tmp", "/usr/tmp", os.getcwd()]


def gettempdir():
    """The first folder of the usual ones where a file can be written. Where the program may write none it is the first
    one, whose name many programs make at their beginning; what they write there is refused then."""
    global tempdir
    if tempdir is None:
        tried = _candidate_tempdir_list()
        for folder in tried:
            path = os.path.join(folder, _name("", None))
            try:
                with open(path, "xb") as file:
                    file.write(b"blat")
                os.remove(path)
            except OSError:
                continue
            tempdir = folder
            break
        else:
            return tried[0]
    return tempdir


def gettempdirb():
    return os.fsencode(gettempdir())


def gettempprefix():
    return template


def gettempprefixb():
    return os.fsencode(template)


def _name(suffix, prefix):
    return (template if prefix is None else prefix) + "".join(_names.choices(_letters, k=8)) + (suffix or "")


def _new_path(suffix, prefix, dir, make):
    folder = gettempdir() if dir is None else os.fspath(dir)
    for _ in range(100):
        path = os.path.abspath(os.path.join(folder, _name(suffix, prefix)))
        try:
            return path, make(path)
        except FileExistsError:
            continue
    raise FileExistsError(17, "No usable temporary file name found")


def mkdtemp(suffix=None, prefix=None, dir=None):
    """Makes a folder; who asked for it removes it."""
    return _new_path(suffix, prefix, dir, os.mkdir)[0]


def mktemp(suffix="", prefix=template, dir=None):
    """A path where nothing is yet."""
    path = os.path.abspath(os.path.join(gettempdir() if dir is None else dir, _name(suffix, prefix)))
    while os.path.exists(path):
        path = os.path.abspath(os.path.join(gettempdir() if dir is None else dir, _name(suffix, prefix)))
    return path


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    """Not there: it gives the number of an open file."""
    raise NotImplementedError("nnscope has no tempfile.mkstemp(): files have no numbers here; NamedTemporaryFile() has a name")


class _TemporaryFileWrapper:
    """A file that goes when it is closed."""

    def __init__(self, file, name, delete, delete_on_close):
        self.file = file
        self.name = name
        self._delete = delete
        self._delete_on_close = delete_on_close
        self._finalizer = weakref.finalize(self, _remove, file, name) if delete else None

    def __getattr__(self, name):
        return getattr(self.__dict__["file"], name)

    def __enter__(self):
        self.file.__enter__()
        return self

    def __exit__(self, exc, value, tb):
        self.close()
        if self._delete and self._finalizer.alive:
            self._finalizer()

    def __iter__(self):
        for line in self.file:
            yield line

    def close(self):
        self.file.close()
        if self._delete and self._delete_on_close and self._finalizer.alive:
            self._finalizer()


def _remove(file, name):
    file.close()
    try:
        os.remove(name)
    except FileNotFoundError:
        pass


def NamedTemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None,
                       delete=True, *, errors=None, delete_on_close=True):
    """A file with a name, which goes when it is closed."""
    exclusive = mode.replace("w", "x")
    path, file = _new_path(suffix, prefix, dir, lambda path: open(path, exclusive, encoding=encoding, newline=newline,
                                                                  errors=errors))
    file.flush()
    return _TemporaryFileWrapper(file, path, delete, delete_on_close)


def TemporaryFile(mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, *,
                  errors=None):
    """A file whose name nobody needs: it is in memory."""
    if dir is None:
        gettempdir()
    return io.BytesIO() if "b" in mode else io.StringIO(newline=newline)


def SpooledTemporaryFile(max_size=0, mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None,
                         dir=None, *, errors=None):
    """The same: what does not outgrow memory stays there."""
    return io.BytesIO() if "b" in mode else io.StringIO(newline=newline)


class TemporaryDirectory:
    """A folder that goes with all that is in it."""

    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False, *, delete=True):
        self.name = mkdtemp(suffix, prefix, dir)
        self._ignore_cleanup_errors = ignore_cleanup_errors
        self._delete = delete
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.name, True) if delete else None

    def __repr__(self):
        return f"<{self.__class__.__name__} {self.name!r}>"

    def __enter__(self):
        return self.name

    def __exit__(self, exc, value, tb):
        if self._delete:
            self.cleanup()

    def cleanup(self):
        if self._finalizer is not None:
            self._finalizer.detach()
        if os.path.exists(self.name):
            shutil.rmtree(self.name, ignore_errors=self._ignore_cleanup_errors)
