"""The part of Pillow that data sets and transforms of images use, over tensors. What is not here raises by name."""
from _stand_in import part_of

__version__ = "12.0.0"
__getattr__ = part_of(__name__)


class UnidentifiedImageError(OSError):
    """The bytes are of no format that is known."""
