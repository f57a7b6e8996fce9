"""Names and versions in their normal form. Behaviour: PEP 503, packaging/utils.py."""
import re

from _stand_in import part_of
from packaging.version import InvalidVersion, Version

__getattr__ = part_of(__name__)


def canonicalize_name(name, *, validate=False):
    if validate and not re.fullmatch(r"[a-z0-9]|[a-z0-9][a-z0-9._-]*[a-z0-9]", name, re.IGNORECASE):
        raise InvalidName(f"name is invalid: {name!r}")
    return re.sub(r"[-_.]+", "-", name).lower()


def canonicalize_version(version, *, strip_trailing_zero=True):
    """The normal form of a version, without zeros at the end of its release; what is no version stays as it is."""
    if isinstance(version, str):
        try:
            version = Version(version)
        except InvalidVersion:
            return version
    text, base = str(version), version.base_version
    if not strip_trailing_zero:
        return text
    return re.sub(r"(\.0)+$", "", base) + text[len(base):]


class InvalidName(ValueError):
    """The text is no name of a distribution."""
