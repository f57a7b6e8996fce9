"""Conditions on where a package is installed: `python_version >= "3.10" and os_name == "posix"`. Behaviour: PEP 508."""
import os
import platform
import re
import sys

from packaging.specifiers import InvalidSpecifier, Specifier

__all__ = ["InvalidMarker", "Marker", "UndefinedComparison", "UndefinedEnvironmentName", "default_environment"]


class InvalidMarker(ValueError):
    """The text is no marker."""


class UndefinedComparison(ValueError):
    """The two values have no order."""


class UndefinedEnvironmentName(ValueError):
    """The environment has no value of that name."""


_NAMES = ("python_full_version", "python_version", "implementation_version", "implementation_name",
          "platform_python_implementation", "platform_release", "platform_version", "platform_machine", "platform_system",
          "sys_platform", "os_name", "extra")
_OLD_NAMES = {"os.name": "os_name", "sys.platform": "sys_platform", "platform.version": "platform_version",
              "platform.machine": "platform_machine", "platform.python_implementation": "platform_python_implementation",
              "python_implementation": "platform_python_implementation"}
_TOKENS = re.compile(r"""\s*(?:(?P<text>'[^']*'|"[^"]*")|(?P<operator>===|==|~=|!=|<=|>=|<|>|not\s+in\b|in\b)"""
                     r"""|(?P<word>[A-Za-z_][A-Za-z_.]*)|(?P<bracket>[()]))""")


def default_environment():
    """What the names of markers stand for here."""
    number = ".".join(platform.python_version_tuple()[:2])
    version = sys.implementation.version
    return {"implementation_name": sys.implementation.name, "implementation_version": ".".join(str(v) for v in version[:3]),
            "os_name": os.name, "platform_machine": platform.machine(), "platform_release": platform.release(),
            "platform_system": platform.system(), "platform_version": platform.version(),
            "python_full_version": platform.python_version(),
            "platform_python_implementation": platform.python_implementation(), "python_version": number,
            "sys_platform": sys.platform}


class _Name(str):
    """A value that the environment has under this name."""


class _Reader:
    """Takes a marker apart, from left to right."""

    def __init__(self, text):
        self.text, self.tokens, at = text, [], 0
        while text[at:].strip():
            match = _TOKENS.match(text, at)
            if match is None:
                raise InvalidMarker(f"Invalid marker: {text!r}, column {at}")
            self.tokens.append((match.lastgroup, re.sub(r"\s+", " ", match[match.lastgroup])))
            at = match.end()
        self.at = 0

    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def take(self, *wanted):
        token = self.next()
        if token not in wanted and token[0] not in wanted:
            raise InvalidMarker(f"Invalid marker: {self.text!r}, unexpected {token[1] or 'end'!r}")
        self.at += 1
        return token[1]

    def any(self):
        """a and b or c: the parts of each `and` in a list of them."""
        found = [self.all()]
        while self.next() == ("word", "or"):
            self.at += 1
            found.append(self.all())
        return found

    def all(self):
        found = [self.one()]
        while self.next() == ("word", "and"):
            self.at += 1
            found.append(self.one())
        return found

    def one(self):
        if self.next() == ("bracket", "("):
            self.at += 1
            inside = self.any()
            self.take(("bracket", ")"))
            return inside
        left = self.value()
        operator = self.take("operator")
        return left, operator, self.value()

    def value(self):
        kind, text = self.next()
        if kind == "text":
            self.at += 1
            return text[1:-1]
        name = self.take("word")
        name = _OLD_NAMES.get(name, name)
        if name not in _NAMES:
            raise InvalidMarker(f"Invalid marker: {self.text!r}, {name!r} is no name of the environment")
        return _Name(name)


def _shown(parts, is_outer=True):
    if isinstance(parts, tuple):
        return " ".join(one if isinstance(one, _Name) or i == 1 else f'"{one}"' for i, one in enumerate(parts))
    text = " or ".join(" and ".join(_shown(one, False) for one in every) for every in parts)
    return text if is_outer or sum(map(len, parts)) == 1 else f"({text})"


def _holds(left, operator, right):
    try:
        wanted = Specifier(operator + right)
    except InvalidSpecifier:
        wanted = None
    if wanted is not None:
        return wanted.contains(left, prereleases=True)
    if operator == "in":
        return left in right
    if operator == "not in":
        return left not in right
    compared = {"<": left < right, "<=": left <= right, "==": left == right, "!=": left != right, ">=": left >= right,
                ">": left > right}
    if operator not in compared:
        raise UndefinedComparison(f"Undefined {operator!r} on {left!r} and {right!r}.")
    return compared[operator]


def _evaluate(parts, environment):
    if isinstance(parts, list):
        return any(all(_evaluate(one, environment) for one in every) for every in parts)
    values = []
    for one in (parts[0], parts[2]):
        if isinstance(one, _Name):
            if one not in environment:
                raise UndefinedEnvironmentName(f"{str(one)!r} does not exist in evaluation environment.")
            one = environment[one]
        values.append(str(one))
    if "extra" in (parts[0], parts[2]):
        values = [re.sub(r"[-_.]+", "-", one).lower() for one in values]
    return _holds(values[0], parts[1], values[1])


class Marker:
    """A condition, which evaluate() decides."""

    def __init__(self, marker):
        reader = _Reader(marker)
        self._parts = reader.any()
        reader.take("end")

    def __str__(self):
        return _shown(self._parts)

    def __repr__(self):
        return f"<Marker('{self}')>"

    def __hash__(self):
        return hash((self.__class__.__name__, str(self)))

    def __eq__(self, other):
        return str(self) == str(other) if isinstance(other, Marker) else NotImplemented

    def evaluate(self, environment=None):
        """Whether it holds here, with what `environment` says otherwise."""
        known = default_environment()
        known["extra"] = ""
        known.update(environment or {})
        if known["extra"] is None:
            known["extra"] = ""
        return _evaluate(self._parts, known)
