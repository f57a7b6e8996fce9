"""Versions of packages: no package is installed here."""
from importlib import import_module


class PackageNotFoundError(ModuleNotFoundError):
    """There is no such package."""

    def __str__(self):
        return f"No package metadata was found for {self.args[0]}"

    @property
    def name(self):
        """What was looked for."""
        return self.args[0]


def distribution(distribution_name):
    """Refused: no package is installed."""
    raise PackageNotFoundError(distribution_name)


metadata = version = files = requires = distribution


def distributions(**kwargs):
    """None."""
    return iter(())


def entry_points(**params):
    """None."""
    return []
