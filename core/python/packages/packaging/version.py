"""Versions and their order. Behaviour: PEP 440, packaging/version.py."""
import re

__all__ = ["VERSION_PATTERN", "InvalidVersion", "Version", "parse"]

VERSION_PATTERN = (
    r"v?(?:(?:(?P<epoch>[0-9]+)!)?(?P<release>[0-9]+(?:\.[0-9]+)*)"
    r"(?P<pre>[-_.]?(?P<pre_l>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>[0-9]+)?)?"
    r"(?P<post>-(?P<post_n1>[0-9]+)|[-_.]?(?P<post_l>post|rev|r)[-_.]?(?P<post_n2>[0-9]+)?)?"
    r"(?P<dev>[-_.]?(?P<dev_l>dev)[-_.]?(?P<dev_n>[0-9]+)?)?)"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?")
_PATTERN = re.compile(VERSION_PATTERN, re.IGNORECASE)
_PHASES = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
# What sorts before, and behind, every other value of its place.
_FIRST, _LAST = (0,), (2,)


class InvalidVersion(ValueError):
    """The text is no version of PEP 440."""


def parse(version):
    return Version(version)


def _ranked(value):
    return (1, value)


class Version:
    """A version: its parts, its normal form as text, and its place among others."""

    def __init__(self, version):
        match = _PATTERN.fullmatch(version.strip())
        if match is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        self.epoch = int(match["epoch"] or 0)
        self.release = tuple(int(one) for one in match["release"].split("."))
        self.pre = self._post = self._dev = self._local = None
        if match["pre_l"]:
            phase = match["pre_l"].lower()
            self.pre = (_PHASES.get(phase, phase), int(match["pre_n"] or 0))
        if match["post"]:
            self._post = int(match["post_n1"] or match["post_n2"] or 0)
        if match["dev_l"]:
            self._dev = int(match["dev_n"] or 0)
        if match["local"]:
            parts = re.split(r"[-_.]", match["local"])
            self._local = tuple(int(one) if one.isdigit() else one.lower() for one in parts)
        self._key = self._place()

    def _place(self):
        release = list(self.release)
        while len(release) > 1 and release[-1] == 0:
            release.pop()
        if self.pre is not None:
            pre = _ranked(self.pre)
        else:  # 1.0.dev1 comes before 1.0a1, and 1.0 behind it
            pre = _FIRST if self._post is None and self._dev is not None else _LAST
        post = _FIRST if self._post is None else _ranked(self._post)
        dev = _LAST if self._dev is None else _ranked(self._dev)
        local = _FIRST
        if self._local is not None:  # numbers come behind words
            local = _ranked(tuple((1, one, "") if isinstance(one, int) else (0, 0, one) for one in self._local))
        return self.epoch, tuple(release), pre, post, dev, local

    @property
    def post(self):
        return self._post

    @property
    def dev(self):
        return self._dev

    @property
    def local(self):
        return None if self._local is None else ".".join(str(one) for one in self._local)

    @property
    def public(self):
        return str(self).split("+", 1)[0]

    @property
    def base_version(self):
        epoch = f"{self.epoch}!" if self.epoch else ""
        return epoch + ".".join(str(one) for one in self.release)

    @property
    def is_prerelease(self):
        return self._dev is not None or self.pre is not None

    @property
    def is_postrelease(self):
        return self._post is not None

    @property
    def is_devrelease(self):
        return self._dev is not None

    @property
    def major(self):
        return self.release[0]

    @property
    def minor(self):
        return self.release[1] if len(self.release) > 1 else 0

    @property
    def micro(self):
        return self.release[2] if len(self.release) > 2 else 0

    def __str__(self):
        text = self.base_version
        if self.pre is not None:
            text += f"{self.pre[0]}{self.pre[1]}"
        if self._post is not None:
            text += f".post{self._post}"
        if self._dev is not None:
            text += f".dev{self._dev}"
        if self._local is not None:
            text += f"+{self.local}"
        return text

    def __repr__(self):
        return f"<Version('{self}')>"

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __ne__(self, other):
        return self._key != other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key < other._key if isinstance(other, Version) else NotImplemented

    def __le__(self, other):
        return self._key <= other._key if isinstance(other, Version) else NotImplemented

    def __gt__(self, other):
        return self._key > other._key if isinstance(other, Version) else NotImplemented

    def __ge__(self, other):
        return self._key >= other._key if isinstance(other, Version) else NotImplemented
