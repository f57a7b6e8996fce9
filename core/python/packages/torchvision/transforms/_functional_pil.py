"""Transforms of PIL's images. Behaviour: torchvision/transforms/_functional_pil.py."""
import numbers

import torch
from PIL import Image, ImageEnhance, ImageOps

from torchvision.transforms._padding import padded, sides_of


def _is_pil_image(img):
    return isinstance(img, Image.Image)


def _checked(img):
    if not _is_pil_image(img):
        raise TypeError(f"img should be PIL Image. Got {type(img)}")


def get_dimensions(img):
    _checked(img)
    return [get_image_num_channels(img), img.height, img.width]


def get_image_size(img):
    _checked(img)
    return list(img.size)


def get_image_num_channels(img):
    _checked(img)
    return len(img.getbands())


def hflip(img):
    _checked(img)
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vflip(img):
    _checked(img)
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def adjust_brightness(img, brightness_factor):
    _checked(img)
    return ImageEnhance.Brightness(img).enhance(brightness_factor)


def adjust_contrast(img, contrast_factor):
    _checked(img)
    return ImageEnhance.Contrast(img).enhance(contrast_factor)


def adjust_saturation(img, saturation_factor):
    _checked(img)
    return ImageEnhance.Color(img).enhance(saturation_factor)


def adjust_sharpness(img, sharpness_factor):
    _checked(img)
    return ImageEnhance.Sharpness(img).enhance(sharpness_factor)


def adjust_hue(img, hue_factor):
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    _checked(img)
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    shift = int(hue_factor * 255) % 256  # hues go round
    turned = Image.Image._of("L", ((hue._pixels.int() + shift) % 256).to(torch.uint8))
    return Image.merge("HSV", (turned, saturation, value)).convert(img.mode)


def adjust_gamma(img, gamma, gain=1):
    _checked(img)
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    table = [int((255 + 1 - 1e-3) * gain * pow(i / 255.0, gamma)) for i in range(256)] * 3
    return img.convert("RGB").point(table).convert(img.mode)


def _parse_fill(fill, img, name="fill"):
    """The keyword with the colour of what is new: one number for each band."""
    bands = len(img.getbands())
    if fill is None:
        fill = 0
    if isinstance(fill, (int, float)) and bands > 1:
        fill = (fill,) * bands
    if isinstance(fill, (list, tuple)):
        if len(fill) == 1:
            fill = tuple(fill) * bands
        elif len(fill) != bands:
            raise ValueError("The number of elements in 'fill' does not match the number of channels of the image "
                             f"({len(fill)} != {bands})")
        fill = tuple(fill)
    if img.mode != "F":
        fill = tuple(int(one) for one in fill) if isinstance(fill, tuple) else int(fill)
    if isinstance(fill, tuple) and bands == 1:
        fill = fill[0]
    return {name: fill}


def pad(img, padding, fill=0, padding_mode="constant"):
    _checked(img)
    if not isinstance(padding, (numbers.Number, tuple, list)):
        raise TypeError("Got inappropriate padding arg")
    if fill is not None and not isinstance(fill, (numbers.Number, tuple, list)):
        raise TypeError("Got inappropriate fill arg")
    if not isinstance(padding_mode, str):
        raise TypeError("Got inappropriate padding_mode arg")
    left, top, right, bottom = sides_of(padding)
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    if padding_mode == "constant" and min(left, top, right, bottom) >= 0:
        return ImageOps.expand(img, border=(left, top, right, bottom), **_parse_fill(fill, img))
    if padding_mode == "constant":
        return img.crop((-left, -top, img.width + right, img.height + bottom))
    pixels = img._pixels if img._pixels.dim() == 2 else img._pixels.movedim(-1, 0)
    pixels = padded(pixels, left, top, right, bottom, padding_mode)
    return Image.Image._of(img.mode, (pixels if pixels.dim() == 2 else pixels.movedim(0, -1)).contiguous(), img)


def crop(img, top, left, height, width):
    _checked(img)
    return img.crop((left, top, left + width, top + height))


def resize(img, size, interpolation=Image.Resampling.BILINEAR):
    _checked(img)
    if not (isinstance(size, list) and len(size) == 2):
        raise TypeError(f"Got inappropriate size arg: {size}")
    return img.resize(tuple(size[::-1]), interpolation)


def affine(img, matrix, interpolation=0, fill=None):
    _checked(img)
    return img.transform(img.size, Image.Transform.AFFINE, matrix, interpolation, **_parse_fill(fill, img, "fillcolor"))


def rotate(img, angle, interpolation=0, expand=False, center=None, fill=None):
    _checked(img)
    return img.rotate(angle, interpolation, expand, center, **_parse_fill(fill, img, "fillcolor"))


def perspective(img, perspective_coeffs, interpolation=Image.Resampling.BICUBIC, fill=None):
    _checked(img)
    return img.transform(img.size, Image.Transform.PERSPECTIVE, perspective_coeffs, interpolation,
                         **_parse_fill(fill, img, "fillcolor"))


def to_grayscale(img, num_output_channels):
    _checked(img)
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    gray = img.convert("L")
    return gray if num_output_channels == 1 else gray.convert("RGB")


def invert(img):
    _checked(img)
    return ImageOps.invert(img)


def posterize(img, bits):
    _checked(img)
    return ImageOps.posterize(img, bits)


def solarize(img, threshold):
    _checked(img)
    return ImageOps.solarize(img, threshold)


def autocontrast(img):
    _checked(img)
    return ImageOps.autocontrast(img)


def equalize(img):
    _checked(img)
    return ImageOps.equalize(img)
