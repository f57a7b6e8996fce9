"""The parts of torchvision that definitions of models are made with. What is not here stands in and raises by name."""
from _stand_in import part_of

__version__ = "0.27.0"
__getattr__ = part_of(__name__)
