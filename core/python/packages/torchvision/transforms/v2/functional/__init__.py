"""The functions of the second version, for tensors and PIL's images. Behaviour: torchvision/transforms/v2/functional.

Differs: images as tensors are plain tensors, no tv_tensors.Image.
"""
import numpy as np
import torch

from _stand_in import part_of
from torchvision.transforms.functional import (
    InterpolationMode, adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_saturation, adjust_sharpness,
    affine, autocontrast, center_crop, convert_image_dtype, crop, elastic_transform, equalize, erase, five_crop, gaussian_blur,
    get_dimensions, get_image_num_channels, get_image_size, hflip, invert, normalize, pad, perspective, pil_to_tensor, posterize,
    resize, resized_crop, rgb_to_grayscale, rotate, solarize, ten_crop, to_grayscale, to_pil_image, to_tensor, vflip,
)

__getattr__ = part_of(__name__)
horizontal_flip, vertical_flip = hflip, vflip
get_num_channels = get_image_num_channels


def get_size(inpt):
    """[height, width]"""
    return get_dimensions(inpt)[1:]


def to_image(inpt):
    """A tensor (C, H, W) with the same numbers."""
    if isinstance(inpt, np.ndarray):
        array = inpt[:, :, None] if inpt.ndim == 2 else inpt
        return torch.from_numpy(array.transpose((2, 0, 1))).contiguous()
    if isinstance(inpt, torch.Tensor):
        return inpt
    return pil_to_tensor(inpt)


def to_dtype(inpt, dtype=torch.float, scale=False):
    return convert_image_dtype(inpt, dtype) if scale else inpt.to(dtype)


to_dtype_image = to_dtype


def grayscale_to_rgb(inpt):
    return rgb_to_grayscale(inpt, num_output_channels=3) if get_image_num_channels(inpt) == 1 else inpt
