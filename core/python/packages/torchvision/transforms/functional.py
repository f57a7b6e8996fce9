"""Transforms of one image, a tensor or one of PIL's. Behaviour: torchvision/transforms/functional.py."""
import math
import numbers
from enum import Enum

import numpy as np
import torch
from torch import Tensor

from _stand_in import part_of
from PIL import Image
from torchvision.transforms import _functional_pil as F_pil
from torchvision.transforms import _functional_tensor as F_t
from torchvision.transforms._shapes import center_crop, five_crop, ten_crop

__getattr__ = part_of(__name__)


class InterpolationMode(Enum):
    NEAREST = "nearest"
    NEAREST_EXACT = "nearest-exact"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


pil_modes_mapping = {
    InterpolationMode.NEAREST: 0, InterpolationMode.BILINEAR: 2, InterpolationMode.BICUBIC: 3,
    InterpolationMode.NEAREST_EXACT: 0, InterpolationMode.BOX: 4, InterpolationMode.HAMMING: 5, InterpolationMode.LANCZOS: 1,
}
_is_pil_image = F_pil._is_pil_image


def _interpolation_modes_from_int(i):
    modes = {0: InterpolationMode.NEAREST, 2: InterpolationMode.BILINEAR, 3: InterpolationMode.BICUBIC, 4: InterpolationMode.BOX,
             5: InterpolationMode.HAMMING, 1: InterpolationMode.LANCZOS}
    return modes[i]


def _interpolation(given):
    if isinstance(given, int):
        return _interpolation_modes_from_int(given)
    if not isinstance(given, InterpolationMode):
        raise TypeError("Argument interpolation should be a InterpolationMode or a corresponding Pillow integer constant")
    return given


def _is_numpy(img):
    return isinstance(img, np.ndarray)


def _is_numpy_image(img):
    return img.ndim in {2, 3}


def get_dimensions(img):
    """[channels, height, width]"""
    return F_t.get_dimensions(img) if isinstance(img, Tensor) else F_pil.get_dimensions(img)


def get_image_size(img):
    """[width, height]"""
    return F_t.get_image_size(img) if isinstance(img, Tensor) else F_pil.get_image_size(img)


def get_image_num_channels(img):
    return F_t.get_image_num_channels(img) if isinstance(img, Tensor) else F_pil.get_image_num_channels(img)


def to_tensor(pic):
    """(C, H, W); bytes become 0 to 1."""
    if not (_is_pil_image(pic) or _is_numpy(pic)):
        raise TypeError(f"pic should be PIL Image or ndarray. Got {type(pic)}")
    if _is_numpy(pic):
        if not _is_numpy_image(pic):
            raise ValueError(f"pic should be 2/3 dimensional. Got {pic.ndim} dimensions.")
        pixels = torch.from_numpy((pic[:, :, None] if pic.ndim == 2 else pic).transpose((2, 0, 1))).contiguous()
    else:
        pixels = pic._pixels
        pixels = pixels.unsqueeze(0) if pixels.dim() == 2 else pixels.permute(2, 0, 1).contiguous()
        if pixels.dtype != torch.uint8:
            return pixels.to(torch.int16) if pic.mode == "I;16" else pixels.clone()
    if pixels.dtype == torch.uint8:
        return pixels.to(torch.get_default_dtype()).div(255)
    return pixels


def pil_to_tensor(pic):
    if not _is_pil_image(pic):
        raise TypeError(f"pic should be PIL Image. Got {type(pic)}")
    pixels = torch.as_tensor(np.array(pic))
    return pixels.unsqueeze(0) if pixels.dim() == 2 else pixels.permute((2, 0, 1))


def convert_image_dtype(image, dtype=torch.float):
    if not isinstance(image, Tensor):
        raise TypeError("Input img should be Tensor Image")
    return F_t.convert_image_dtype(image, dtype)


def to_pil_image(pic, mode=None):
    """Of a tensor (C, H, W) or (H, W), or of an array (H, W, C) or (H, W)."""
    if isinstance(pic, Tensor):
        if pic.ndim == 3:
            pic = pic.permute((1, 2, 0))
        if pic.is_floating_point() and mode != "F" and pic.ndim in (2, 3):
            pic = pic.mul(255).byte()
        array = pic.detach().cpu().numpy()
    elif _is_numpy(pic):
        array = pic
    else:
        raise TypeError(f"pic should be Tensor or ndarray. Got {type(pic)}.")
    if array.ndim not in (2, 3):
        raise ValueError(f"pic should be 2/3 dimensional. Got {array.ndim} dimensions.")
    if array.ndim == 2:
        array = array[:, :, None]
    channels, dtype = array.shape[-1], array.dtype
    if channels > 4:
        raise ValueError(f"pic should not have > 4 channels. Got {channels} channels.")
    if channels == 1:
        array = array[:, :, 0]
        expected = {"uint8": "L", "int16": "I;16", "int32": "I", "float32": "F"}.get(str(dtype))
        if mode is not None and mode != expected:
            raise ValueError(f"Incorrect mode ({mode}) supplied for input type {np.dtype}. Should be {expected}")
        mode = expected
    else:
        permitted, name = {2: (["LA"], 2), 3: (["RGB", "YCbCr", "HSV"], 3), 4: (["RGBA", "CMYK", "RGBX"], 4)}[channels]
        if mode is not None and mode not in permitted:
            raise ValueError(f"Only modes {permitted} are supported for {name}D inputs")
        if mode is None and str(dtype) == "uint8":
            mode = permitted[0]
    if mode is None:
        raise TypeError(f"Input type {dtype} is not supported")
    return Image.fromarray(array, mode=mode)


def normalize(tensor, mean, std, inplace=False):
    if not isinstance(tensor, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(tensor)}")
    return F_t.normalize(tensor, mean=mean, std=std, inplace=inplace)


def _compute_resized_output_size(image_size, size, max_size=None, allow_size_none=False):
    """(H, W) to [new H, new W]; one number is that of the shorter side."""
    h, w = image_size
    short, long = (w, h) if w <= h else (h, w)
    if size is None:
        if not allow_size_none or not isinstance(max_size, int):
            raise ValueError(f"max_size must be an integer when size is None, but got {max_size} instead.")
        new_short, new_long = int(max_size * short / long), max_size
    elif len(size) == 2:
        return [size[0], size[1]]
    else:
        wanted = size if isinstance(size, int) else size[0]
        new_short, new_long = wanted, int(wanted * long / short)
        if max_size is not None:
            if max_size <= wanted:
                raise ValueError(f"max_size = {max_size} must be strictly greater than the requested size for the smaller edge "
                                 f"size = {size}")
            if new_long > max_size:
                new_short, new_long = int(max_size * new_short / new_long), max_size
    return [new_long, new_short] if w <= h else [new_short, new_long]


def resize(img, size, interpolation=InterpolationMode.BILINEAR, max_size=None, antialias=True):
    interpolation = _interpolation(interpolation)
    if isinstance(size, (list, tuple)):
        if len(size) not in (1, 2):
            raise ValueError(f"Size must be an int or a 1 or 2 element tuple/list, not a {len(size)} element tuple/list")
        if max_size is not None and len(size) != 1:
            raise ValueError("max_size should only be passed if size specifies the length of the smaller edge, i.e. size should "
                             "be an int or a sequence of length 1 in torchscript mode.")
    else:
        size = None if size is None else [size]
    _, height, width = get_dimensions(img)
    wanted = _compute_resized_output_size((height, width), size, max_size, allow_size_none=size is None)
    if [height, width] == wanted:
        return img
    if isinstance(img, Tensor):
        return F_t.resize(img, size=wanted, interpolation=interpolation.value, antialias=antialias)
    return F_pil.resize(img, size=wanted, interpolation=pil_modes_mapping[interpolation])


def pad(img, padding, fill=0, padding_mode="constant"):
    one = F_t if isinstance(img, Tensor) else F_pil
    return one.pad(img, padding=padding, fill=fill, padding_mode=padding_mode)


def crop(img, top, left, height, width):
    return (F_t if isinstance(img, Tensor) else F_pil).crop(img, top, left, height, width)


def resized_crop(img, top, left, height, width, size, interpolation=InterpolationMode.BILINEAR, antialias=True):
    return resize(crop(img, top, left, height, width), size, interpolation, antialias=antialias)


def _either(name, *parameters):
    """The function of that name for tensors and for PIL's images."""
    of_tensor, of_pil = getattr(F_t, name), getattr(F_pil, name)

    def call(img, *args, **kwargs):
        return (of_tensor if isinstance(img, Tensor) else of_pil)(img, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = of_tensor.__doc__
    return call


hflip, vflip, invert, posterize, solarize, autocontrast, equalize = (
    _either(_name) for _name in ("hflip", "vflip", "invert", "posterize", "solarize", "autocontrast", "equalize"))
adjust_brightness, adjust_contrast, adjust_saturation, adjust_hue, adjust_gamma, adjust_sharpness = (
    _either("adjust_" + _name) for _name in ("brightness", "contrast", "saturation", "hue", "gamma", "sharpness"))


def to_grayscale(img, num_output_channels=1):
    if not isinstance(img, Image.Image):
        raise TypeError("Input should be PIL Image")
    return F_pil.to_grayscale(img, num_output_channels)


def rgb_to_grayscale(img, num_output_channels=1):
    if isinstance(img, Tensor):
        return F_t.rgb_to_grayscale(img, num_output_channels)
    return F_pil.to_grayscale(img, num_output_channels)


def erase(img, i, j, h, w, v, inplace=False):
    if not isinstance(img, Tensor):
        raise TypeError(f"img should be Tensor Image. Got {type(img)}")
    return F_t.erase(img, i, j, h, w, v, inplace=inplace)


def _get_inverse_affine_matrix(center, angle, translate, scale, shear, inverted=True):
    """The first two rows of the matrix from a new place to the old one (inverted=False: from the old to the new).

    It undoes, in this order: moving by `translate`, turning about `center`, shearing and scaling.
    """
    turn, (sx, sy) = math.radians(angle), (math.radians(one) for one in shear)
    cx, cy = center
    tx, ty = translate
    a = math.cos(turn - sy) / math.cos(sy)
    b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
    c = math.sin(turn - sy) / math.cos(sy)
    d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
    if inverted:
        matrix = [one / scale for one in (d, -b, 0.0, -c, a, 0.0)]
        matrix[2] += matrix[0] * (-cx - tx) + matrix[1] * (-cy - ty)
        matrix[5] += matrix[3] * (-cx - tx) + matrix[4] * (-cy - ty)
        matrix[2] += cx
        matrix[5] += cy
        return matrix
    matrix = [one * scale for one in (a, b, 0.0, c, d, 0.0)]
    matrix[2] += matrix[0] * -cx + matrix[1] * -cy
    matrix[5] += matrix[3] * -cx + matrix[4] * -cy
    matrix[2] += cx + tx
    matrix[5] += cy + ty
    return matrix


def rotate(img, angle, interpolation=InterpolationMode.NEAREST, expand=False, center=None, fill=None):
    """Counterclockwise, by degrees."""
    interpolation = _interpolation(interpolation)
    if not isinstance(angle, (int, float)):
        raise TypeError("Argument angle should be int or float")
    if center is not None and not isinstance(center, (list, tuple)):
        raise TypeError("Argument center should be a sequence")
    if not isinstance(img, Tensor):
        return F_pil.rotate(img, angle, pil_modes_mapping[interpolation], expand, center, fill)
    middle = [0.0, 0.0]
    if center is not None:
        _, height, width = get_dimensions(img)
        middle = [1.0 * (c - s * 0.5) for c, s in zip(center, [width, height])]
    matrix = _get_inverse_affine_matrix(middle, -angle, [0.0, 0.0], 1.0, [0.0, 0.0])  # tensors turn the other way
    return F_t.rotate(img, matrix=matrix, interpolation=interpolation.value, expand=expand, fill=fill)


def affine(img, angle, translate, scale, shear, interpolation=InterpolationMode.NEAREST, fill=None, center=None):
    interpolation = _interpolation(interpolation)
    if not isinstance(angle, (int, float)):
        raise TypeError("Argument angle should be int or float")
    if not isinstance(translate, (list, tuple)):
        raise TypeError("Argument translate should be a sequence")
    if len(translate) != 2:
        raise ValueError("Argument translate should be a sequence of length 2")
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    if not isinstance(shear, (numbers.Number, list, tuple)):
        raise TypeError("Shear should be either a single value or a sequence of two values")
    shear = [shear, 0.0] if isinstance(shear, numbers.Number) else list(shear)
    if len(shear) == 1:
        shear = [shear[0], shear[0]]
    if len(shear) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {shear}")
    if center is not None and not isinstance(center, (list, tuple)):
        raise TypeError("Argument center should be a sequence")
    _, height, width = get_dimensions(img)
    if not isinstance(img, Tensor):
        middle = [width * 0.5, height * 0.5] if center is None else center
        matrix = _get_inverse_affine_matrix(middle, angle, list(translate), scale, shear)
        return F_pil.affine(img, matrix=matrix, interpolation=pil_modes_mapping[interpolation], fill=fill)
    middle = [0.0, 0.0]
    if center is not None:
        middle = [1.0 * (c - s * 0.5) for c, s in zip(center, [width, height])]
    matrix = _get_inverse_affine_matrix(middle, angle, [1.0 * one for one in translate], scale, shear)
    return F_t.affine(img, matrix=matrix, interpolation=interpolation.value, fill=fill)


def _get_perspective_coeffs(startpoints, endpoints):
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise ValueError(f"Please provide exactly four corners, got {len(startpoints)} startpoints and {len(endpoints)} "
                         "endpoints.")
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    wanted = torch.tensor([list(one) for one in startpoints], dtype=torch.float64).view(8)
    solution = torch.linalg.solve(torch.tensor(rows, dtype=torch.float64), wanted)
    return solution.to(torch.float32).tolist()


def perspective(img, startpoints, endpoints, interpolation=InterpolationMode.BILINEAR, fill=None):
    coeffs = _get_perspective_coeffs(startpoints, endpoints)
    interpolation = _interpolation(interpolation)
    if not isinstance(img, Tensor):
        return F_pil.perspective(img, coeffs, interpolation=pil_modes_mapping[interpolation], fill=fill)
    return F_t.perspective(img, coeffs, interpolation=interpolation.value, fill=fill)


def _through_tensor(img, function):
    """What `function` of tensors makes of a tensor or of one of PIL's images."""
    if isinstance(img, Tensor):
        return function(img)
    if not _is_pil_image(img):
        raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")
    return to_pil_image(function(pil_to_tensor(img)), mode=img.mode)


def gaussian_blur(img, kernel_size, sigma=None):
    if not isinstance(kernel_size, (int, list, tuple)):
        raise TypeError(f"kernel_size should be int or a sequence of integers. Got {type(kernel_size)}")
    kernel_size = [kernel_size, kernel_size] if isinstance(kernel_size, int) else list(kernel_size)
    if len(kernel_size) != 2:
        raise ValueError(f"If kernel_size is a sequence its length should be 2. Got {len(kernel_size)}")
    for size in kernel_size:
        if size % 2 == 0 or size < 0:
            raise ValueError(f"kernel_size should have odd and positive integers. Got {kernel_size}")
    if sigma is None:
        sigma = [size * 0.15 + 0.35 for size in kernel_size]
    if not isinstance(sigma, (list, tuple, int, float)):
        raise TypeError(f"sigma should be either float or sequence of floats. Got {type(sigma)}")
    sigma = [float(sigma)] * 2 if isinstance(sigma, (int, float)) else list(sigma)
    if len(sigma) == 1:
        sigma = sigma * 2
    if len(sigma) != 2:
        raise ValueError(f"If sigma is a sequence, its length should be 2. Got {len(sigma)}")
    for one in sigma:
        if one <= 0.0:
            raise ValueError(f"sigma should have positive values. Got {sigma}")
    return _through_tensor(img, lambda tensor: F_t.gaussian_blur(tensor, kernel_size, sigma))


def elastic_transform(img, displacement, interpolation=InterpolationMode.BILINEAR, fill=None):
    interpolation = _interpolation(interpolation)
    if not isinstance(displacement, Tensor):
        raise TypeError("Argument displacement should be a Tensor")
    return _through_tensor(img, lambda tensor: F_t.elastic_transform(tensor, displacement, interpolation.value, fill))
