"""The class of images. Behaviour: PIL/Image.py."""
import builtins
import math
import os

import torch

from PIL import _modes, _netpbm, _png
from PIL._choices import Dither, Palette, Resampling, Transform, Transpose
from PIL._convert import convert as _converted
from PIL._resample import FILTERS
from PIL._resample import boxed as _boxed
from PIL._resample import resized as _resized
from PIL._warp import warped as _warped

_FILTER_NAMES = "Image.Resampling.NEAREST (0), Image.Resampling.LANCZOS (1), Image.Resampling.BILINEAR (2), " \
                "Image.Resampling.BICUBIC (3), Image.Resampling.BOX (4) or Image.Resampling.HAMMING (5)"
ENDINGS = {".png": "PNG", ".apng": "PNG", ".ppm": "PPM", ".pgm": "PPM", ".pbm": "PPM", ".pnm": "PPM", ".jpg": "JPEG",
            ".jpeg": "JPEG", ".jpe": "JPEG", ".jfif": "JPEG", ".bmp": "BMP", ".gif": "GIF", ".tif": "TIFF", ".tiff": "TIFF",
            ".webp": "WEBP", ".ico": "ICO", ".jp2": "JPEG2000", ".pdf": "PDF", ".eps": "EPS", ".tga": "TGA", ".avif": "AVIF"}


class PaletteColors:
    """Colours by number, (count, 3), in mode RGB."""

    mode = "RGB"

    def __init__(self, colors):
        whole = torch.zeros(256, 3, dtype=torch.uint8)
        whole[: len(colors)] = colors
        self.colors = whole


class Image:
    """Pixels of one mode. `_pixels` is a tensor, as PIL._modes says."""

    format = None
    format_description = None

    def __init__(self):
        self._mode, self._pixels, self._palette, self.info = "", torch.zeros(0, 0, dtype=torch.uint8), None, {}
        self.readonly = 0

    @classmethod
    def _of(cls, mode, pixels, like=None):
        made = Image.__new__(Image)
        made._mode, made._pixels, made._palette, made.readonly = mode, pixels, None, 0
        made.info = {} if like is None else dict(like.info)
        if like is not None and mode == "P":
            made._palette = like._palette
        return made

    @property
    def mode(self):
        return self._mode

    @property
    def width(self):
        return self._pixels.shape[1]

    @property
    def height(self):
        return self._pixels.shape[0]

    @property
    def size(self):
        return (self._pixels.shape[1], self._pixels.shape[0])

    def __eq__(self, other):
        return (type(self) is type(other) and self.mode == other.mode and self.size == other.size and self.info == other.info
                and torch.equal(self._pixels, other._pixels))

    __hash__ = None

    def __repr__(self):
        cls = type(self)
        return (f"<{cls.__module__}.{cls.__name__} image mode={self.mode} size={self.size[0]}x{self.size[1]} "
                f"at 0x{id(self):X}>")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        pass

    def __reduce__(self):
        from PIL.Image import frombytes
        return frombytes, (self.mode, self.size, self.tobytes())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # To and from other things.

    @property
    def __array_interface__(self):
        shape = tuple(self._pixels.shape)
        return {"version": 3, "shape": shape, "typestr": _modes.known(self.mode)[2], "data": self._raw().numpy().tobytes()}

    def __array__(self, dtype=None, copy=None):
        made = self._raw()
        made = (made.clone() if made is self._pixels else made).numpy()
        return made if dtype is None else made.astype(dtype)

    def _raw(self):
        """The pixels in the type in which numpy sees them."""
        if self.mode == "1":
            return self._pixels != 0
        return self._pixels.to(torch.uint16) if self.mode == "I;16" else self._pixels

    def tobytes(self, encoder_name="raw", *args):
        if encoder_name != "raw" or args and args[0] not in (self.mode, ()):
            raise NotImplementedError(f"PIL: tobytes with encoder {encoder_name!r} {args!r} is not in nnscope")
        if self.mode == "1":  # eight pixels a byte
            padded = torch.nn.functional.pad(self._pixels.to(torch.int32) & 1, (0, -self.width % 8)).reshape(self.height, -1, 8)
            return (padded << torch.arange(7, -1, -1, dtype=torch.int32)).sum(-1).to(torch.uint8).numpy().tobytes()
        return self._raw().contiguous().numpy().tobytes()

    def frombytes(self, data, decoder_name="raw", *args):
        from PIL.Image import frombytes
        self._pixels = frombytes(self.mode, self.size, data, decoder_name, *args)._pixels

    def load(self):
        return PixelAccess(self)

    def close(self):
        pass

    def verify(self):
        pass

    def seek(self, frame):
        if frame != 0:
            raise EOFError("no more images in file")

    def tell(self):
        return 0

    def show(self, title=None):
        raise NotImplementedError("PIL: Image.show needs a program that shows pictures, and none is started by nnscope")

    def save(self, fp, format=None, **params):
        """Errors: ValueError for an unknown ending, NotImplementedError for a format that is not written here."""
        name = os.fspath(fp) if isinstance(fp, (str, bytes, os.PathLike)) else getattr(fp, "name", "")
        ending = os.path.splitext(name)[1].lower() if isinstance(name, str) else ""
        if format is None:
            if ending not in ENDINGS:
                raise ValueError(f"unknown file extension: {ending}")
            format = ENDINGS[ending]
        if format.upper() == "PNG":
            data = _png.write(self.mode, self._pixels, None if self._palette is None else self._palette.colors)
        elif format.upper() == "PPM":
            data = _netpbm.write(self)
        elif format.upper() in ENDINGS.values():
            raise NotImplementedError(f"PIL: images are written as PNG and PPM in nnscope, not as {format.upper()}")
        else:
            raise KeyError(format.upper())
        if hasattr(fp, "write"):
            fp.write(data)
        else:
            with builtins.open(fp, "wb") as file:
                file.write(data)

    # Pixels.

    def getbands(self):
        return _modes.bands_of(self.mode)

    def getpixel(self, xy):
        x, y = self._place(xy)
        value = self._pixels[y, x].tolist()
        return tuple(value) if isinstance(value, list) else value

    def putpixel(self, xy, value):
        x, y = self._place(xy)
        self._pixels[y, x] = torch.tensor(_modes.as_pixel(self.mode, value), dtype=self._pixels.dtype)

    def _place(self, xy):
        x, y = xy
        width, height = self.size
        if not (-width <= x < width and -height <= y < height):
            raise IndexError("image index out of range")
        return int(x) % width, int(y) % height

    def getdata(self, band=None):
        if band is not None:
            return self._band(band).flatten().tolist()
        flat = self._pixels.reshape(-1, *self._pixels.shape[2:]).tolist()
        return [tuple(one) for one in flat] if self._pixels.dim() == 3 else flat

    def putdata(self, data, scale=1.0, offset=0.0):
        given = torch.tensor([_modes.as_pixel(self.mode, tuple(v * scale + offset for v in one) if isinstance(one, (tuple, list))
                                              else one * scale + offset) for one in data], dtype=self._pixels.dtype)
        if len(given) > self.width * self.height:
            raise TypeError("too many data entries")
        self._pixels.reshape(-1, *self._pixels.shape[2:])[: len(given)] = given

    def _band(self, number):
        return self._pixels if self._pixels.dim() == 2 else self._pixels[..., number]

    def split(self):
        if self._pixels.dim() == 2:
            return (self.copy(),)
        return tuple(Image._of("L", self._pixels[..., i].clone(), self) for i in range(self._pixels.shape[2]))

    def getchannel(self, channel):
        names = self.getbands()
        if isinstance(channel, str):
            if channel not in names:
                raise ValueError(f'The image has no channel "{channel}"')
            channel = names.index(channel)
        return Image._of("L", self._band(channel).clone(), self)

    def getextrema(self):
        if self._pixels.dim() == 2:
            return self._pixels.min().item(), self._pixels.max().item()
        return tuple((band.min().item(), band.max().item()) for band in self._pixels.unbind(-1))

    def getbbox(self, *, alpha_only=True):
        seen = self._pixels[..., -1] if alpha_only and self.mode in ("LA", "RGBA") else self._pixels
        seen = (seen != 0).any(-1) if seen.dim() == 3 else seen != 0
        rows, columns = seen.any(1).nonzero().flatten().tolist(), seen.any(0).nonzero().flatten().tolist()
        return (columns[0], rows[0], columns[-1] + 1, rows[-1] + 1) if rows else None

    def histogram(self, mask=None, extrema=None):
        if self._pixels.dtype != torch.uint8:
            raise NotImplementedError(f"PIL: histogram of mode {self.mode} is not in nnscope")
        chosen = None if mask is None else mask._pixels != 0
        counts = []
        for i in range(len(self.getbands())):
            band = self._band(i) if chosen is None else self._band(i)[chosen]
            counts += torch.bincount(band.flatten().long(), minlength=256).tolist()
        return counts

    def point(self, lut, mode=None):
        """Each value through a table or a function of one value."""
        if self._pixels.dtype != torch.uint8:
            scale, offset = lut(0.0 + 1) - lut(0.0), lut(0.0)
            return Image._of(self.mode, (self._pixels * scale + offset).to(self._pixels.dtype), self)
        bands = len(self.getbands())
        if callable(lut):
            lut = [lut(i) for i in range(256)] * bands
        elif len(lut) not in (256, 256 * bands):
            raise ValueError("wrong number of lut entries")
        if mode == "F":
            return Image._of("F", torch.tensor([float(one) for one in lut])[self._pixels.long()], self)
        table = torch.tensor([min(max(int(round(one) if isinstance(one, float) else one), 0), 255) for one in lut],
                             dtype=torch.uint8)
        shift = torch.arange(bands) * 256 if len(lut) > 256 and bands > 1 else 0
        values = table[self._pixels.long() + shift]
        if (mode or self.mode) == "1":
            values = torch.where(values != 0, 255, 0).to(torch.uint8)
        return Image._of(mode or self.mode, values, self)

    def putalpha(self, alpha):
        """Makes it LA or RGBA. alpha: an image of mode L or 1, or a number."""
        if self.mode not in ("LA", "RGBA"):
            self._pixels = self.convert("LA" if self.mode in ("1", "L") else "RGBA")._pixels
            self._mode = "LA" if self._pixels.shape[2] == 2 else "RGBA"
        self._pixels[..., -1] = alpha._pixels if isinstance(alpha, Image) else alpha

    def filter(self, filter):
        from PIL.ImageFilter import Filter
        filter = filter() if isinstance(filter, type) else filter
        if not isinstance(filter, Filter):
            raise TypeError("filter argument should be ImageFilter.Filter instance or class")
        return Image._of(self.mode, filter.filter(self._pixels), self)

    # Other images.

    def copy(self):
        return Image._of(self.mode, self._pixels.clone(), self)

    def convert(self, mode=None, matrix=None, dither=None, palette=Palette.WEB, colors=256):
        if matrix is not None:
            raise NotImplementedError("PIL: Image.convert with a matrix is not in nnscope")
        if mode is None:
            mode = "RGB" if self.mode == "P" else self.mode
        if mode == self.mode:
            return self.copy()
        _modes.known(mode)
        pixels = None
        if mode != "P":
            is_dithered = dither is None or dither == Dither.FLOYDSTEINBERG
            pixels = _converted(self._pixels, self.mode, mode, is_dithered, self._palette)
        if pixels is None:
            raise NotImplementedError(f"PIL: conversion from {self.mode} to {mode} is not in nnscope")
        transparency = self.info.get("transparency")
        made = Image._of(mode, pixels, self)
        if transparency is not None:
            made.info.pop("transparency")
            if mode in ("RGBA", "LA"):
                made._pixels[..., -1] = self._alpha(transparency)
        return made

    def _alpha(self, transparency):
        """What the file said of transparent colours, for each pixel."""
        if isinstance(transparency, bytes):
            table = torch.full((256,), 255, dtype=torch.uint8)
            table[: len(transparency)] = torch.tensor(list(transparency), dtype=torch.uint8)
            return table[self._pixels.long()]
        same = self._pixels == torch.tensor(transparency, dtype=self._pixels.dtype)
        return torch.where(same.all(-1) if same.dim() == 3 else same, 0, 255).to(torch.uint8)

    def resize(self, size, resample=None, box=None, reducing_gap=None):
        """Errors: ValueError for an unknown filter, a box outside, or no pixels."""
        if resample is None:
            resample = Resampling.NEAREST if self.mode.startswith("I;") else Resampling.BICUBIC
        elif resample not in (0, 1, 2, 3, 4, 5):
            raise ValueError(f"Unknown resampling filter ({resample}). Use {_FILTER_NAMES}")
        if reducing_gap is not None and reducing_gap < 1.0:
            raise ValueError("reducing_gap must be 1.0 or greater")
        size = tuple(int(one) for one in size)
        if min(size) < 1:
            raise ValueError("height and width must be > 0")
        box = (0, 0) + self.size if box is None else tuple(box)
        if box[0] < 0 or box[1] < 0:
            raise ValueError("box offset can't be negative")
        if box[2] > self.width or box[3] > self.height:
            raise ValueError("Box can't exceed original image size")
        if self.size == size and box == (0, 0) + self.size:
            return self.copy()
        if self.mode in ("1", "P", "I;16"):
            resample = Resampling.NEAREST
        if reducing_gap is not None and resample != Resampling.NEAREST:
            return self._resized_in_two_steps(size, resample, box, reducing_gap)
        if self.mode in ("LA", "RGBA") and resample != Resampling.NEAREST:
            # Colours of transparent pixels must not show in their neighbours.
            weighted = self.mode[:-1] + "a"
            pixels = _resized(_converted(self._pixels, self.mode, weighted, False), size, int(resample), box)
            return Image._of(self.mode, _converted(pixels, weighted, self.mode, False), self)
        return Image._of(self.mode, _resized(self._pixels, size, int(resample), box), self)

    def _resized_in_two_steps(self, size, resample, box, gap):
        """By whole numbers first, as far as the second step is left a factor of `gap`."""
        scales = (box[2] - box[0]) / size[0], (box[3] - box[1]) / size[1]
        factors = tuple(int(one / gap) or 1 for one in scales)
        if factors == (1, 1):
            return self.resize(size, resample, box)
        reach = [(FILTERS[resample][1] - 0.5) * one for one in scales]
        part = (max(0, int(box[0] - reach[0])), max(0, int(box[1] - reach[1])),
                min(self.width, math.ceil(box[2] + reach[0])), min(self.height, math.ceil(box[3] + reach[1])))
        box = tuple((box[i] - part[i % 2]) / factors[i % 2] for i in range(4))
        return self.reduce(factors, part).resize(size, resample, box)

    def reduce(self, factor, box=None):
        factor = factor if isinstance(factor, (list, tuple)) else (factor, factor)
        source = self if box is None else self.crop(box)
        return source.copy() if tuple(factor) == (1, 1) else Image._of(self.mode, _boxed(source._pixels, *factor), self)

    def thumbnail(self, size, resample=Resampling.BICUBIC, reducing_gap=2.0):
        """Makes it fit into `size`, in place, with the same proportions."""
        x, y = (math.floor(one) for one in size)
        if x >= self.width and y >= self.height:
            return
        aspect = self.width / self.height
        if x / y >= aspect:
            x = _nearest_aspect(y * aspect, lambda n: builtins.abs(aspect - n / y))
        else:
            y = _nearest_aspect(x / aspect, lambda n: 0 if n == 0 else builtins.abs(aspect - x / n))
        self._pixels = self.resize((x, y), resample, reducing_gap=reducing_gap)._pixels

    def crop(self, box=None):
        """(left, upper, right, lower); what lies outside is zero."""
        if box is None:
            return self.copy()
        if box[2] < box[0]:
            raise ValueError("Coordinate 'right' is less than 'left'")
        if box[3] < box[1]:
            raise ValueError("Coordinate 'lower' is less than 'upper'")
        left, upper, right, lower = (int(builtins.round(one)) for one in box)
        width, height = self.size
        x0, x1, y0, y1 = max(left, 0), min(right, width), max(upper, 0), min(lower, height)
        if (x0, y0, x1, y1) == (left, upper, right, lower):
            return Image._of(self.mode, self._pixels[y0:y1, x0:x1].clone(), self)
        made = torch.zeros(lower - upper, right - left, *self._pixels.shape[2:], dtype=self._pixels.dtype)
        if x0 < x1 and y0 < y1:
            made[y0 - upper: y1 - upper, x0 - left: x1 - left] = self._pixels[y0:y1, x0:x1]
        return Image._of(self.mode, made, self)

    def transpose(self, method):
        pixels = self._pixels
        if method in (Transpose.ROTATE_90, Transpose.ROTATE_180, Transpose.ROTATE_270):
            pixels = torch.rot90(pixels, int(method) - 1, (0, 1))
        elif method == Transpose.FLIP_LEFT_RIGHT:
            pixels = pixels.flip(1)
        elif method == Transpose.FLIP_TOP_BOTTOM:
            pixels = pixels.flip(0)
        elif method == Transpose.TRANSPOSE:
            pixels = pixels.transpose(0, 1)
        elif method == Transpose.TRANSVERSE:
            pixels = pixels.transpose(0, 1).flip(0, 1)
        else:
            raise ValueError("No such transpose operation")
        return Image._of(self.mode, pixels.clone(memory_format=torch.contiguous_format), self)

    def rotate(self, angle, resample=Resampling.NEAREST, expand=0, center=None, translate=None, fillcolor=None):
        """Counterclockwise, by degrees."""
        angle %= 360.0
        if not (center or translate):
            if angle == 0:
                return self.copy()
            if angle == 180:
                return self.transpose(Transpose.ROTATE_180)
            if angle in (90, 270) and (expand or self.width == self.height):
                return self.transpose(Transpose.ROTATE_90 if angle == 90 else Transpose.ROTATE_270)
        width, height = self.size
        shift = translate or (0, 0)
        middle = center or (width / 2, height / 2)
        turn = -math.radians(angle)
        cos, sin = builtins.round(math.cos(turn), 15), builtins.round(math.sin(turn), 15)

        def moved(x, y, a, b, c, d, e, f):
            return a * x + b * y + c, d * x + e * y + f

        matrix = [cos, sin, 0.0, -sin, cos, 0.0]
        matrix[2], matrix[5] = moved(-middle[0] - shift[0], -middle[1] - shift[1], *matrix)
        matrix[2] += middle[0]
        matrix[5] += middle[1]
        if expand:
            corners = [moved(x, y, *matrix) for x, y in ((0, 0), (width, 0), (width, height), (0, height))]
            xs, ys = [one[0] for one in corners], [one[1] for one in corners]
            new_width = math.ceil(max(xs)) - math.floor(min(xs))
            new_height = math.ceil(max(ys)) - math.floor(min(ys))
            matrix[2], matrix[5] = moved(-(new_width - width) / 2.0, -(new_height - height) / 2.0, *matrix)
            width, height = new_width, new_height
        return self.transform((width, height), Transform.AFFINE, matrix, resample, fillcolor=fillcolor)

    def transform(self, size, method, data=None, resample=Resampling.NEAREST, fill=1, fillcolor=None):
        if method == Transform.EXTENT:
            left, upper, right, lower = data
            across, down = (right - left) / size[0], (lower - upper) / size[1]
            data = (across, 0, left, 0, down, upper)
        elif method not in (Transform.AFFINE, Transform.PERSPECTIVE):
            raise NotImplementedError("PIL: Image.transform with QUAD, MESH or an object is not in nnscope")
        if resample not in (Resampling.NEAREST, Resampling.BILINEAR, Resampling.BICUBIC):
            raise ValueError(f"Resampling filter ({resample}) cannot be used. Use Image.Resampling.NEAREST (0), "
                             "Image.Resampling.BILINEAR (2) or Image.Resampling.BICUBIC (3)")
        if self.mode in ("LA", "RGBA") and resample != Resampling.NEAREST:
            weighted = self.mode[:-1] + "a"
            source = Image._of(weighted, _converted(self._pixels, self.mode, weighted, False))
            made = source.transform(size, Transform.AFFINE if len(data) == 6 else method, data, resample, fill, fillcolor)
            return Image._of(self.mode, _converted(made._pixels, weighted, self.mode, False), self)
        if self.mode in ("1", "P"):
            resample = Resampling.NEAREST
        color = _modes.as_pixel(self.mode, 0 if fillcolor is None else fillcolor)
        count = 8 if method == Transform.PERSPECTIVE else 6
        return Image._of(self.mode, _warped(self._pixels, size, [float(one) for one in data[:count]], int(resample), color), self)

    def paste(self, im, box=None, mask=None):
        """Puts an image or a colour into a box, in place; where a mask is given, by its values."""
        if isinstance(box, Image) and mask is None:
            box, mask = None, box
        box = (0, 0) if box is None else tuple(box)
        if len(box) == 2:
            size = im.size if isinstance(im, Image) else mask.size if mask is not None else None
            if size is None:
                raise ValueError("cannot determine region size; use 4-item box")
            box += (box[0] + size[0], box[1] + size[1])
        width, height = box[2] - box[0], box[3] - box[1]
        if isinstance(im, Image):
            if im.size != (width, height) or (mask is not None and mask.size != (width, height)):
                raise ValueError("images do not match")
            source = im._pixels if im.mode == self.mode else im.convert(self.mode)._pixels
        else:
            color = torch.tensor(_modes.as_pixel(self.mode, im), dtype=self._pixels.dtype)
            source = color.expand(height, width, *self._pixels.shape[2:])
        x0, y0 = max(box[0], 0), max(box[1], 0)
        x1, y1 = min(box[2], self.width), min(box[3], self.height)
        if x0 >= x1 or y0 >= y1:
            return
        part = (slice(y0 - box[1], y1 - box[1]), slice(x0 - box[0], x1 - box[0]))
        source, place = source[part], (slice(y0, y1), slice(x0, x1))
        if mask is not None:
            weight = (mask._pixels[..., -1] if mask.mode in ("LA", "RGBA") else mask._pixels)[part]
            source = _blended(self._pixels[place], source, weight.unsqueeze(-1) if source.dim() == 3 else weight)
        self._pixels[place] = source

    def alpha_composite(self, im, dest=(0, 0), source=(0, 0)):
        from PIL.Image import alpha_composite
        piece = im.crop(tuple(source) + im.size) if len(source) == 2 else im.crop(source)
        box = tuple(dest) + (dest[0] + piece.width, dest[1] + piece.height)
        self.paste(alpha_composite(self.crop(box), piece), box)


def _nearest_aspect(number, key):
    return max(min(math.floor(number), math.ceil(number), key=key), 1)


def _blended(under, over, weight):
    """over * weight + under * (255 - weight), in 255ths, rounded."""
    if under.dtype != torch.uint8:
        return torch.where(weight != 0, over, under)
    total = over.int() * weight.int() + under.int() * (255 - weight.int()) + 128
    return ((total + (total >> 8)) >> 8).to(torch.uint8)


class PixelAccess:
    """What Image.load gives: pixels by [x, y]."""

    def __init__(self, image):
        self._image = image

    def __getitem__(self, xy):
        return self._image.getpixel(xy)

    def __setitem__(self, xy, color):
        self._image.putpixel(xy, color)


Image.__module__ = "PIL.Image"
