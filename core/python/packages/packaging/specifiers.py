"""Conditions on versions, as ">=1.8,<2". Behaviour: PEP 440, packaging/specifiers.py."""
import re

from packaging.utils import canonicalize_version
from packaging.version import VERSION_PATTERN, InvalidVersion, Version

__all__ = ["BaseSpecifier", "InvalidSpecifier", "Specifier", "SpecifierSet"]

_PLAIN = re.sub(r"\?P<\w+>", "?:", VERSION_PATTERN)
_PUBLIC = _PLAIN[: _PLAIN.index(r"(?:\+")]
# What may stand behind each operator.
_ALLOWED = {
    "===": r"[^\s;)]*",
    "~=": r"v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)+" + _PUBLIC[_PUBLIC.index("(?:[-_.]?(?:alpha"):-1],
    "==": r"v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*\.\*|" + _PLAIN,
    "!=": r"v?(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*\.\*|" + _PLAIN,
    "<=": _PUBLIC, ">=": _PUBLIC, "<": _PUBLIC, ">": _PUBLIC,
}


class InvalidSpecifier(ValueError):
    """The text is no condition of PEP 440."""


class BaseSpecifier:
    """What Specifier and SpecifierSet have in common."""

    @property
    def prereleases(self):
        raise NotImplementedError

    def __contains__(self, item):
        return self.contains(item)


def _version(item):
    return item if isinstance(item, Version) else Version(item)


def _pieces(text):
    """The parts of a version between its dots, its epoch first; "0rc1" counts as two."""
    epoch, _, rest = text.rpartition("!")
    pieces = [epoch or "0"]
    for piece in rest.split("."):
        match = re.fullmatch(r"([0-9]+)((?:a|b|c|rc)[0-9]+)", piece)
        pieces += match.groups() if match else [piece]
    return pieces


def _filtered(versions, contains, allowed):
    """Those that a condition lets through. With allowed=None prereleases come only where there is nothing else."""
    finals, late = False, []
    for item in versions:
        version = _version(item)
        if not contains(version):
            continue
        if version.is_prerelease and not allowed:
            late.append(item)
            continue
        finals = True
        yield item
    if not finals and allowed is None:
        yield from late


class Specifier(BaseSpecifier):
    """One condition: an operator and a version."""

    def __init__(self, spec="", prereleases=None):
        match = re.fullmatch(r"\s*(===|~=|==|!=|<=|>=|<|>)\s*(.*?)\s*", spec)
        if match is None or not re.fullmatch(_ALLOWED[match[1]], match[2], re.IGNORECASE):
            raise InvalidSpecifier(f"Invalid specifier: {spec!r}")
        self.operator, self.version = match[1], match[2]
        self._prereleases = prereleases

    @property
    def prereleases(self):
        """Whether prereleases are let through: as was asked, else whether the version itself is one."""
        if self._prereleases is not None:
            return self._prereleases
        if self.operator == "!=":
            return False
        try:
            return Version(self.version.removesuffix(".*")).is_prerelease
        except InvalidVersion:  # behind "===" may stand anything
            return False

    @prereleases.setter
    def prereleases(self, value):
        self._prereleases = value

    def contains(self, item, prereleases=None):
        allowed = self.prereleases if prereleases is None else prereleases
        version = _version(item)
        return (bool(allowed) or not version.is_prerelease) and self._holds(version)

    def filter(self, iterable, prereleases=None):
        asked = prereleases if prereleases is not None else self._prereleases
        if asked is None and self.prereleases:
            asked = True
        return _filtered(iterable, self._holds, asked)

    def _holds(self, version):
        return self._HOLDS[self.operator](self, version)

    def _is_equal(self, version):
        if self.version.endswith(".*"):
            wanted = _pieces(canonicalize_version(self.version[:-2], strip_trailing_zero=False))
            given = _pieces(canonicalize_version(version.public, strip_trailing_zero=False))
            numbers = 0
            while numbers < len(given) and given[numbers].isdigit():
                numbers += 1
            given[numbers:numbers] = ["0"] * (len(wanted) - numbers)
            return given[: len(wanted)] == wanted
        wanted = Version(self.version)
        return wanted == (version if wanted.local is not None else Version(version.public))

    def _is_not_equal(self, version):
        return not self._is_equal(version)

    def _is_compatible(self, version):
        wanted = Version(self.version)
        epoch = f"{wanted.epoch}!" if wanted.epoch else ""
        prefix = epoch + ".".join(str(one) for one in wanted.release[:-1])
        return self._is_at_least(version) and Specifier(f"=={prefix}.*")._is_equal(version)

    def _is_at_least(self, version):
        return Version(version.public) >= Version(self.version)

    def _is_at_most(self, version):
        return Version(version.public) <= Version(self.version)

    def _is_less(self, version):
        wanted = Version(self.version)
        if not version < wanted:
            return False
        # <3.1 leaves 3.1.dev0 out, too.
        early = version.is_prerelease and not wanted.is_prerelease
        return not (early and Version(version.base_version) == Version(wanted.base_version))

    def _is_greater(self, version):
        wanted = Version(self.version)
        if not version > wanted:
            return False
        # >3.1 leaves 3.1.post0 and 3.1+local out, too.
        late = (version.is_postrelease and not wanted.is_postrelease) or version.local is not None
        return not (late and Version(version.base_version) == Version(wanted.base_version))

    def _is_same_text(self, version):
        return str(version).lower() == self.version.lower()

    _HOLDS = {"===": _is_same_text, "~=": _is_compatible, "==": _is_equal, "!=": _is_not_equal, "<=": _is_at_most,
              ">=": _is_at_least, "<": _is_less, ">": _is_greater}

    @property
    def _canonical(self):
        return self.operator, canonicalize_version(self.version, strip_trailing_zero=self.operator != "~=")

    def __hash__(self):
        return hash(self._canonical)

    def __eq__(self, other):
        if isinstance(other, str):
            try:
                other = type(self)(other)
            except InvalidSpecifier:
                return NotImplemented
        return self._canonical == other._canonical if isinstance(other, Specifier) else NotImplemented

    def __str__(self):
        return self.operator + self.version

    def __repr__(self):
        asked = "" if self._prereleases is None else f", prereleases={self.prereleases!r}"
        return f"<{type(self).__name__}({str(self)!r}{asked})>"


class SpecifierSet(BaseSpecifier):
    """Conditions that must all hold; none at all holds for each version."""

    def __init__(self, specifiers="", prereleases=None):
        if isinstance(specifiers, str):
            specifiers = [Specifier(one.strip()) for one in specifiers.split(",") if one.strip()]
        self._specs = frozenset(specifiers)
        self._prereleases = prereleases

    @property
    def prereleases(self):
        if self._prereleases is not None:
            return self._prereleases
        return any(one.prereleases for one in self._specs) if self._specs else None

    @prereleases.setter
    def prereleases(self, value):
        self._prereleases = value

    def contains(self, item, prereleases=None, installed=None):
        version = _version(item)
        allowed = self.prereleases if prereleases is None else prereleases
        if not allowed and not installed and version.is_prerelease:
            return False
        return all(one._holds(version) for one in self._specs)

    def filter(self, iterable, prereleases=None):
        asked = self._prereleases if prereleases is None else prereleases
        if asked is None and self.prereleases:
            asked = True
        return _filtered(iterable, lambda version: all(one._holds(version) for one in self._specs), asked)

    def __and__(self, other):
        if isinstance(other, str):
            other = SpecifierSet(other)
        elif not isinstance(other, SpecifierSet):
            return NotImplemented
        mine, theirs = self._prereleases, other._prereleases
        if mine is not None and theirs is not None and mine != theirs:
            raise ValueError("Cannot combine SpecifierSets with True and False prerelease overrides.")
        return SpecifierSet(self._specs | other._specs, mine if theirs is None else theirs)

    def __eq__(self, other):
        if isinstance(other, (str, Specifier)):
            other = SpecifierSet(str(other))
        return self._specs == other._specs if isinstance(other, SpecifierSet) else NotImplemented

    def __hash__(self):
        return hash(self._specs)

    def __len__(self):
        return len(self._specs)

    def __iter__(self):
        return iter(self._specs)

    def __str__(self):
        return ",".join(sorted(str(one) for one in self._specs))

    def __repr__(self):
        asked = "" if self._prereleases is None else f", prereleases={self.prereleases!r}"
        return f"<{type(self).__name__}({str(self)!r}{asked})>"
