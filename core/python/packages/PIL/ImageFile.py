"""Settings for reading files. Behaviour: PIL/ImageFile.py."""
from _stand_in import part_of

__getattr__ = part_of(__name__)
LOAD_TRUNCATED_IMAGES = False
MAXBLOCK = 65536
