"""The second version of the transforms: those of the first, which also take several inputs of which one is an image.

Behaviour: torchvision/transforms/v2. What is not here stands in and raises by name.
Differs: boxes, masks, videos and several images in one call are refused, and images as tensors are plain tensors.
"""
import enum

import torch
from torch import nn

from _stand_in import part_of
from PIL import Image as _pil
from torchvision.transforms import transforms as _first
from torchvision.transforms.functional import InterpolationMode
from torchvision.transforms.v2 import functional

__getattr__ = part_of(__name__)


class Transform(nn.Module):
    """transform(image) of a subclass is applied to the image among the inputs; the others stay as they are."""

    def transform(self, image):
        raise NotImplementedError

    def _takes(self, one):
        return isinstance(one, (torch.Tensor, _pil.Image))

    def forward(self, *inputs):
        given = inputs if len(inputs) > 1 else inputs[0]
        leaves = []
        _collect(given, leaves)
        images = [one for one in leaves if isinstance(one, _pil.Image)]
        if not images:  # the first tensor is the image, if there is no other; numbers beside it are labels
            images = [one for one in leaves if self._takes(one)][:1]
        if len(images) > 1:
            raise NotImplementedError(f"torchvision.transforms.v2.{type(self).__name__} of several images in one call is not in "
                                      "nnscope")
        return _replaced(given, images[0], self.transform(images[0])) if images else given

    def extra_repr(self):
        told = (bool, int, float, str, tuple, list, enum.Enum)
        return ", ".join(f"{name}={value}" for name, value in self.__dict__.items()
                         if not name.startswith("_") and name != "training" and isinstance(value, told))


def _collect(given, leaves):
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, (list, tuple)):
        for one in given:
            _collect(one, leaves)
    else:
        leaves.append(given)


def _replaced(given, image, made):
    if given is image:
        return made
    if isinstance(given, dict):
        return {key: _replaced(one, image, made) for key, one in given.items()}
    if isinstance(given, (list, tuple)):
        return type(given)(_replaced(one, image, made) for one in given)
    return given


def _second(name, **more):
    """The class of that name with the draws of the first version."""
    first = getattr(_first, name)
    apply = first.forward if issubclass(first, nn.Module) else first.__call__

    def __init__(self, *args, **kwargs):
        nn.Module.__init__(self)
        first.__init__(self, *args, **kwargs)
        for key, change in more.items():
            setattr(self, key, change(getattr(self, key)))

    names = {"__init__": __init__, "transform": lambda self, image: apply(self, image), "__module__": __name__,
             "__call__": nn.Module.__call__, "forward": Transform.forward, "extra_repr": Transform.extra_repr,
             "__repr__": nn.Module.__repr__, "__doc__": first.__doc__, "_takes": Transform._takes}
    bases = (Transform, first) if not issubclass(first, nn.Module) else (first, Transform)
    return type(name, bases, names)


for _name in ("ToTensor", "PILToTensor", "ToPILImage", "CenterCrop", "Pad", "Lambda", "RandomCrop", "RandomHorizontalFlip",
              "RandomVerticalFlip", "RandomResizedCrop", "FiveCrop", "TenCrop", "LinearTransformation", "ColorJitter",
              "RandomRotation", "RandomAffine", "Grayscale", "RandomGrayscale", "RandomPerspective", "RandomErasing",
              "GaussianBlur", "RandomInvert", "RandomPosterize", "RandomSolarize", "RandomAdjustSharpness",
              "RandomAutocontrast", "RandomEqualize", "ElasticTransform", "ConvertImageDtype"):
    globals()[_name] = _second(_name)
Normalize = _second("Normalize", mean=list, std=list)
Resize = _second("Resize", size=lambda size: [size] if isinstance(size, int) else list(size))


class _ToImage(Transform):
    def _takes(self, one):
        return super()._takes(one) or hasattr(one, "__array_interface__") or type(one).__name__ == "ndarray"


class ToImage(_ToImage):
    def transform(self, image):
        return functional.to_image(image)


class ToDtype(Transform):
    def __init__(self, dtype, scale=False):
        super().__init__()
        if not isinstance(dtype, torch.dtype):
            raise NotImplementedError("torchvision.transforms.v2.ToDtype with a dict of types is not in nnscope")
        self.dtype = dtype
        self.scale = scale

    def transform(self, image):
        return functional.to_dtype(image, self.dtype, self.scale) if isinstance(image, torch.Tensor) else image


class ToPureTensor(Transform):
    def transform(self, image):
        return image


class Identity(Transform):
    def transform(self, image):
        return image


class Compose(Transform):
    def __init__(self, transforms):
        super().__init__()
        if not hasattr(transforms, "__len__") or not hasattr(transforms, "__getitem__"):
            raise TypeError("Argument transforms should be a sequence of callables")
        if not transforms:
            raise ValueError("Pass at least one transform")
        self.transforms = transforms

    def forward(self, *inputs):
        for one in self.transforms:
            made = one(*inputs)
            inputs = made if len(inputs) > 1 else (made,)
        return made

    def extra_repr(self):
        return "\n".join(f"    {one}" for one in self.transforms)


class RandomApply(Transform):
    def __init__(self, transforms, p=0.5):
        super().__init__()
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        self.transforms = transforms
        self.p = p

    def forward(self, *inputs):
        given = inputs if len(inputs) > 1 else inputs[0]
        if torch.rand(1) >= self.p:
            return given
        for one in self.transforms:
            given = one(*inputs)
            inputs = given if len(inputs) > 1 else (given,)
        return given

    def extra_repr(self):
        return "\n".join(f"    {one}" for one in self.transforms)


class RandomChoice(Transform):
    """Differs from the first version: torch's random numbers choose."""

    def __init__(self, transforms, p=None):
        super().__init__()
        p = [1] * len(transforms) if p is None else p
        if len(p) != len(transforms):
            raise ValueError(f"Length of p doesn't match the number of transforms: {len(p)} != {len(transforms)}")
        self.transforms = transforms
        self.p = [one / sum(p) for one in p]

    def forward(self, *inputs):
        return self.transforms[int(torch.multinomial(torch.tensor(self.p), 1))](*inputs)


class RandomOrder(Transform):
    def __init__(self, transforms):
        super().__init__()
        self.transforms = transforms

    def forward(self, *inputs):
        given = inputs if len(inputs) > 1 else inputs[0]
        for i in torch.randperm(len(self.transforms)).tolist():
            given = self.transforms[i](*inputs)
            inputs = given if len(inputs) > 1 else (given,)
        return given
