"""Colours of tensors (..., C, H, W). Behaviour: torchvision/transforms/_functional_tensor.py."""
import torch
from torch.nn import functional as nn_functional

_MOST = {torch.uint8: 255, torch.int8: 127, torch.int16: 32767, torch.uint16: 65535, torch.int32: 2147483647,
         torch.int64: 9223372036854775807}


def _max_value(dtype):
    return _MOST.get(dtype, 1)


def _assert_channels(img, permitted):
    channels = 1 if img.ndim == 2 else img.shape[-3]
    if channels not in permitted:
        raise TypeError(f"Input image tensor permitted channel values are {permitted}, but found {channels}")


def _assert_image_tensor(img):
    if img.ndim < 2:
        raise TypeError("Tensor is not a torch image.")


def convert_image_dtype(image, dtype=torch.float):
    """Numbers of another type, in which white stays white."""
    if image.dtype == dtype:
        return image
    if image.is_floating_point():
        if dtype.is_floating_point:
            return image.to(dtype)
        wide = (torch.int32, torch.int64) if image.dtype == torch.float32 else (torch.int64,)
        if image.dtype in (torch.float32, torch.float64) and dtype in wide:
            raise RuntimeError(f"The cast from {image.dtype} to {dtype} cannot be performed safely.")
        return image.mul(float(_max_value(dtype)) + 1.0 - 1e-3).to(dtype)
    most, wanted = _max_value(image.dtype), _max_value(dtype)
    if dtype.is_floating_point:
        return image.to(dtype) / most
    if most > wanted:
        return torch.div(image, (most + 1) // (wanted + 1), rounding_mode="floor").to(dtype)
    return image.to(dtype) * ((wanted + 1) // (most + 1))


def rgb_to_grayscale(img, num_output_channels=1):
    if img.ndim < 3:
        raise TypeError(f"Input image tensor should have at least 3 dimensions, but found {img.ndim}")
    _assert_channels(img, [1, 3])
    if num_output_channels not in (1, 3):
        raise ValueError("num_output_channels should be either 1 or 3")
    if img.shape[-3] == 3:
        red, green, blue = img.unbind(dim=-3)
        gray = (0.2989 * red + 0.587 * green + 0.114 * blue).to(img.dtype).unsqueeze(dim=-3)
    else:
        gray = img.clone()
    return gray.expand(img.shape) if num_output_channels == 3 else gray


def _blend(img1, img2, ratio):
    ratio = float(ratio)
    return (ratio * img1 + (1.0 - ratio) * img2).clamp(0, _max_value(img1.dtype)).to(img1.dtype)


def adjust_brightness(img, brightness_factor):
    if brightness_factor < 0:
        raise ValueError(f"brightness_factor ({brightness_factor}) is not non-negative.")
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    return _blend(img, torch.zeros_like(img), brightness_factor)


def adjust_contrast(img, contrast_factor):
    if contrast_factor < 0:
        raise ValueError(f"contrast_factor ({contrast_factor}) is not non-negative.")
    _assert_image_tensor(img)
    _assert_channels(img, [3, 1])
    dtype = img.dtype if torch.is_floating_point(img) else torch.float32
    gray = rgb_to_grayscale(img) if img.shape[-3] == 3 else img
    return _blend(img, torch.mean(gray.to(dtype), dim=(-3, -2, -1), keepdim=True), contrast_factor)


def adjust_saturation(img, saturation_factor):
    if saturation_factor < 0:
        raise ValueError(f"saturation_factor ({saturation_factor}) is not non-negative.")
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    return img if img.shape[-3] == 1 else _blend(img, rgb_to_grayscale(img), saturation_factor)


def adjust_hue(img, hue_factor):
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor ({hue_factor}) is not in [-0.5, 0.5].")
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    if img.shape[-3] == 1:
        return img
    hue, saturation, value = _rgb2hsv(convert_image_dtype(img, torch.float32)).unbind(dim=-3)
    turned = _hsv2rgb(torch.stack(((hue + hue_factor) % 1.0, saturation, value), dim=-3))
    return convert_image_dtype(turned, img.dtype)


def adjust_gamma(img, gamma, gain=1):
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    if gamma < 0:
        raise ValueError("Gamma should be a non-negative real number")
    made = img if torch.is_floating_point(img) else convert_image_dtype(img, torch.float32)
    return convert_image_dtype((gain * made**gamma).clamp(0, 1), img.dtype)


def adjust_sharpness(img, sharpness_factor):
    if sharpness_factor < 0:
        raise ValueError(f"sharpness_factor ({sharpness_factor}) is not non-negative.")
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    if img.shape[-1] <= 2 or img.shape[-2] <= 2:
        return img
    return _blend(img, _smoothed(img), sharpness_factor)


def _smoothed(img):
    """Means with the neighbours; the border stays."""
    dtype = img.dtype if torch.is_floating_point(img) else torch.float32
    kernel = torch.ones((3, 3), dtype=dtype)
    kernel[1, 1] = 5.0
    kernel /= kernel.sum()
    kernel = kernel.expand(img.shape[-3], 1, 3, 3)
    batch = img.to(dtype).unsqueeze(0) if img.ndim < 4 else img.to(dtype)
    inner = nn_functional.conv2d(batch, kernel, groups=img.shape[-3])
    inner = inner.squeeze(0) if img.ndim < 4 else inner
    made = img.clone()
    made[..., 1:-1, 1:-1] = (inner if torch.is_floating_point(img) else torch.round(inner)).to(img.dtype)
    return made


def _rgb2hsv(img):
    red, green, blue = img.unbind(dim=-3)
    most, least = torch.max(img, dim=-3).values, torch.min(img, dim=-3).values
    gray, spread = most == least, most - least
    ones = torch.ones_like(most)
    saturation = spread / torch.where(gray, ones, most)
    divisor = torch.where(gray, ones, spread)
    to_red, to_green, to_blue = ((most - one) / divisor for one in (red, green, blue))
    hue = (most == red) * (to_blue - to_green)
    hue = hue + ((most == green) & (most != red)) * (2.0 + to_red - to_blue)
    hue = hue + ((most != green) & (most != red)) * (4.0 + to_green - to_red)
    return torch.stack((torch.fmod(hue / 6.0 + 1.0, 1.0), saturation, most), dim=-3)


def _hsv2rgb(img):
    hue, saturation, value = img.unbind(dim=-3)
    sector = torch.floor(hue * 6.0)
    part = hue * 6.0 - sector
    sector = sector.to(torch.int32) % 6
    low = torch.clamp(value * (1.0 - saturation), 0.0, 1.0)
    falling = torch.clamp(value * (1.0 - saturation * part), 0.0, 1.0)
    rising = torch.clamp(value * (1.0 - saturation * (1.0 - part)), 0.0, 1.0)
    choices = ((value, rising, low), (falling, value, low), (low, value, rising), (low, falling, value), (rising, low, value),
               (value, low, falling))
    bands = []
    for band in range(3):
        made = choices[0][band]
        for number in range(1, 6):
            made = torch.where(sector == number, choices[number][band], made)
        bands.append(made)
    return torch.stack(bands, dim=-3)


def invert(img):
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    return _max_value(img.dtype) - img


def _assert_bytes(img):
    if img.dtype != torch.uint8:
        raise TypeError(f"Only torch.uint8 image tensors are supported, but found {img.dtype}")


def posterize(img, bits):
    _assert_image_tensor(img)
    _assert_bytes(img)
    _assert_channels(img, [1, 3])
    return img & (256 - 2 ** (8 - bits))


def solarize(img, threshold):
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    if threshold > _max_value(img.dtype):
        raise TypeError("Threshold should be less than bound of img.")
    return torch.where(img >= threshold, invert(img), img)


def autocontrast(img):
    _assert_image_tensor(img)
    _assert_channels(img, [1, 3])
    bound = _max_value(img.dtype)
    dtype = img.dtype if torch.is_floating_point(img) else torch.float32
    least = img.amin(dim=(-2, -1), keepdim=True).to(dtype)
    most = img.amax(dim=(-2, -1), keepdim=True).to(dtype)
    scale = bound / (most - least)
    flat = torch.isfinite(scale).logical_not()
    least, scale = torch.where(flat, 0.0, least), torch.where(flat, 1.0, scale)
    return ((img - least) * scale).clamp(0, bound).to(img.dtype)


def _equalized(channel):
    counts = torch.bincount(channel.reshape(-1).long(), minlength=256)
    seen = counts[counts != 0]
    step = torch.div(seen[:-1].sum(), 255, rounding_mode="floor")
    if step == 0:
        return channel
    table = torch.div(torch.cumsum(counts, 0) + torch.div(step, 2, rounding_mode="floor"), step, rounding_mode="floor")
    table = nn_functional.pad(table, [1, 0])[:-1].clamp(0, 255)
    return table[channel.to(torch.int64)].to(torch.uint8)


def equalize(img):
    _assert_image_tensor(img)
    if not 3 <= img.ndim <= 4:
        raise TypeError(f"Input image tensor should have 3 or 4 dimensions, but found {img.ndim}")
    _assert_bytes(img)
    _assert_channels(img, [1, 3])
    if img.ndim == 4:
        return torch.stack([equalize(one) for one in img])
    return torch.stack([_equalized(one) for one in img])
