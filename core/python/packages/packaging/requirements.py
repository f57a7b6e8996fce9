"""What a package needs: `torch[extra]>=2.0; python_version >= "3.10"`. Behaviour: PEP 508, packaging/requirements.py."""
import re

from packaging.markers import InvalidMarker, Marker
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

__all__ = ["InvalidRequirement", "Requirement"]

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_HEAD = re.compile(rf"\s*(?P<name>{_NAME})\s*(?:\[(?P<extras>[^\]]*)\])?\s*")


class InvalidRequirement(ValueError):
    """The text is no requirement."""


class Requirement:
    """A package by name, with the versions that fit, the extras of it that are wanted, and where that is so."""

    def __init__(self, requirement_string):
        match = _HEAD.match(requirement_string)
        if match is None:
            raise InvalidRequirement("Expected package name at the start of dependency specifier\n"
                                     f"    {requirement_string}\n    ^")
        self.name = match["name"]
        extras = [one.strip() for one in (match["extras"] or "").split(",") if one.strip()]
        if not all(re.fullmatch(_NAME, one) for one in extras):
            raise InvalidRequirement(f"Invalid extras: {requirement_string!r}")
        self.extras = set(extras)
        self.url = self.marker = None
        rest = requirement_string[match.end():]
        if rest.startswith("@"):
            self.url, _, condition = rest[1:].strip().partition(" ;")
            self.url = self.url.strip()
            if not self.url:
                raise InvalidRequirement(f"Expected URL after @: {requirement_string!r}")
            wanted = ""
        else:
            wanted, _, condition = rest.partition(";")
            if ";" in rest and not condition.strip():
                raise InvalidRequirement(f"Expected a marker behind ';': {requirement_string!r}")
        wanted = wanted.strip()
        if wanted.startswith("(") and wanted.endswith(")"):
            wanted = wanted[1:-1]
        try:
            self.specifier = SpecifierSet(wanted)
            if condition.strip():
                self.marker = Marker(condition.strip())
        except (InvalidSpecifier, InvalidMarker) as error:
            raise InvalidRequirement(f"{error}: {requirement_string!r}") from error

    def _text(self, name):
        extras = f"[{','.join(sorted(self.extras))}]" if self.extras else ""
        where = f" @ {self.url}{' ' if self.marker else ''}" if self.url else ""
        condition = f"; {self.marker}" if self.marker else ""
        return f"{name}{extras}{self.specifier}{where}{condition}"

    def __str__(self):
        return self._text(self.name)

    def __repr__(self):
        return f"<Requirement('{self}')>"

    def __hash__(self):
        return hash(self._text(canonicalize_name(self.name)))

    def __eq__(self, other):
        if not isinstance(other, Requirement):
            return NotImplemented
        return (canonicalize_name(self.name), self.extras, self.specifier, self.url, self.marker) == (
            canonicalize_name(other.name), other.extras, other.specifier, other.url, other.marker)
