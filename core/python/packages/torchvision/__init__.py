"""torchvision: transforms, data sets and models. What is not here stands in and raises by name."""
import importlib

from _stand_in import part_of

__version__ = "0.27.0"
_missing = part_of(__name__)


def __getattr__(name):
    # Loaded when first asked for: together they are long.
    if name in ("datasets", "io", "models", "ops", "transforms", "utils"):
        return importlib.import_module(f"{__name__}.{name}")
    return _missing(name)


def get_image_backend():
    return "PIL"


def set_image_backend(backend):
    if backend != "PIL":
        raise ValueError(f"Invalid backend '{backend}'. Options are 'PIL' and 'accimage'")


def get_video_backend():
    return "pyav"


def disable_beta_transforms_warning():
    pass
