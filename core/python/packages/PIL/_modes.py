"""What each mode of an image keeps of a pixel. Behaviour: PIL/ImageMode.py.

Pixels are a tensor: (height, width), or (height, width, bands) where a mode has more than one band. Mode "1" keeps 0 and 255.
"""
import torch

# mode: its bands, torch's dtype, numpy's text for the type
MODES = {
    "1": (("1",), torch.uint8, "|b1"),
    "L": (("L",), torch.uint8, "|u1"),
    "P": (("P",), torch.uint8, "|u1"),
    "I": (("I",), torch.int32, "<i4"),
    "F": (("F",), torch.float32, "<f4"),
    "I;16": (("I",), torch.int32, "<u2"),
    "LA": (("L", "A"), torch.uint8, "|u1"),
    "La": (("L", "a"), torch.uint8, "|u1"),
    "RGB": (("R", "G", "B"), torch.uint8, "|u1"),
    "RGBA": (("R", "G", "B", "A"), torch.uint8, "|u1"),
    "RGBa": (("R", "G", "B", "a"), torch.uint8, "|u1"),
    "HSV": (("H", "S", "V"), torch.uint8, "|u1"),
    "YCbCr": (("Y", "Cb", "Cr"), torch.uint8, "|u1"),
}


def known(mode):
    """The row of a mode. Errors: NotImplementedError for one of Pillow's that is not here, ValueError for others."""
    if mode in MODES:
        return MODES[mode]
    if mode in ("CMYK", "LAB", "RGBX", "PA", "I;16L", "I;16B", "I;16N"):
        raise NotImplementedError(f"PIL: images of mode {mode} are not in nnscope")
    raise ValueError("unrecognized image mode")


def bands_of(mode):
    return known(mode)[0]


def dtype_of(mode):
    return known(mode)[1]


def as_pixel(mode, color):
    """A colour as one number or one for each band, as `new`, `paste` and `putpixel` take it."""
    bands = len(bands_of(mode))
    if isinstance(color, str):
        color = named_color(color, mode)
    if isinstance(color, (tuple, list)):
        if len(color) == 3 and bands == 4:
            color = (*color, 255)
        if len(color) != bands:
            if bands == 1:
                raise TypeError("color must be int or single-element tuple" if mode != "F" else "must be real number, not tuple")
            raise TypeError(f"color must be int, or tuple of {'one, three or four' if bands > 2 else 'one or two'} elements")
        values = [int(one) if mode != "F" else float(one) for one in color]
    elif bands == 1:
        values = [float(color) if mode == "F" else int(color)]
    else:  # a number holds red in its lowest byte
        number = int(color)
        values = [number >> 8 * i & 255 for i in range(bands)]
        if mode == "LA":
            values = [number & 255, number >> 24 & 255]
    if dtype_of(mode) == torch.uint8:
        values = [min(max(one, 0), 255) for one in values]
    if mode == "1":
        values = [255 if values[0] else 0]
    return values[0] if bands == 1 else tuple(values)


NAMED = {"black": 0x000000, "white": 0xFFFFFF, "red": 0xFF0000, "green": 0x008000, "blue": 0x0000FF, "yellow": 0xFFFF00,
         "cyan": 0x00FFFF, "magenta": 0xFF00FF, "gray": 0x808080, "grey": 0x808080, "orange": 0xFFA500, "purple": 0x800080,
         "lime": 0x00FF00, "navy": 0x000080, "pink": 0xFFC0CB, "brown": 0xA52A2A}


def named_color(text, mode):
    """What a colour's name or "#rrggbb" means in a mode. Behaviour: PIL/ImageColor.py, getcolor."""
    text = text.lower()
    if text in NAMED:
        red, green, blue, alpha = NAMED[text] >> 16, NAMED[text] >> 8 & 255, NAMED[text] & 255, 255
    elif text.startswith("#") and len(text) in (4, 5, 7, 9):
        digits = text[1:] if len(text) > 5 else "".join(2 * one for one in text[1:])
        red, green, blue, alpha = (int((digits + "ff")[i: i + 2], 16) for i in (0, 2, 4, 6))
    else:
        raise ValueError(f"unknown color specifier: {text!r}")
    if len(bands_of(mode)) <= 2:
        gray = (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16
        return (gray, alpha) if mode == "LA" else gray
    return (red, green, blue, alpha)[: len(bands_of(mode))]
