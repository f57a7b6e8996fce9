"""Pixels of one mode as those of another. Behaviour: Pillow's src/libImaging/Convert.c, in its integer arithmetic."""
import torch

from PIL._modes import MODES


def convert(pixels, source, mode, dither, palette=None):
    """Pixels in `mode`, or None where there is no direct way."""
    if source == "P":
        source, pixels = palette.mode, palette.colors[pixels.long()]
        return convert(pixels, source, mode, dither)
    if source == mode:
        return pixels.clone()
    if mode == "1":
        if source == "RGBA":
            source, pixels = "RGB", pixels[..., :3]
        gray = (_thousandths(pixels) // 1000).to(torch.uint8) if source == "RGB" else convert(pixels, source, "L", dither)
        return _dithered(gray) if dither else torch.where(gray >= 128, 255, 0).to(torch.uint8)
    direct = _DIRECT.get((source, mode))
    if direct is not None:
        return direct(pixels)
    for way in ("RGB", "L"):
        if (source, way) in _DIRECT and (way, mode) in _DIRECT:
            return _DIRECT[way, mode](_DIRECT[source, way](pixels))
    return None


def _gray(pixels):
    red, green, blue = (pixels[..., i].int() for i in range(3))
    return ((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16).to(torch.uint8)


def _thousandths(pixels):
    """Brightness as 1 and F take it."""
    return pixels[..., 0].int() * 299 + pixels[..., 1].int() * 587 + pixels[..., 2].int() * 114


def _repeated(pixels):
    return pixels.unsqueeze(-1).expand(*pixels.shape, 3).contiguous()


def _with_alpha(pixels):
    if pixels.dim() == 2:
        pixels = pixels.unsqueeze(-1)
    return torch.cat([pixels, torch.full_like(pixels[..., :1], 255)], dim=-1)


def _clipped(pixels):
    return pixels.clamp(0, 255).to(torch.uint8)


def _scaled(color, alpha):
    """color * alpha / 255, rounded."""
    product = color.int() * alpha.int() + 128
    return ((product >> 8) + product) >> 8


def _premultiplied(pixels):
    alpha = pixels[..., -1:]
    return torch.cat([_scaled(pixels[..., :-1], alpha).to(torch.uint8), alpha], dim=-1)


def _unmultiplied(pixels):
    color, alpha = pixels[..., :-1].int(), pixels[..., -1:].int()
    divided = (255 * color // alpha.clamp(min=1)).clamp(max=255)
    whole = (alpha == 0) | (alpha == 255)
    return torch.cat([torch.where(whole, color, divided), alpha], dim=-1).to(torch.uint8)


def _hsv(pixels):
    """Hue, saturation, value. Behaviour: Python's colorsys, in single precision."""
    rgb = pixels.float()
    red, green, blue = rgb.unbind(-1)
    most, least = rgb.amax(-1), rgb.amin(-1)
    spread = most - least
    safe = torch.where(spread == 0, 1.0, spread)
    to_red, to_green, to_blue = ((most - one) / safe for one in (red, green, blue))
    hue = torch.where(red == most, (to_blue - to_green).double(),
                      torch.where(green == most, (2.0 + to_red.double() - to_blue.double()),
                                  (4.0 + to_green.double() - to_red.double()))).float()
    hue = torch.fmod(hue.double() / 6.0 + 1.0, 1.0).float()
    saturation = spread / torch.where(most == 0, 1.0, most)
    gray = spread == 0
    hue = torch.where(gray, 0.0, (hue.double() * 255.0)).int()
    saturation = torch.where(gray, 0.0, (saturation.double() * 255.0)).int()
    return torch.stack([hue, saturation, most.int()], dim=-1).clamp(0, 255).to(torch.uint8)


def _from_hsv(pixels):
    hue, saturation, value = (one.float() for one in pixels.unbind(-1))
    sixths = hue.double() * 6.0 / 255.0
    sector = sixths.floor()
    part, strength, value = (sixths - sector).float().double(), (saturation.double() / 255.0).float().double(), value.double()
    low = _half_up(value * (1.0 - strength))
    falling = _half_up(value * (1.0 - strength * part))
    rising = _half_up(value * (1.0 - strength * (1.0 - part)))
    choices = {0: (value, rising, low), 1: (falling, value, low), 2: (low, value, rising), 3: (low, falling, value),
               4: (rising, low, value), 5: (value, low, falling)}
    bands = []
    for band in range(3):
        made = value
        for number, one in choices.items():
            made = torch.where((sector % 6 == number) & (saturation != 0), one[band], made)
        bands.append(made)
    return torch.stack(bands, dim=-1).clamp(0, 255).to(torch.uint8)


def _half_up(x):
    return torch.floor(x + 0.5)


# Weights in 64ths; each product is cut to an integer for itself.
_TO_YCBCR = ((0.29900, 0.58700, 0.11400), (-0.16874, -0.33126, 0.50000), (0.50000, -0.41869, -0.08131))


def _product(weight, band):
    return (band.double() * weight * 64 + 0.5).trunc().int()


def _ycbcr(pixels):
    bands = pixels.unbind(-1)
    made = [sum(_product(weight, band) for weight, band in zip(row, bands)) >> 6 for row in _TO_YCBCR]
    return torch.stack([made[0], made[1] + 128, made[2] + 128], dim=-1).clamp(0, 255).to(torch.uint8)


def _from_ycbcr(pixels):
    bright, blue, red = pixels[..., 0].int(), pixels[..., 1].int() - 128, pixels[..., 2].int() - 128
    made = [bright + (_product(1.402, red) >> 6), bright + ((_product(-0.34414, blue) + _product(-0.71414, red)) >> 6),
            bright + (_product(1.772, blue) >> 6)]
    return torch.stack(made, dim=-1).clamp(0, 255).to(torch.uint8)


def _dithered(gray):
    """Floyd and Steinberg's: what a pixel is off by goes to its neighbours."""
    rows, made = gray.tolist(), []
    errors = [0] * (gray.shape[1] + 1)
    for row in rows:
        line, left, below, behind = [], 0, 0, 0
        for x, value in enumerate(row):
            value += int((left + errors[x + 1]) / 16)
            value = 0 if value < 0 else 255 if value > 255 else value
            white = value > 128
            line.append(255 if white else 0)
            left = value - 255 if white else value
            one, twice = left, left + left
            left += twice
            errors[x] = left + below
            left += twice
            below, behind = left + behind, one
            left += twice
        errors[len(row)] = below
        made.append(line)
    return torch.tensor(made, dtype=torch.uint8).reshape(gray.shape)


def _to_float(pixels):
    return pixels.float()


def _to_int(pixels):
    return pixels.to(torch.int32)


_DIRECT = {
    ("1", "L"): torch.clone, ("1", "RGB"): _repeated, ("1", "I"): _to_int, ("1", "F"): _to_float, ("1", "LA"): _with_alpha,
    ("1", "RGBA"): lambda pixels: _with_alpha(_repeated(pixels)),
    ("L", "RGB"): _repeated, ("L", "I"): _to_int, ("L", "F"): _to_float, ("L", "LA"): _with_alpha,
    ("L", "I;16"): _to_int, ("L", "RGBA"): lambda pixels: _with_alpha(_repeated(pixels)),
    ("LA", "L"): lambda pixels: pixels[..., 0].clone(), ("LA", "RGB"): lambda pixels: _repeated(pixels[..., 0]),
    ("LA", "RGBA"): lambda pixels: torch.cat([_repeated(pixels[..., 0]), pixels[..., 1:]], dim=-1),
    ("LA", "La"): _premultiplied, ("La", "LA"): _unmultiplied,
    ("RGB", "L"): _gray, ("RGB", "RGBA"): _with_alpha, ("RGB", "HSV"): _hsv, ("HSV", "RGB"): _from_hsv,
    ("RGB", "YCbCr"): _ycbcr, ("YCbCr", "RGB"): _from_ycbcr, ("YCbCr", "L"): lambda pixels: pixels[..., 0].clone(),
    ("RGB", "LA"): lambda pixels: _with_alpha(_gray(pixels)),
    ("RGB", "I"): lambda pixels: _to_int(_gray(pixels)),
    ("RGB", "F"): lambda pixels: _thousandths(pixels).float() / 1000.0,
    ("RGBA", "RGB"): lambda pixels: pixels[..., :3].clone(), ("RGBA", "L"): _gray,
    ("RGBA", "LA"): lambda pixels: torch.stack([_gray(pixels), pixels[..., 3]], dim=-1),
    ("RGBA", "RGBa"): _premultiplied, ("RGBa", "RGBA"): _unmultiplied,
    ("I", "L"): _clipped, ("I", "F"): _to_float, ("F", "L"): _clipped, ("F", "I"): _to_int,
    ("I;16", "L"): _clipped, ("I;16", "I"): torch.clone, ("I;16", "F"): _to_float,
    ("I", "RGB"): lambda pixels: _repeated(_clipped(pixels)), ("I", "I;16"): lambda pixels: pixels.clamp(0, 65535),
}
assert all(one in MODES for pair in _DIRECT for one in pair)
