"""Tools around arrays. Behaviour: numpy/lib/__init__.py."""
from numpy._dtypes import no_attribute
from numpy.lib import format, npyio, scimath, stride_tricks


class NumpyVersion:
    """A version such as "1.26.0rc1" that is compared by its numbers."""

    def __init__(self, vstring):
        from packaging.version import Version
        self.vstring, self._version = vstring, Version(vstring)
        self.version = self._version.base_version
        self.major, self.minor, self.bugfix = (*self._version.release, 0, 0)[:3]

    def _other(self, other):
        return other._version if isinstance(other, NumpyVersion) else NumpyVersion(other)._version

    def __lt__(self, other):
        return self._version < self._other(other)

    def __le__(self, other):
        return self._version <= self._other(other)

    def __eq__(self, other):
        return self._version == self._other(other)

    def __ne__(self, other):
        return self._version != self._other(other)

    def __gt__(self, other):
        return self._version > self._other(other)

    def __ge__(self, other):
        return self._version >= self._other(other)

    def __repr__(self):
        return f"NumpyVersion({self.vstring})"


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.lib' has no attribute {name!r}")
    raise no_attribute("module 'numpy.lib'", name)
