"""Pixels at another size. Behaviour: Pillow's src/libImaging/Resample.c, in its fixed-point arithmetic for bytes."""
import math

import torch

BITS = 32 - 8 - 2  # of the fraction of a weight


def _triangle(x):
    return (1.0 - x.abs()).clamp(min=0.0)


def _box(x):
    return ((x > -0.5) & (x <= 0.5)).double()


def _hamming(x):
    x = x.abs()
    angle = torch.where(x == 0, 1.0, x * math.pi)
    made = torch.where(x == 0, 1.0, angle.sin() / angle * (0.54 + 0.46 * angle.cos()))
    return torch.where(x >= 1.0, 0.0, made)


def _cubic(x):
    x = x.abs()
    near = ((-0.5 + 2.0) * x - (-0.5 + 3.0)) * x * x + 1
    far = (((x - 5) * x + 8) * x - 4) * -0.5
    return torch.where(x < 1.0, near, torch.where(x < 2.0, far, 0.0))


def _sinc(x):
    angle = torch.where(x == 0, 1.0, x * math.pi)
    return torch.where(x == 0, 1.0, angle.sin() / angle)


def _lanczos(x):
    return torch.where((x >= -3.0) & (x < 3.0), _sinc(x) * _sinc(x / 3), 0.0)


# number of the filter: (function, how far it reaches)
FILTERS = {4: (_box, 0.5), 2: (_triangle, 1.0), 5: (_hamming, 1.0), 3: (_cubic, 2.0), 1: (_lanczos, 3.0)}


def _weights(length, start, end, size, number):
    """(size, length): how much of each place goes into each new one."""
    function, reach = FILTERS[number]
    scale = (end - start) / size
    stretch = max(scale, 1.0)
    reach *= stretch
    centers = start + (torch.arange(size, dtype=torch.float64) + 0.5) * scale
    first = (centers - reach + 0.5).trunc().clamp(min=0)
    last = (centers + reach + 0.5).trunc().clamp(max=length)
    places = torch.arange(length, dtype=torch.float64)
    weights = function((places - centers.unsqueeze(1) + 0.5) * (1.0 / stretch))
    weights = torch.where((places >= first.unsqueeze(1)) & (places < last.unsqueeze(1)), weights, 0.0)
    total = weights.sum(1, keepdim=True)
    return torch.where(total != 0, weights / torch.where(total == 0, 1.0, total), weights)


def _one_way(pixels, weights, dim):
    """Weighted sums along `dim`; bytes are rounded and clipped after each direction."""
    moved = pixels.movedim(dim, -1)
    if pixels.dtype == torch.uint8:
        fixed = weights * (1 << BITS)
        fixed = torch.where(fixed < 0, (fixed - 0.5).trunc(), (fixed + 0.5).trunc())
        sums = moved.double() @ fixed.T
        made = torch.floor((sums + (1 << BITS - 1)) / (1 << BITS)).clamp(0, 255).to(torch.uint8)
    else:
        sums = moved.double() @ weights.T
        if pixels.dtype == torch.int32:
            sums = torch.where(sums >= 0, torch.floor(sums + 0.5), -torch.floor(sums.abs() + 0.5))
        made = sums.to(pixels.dtype)
    return made.movedim(-1, dim)


def resized(pixels, size, number, box):
    """(H, W[, bands]) to size (width, height); box: the part that is looked at, (left, upper, right, lower)."""
    width, height = size
    left, upper, right, lower = box
    if number == 0:
        columns = _nearest(width, left, right, pixels.shape[1])
        rows = _nearest(height, upper, lower, pixels.shape[0])
        return pixels[rows][:, columns].contiguous()
    if width != pixels.shape[1] or left != 0 or right != pixels.shape[1]:
        pixels = _one_way(pixels, _weights(pixels.shape[1], left, right, width, number), 1)
    if height != pixels.shape[0] or upper != 0 or lower != pixels.shape[0]:
        pixels = _one_way(pixels, _weights(pixels.shape[0], upper, lower, height, number), 0)
    return pixels.contiguous()


def _nearest(size, start, end, length):
    step = (end - start) / size
    place, places = start + step * 0.5, []
    for _ in range(size):
        places.append(min(max(int(place), 0), length - 1))
        place += step  # added up, as rounding shows
    return torch.tensor(places, dtype=torch.int64)


def boxed(pixels, x_size, y_size):
    """Means of blocks of x_size by y_size pixels, smaller at the right and lower edge: Image.reduce."""
    def starts(length, size):
        return list(range(0, length, size))

    rows, columns = starts(pixels.shape[0], y_size), starts(pixels.shape[1], x_size)
    lines = []
    for y in rows:
        line = []
        for x in columns:
            block = pixels[y: y + y_size, x: x + x_size]
            count = block.shape[0] * block.shape[1]
            line.append((block.long().sum((0, 1)) + count // 2) * ((1 << 24) // count) >> 24)
        lines.append(torch.stack(line))
    return torch.stack(lines).to(pixels.dtype)
