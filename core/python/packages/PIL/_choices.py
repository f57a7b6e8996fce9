"""Numbers by name. Behaviour: PIL/Image.py."""
from enum import IntEnum


class Transpose(IntEnum):
    FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, ROTATE_90, ROTATE_180, ROTATE_270, TRANSPOSE, TRANSVERSE = range(7)


class Transform(IntEnum):
    AFFINE, EXTENT, PERSPECTIVE, QUAD, MESH = range(5)


class Resampling(IntEnum):
    NEAREST, BOX, BILINEAR, HAMMING, BICUBIC, LANCZOS = 0, 4, 2, 5, 3, 1


class Dither(IntEnum):
    NONE, ORDERED, RASTERIZE, FLOYDSTEINBERG = range(4)


class Palette(IntEnum):
    WEB, ADAPTIVE = 0, 1


class Quantize(IntEnum):
    MEDIANCUT, MAXCOVERAGE, FASTOCTREE, LIBIMAGEQUANT = range(4)
