"""Normal and exponential numbers by the ziggurat. Behaviour: numpy/random/src/distributions/distributions.c.

G. Marsaglia, W. W. Tsang: The ziggurat method for generating random variables, J. Stat. Software 5 (2000).
Differs: the tables are computed here, numpy's are rounded otherwise; the last digit of a number may differ from numpy's.
"""
import math

_LAYERS = 256
_NORMAL_EDGE, _NORMAL_AREA = 3.6541528853610088, 0.004928673233974654
_EXPONENTIAL_EDGE, _EXPONENTIAL_AREA = 7.69711747013104972, 0.0039496598225815571993


class _Table:
    """Layers of one area: the width of each by a unit, where a number is inside for sure, and the height of the density."""

    def __init__(self, edge, area, density, inverse, bits):
        unit = 2.0 ** bits
        self.edge, self.heights, self.widths, self.inside = edge, [1.0] * _LAYERS, [0.0] * _LAYERS, [0] * _LAYERS
        self.heights[-1] = density(edge)
        self.widths[-1], self.widths[0] = edge / unit, area / self.heights[-1] / unit
        self.inside[0] = int(edge * self.heights[-1] / area * unit)
        x = edge
        for i in range(_LAYERS - 2, 0, -1):
            outer, x = x, inverse(area / x + self.heights[i + 1])
            self.inside[i + 1] = int(x / outer * unit)
            self.widths[i], self.heights[i] = x / unit, density(x)


_tables = {}


def _normal_table(bits):
    if ("normal", bits) not in _tables:
        _tables["normal", bits] = _Table(_NORMAL_EDGE, _NORMAL_AREA, lambda x: math.exp(-0.5 * x * x),
                                         lambda y: math.sqrt(-2.0 * math.log(y)), bits)
    return _tables["normal", bits]


def _exponential_table(bits):
    if ("exponential", bits) not in _tables:
        _tables["exponential", bits] = _Table(_EXPONENTIAL_EDGE, _EXPONENTIAL_AREA, lambda x: math.exp(-x),
                                              lambda y: -math.log(y), bits)
    return _tables["exponential", bits]


def _normal_rest(table, layer, x, size, draw):
    """A number that is not inside its layer for sure: of the tail, or by the density; None for neither."""
    if layer == 0:
        while True:
            beyond = -math.log1p(-draw()) / table.edge
            other = -math.log1p(-draw())
            if other + other > beyond * beyond:
                return -(table.edge + beyond) if size >> 8 & 1 else table.edge + beyond
    heights = table.heights
    return x if (heights[layer - 1] - heights[layer]) * draw() + heights[layer] < math.exp(-0.5 * x * x) else None


def normal(bits):
    """A number of the normal distribution, of words of 64 bits."""
    table = _normal_table(52)
    while True:
        word = bits.next64()
        layer, size = word & 0xFF, word >> 9 & 0xFFFFFFFFFFFFF
        x = size * table.widths[layer]
        x = -x if word >> 8 & 1 else x
        if size < table.inside[layer]:
            return x
        x = _normal_rest(table, layer, x, size, lambda: (bits.next64() >> 11) * 2.0 ** -53)
        if x is not None:
            return x


def normal_single(bits):
    """The same of words of 32 bits, for single precision."""
    table = _normal_table(23)
    while True:
        word = bits.next32()
        layer, size = word & 0xFF, word >> 9 & 0x7FFFFF
        x = size * table.widths[layer]
        x = -x if word >> 8 & 1 else x
        if size < table.inside[layer]:
            return x
        x = _normal_rest(table, layer, x, size, lambda: (bits.next32() >> 8) * 2.0 ** -24)
        if x is not None:
            return x


def exponential(bits):
    """A number of the exponential distribution."""
    table = _exponential_table(53)
    while True:
        word = bits.next64() >> 3
        layer, size = word & 0xFF, word >> 8
        x = size * table.widths[layer]
        if size < table.inside[layer]:
            return x
        draw = (bits.next64() >> 11) * 2.0 ** -53
        if layer == 0:
            return table.edge - math.log1p(-draw)
        if (table.heights[layer - 1] - table.heights[layer]) * draw + table.heights[layer] < math.exp(-x):
            return x
