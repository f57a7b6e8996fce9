"""Pixels taken from other places. Behaviour: Pillow's src/libImaging/Geometry.c."""
import torch


def warped(pixels, size, matrix, number, fill):
    """Each new pixel (x, y) is the old one at the place that `matrix` gives for its centre; `fill` where none is there.

    matrix: 6 numbers (affine) or 8 (perspective); number: the filter, 0 nearest, 2 bilinear, 3 bicubic.
    """
    width, height = size
    if len(matrix) == 6 and number == 0:
        x, y = _nearest_affine(pixels, width, height, matrix)
    else:
        right = torch.arange(width, dtype=torch.float64) + 0.5
        down = (torch.arange(height, dtype=torch.float64) + 0.5).unsqueeze(1)
        x = matrix[0] * right + matrix[1] * down + matrix[2]
        y = matrix[3] * right + matrix[4] * down + matrix[5]
        if len(matrix) == 8:
            depth = matrix[6] * right + matrix[7] * down + 1
            x, y = x / depth, y / depth
    inside = (x >= 0) & (x < pixels.shape[1]) & (y >= 0) & (y < pixels.shape[0])
    made = _FILTERS[number](pixels, x, y)
    given = torch.tensor(fill, dtype=pixels.dtype)
    return torch.where(inside.unsqueeze(-1) if pixels.dim() == 3 else inside, made, given)


def _nearest_affine(pixels, width, height, matrix):
    """Places in 16 bits of fraction, as far as these reach."""
    a, b, c, d, e, f = matrix
    across, down = torch.arange(width), torch.arange(height).unsqueeze(1)
    corners = [(x * a + y * b + c, x * d + y * e + f) for x, y in ((0, 0), (width, height), (0, height), (width, 0))]
    if b == 0 and d == 0 or any(abs(one) >= 32768 for corner in corners for one in corner):
        x = a * (across + 0.5).double() + b * (down + 0.5).double() + c
        y = d * (across + 0.5).double() + e * (down + 0.5).double() + f
        return x.expand(height, width), y.expand(height, width)

    def fixed(value):
        return int((value * 65536.0 + 0.5) // 1)

    x = fixed(c + a * 0.5 + b * 0.5) + fixed(a) * across + fixed(b) * down
    y = fixed(f + d * 0.5 + e * 0.5) + fixed(d) * across + fixed(e) * down
    return x >> 16, y >> 16


def _at(pixels, x, y):
    return pixels[y.long().clamp(0, pixels.shape[0] - 1), x.long().clamp(0, pixels.shape[1] - 1)]


def _nearest(pixels, x, y):
    return _at(pixels, x.floor() if x.is_floating_point() else x, y.floor() if y.is_floating_point() else y)


def _stored(values, dtype):
    if dtype == torch.uint8:
        return values.clamp(0, 255).to(dtype)  # cut, not rounded
    return values.to(dtype)


def _bilinear(pixels, x, y):
    x, y = x - 0.5, y - 0.5
    left, upper = x.floor(), y.floor()
    dx, dy = x - left, y - upper
    if pixels.dim() == 3:
        dx, dy = dx.unsqueeze(-1), dy.unsqueeze(-1)
    rows = []
    for row in (upper, upper + 1):
        first, second = _at(pixels, left, row).double(), _at(pixels, left + 1, row).double()
        rows.append(first + (second - first) * dx)
    return _stored(rows[0] + (rows[1] - rows[0]) * dy, pixels.dtype)


def _cubic(v1, v2, v3, v4, d):
    p1, p2, p3, p4 = v2, -v1 + v3, 2 * (v1 - v2) + v3 - v4, -v1 + v2 - v3 + v4
    return p1 + d * (p2 + d * (p3 + d * p4))


def _bicubic(pixels, x, y):
    x, y = x - 0.5, y - 0.5
    left, upper = x.floor(), y.floor()
    dx, dy = x - left, y - upper
    if pixels.dim() == 3:
        dx, dy = dx.unsqueeze(-1), dy.unsqueeze(-1)
    rows = [_cubic(*(_at(pixels, left + i, upper + j).double() for i in (-1, 0, 1, 2)), dx) for j in (-1, 0, 1, 2)]
    return _stored(_cubic(*rows, dy), pixels.dtype)


_FILTERS = {0: _nearest, 2: _bilinear, 3: _bicubic}
