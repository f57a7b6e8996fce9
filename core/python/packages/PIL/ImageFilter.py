"""Filters over neighbouring pixels. Behaviour: PIL/ImageFilter.py, src/libImaging/Filter.c."""
import struct

import torch

from _stand_in import part_of

__getattr__ = part_of(__name__)


class Filter:
    """filter(pixels) gives the pixels behind it."""


class MultibandFilter(Filter):
    pass


class Kernel(Filter):
    """Weighted sums over 3x3 or 5x5 pixels; those of the border stay. Errors: ValueError for other sizes."""

    name = "Kernel"

    def __init__(self, size, kernel, scale=None, offset=0):
        scale = sum(kernel) if scale is None else scale
        if size[0] * size[1] != len(kernel):
            raise ValueError("not enough coefficients in kernel")
        if tuple(size) not in ((3, 3), (5, 5)):
            raise ValueError("bad kernel size")
        self.filterargs = size, scale, offset, kernel

    def filter(self, pixels):
        (side, _), scale, offset, kernel = self.filterargs
        border, made = side // 2, pixels.clone()
        height, width = pixels.shape[0] - 2 * border, pixels.shape[1] - 2 * border
        if height < 1 or width < 1:
            return made
        total = torch.full((height, width, *pixels.shape[2:]), offset + 0.5, dtype=torch.float32)
        for y in range(side):  # the first row of a kernel is the lowest of the picture
            row, line = side - 1 - y, 0
            for x in range(side):
                weight = torch.tensor(kernel[y * side + x] / scale, dtype=torch.float32)
                line = line + pixels[row: row + height, x: x + width] * weight
            total = total + line
        made[border: border + height, border: border + width] = total.clamp(0, 255).to(torch.uint8)
        return made


class BuiltinFilter(Kernel):
    def __init__(self):
        pass


def _builtin(name, size, scale, offset, kernel):
    return type(name.upper().replace(" ", "_"), (BuiltinFilter,),
                {"name": name, "filterargs": ((size, size), scale, offset, kernel), "__module__": __name__})


BLUR = _builtin("Blur", 5, 16, 0, (1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1))
CONTOUR = _builtin("Contour", 3, 1, 255, (-1, -1, -1, -1, 8, -1, -1, -1, -1))
DETAIL = _builtin("Detail", 3, 6, 0, (0, -1, 0, -1, 10, -1, 0, -1, 0))
EDGE_ENHANCE = _builtin("Edge-enhance", 3, 2, 0, (-1, -1, -1, -1, 10, -1, -1, -1, -1))
EDGE_ENHANCE_MORE = _builtin("Edge-enhance More", 3, 1, 0, (-1, -1, -1, -1, 9, -1, -1, -1, -1))
EMBOSS = _builtin("Emboss", 3, 1, 128, (-1, 0, 0, 0, 1, 0, 0, 0, 0))
FIND_EDGES = _builtin("Find Edges", 3, 1, 0, (-1, -1, -1, -1, 8, -1, -1, -1, -1))
SHARPEN = _builtin("Sharpen", 3, 16, 0, (-2, -2, -2, -2, 32, -2, -2, -2, -2))
SMOOTH = _builtin("Smooth", 3, 13, 0, (1, 1, 1, 1, 5, 1, 1, 1, 1))
SMOOTH_MORE = _builtin("Smooth More", 5, 100, 0,
                       (1, 1, 1, 1, 1, 1, 5, 5, 5, 1, 1, 5, 44, 5, 1, 1, 5, 5, 5, 1, 1, 1, 1, 1, 1))


class GaussianBlur(MultibandFilter):
    """Three box blurs, whose boxes have fractional edges, in the place of a Gaussian. Behaviour: BoxBlur.c."""

    name = "GaussianBlur"

    def __init__(self, radius=2):
        self.radius = radius if isinstance(radius, (tuple, list)) else (radius, radius)

    def filter(self, pixels):
        for radius, dim in zip(self.radius, (1, 0)):
            radius = _single(radius)
            variance = _single(_single(radius * radius) / 3)
            whole = int((_single((12.0 * variance + 1.0) ** 0.5) - 1.0) / 2.0)
            part = _single((2 * whole + 1) * (whole * (whole + 1) - 3.0 * variance))
            part = _single(part / (6.0 * (variance - (whole + 1) * (whole + 1))))
            for _ in range(3):
                pixels = _box_blurred(pixels, _single(whole + part), dim)
        return pixels


class BoxBlur(MultibandFilter):
    """Means over a box; pixels of the edge count on behind it."""

    name = "BoxBlur"

    def __init__(self, radius):
        self.radius = radius if isinstance(radius, (tuple, list)) else (radius, radius)
        if min(self.radius) < 0:
            raise ValueError("radius must be >= 0")

    def filter(self, pixels):
        for radius, dim in zip(self.radius, (1, 0)):
            pixels = _box_blurred(pixels, radius, dim)
        return pixels


def _single(number):
    """The nearest number of single precision, in which radii are computed."""
    return struct.unpack("f", struct.pack("f", number))[0]


def _box_blurred(pixels, radius, dim):
    whole = int(radius)
    if radius <= 0:
        return pixels
    inner = int(_single((1 << 24) / _single(_single(radius) * 2 + 1)))
    outer = ((1 << 24) - (whole * 2 + 1) * inner) // 2
    length = pixels.shape[dim]
    moved = pixels.movedim(dim, 0).long()
    places = torch.arange(length)

    def at(shift):
        return moved[(places + shift).clamp(0, length - 1)]

    total = sum((at(shift) for shift in range(-whole, whole + 1)), torch.zeros_like(moved)) * inner
    total = total + (at(-whole - 1) + at(whole + 1)) * outer
    return ((total + (1 << 23)) >> 24).to(torch.uint8).movedim(0, dim).contiguous()
