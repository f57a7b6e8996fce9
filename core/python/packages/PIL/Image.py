"""Images over tensors. Behaviour: PIL/Image.py."""
import builtins
import os

import torch
from torch import _bytes

from PIL import UnidentifiedImageError, __version__, _modes, _netpbm, _png
from PIL._choices import Dither, Palette, Quantize, Resampling, Transform, Transpose
from PIL._picture import ENDINGS, Image, PaletteColors

MAX_IMAGE_PIXELS = 89478485


class DecompressionBombWarning(RuntimeWarning):
    pass


class DecompressionBombError(Exception):
    pass


for _kind in (Transpose, Transform, Resampling, Dither, Palette, Quantize):
    globals().update(_kind.__members__)


def new(mode, size, color=0):
    """An image of one colour; with color=None of zeros."""
    if len(size) != 2:
        raise ValueError("Size must be a sequence of length 2")
    if size[0] < 0 or size[1] < 0:
        raise ValueError("Width and height must be >= 0")
    bands, dtype, _ = _modes.known(mode)
    pixel = torch.tensor(_modes.as_pixel(mode, 0 if color is None else color), dtype=dtype)
    shape = (size[1], size[0]) if len(bands) == 1 else (size[1], size[0], len(bands))
    made = Image._of(mode, pixel.expand(shape).contiguous())
    if mode == "P":
        made._palette = PaletteColors(torch.arange(256, dtype=torch.uint8).unsqueeze(1).expand(256, 3))
    return made


def frombytes(mode, size, data, decoder_name="raw", *args):
    """Errors: ValueError where the bytes are too few."""
    if decoder_name != "raw":
        raise NotImplementedError(f"PIL: decoder {decoder_name!r} is not in nnscope")
    bands, dtype, _ = _modes.known(mode)
    width, height = size
    if mode == "1":
        line = (width + 7) // 8
        packed = _bytes.from_bytes(bytes(data), torch.uint8, 0, line * height).reshape(height, line, 1).int()
        bits = packed >> torch.arange(7, -1, -1, dtype=torch.int32) & 1
        return Image._of(mode, (bits.reshape(height, -1)[:, :width] * 255).to(torch.uint8).contiguous())
    stored = torch.uint16 if mode == "I;16" else dtype
    count, item = width * height * len(bands), stored.itemsize
    if len(data) < count * item:
        raise ValueError("not enough image data")
    shape = (height, width) if len(bands) == 1 else (height, width, len(bands))
    pixels = _bytes.from_bytes(bytes(data), stored, 0, count).reshape(shape) if count else torch.zeros(shape, dtype=stored)
    return Image._of(mode, pixels.to(dtype))


def frombuffer(mode, size, data, decoder_name="raw", *args):
    return frombytes(mode, size, data, decoder_name)


# shape behind the first two dimensions, numpy's text for the type: the mode that it becomes
_FROM_ARRAY = {((), "|b1"): "1", ((), "|u1"): "L", ((), "<u2"): "I;16", ((), "<i4"): "I", ((), "<f4"): "F", ((), "<f8"): "F",
               ((2,), "|u1"): "LA", ((3,), "|u1"): "RGB", ((4,), "|u1"): "RGBA"}
_TYPES = {torch.bool: "|b1", torch.uint8: "|u1", torch.int8: "|i1", torch.uint16: "<u2", torch.int16: "<i2", torch.int32: "<i4",
          torch.int64: "<i8", torch.float32: "<f4", torch.float64: "<f8", torch.float16: "<f2", torch.uint32: "<u4",
          torch.uint64: "<u8"}


def fromarray(obj, mode=None):
    """An image of the items of an array: (H, W), or (H, W, 2 to 4) bytes. Errors: TypeError for other types."""
    if isinstance(obj, Image):
        obj = obj.__array__()
    tensor = torch.from_numpy(obj.copy()) if not isinstance(obj, torch.Tensor) else obj.detach().cpu().clone()
    if tensor.dim() == 0 or tensor.dim() == 1 and mode is None:
        raise ValueError(f"Too many dimensions: {tensor.dim()} > 2." if tensor.dim() > 2 else "not enough image data")
    if mode is None:
        if tensor.dim() > 3:
            raise TypeError(f"Cannot handle this data type: (1, 1, {', '.join(map(str, tensor.shape[2:]))}), "
                            f"{_TYPES[tensor.dtype]}")
        rest, kind = tuple(tensor.shape[2:]), _TYPES[tensor.dtype]
        mode = _FROM_ARRAY.get((rest, kind))
        if mode is None:
            raise TypeError(f"Cannot handle this data type: {(1, 1) + rest}, {kind}")
    if mode == "1":
        tensor = tensor.to(torch.uint8) * 255
    wanted = _modes.dtype_of(mode)
    if tensor.element_size() != wanted.itemsize and tensor.dtype not in (torch.float64, torch.uint16, torch.bool):
        return frombytes(mode, (tensor.shape[1], tensor.shape[0]), tensor.contiguous().numpy().tobytes()[: tensor.numel()])
    return Image._of(mode, tensor.to(wanted).contiguous())


# How files begin that cannot be read here.
_OTHERS = {b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"BM": "BMP", b"II*\0": "TIFF", b"MM\0*": "TIFF", b"RIFF": "WEBP",
           b"\0\0\0\x0cjP": "JPEG2000", b"\0\0\1\0": "ICO"}


def open(fp, mode="r", formats=None):
    """Reads a PNG, PPM or PGM file. Errors: UnidentifiedImageError, NotImplementedError for other formats of Pillow's."""
    if mode != "r":
        raise ValueError(f"bad mode {mode!r}")
    if hasattr(fp, "read"):
        data, name = fp.read(), getattr(fp, "name", "")
    else:
        name = os.fspath(fp)
        with builtins.open(name, "rb") as file:
            data = file.read()
    if data.startswith(_png.SIGNATURE):
        from PIL.PngImagePlugin import PngImageFile as cls
        found, pixels, colors, info = _png.read(data)
    elif data[:2] in (b"P4", b"P5", b"P6"):
        from PIL.PpmImagePlugin import PpmImageFile as cls
        (found, pixels), colors, info = _netpbm.read(data), None, {}
    else:
        for start, other in _OTHERS.items():
            if data.startswith(start):
                raise NotImplementedError(f"PIL: files of {other} cannot be read in nnscope, only PNG, PPM and PGM: {name!r}")
        raise UnidentifiedImageError(f"cannot identify image file {name or fp!r}")
    made = cls.__new__(cls)
    made._mode, made._pixels, made.info, made.filename, made.readonly = found, pixels, info, name, 0
    made._palette = None if colors is None else PaletteColors(colors)
    return made


def merge(mode, bands):
    """Errors: ValueError for another number of bands than the mode has, or of other sizes."""
    if len(_modes.bands_of(mode)) != len(bands) or "*" in mode:
        raise ValueError("wrong number of bands")
    for band in bands[1:]:
        if band.mode != bands[0].mode:
            raise ValueError("mode mismatch")
        if band.size != bands[0].size:
            raise ValueError("size mismatch")
    if len(bands) == 1:
        return bands[0].copy()
    return Image._of(mode, torch.stack([band._pixels for band in bands], dim=-1))


def blend(im1, im2, alpha):
    """im1 * (1 - alpha) + im2 * alpha, clipped."""
    if im1.mode != im2.mode or im1.size != im2.size:
        raise ValueError("images do not match")
    if alpha == 0.0 or alpha == 1.0:
        return (im2 if alpha else im1).copy()
    first, second = im1._pixels.float(), im2._pixels.float()
    weight = torch.tensor(float(alpha), dtype=torch.float32)
    mixed = first + weight * (second - first)
    return Image._of(im1.mode, mixed.clamp(0, 255).to(torch.uint8), im1)


def composite(image1, image2, mask):
    made = image2.copy()
    made.paste(image1, None, mask)
    return made


def alpha_composite(im1, im2):
    """im2 over im1, both RGBA or LA."""
    if im1.mode not in ("RGBA", "LA") or im1.mode != im2.mode or im1.size != im2.size:
        raise ValueError("images do not match" if im1.mode == im2.mode else "image has wrong mode")
    under, over = im1._pixels.int(), im2._pixels.int()
    beneath, above = under[..., -1:], over[..., -1:]
    total = above * 255 + beneath * (255 - above)
    share = above * 255 * 255 * (1 << 7) // total.clamp(min=1)
    color = over[..., :-1] * share + under[..., :-1] * (255 * (1 << 7) - share) + (0x80 << 7)
    color = (((color >> 8) + color) >> 8) >> 7
    total = total + 0x80
    alpha = ((total >> 8) + total) >> 8
    made = torch.cat([color, alpha], dim=-1)
    return Image._of(im1.mode, torch.where(above == 0, under, made).to(torch.uint8), im1)


def isImageType(t):
    return isinstance(t, Image)


def getmodebands(mode):
    return len(_modes.bands_of(mode))


def registered_extensions():
    return dict(ENDINGS)


def init():
    return 1


def preinit():
    pass
