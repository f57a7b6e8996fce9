"""The transforms as objects. Behaviour: torchvision/transforms/transforms.py."""
from torchvision.transforms import functional as F
from torchvision.transforms._chance import (
    ColorJitter, GaussianBlur, RandomAdjustSharpness, RandomApply, RandomAutocontrast, RandomChoice, RandomCrop, RandomEqualize,
    RandomErasing, RandomGrayscale, RandomHorizontalFlip, RandomInvert, RandomOrder, RandomPosterize, RandomResizedCrop,
    RandomSolarize, RandomTransforms, RandomVerticalFlip,
)
from torchvision.transforms._fixed import (
    CenterCrop, Compose, ConvertImageDtype, FiveCrop, Grayscale, Lambda, LinearTransformation, Normalize, Pad, PILToTensor,
    Resize, TenCrop, ToPILImage, ToTensor,
)
from torchvision.transforms._turns import ElasticTransform, RandomAffine, RandomPerspective, RandomRotation
from torchvision.transforms.functional import InterpolationMode

__all__ = [
    "Compose", "ToTensor", "PILToTensor", "ConvertImageDtype", "ToPILImage", "Normalize", "Resize", "CenterCrop", "Pad", "Lambda",
    "RandomApply", "RandomChoice", "RandomOrder", "RandomCrop", "RandomHorizontalFlip", "RandomVerticalFlip",
    "RandomResizedCrop", "FiveCrop", "TenCrop", "LinearTransformation", "ColorJitter", "RandomRotation", "RandomAffine",
    "Grayscale", "RandomGrayscale", "RandomPerspective", "RandomErasing", "GaussianBlur", "InterpolationMode", "RandomInvert",
    "RandomPosterize", "RandomSolarize", "RandomAdjustSharpness", "RandomAutocontrast", "RandomEqualize", "ElasticTransform",
]
for _name in __all__:
    if _name != "InterpolationMode":
        globals()[_name].__module__ = __name__
