"""Complex numbers: types, text, parts, arithmetic, order, reductions, torch."""
import pickle
import warnings

import numpy as np
import torch

# Text.
print(repr(np.array([1.+2.j, 3.-4.j])), repr(np.array([0.5, 1 - 2.25j])), repr(np.array([1, 2j])))
print(repr(np.array([1 + 10j, 100 - 2.5j], dtype=np.complex64)))
print(np.array([[1 + 2j, 3], [-0.5j, 1e3]]), np.array(1j), repr(np.array(1j)), repr(np.array([], complex)))
print(np.array([complex(np.nan, 1), complex(1, np.inf)]), np.array([1e10 + 1j, 2]))
print(repr(np.complex128(1 + 2j)), repr(np.complex64(2j)), repr(np.complex128(0)), np.complex64(3 - 4j), np.complex128(-0.5))
print(repr(np.complex64(1 / 3 + 1e-9j)), np.complex128(1e16 + 1e-5j), f"{np.complex128(1 + 2j):.2f}")
with np.printoptions(precision=2, suppress=True):
    print(np.array([1.23456 + 1e-9j, 1000]))
print(np.array2string(np.array([1.5 + 2j]), formatter={"complex_kind": lambda z: f"<{z.real}>"}))

# Types.
names = "?bhilBHILefdFD"
for x in names:
    print(x, *[np.promote_types(x, y).char for y in "FD"], np.result_type(np.zeros(1, x), 1j).char, (np.ones(2, x) * 1j).dtype.char)
print(np.dtype(complex), np.dtype("F"), np.dtype("c8").name, np.dtype("c16").str, np.dtype(np.cdouble).kind, np.csingle is np.complex64)
print(np.dtype("D").num, np.dtype("F").itemsize, np.dtype("D").alignment, np.finfo(np.complex64).eps, np.finfo(complex).dtype)
print(np.can_cast(float, complex), np.can_cast(complex, float), np.can_cast("f8", "c8"), np.can_cast("f8", "c8", "same_kind"))
print(np.issubdtype(np.complex64, np.complexfloating), np.issubdtype(complex, np.floating), isinstance(np.complex128(1), complex))
print(*[type(one).__name__ for one in (np.complex64(1) + 1, np.float32(1) * 1j, np.float64(1) * 1j, np.complex64(1) * np.float64(2),
                                       np.complex64(1) + 2.5j, np.int8(1) * 1j, abs(np.complex64(1)))])

# Parts are views.
a = np.array([[1 + 2j, 3 - 4j], [5j, 6]])
print(a.real, a.imag, a.conj(), np.abs(a[0]), np.angle(np.array([1, 1j, -1])), np.angle(1j, deg=True))
b = a.copy()
b.real[0] = 7
b[::-1].imag[:] = -1
b.T.real[1] = 0.5
print(b)
b.imag = [[1, 2], [3, 4]]
print(b, b.view(np.float64).shape, np.arange(4.).view(complex))
print(np.real([1j, 2]), np.imag(3), np.iscomplex([1 + 1j, 2]), np.isreal([1j, 2]), np.iscomplexobj(a), np.isrealobj(a))
print(np.real_if_close(np.array([1 + 1e-16j])), np.real_if_close(np.array([1 + 1e-10j])))
try:
    np.zeros(2).imag = 1
except TypeError as error:
    print(error)

# Into and out of other types.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(np.array([1 + 1j, 2]).astype(int), float(np.complex128(1.5 + 2j)), np.array([0, 1j]).astype(bool))
    c = np.zeros(2)
    print([str(one.message) for one in caught], caught[0].category.__name__)
for change in (lambda: c.__setitem__(0, 1j), lambda: np.array([1j], dtype=float), lambda: c.__iadd__(1j), lambda: a // 2,
               lambda: np.floor(a), lambda: a % 2, lambda: c[np.array([1j])], lambda: np.percentile(a, 50)):
    try:
        change()
    except (TypeError, IndexError) as error:
        print(type(error).__name__, error)
print(pickle.loads(pickle.dumps(a)), pickle.loads(pickle.dumps(a[0, 0])), np.frombuffer(a.tobytes(), complex), a.tolist())

# Arithmetic.
x, y = np.array([1 + 2j, 3 - 4j, -1j]), np.array([2 + 1j, 0.5, 2])
print(x + y, x - y, x * y, x / y, -x, x ** 2, x ** -1, x ** 0, 2 * x, 1 / np.array([2j, 4]))
print(np.exp(1j * np.pi * np.array([0, 0.5])).round(12), np.sqrt(np.array([-4, 3 + 4j])), np.log(np.array([1, -1 + 0j])))
print(np.square(x), np.reciprocal(2j), np.sign(np.array([3 + 4j, 0])), np.power(0j, 0), np.conjugate([1, 2]), np.conj(1j))
print(np.isnan([1j, complex(0, np.nan)]), np.isfinite([1j, np.inf]), np.isinf([1j, np.inf]), np.round(np.array([1.26 - 2.74j]), 1))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(np.array([1j, 0]) / 0, *[one.message for one in caught])
print(np.dot(x, y), np.vdot(x, y), np.inner(x, y), np.outer(x, y)[0], x @ y, np.trace(a), np.einsum("ij,jk", a, a)[0])
print(np.linalg.norm(x), np.linalg.norm(a, axis=0), np.allclose(np.linalg.inv(a) @ a, np.eye(2)), np.linalg.matrix_rank(a))

# Order: by real parts first.
z = np.array([3 + 1j, 1 + 2j, 1 - 1j, 2])
print(np.sort(z), z.argsort(), z.max(), z.min(), z.argmax(), z.argmin(), np.ptp(z), np.median(z), np.unique([1j, 1, 1j]))
print(z > 1 + 1j, z <= 2, z == 2, np.maximum(z, 2), np.clip(z, 1, 2), np.searchsorted(np.sort(z), [1, 3]), np.lexsort(([1j, 1], [0, 0])))
print(np.sort(np.array([complex(np.nan, 0), complex(1, np.nan), 2j])), np.max([1j, np.nan]), np.sort_complex([2, 1]))

# Reductions.
print(x.sum(), x.prod(), np.mean([1 + 1j, 3]), np.var([1j, 2]), np.std(np.array([1j, -1j], "F")), x.cumsum(), np.cumprod([1j, 2, 3]))
print(x.any(), x.all(), np.count_nonzero([0, 1j]), np.nonzero([0, 1j]), np.average([1j, 2], weights=[1, 3]), np.diff([1j, 2]))
print(np.nansum([1j, np.nan]), np.isclose(1j, 1j + 1e-12), np.array_equal([1j, np.nan], [1j, np.nan], equal_nan=True))
print(np.where([True, False], 1j, 2), np.concatenate([[1j], [2.]]), np.full(2, 1j), np.linspace(0, 2j, 3), np.convolve([1, 1j], [1, 2]))
print(np.arange(3, dtype=complex), np.eye(2, dtype="F"), np.emath.sqrt([-1, 4]), np.emath.log(-1).imag)

# torch.
print(torch.from_numpy(x), torch.tensor(y), torch.tensor([1j]).numpy(), torch.tensor(np.complex64(1j)), torch.tensor([1.]) * np.complex64(2j))
t = torch.zeros(2, dtype=torch.complex64)
t.numpy()[0] = 1j
print(t, t.numpy().dtype, np.asarray(t))
