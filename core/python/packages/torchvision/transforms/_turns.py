"""Turns and shears by chance. Behaviour: torchvision/transforms/transforms.py."""
import numbers
from collections.abc import Sequence

import torch
from torch import nn

from torchvision.transforms import functional as F
from torchvision.transforms._chance import integer, uniform
from torchvision.transforms._fixed import as_interpolation
from torchvision.transforms.functional import InterpolationMode


def _check_sequence_input(x, name, req_sizes):
    counts = " or ".join(str(one) for one in req_sizes)
    if not isinstance(x, Sequence):
        raise TypeError(f"{name} should be a sequence of length {counts}.")
    if len(x) not in req_sizes:
        raise ValueError(f"{name} should be a sequence of length {counts}.")


def _setup_angle(x, name, req_sizes=(2,)):
    if isinstance(x, numbers.Number):
        if x < 0:
            raise ValueError(f"If {name} is a single number, it must be positive.")
        x = [-x, x]
    else:
        _check_sequence_input(x, name, req_sizes)
    return [float(one) for one in x]


def _checked_fill(fill):
    if fill is None:
        return 0
    if not isinstance(fill, (Sequence, numbers.Number)):
        raise TypeError("Fill should be either a sequence or a number.")
    return fill


def _fill_for(img, fill):
    """One number for each channel, as tensors need it."""
    if not isinstance(img, torch.Tensor):
        return fill
    channels = F.get_dimensions(img)[0]
    return [float(fill)] * channels if isinstance(fill, (int, float)) else [float(one) for one in fill]


class RandomRotation(nn.Module):
    def __init__(self, degrees, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=0):
        super().__init__()
        self.interpolation = as_interpolation(interpolation)
        self.degrees = _setup_angle(degrees, name="degrees")
        if center is not None:
            _check_sequence_input(center, "center", req_sizes=(2,))
        self.center = center
        self.expand = expand
        self.fill = _checked_fill(fill)

    @staticmethod
    def get_params(degrees):
        return uniform(float(degrees[0]), float(degrees[1]))

    def forward(self, img):
        fill = _fill_for(img, self.fill)
        return F.rotate(img, self.get_params(self.degrees), self.interpolation, self.expand, self.center, fill)

    def __repr__(self):
        text = f"{type(self).__name__}(degrees={self.degrees}, interpolation={self.interpolation.value}, expand={self.expand}"
        if self.center is not None:
            text += f", center={self.center}"
        return text + f", fill={self.fill})"


class RandomAffine(nn.Module):
    def __init__(self, degrees, translate=None, scale=None, shear=None, interpolation=InterpolationMode.NEAREST, fill=0,
                 center=None):
        super().__init__()
        self.interpolation = as_interpolation(interpolation)
        self.degrees = _setup_angle(degrees, name="degrees")
        if translate is not None:
            _check_sequence_input(translate, "translate", req_sizes=(2,))
            if not all(0.0 <= one <= 1.0 for one in translate):
                raise ValueError("translation values should be between 0 and 1")
        if scale is not None:
            _check_sequence_input(scale, "scale", req_sizes=(2,))
            if any(one <= 0 for one in scale):
                raise ValueError("scale values should be positive")
        self.translate = translate
        self.scale = scale
        self.shear = None if shear is None else _setup_angle(shear, name="shear", req_sizes=(2, 4))
        self.fill = _checked_fill(fill)
        if center is not None:
            _check_sequence_input(center, "center", req_sizes=(2,))
        self.center = center

    @staticmethod
    def get_params(degrees, translate, scale_ranges, shears, img_size):
        angle = uniform(float(degrees[0]), float(degrees[1]))
        translations = (0, 0)
        if translate is not None:
            most = [float(part * size) for part, size in zip(translate, img_size)]
            translations = tuple([int(round(uniform(-one, one))) for one in most])
        scale = 1.0 if scale_ranges is None else uniform(scale_ranges[0], scale_ranges[1])
        shear = [0.0, 0.0]
        if shears is not None:
            shear[0] = uniform(shears[0], shears[1])
            if len(shears) == 4:
                shear[1] = uniform(shears[2], shears[3])
        return angle, translations, scale, tuple(shear)

    def forward(self, img):
        _, height, width = F.get_dimensions(img)
        drawn = self.get_params(self.degrees, self.translate, self.scale, self.shear, [width, height])
        return F.affine(img, *drawn, interpolation=self.interpolation, fill=_fill_for(img, self.fill), center=self.center)

    def __repr__(self):
        text = f"{type(self).__name__}(degrees={self.degrees}"
        for name in ("translate", "scale", "shear"):
            if getattr(self, name) is not None:
                text += f", {name}={getattr(self, name)}"
        if self.interpolation != InterpolationMode.NEAREST:
            text += f", interpolation={self.interpolation.value}"
        if self.fill != 0:
            text += f", fill={self.fill}"
        return text + (f", center={self.center})" if self.center is not None else ")")


class RandomPerspective(nn.Module):
    def __init__(self, distortion_scale=0.5, p=0.5, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.p = p
        self.interpolation = as_interpolation(interpolation)
        self.distortion_scale = distortion_scale
        self.fill = _checked_fill(fill)

    @staticmethod
    def get_params(width, height, distortion_scale):
        across, down = int(distortion_scale * (width // 2)), int(distortion_scale * (height // 2))
        left, right = (0, across + 1), (width - across - 1, width)
        upper, lower = (0, down + 1), (height - down - 1, height)
        ends = [[int(integer(*x)), int(integer(*y))] for x, y in ((left, upper), (right, upper), (right, lower), (left, lower))]
        return [[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], ends

    def forward(self, img):
        fill = _fill_for(img, self.fill)
        _, height, width = F.get_dimensions(img)
        if torch.rand(1).item() >= self.p:
            return img
        starts, ends = self.get_params(width, height, self.distortion_scale)
        return F.perspective(img, starts, ends, self.interpolation, fill)

    def __repr__(self):
        return f"{type(self).__name__}(p={self.p})"


class ElasticTransform(nn.Module):
    def __init__(self, alpha=50.0, sigma=5.0, interpolation=InterpolationMode.BILINEAR, fill=0):
        super().__init__()
        self.alpha = self._pair(alpha, "alpha")
        self.sigma = self._pair(sigma, "sigma")
        self.interpolation = as_interpolation(interpolation)
        self.fill = [float(fill)] if isinstance(fill, (int, float)) else [float(one) for one in fill]

    @staticmethod
    def _pair(given, name):
        if not isinstance(given, (float, Sequence)):
            raise TypeError(f"{name} should be float or a sequence of floats. Got {type(given)}")
        if isinstance(given, Sequence) and len(given) not in (1, 2):
            raise ValueError(f"{name} is a sequence its length should be one of 2. Got {len(given)}")
        given = [float(given)] * 2 if isinstance(given, float) else list(given) * (2 // len(given))
        for one in given:
            if not isinstance(one, float):
                raise TypeError(f"{name} should be a sequence of floats. Got {type(one)}")
        return given

    @staticmethod
    def get_params(alpha, sigma, size):
        moves = []
        for a, s, length in zip(alpha, sigma, size):
            move = torch.rand([1, 1] + list(size)) * 2 - 1
            if s > 0.0:
                kernel = int(8 * s + 1)
                kernel += 1 - kernel % 2
                move = F.gaussian_blur(move, [kernel, kernel], [s, s])
            moves.append(move * a / length)
        return torch.concat(moves, 1).permute([0, 2, 3, 1])

    def forward(self, tensor):
        _, height, width = F.get_dimensions(tensor)
        moves = self.get_params(self.alpha, self.sigma, [height, width])
        return F.elastic_transform(tensor, moves, self.interpolation, self.fill)

    def __repr__(self):
        return (f"{type(self).__name__}(alpha={self.alpha}, sigma={self.sigma}, interpolation={self.interpolation}, "
                f"fill={self.fill})")
