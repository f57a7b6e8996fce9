"""Transforms of tensors (..., C, H, W). Behaviour: torchvision/transforms/_functional_tensor.py."""
import torch
from torch.nn import functional as nn_functional

from torchvision.transforms._color_tensor import (
    _blend, _max_value, adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_saturation, adjust_sharpness,
    autocontrast, convert_image_dtype, equalize, invert, posterize, rgb_to_grayscale, solarize,
)
from torchvision.transforms._padding import padded, sides_of


def _is_tensor_a_torch_image(x):
    return x.ndim >= 2


def _assert_image_tensor(img):
    if not _is_tensor_a_torch_image(img):
        raise TypeError("Tensor is not a torch image.")


def get_dimensions(img):
    _assert_image_tensor(img)
    return [1 if img.ndim == 2 else img.shape[-3], img.shape[-2], img.shape[-1]]


def get_image_size(img):
    _assert_image_tensor(img)
    return [img.shape[-1], img.shape[-2]]


def get_image_num_channels(img):
    _assert_image_tensor(img)
    return 1 if img.ndim == 2 else img.shape[-3]


def _cast_squeeze_in(img, req_dtypes):
    """A batch of images of a type that the functions of torch.nn take, and how to come back."""
    is_single, dtype = img.ndim < 4, img.dtype
    img = img.unsqueeze(0) if is_single else img
    needs_cast = dtype not in req_dtypes
    return (img.to(req_dtypes[0]) if needs_cast else img), needs_cast, is_single, dtype


def _cast_squeeze_out(img, need_cast, need_squeeze, out_dtype):
    img = img.squeeze(0) if need_squeeze else img
    if need_cast:
        if out_dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            img = torch.round(img)
        img = img.to(out_dtype)
    return img


def hflip(img):
    _assert_image_tensor(img)
    return img.flip(-1)


def vflip(img):
    _assert_image_tensor(img)
    return img.flip(-2)


def crop(img, top, left, height, width):
    """What lies outside is zero."""
    _assert_image_tensor(img)
    _, h, w = get_dimensions(img)
    right, bottom = left + width, top + height
    if left < 0 or top < 0 or right > w or bottom > h:
        inner = img[..., max(top, 0):bottom, max(left, 0):right]
        return padded(inner, max(min(right, 0) - left, 0), max(min(bottom, 0) - top, 0), max(right - max(w, left), 0),
                      max(bottom - max(h, top), 0), "constant")
    return img[..., top:bottom, left:right]


def pad(img, padding, fill=0, padding_mode="constant"):
    _assert_image_tensor(img)
    if fill is None:
        fill = 0
    if not isinstance(padding, (int, tuple, list)):
        raise TypeError("Got inappropriate padding arg")
    if not isinstance(fill, (int, float)):
        raise TypeError("Got inappropriate fill arg")
    if not isinstance(padding_mode, str):
        raise TypeError("Got inappropriate padding_mode arg")
    sides = sides_of(padding)
    if padding_mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ValueError("Padding mode should be either constant, edge, reflect or symmetric")
    return padded(img, *sides, padding_mode, fill)


def resize(img, size, interpolation="bilinear", antialias=True):
    _assert_image_tensor(img)
    antialias = antialias and interpolation in ("bilinear", "bicubic")
    dtypes = [torch.float32, torch.float64]
    img, *back = _cast_squeeze_in(img, dtypes)
    corners = False if interpolation in ("bilinear", "bicubic") else None
    img = nn_functional.interpolate(img, size=size, mode=interpolation, align_corners=corners, antialias=antialias)
    if interpolation == "bicubic" and back[-1] == torch.uint8:
        img = img.clamp(min=0, max=255)
    return _cast_squeeze_out(img, *back)


def _checked_grid_arguments(img, matrix, interpolation, fill, modes):
    if not isinstance(img, torch.Tensor):
        raise TypeError("Input img should be Tensor")
    _assert_image_tensor(img)
    if matrix is not None and not isinstance(matrix, list):
        raise TypeError("Argument matrix should be a list")
    if matrix is not None and len(matrix) != 6:
        raise ValueError("Argument matrix should have 6 float values")
    if fill is not None and not isinstance(fill, (int, float, tuple, list)):
        raise TypeError("Argument fill should be either int, float, tuple or list")
    channels = get_dimensions(img)[0]
    if isinstance(fill, (tuple, list)) and len(fill) > 1 and len(fill) != channels:
        raise ValueError("The number of elements in 'fill' cannot broadcast to match the number of channels of the image "
                         f"({len(fill)} != {channels})")
    if interpolation not in modes:
        raise ValueError(f"Interpolation mode '{interpolation}' is unsupported with Tensor input")


def _apply_grid_transform(img, grid, mode, fill):
    img, *back = _cast_squeeze_in(img, [grid.dtype])
    grid = grid.expand(img.shape[0], *grid.shape[1:])
    if fill is not None:  # a channel of ones tells what comes from outside
        img = torch.cat((img, torch.ones_like(img[:, :1])), dim=1)
    img = nn_functional.grid_sample(img, grid, mode=mode, padding_mode="zeros", align_corners=False)
    if fill is not None:
        mask, img = img[:, -1:].expand_as(img[:, :-1]), img[:, :-1]
        color = torch.tensor(list(fill) if isinstance(fill, (tuple, list)) else [float(fill)], dtype=img.dtype)
        color = color.view(1, -1, 1, 1).expand_as(img)
        if mode == "nearest":
            img = torch.where(mask < 0.5, color, img)
        else:
            img = img * mask + (1.0 - mask) * color
    return _cast_squeeze_out(img, *back)


def _centers(length, dtype=None):
    return torch.linspace(-length * 0.5 + 0.5, length * 0.5 + 0.5 - 1, steps=length, dtype=dtype)


def _gen_affine_grid(theta, w, h, ow, oh):
    base = torch.empty(1, oh, ow, 3, dtype=theta.dtype)
    base[..., 0].copy_(_centers(ow))
    base[..., 1].copy_(_centers(oh).unsqueeze(-1))
    base[..., 2].fill_(1)
    scaled = theta.transpose(1, 2) / torch.tensor([0.5 * w, 0.5 * h], dtype=theta.dtype)
    return base.view(1, oh * ow, 3).bmm(scaled).view(1, oh, ow, 2)


def _theta(img, matrix):
    dtype = img.dtype if img.is_floating_point() else torch.float32
    return torch.tensor(matrix, dtype=dtype).reshape(1, 2, 3)


def affine(img, matrix, interpolation="nearest", fill=None):
    _checked_grid_arguments(img, matrix, interpolation, fill, ("nearest", "bilinear"))
    height, width = img.shape[-2:]
    grid = _gen_affine_grid(_theta(img, matrix), width, height, width, height)
    return _apply_grid_transform(img, grid, interpolation, fill)


def _compute_affine_output_size(matrix, w, h):
    corners = torch.tensor([[-0.5 * w, -0.5 * h, 1.0], [-0.5 * w, 0.5 * h, 1.0], [0.5 * w, 0.5 * h, 1.0],
                            [0.5 * w, -0.5 * h, 1.0]])
    moved = torch.matmul(corners, torch.tensor(matrix, dtype=torch.float).view(2, 3).T)
    half = torch.tensor((w * 0.5, h * 0.5))
    step = 1e-4  # what is off by less is no pixel more
    most = torch.ceil(((moved.max(dim=0)[0] + half) / step).trunc_() * step)
    least = torch.floor(((moved.min(dim=0)[0] + half) / step).trunc_() * step)
    size = most - least
    return int(size[0]), int(size[1])


def rotate(img, matrix, interpolation="nearest", expand=False, fill=None):
    _checked_grid_arguments(img, matrix, interpolation, fill, ("nearest", "bilinear"))
    height, width = img.shape[-2:]
    ow, oh = _compute_affine_output_size(matrix, width, height) if expand else (width, height)
    return _apply_grid_transform(img, _gen_affine_grid(_theta(img, matrix), width, height, ow, oh), interpolation, fill)


def _perspective_grid(coeffs, ow, oh, dtype):
    theta1 = torch.tensor([coeffs[:3], coeffs[3:6]], dtype=dtype).unsqueeze(0)
    theta2 = torch.tensor([[coeffs[6], coeffs[7], 1.0]] * 2, dtype=dtype).unsqueeze(0)
    base = torch.empty(1, oh, ow, 3, dtype=dtype)
    base[..., 0].copy_(torch.linspace(0.5, ow * 1.0 + 0.5 - 1.0, steps=ow))
    base[..., 1].copy_(torch.linspace(0.5, oh * 1.0 + 0.5 - 1.0, steps=oh).unsqueeze(-1))
    base[..., 2].fill_(1)
    scaled = theta1.transpose(1, 2) / torch.tensor([0.5 * ow, 0.5 * oh], dtype=dtype)
    flat = base.view(1, oh * ow, 3)
    return (flat.bmm(scaled) / flat.bmm(theta2.transpose(1, 2)) - 1.0).view(1, oh, ow, 2)


def perspective(img, perspective_coeffs, interpolation="bilinear", fill=None):
    _checked_grid_arguments(img, None, interpolation, fill, ("nearest", "bilinear"))
    dtype = img.dtype if img.is_floating_point() else torch.float32
    grid = _perspective_grid(perspective_coeffs, img.shape[-1], img.shape[-2], dtype)
    return _apply_grid_transform(img, grid, interpolation, fill)


def elastic_transform(img, displacement, interpolation="bilinear", fill=None):
    _checked_grid_arguments(img, None, interpolation, fill, ("nearest", "bilinear"))
    height, width = img.shape[-2:]
    rows = torch.linspace((-height + 1) / height, (height - 1) / height, height)
    columns = torch.linspace((-width + 1) / width, (width - 1) / width, width)
    y, x = torch.meshgrid(rows, columns, indexing="ij")
    grid = torch.stack([x, y], -1).unsqueeze(0) + displacement
    return _apply_grid_transform(img, grid, interpolation, fill)


def _gaussian_kernel(size, sigma, dtype):
    half = (size - 1) * 0.5
    density = torch.exp(-0.5 * (torch.linspace(-half, half, steps=size, dtype=dtype) / sigma).pow(2))
    return density / density.sum()


def gaussian_blur(img, kernel_size, sigma):
    _assert_image_tensor(img)
    dtype = img.dtype if torch.is_floating_point(img) else torch.float32
    across, down = (_gaussian_kernel(size, one, dtype) for size, one in zip(kernel_size, sigma))
    kernel = torch.mm(down[:, None], across[None, :])
    kernel = kernel.expand(img.shape[-3], 1, kernel.shape[0], kernel.shape[1])
    img, *back = _cast_squeeze_in(img, [kernel.dtype])
    border = [kernel_size[0] // 2, kernel_size[0] // 2, kernel_size[1] // 2, kernel_size[1] // 2]
    img = nn_functional.conv2d(nn_functional.pad(img, border, mode="reflect"), kernel, groups=img.shape[-3])
    return _cast_squeeze_out(img, *back)


def normalize(tensor, mean, std, inplace=False):
    _assert_image_tensor(tensor)
    if not tensor.is_floating_point():
        raise TypeError(f"Input tensor should be a float tensor. Got {tensor.dtype}.")
    if tensor.ndim < 3:
        raise ValueError(f"Expected tensor to be a tensor image of size (..., C, H, W). Got tensor.size() = {tensor.size()}")
    tensor = tensor if inplace else tensor.clone()
    dtype = tensor.dtype
    mean = torch.as_tensor(mean, dtype=dtype, device=tensor.device)
    std = torch.as_tensor(std, dtype=dtype, device=tensor.device)
    if (std == 0).any():
        raise ValueError(f"std evaluated to zero after conversion to {dtype}, leading to division by zero.")
    if mean.ndim == 1:
        mean = mean.view(-1, 1, 1)
    if std.ndim == 1:
        std = std.view(-1, 1, 1)
    return tensor.sub_(mean).div_(std)


def erase(img, i, j, h, w, v, inplace=False):
    _assert_image_tensor(img)
    img = img if inplace else img.clone()
    img[..., i:i + h, j:j + w] = v
    return img
