from _stand_in import part_of
from torchvision.transforms import functional, transforms
from torchvision.transforms.transforms import *

__getattr__ = part_of(__name__)
