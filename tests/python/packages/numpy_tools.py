"""Grids, padding, writing into arrays, bits, windows, functions of Python, methods of universal functions."""
import numpy as np

print(np.mgrid[0:3, 0:2], np.mgrid[-1:1:5j], *np.ogrid[0:3, 0:2], np.s_[1:2, ::3], np.index_exp[2])
print(np.r_[np.array([1, 2, 3]), 0, 0, [4, 5]], np.r_[-1:1:3j, [0] * 2, 5], np.c_[[1, 2], [3, 4]], np.r_["0,2", [1, 2], [3, 4]], np.r_["1,2,0", [1, 2], [3, 4]])
a = [1, 2, 3, 4, 5]
print(np.pad(a, (2, 3), "constant", constant_values=(4, 6)), np.pad(a, (2, 3), "edge"), np.pad(a, (2, 3), "linear_ramp", end_values=(5, -4)))
print(np.pad(a, (2,), "maximum"), np.pad(a, (2,), "mean"), np.pad(a, (2,), "median"), np.pad([[1, 2], [3, 4]], ((3, 2), (2, 3)), "minimum"))
print(np.pad(a, (2, 3), "reflect"), np.pad(a, (2, 3), "reflect", reflect_type="odd"), np.pad(a, (2, 3), "symmetric"),
      np.pad(a, (2, 3), "symmetric", reflect_type="odd"), np.pad(a, (2, 3), "wrap"), np.pad([1, 2, 3], (3, 7), "reflect"))
print(np.pad([[1, 2], [3, 4]], ((1, 2), (2, 1)), constant_values=((0, 9), (8, 7))), np.pad([[1]], {1: (0, 2)}))


def pad_with(vector, width, axis, kwargs):
    vector[:width[0]] = kwargs.get("padder", 10)
    vector[-width[1]:] = kwargs.get("padder", 10)


print(np.pad(np.arange(4).reshape(2, 2), 1, pad_with, padder=100))
print(np.insert([1, 2, 3, 4], [1, 3], [10, 20]), np.insert([[1, 1], [2, 2]], 1, 5, axis=1), np.insert([[1, 1], [2, 2]], 1, [7, 8], axis=1),
      np.insert([[1, 1], [2, 2], [3, 3]], [1], [[1], [2], [3]], axis=1), np.insert([1, 2, 3], slice(1, 3), [8, 9]), np.insert([1, 2], -1, 5))
x = np.arange(5)
np.put(x, [0, 2, -1], [9, 8])
print(x)
np.putmask(x, x > 5, [1, 2])
print(x)
np.place(x, x == 1, [44, 55])
print(x, np.choose([2, 0, 1], [[0, 1, 2], [10, 11, 12], [20, 21, 22]]), np.resize([1, 2, 3], (2, 4)), np.trim_zeros(np.array([0, 0, 1, 2, 0])))
print(np.packbits([[1, 0, 1], [0, 1, 1]], axis=-1), np.unpackbits(np.uint8([2, 255]), count=10), np.unpackbits(np.uint8([[3]]), axis=1, bitorder="little"),
      np.bitwise_count([7, -3, 0]), np.binary_repr(-3, 5), np.base_repr(10, 3))
print(np.block([[np.eye(2), np.zeros((2, 1))], [np.ones((1, 2)), 5]]), np.unstack(np.array([[1, 2], [3, 4]])), np.diag_indices(2), np.vander([1, 2, 3], 3))
print(np.cbrt([1, 8, -27]), np.modf([1.5, -0.25]), np.frexp([1.5, 8]), np.ldexp(5, [1, 2]), np.divmod([7, -7], 3), np.sinc([0, 0.5]), np.fix([-1.5, 1.5]))
print(np.hanning(5), np.hamming(3), np.bartlett(5), np.kaiser(3, 0), np.i0([0, 1.]), np.geomspace(1, 1000, 4), np.isposinf([np.inf, -np.inf]))
print(np.subtract.reduce([10, 2, 3]), np.maximum.accumulate([1, 3, 2, 5]), np.add.reduceat(np.arange(8), [0, 4, 1, 5, 2, 6, 3, 7])[::2],
      np.logical_xor.reduce([True, True, True]), np.multiply.reduce([[1, 2], [3, 4]], axis=1), np.minimum.outer([1, 3], [2, 4]))
u = np.zeros(3)
np.add.at(u, [0, 0, 2], [1, 2, 5])
np.multiply.at(u, [0, 0], 2)
print(u, np.unravel_index([22, 41], (7, 6)), np.ravel_multi_index(([3, 6], [4, 5]), (7, 6)), np.ravel_multi_index((3, 9), (4, 4), mode=("raise", "clip")))
print(np.piecewise(np.array([-2., -1, 0, 3]), [np.array([-2, -1, 0, 3]) < 0], [lambda v: -v, 10]), np.vectorize(np.sum, signature="(n)->()")(np.ones((2, 3))),
      np.vectorize(lambda p, v: sum(p) + v, excluded=[0])([1, 2], [1, 2, 3]), np.apply_along_axis(np.sort, 1, [[3, 1], [2, 0]]),
      np.apply_over_axes(np.sum, np.ones((2, 3)), [0, 1]))
print(np.cross([1, 2, 3], [4, 5, 6]), np.lexsort(([1, 2, 1], [3, 1, 3])), np.vecdot([1j, 2], [1, 1]), np.einsum(np.eye(2), [0, 1], [0]),
      np.shares_memory(x[::2], x[1::2]), np.may_share_memory(x[::2], x[1::2]), np.shares_memory(x, x[1:]))
windows = np.lib.stride_tricks.sliding_window_view(np.arange(5), 3)
print(windows, windows.flags.writeable, np.lib.stride_tricks.as_strided(np.arange(4), (2, 2), (8, 16)))
print(np.roots([1, -3, 2]).round(9), np.poly([1, 2]), np.polyval([1, 2, 3], [1, 2]), np.polymul([1, 2], [1, 3]), np.polydiv([1, -3, 2], [1, -1]),
      np.polyder([1, 2, 3]), np.polyint([2, 2]), np.polyadd([1], [1, 2]), np.polyfit([0, 1, 2], [1, 3, 7], 2).round(9))
print(np.poly1d([1, 2, -3]))
print(repr(np.poly1d([1, 2])), np.poly1d([1, 2])(3), np.poly1d([1, 2]) * np.poly1d([1, 3]) == np.poly1d([1, 5, 6]), np.poly1d([1, 2], r=True).c)
p = np.polynomial.Polynomial([1, -2, 3])
print(p, format(p, "ascii"), repr(p))
print(p(2), (p * p).coef, p.deriv().coef, p.integ().coef, p.roots().round(6), p.degree(), np.polynomial.polynomial.polyval(2, [1, 2, 3]))
print(np.polynomial.Polynomial.fit([0, 1, 2, 3], [1, 3, 7, 13], 2).convert().coef.round(9), np.polynomial.polynomial.polyroots([2, -3, 1]).round(9))
t = np.arange(6).reshape(2, 3).T
print(t.copy().flags.c_contiguous, np.array(t).flags.f_contiguous, np.ascontiguousarray(t).flags.c_contiguous, np.asfortranarray([[1, 2], [3, 4]]).flags.f_contiguous,
      t.copy("F").flags.f_contiguous, t.copy("K").strides == t.strides)
high = np.array([2 ** 63 + 1, 1, 2 ** 64 - 1], np.uint64)
print(np.sort(high), np.searchsorted(np.sort(high), high), np.unique(high).size, np.median(high) > 9e18, np.minimum.reduce([], initial=5))
print(repr(sum([np.float64(1), 2])), repr(0 + np.complex128(1j)), repr(2 * np.float64(2)), repr(1 == np.float64(1)))
try:
    np.block([1, 2, [3]])
except ValueError as error:
    print(error)
