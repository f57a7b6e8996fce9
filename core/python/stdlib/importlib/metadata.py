"""Versions of packages: none is installed here but those that come with nnscope."""
from importlib import import_module

# By the names of their distributions: the modules that know their versions.
_PROVIDED = {"torch": "torch", "torchvision": "torchvision", "numpy": "numpy", "einops": "einops", "functorch": "functorch",
             "pillow": "PIL", "packaging": "packaging", "tqdm": "tqdm"}


class PackageNotFoundError(ModuleNotFoundError):
    """There is no such package."""

    def __str__(self):
        return f"No package metadata was found for {self.args[0]}"

    @property
    def name(self):
        """What was looked for."""
        return self.args[0]


class Distribution:
    """A package that comes with nnscope: its name and version."""

    files = requires = None
    entry_points = ()

    def __init__(self, name, version):
        self.name = name
        self.version = version
        self.metadata = {"Name": name, "Version": version}

    @classmethod
    def from_name(cls, name):
        return distribution(name)


def distribution(distribution_name):
    """Errors: PackageNotFoundError  it does not come with nnscope."""
    name = distribution_name.replace("_", "-").lower()
    version = getattr(import_module(_PROVIDED[name]), "__version__", None) if name in _PROVIDED else None
    if version is None:
        raise PackageNotFoundError(distribution_name)
    return Distribution(name, str(version))


def version(distribution_name):
    return distribution(distribution_name).version


def metadata(distribution_name):
    return distribution(distribution_name).metadata


def files(distribution_name):
    return distribution(distribution_name).files


def requires(distribution_name):
    return distribution(distribution_name).requires


def distributions(**kwargs):
    """None."""
    return iter(())


def entry_points(**params):
    """None."""
    return []
