"""Operations on whole images. Behaviour: PIL/ImageOps.py."""
from _stand_in import part_of
from PIL import Image
from PIL._modes import as_pixel

__getattr__ = part_of(__name__)


def invert(image):
    if image.mode == "1":
        return image.point(lambda value: 255 - value)
    return image.point(list(range(255, -1, -1)) * len(image.getbands()))


def mirror(image):
    return image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def flip(image):
    return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def grayscale(image):
    return image.convert("L")


def solarize(image, threshold=128):
    return image.point([i if i < threshold else 255 - i for i in range(256)] * len(image.getbands()))


def posterize(image, bits):
    mask = ~(2 ** (8 - bits) - 1)
    return image.point([i & mask for i in range(256)] * len(image.getbands()))


def autocontrast(image, cutoff=0, ignore=None, mask=None, preserve_tone=False):
    """Spreads each band over all values. Errors: NotImplementedError for all but the plain case."""
    if cutoff or ignore is not None or preserve_tone:
        raise NotImplementedError("PIL: ImageOps.autocontrast with cutoff, ignore or preserve_tone is not in nnscope")
    counts, table = image.histogram(mask), []
    for start in range(0, len(counts), 256):
        seen = [i for i in range(256) if counts[start + i]]
        low, high = (seen[0], seen[-1]) if seen else (255, 0)
        if high <= low:
            table += range(256)
            continue
        scale = 255.0 / (high - low)
        table += [min(max(int(i * scale - low * scale), 0), 255) for i in range(256)]
    return image.point(table)


def equalize(image, mask=None):
    """Makes each value as frequent as the others."""
    counts, table = image.histogram(mask), []
    for start in range(0, len(counts), 256):
        band = counts[start: start + 256]
        seen = [one for one in band if one]
        step = (sum(seen) - seen[-1]) // 255 if len(seen) > 1 else 0
        if not step:
            table += range(256)
            continue
        total = step // 2
        for one in band:
            table.append(min(total // step, 255))
            total += one
    return image.point(table)


def expand(image, border=0, fill=0):
    """A border around: one width, (left and right, top and bottom), or (left, top, right, bottom)."""
    border = (border,) * 4 if isinstance(border, int) else tuple(border) * (2 if len(border) == 2 else 1)
    left, top, right, bottom = border
    made = Image.new(image.mode, (left + image.width + right, top + image.height + bottom), as_pixel(image.mode, fill))
    made._palette = image._palette
    made.paste(image, (left, top))
    return made


def crop(image, border=0):
    border = (border,) * 4 if isinstance(border, int) else tuple(border) * (2 if len(border) == 2 else 1)
    left, top, right, bottom = border
    return image.crop((left, top, image.width - right, image.height - bottom))


def contain(image, size, method=Image.Resampling.BICUBIC):
    """As large as fits into `size`, in the same proportions."""
    inner, outer = image.width / image.height, size[0] / size[1]
    if inner > outer:
        size = (size[0], max(round(image.height / image.width * size[0]), 1))
    elif inner < outer:
        size = (max(round(image.width / image.height * size[1]), 1), size[1])
    return image.resize(size, resample=method)


def pad(image, size, method=Image.Resampling.BICUBIC, color=None, centering=(0.5, 0.5)):
    inner = contain(image, size, method)
    if inner.size == tuple(size):
        return inner
    made = Image.new(image.mode, size, color or 0)
    if inner.width != size[0]:
        made.paste(inner, (round((size[0] - inner.width) * max(0, min(centering[0], 1))), 0))
    else:
        made.paste(inner, (0, round((size[1] - inner.height) * max(0, min(centering[1], 1)))))
    return made


def exif_transpose(image, *, in_place=False):
    """Files that are read here tell no orientation."""
    return None if in_place else image.copy()


def fit(image, size, method=Image.Resampling.BICUBIC, bleed=0.0, centering=(0.5, 0.5)):
    """Cut to the proportions of `size`, then resized to it."""
    width, height = image.width - 2 * bleed * image.width, image.height - 2 * bleed * image.height
    aspect, wanted = width / height, size[0] / size[1]
    if aspect == wanted:
        inner = (width, height)
    elif aspect >= wanted:
        inner = (wanted * height, height)
    else:
        inner = (width, width / wanted)
    left = bleed * image.width + (width - inner[0]) * centering[0]
    upper = bleed * image.height + (height - inner[1]) * centering[1]
    return image.resize(size, method, box=(left, upper, left + inner[0], upper + inner[1]))
