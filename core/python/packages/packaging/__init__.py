"""The part of packaging that programs compare versions and requirements with. What is not here stands in and raises by name."""
from _stand_in import part_of

__version__ = "26.0"
__getattr__ = part_of(__name__)
