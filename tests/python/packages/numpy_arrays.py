"""Arrays: making, indexing, arithmetic, types of results."""
import numpy as np


def show(*values):
    for value in values:
        if isinstance(value, np.generic):
            print(type(value).__name__.rstrip("_"), value)
        elif isinstance(value, tuple):
            show(*value)
        else:
            print(repr(value))


def fails(function):
    try:
        show(function())
    except Exception as error:
        print(type(error).__name__, error)


a = np.arange(12).reshape(3, 4)
show(a, a.shape, a.dtype, a.ndim, a.size, a.itemsize, a.nbytes, a.strides, len(a))
show(a.T, a[1], a[-1, -1], a[:, 1], a[1:, ::2], a[::-1], a[..., 0], a[None, 0], a[1:1])
show(a[::-1, ::-2], a[::-1][0], a[:, ::-1][1:, 1:], a[::-1].T, a[a % 2 == 0], a[[0, 2]], a[[0, 2], [1, 3]], a[:, [3, 0]])
show(a[[True, False, True]], a[np.array([2, -1])], a[1, [0, 1]], a[[0, 1], :, None].shape, a[()], a[...])
b = a.copy()
b[0] = 100
b[:, -1] = [7, 8, 9]
b[b == 100] = -1
b[[1, 2], [0, 0]] = 55
b[::-1] = b.copy()
show(b)
b[::2, ::-1] = np.arange(4)
show(b)
v = a.copy()
w = v[::-1]
w[0] = 99
w[1, 1] = -5
w += 1
show(v, w)
w[[0, 1], 0] = 70
show(v)
x = np.zeros(3)
x[1] = 2.7
y = np.zeros(3, dtype=int)
y[1] = 2.7
show(x, y)
fails(lambda: a[3])
fails(lambda: a[0, 4])
fails(lambda: a[0, 0, 0])
fails(lambda: a[1.5])
fails(lambda: a[[0, 7]])
fails(lambda: a[np.array([1.0])])
fails(lambda: a[np.array([True, False])])
fails(lambda: a + np.arange(3))
fails(lambda: a.reshape(5, 2))
fails(lambda: bool(a))
fails(lambda: np.zeros(3).__setitem__(slice(None), [1, 2]))
fails(lambda: np.array([[1, 2], [3]]))
fails(lambda: np.arange(3) ** -1)
fails(lambda: ~np.ones(2))
fails(lambda: -np.array([True]))
fails(lambda: np.array([True]) - np.array([True]))
fails(lambda: np.ones(3).sum(axis=1))
fails(lambda: np.concatenate([np.ones((2, 2)), np.ones((3, 3))]))
fails(lambda: np.concatenate([]))
fails(lambda: np.stack([np.ones(2), np.ones(3)]))
fails(lambda: int(np.arange(3)))
fails(lambda: np.ones((2, 3)) @ np.ones((2, 3)))
fails(lambda: np.array([1, 2], dtype=int).__iadd__(np.array([0.5, 1.5])))
fails(lambda: np.dtype("float33"))

for name in ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]:
    left = np.array([0, 1, 1], dtype=name)
    print(name, [(left + np.ones(3, dtype=other)).dtype.name for other in
                 ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
                  "float64"]], (left / left.dtype.type(1)).dtype, np.exp(left).dtype, left.sum().dtype, left.mean().dtype,
          (left * 2).dtype if name != "bool" else "", (left * 2.5).dtype if name not in ("bool",) else "")
f = np.array([1.5, -2.25, 3.0], dtype=np.float32)
show(f + 1, f * 2.5, f / 3, f // 2, f % 2, f ** 2, -f, abs(f), f > 0, f == [1.5, 0, 3], 1 - f, 2 / f, 7 // f, 7 % f)
i = np.array([-7, 7, 3])
show(i // 2, i % 3, i / 2, i ** 2, i & 3, i | 8, i ^ 1, i << 1, i >> 1, ~i, 2 ** np.array([1, 2, 3]), divmod(i, 4))
j = np.arange(5)
j += 2
j *= 3
j //= 2
j -= 1
show(j)
k = np.arange(4.0)
k /= 2
k **= 2
show(k)
u = np.array([250, 5], dtype=np.uint8)
show(u + np.uint8(10), u * np.uint8(2), u - np.array([251, 6], dtype=np.uint8))
show(np.array(5), np.array(5).item(), np.array([1, 2.5]), np.array([True, 2]), np.array([]), np.array([[]]), np.array([1, 2], dtype=float))
show(np.array([[1, 2], [3, 4]], dtype=np.int32), np.array([np.float32(1.5), 2]).dtype, np.array([np.arange(2), np.arange(2)]))
show(np.zeros((2, 2)), np.ones(3, dtype=int), np.full((2,), 7.5), np.full(2, 3), np.eye(3, k=1), np.identity(2), np.empty((0, 3)))
show(np.arange(5), np.arange(2, 10, 3), np.arange(0, 1, 0.25), np.arange(5.0), np.arange(10, 0, -3), np.arange(3, dtype=np.float32))
show(np.linspace(0, 1, 5), np.linspace(0, 10, 4, endpoint=False), np.linspace(3, 3, 2), np.linspace(0, 5, 3, dtype=int))
show(np.logspace(0, 3, 4), np.zeros_like(a), np.ones_like(f), np.full_like(a, 9), np.empty_like(a).shape, np.tri(3, dtype=int))
show(np.float64(2.5) + 1, np.float32(2.5) * 2, np.int64(7) // 2, np.int64(7) / 2, np.int8(3) + np.int8(4), np.float32(1) + np.float64(1))
show(np.float64(3) > 2, np.int64(3) == 3, -np.float32(1.5), abs(np.int64(-3)), np.float64(2) ** 0.5, 2 ** np.int64(5), np.int64(5) % 3)
print(float(np.float32(0.5)), int(np.int64(7)), [10, 20, 30][np.int64(1)], isinstance(np.float64(1), float),
      isinstance(np.int64(1), int), isinstance(np.float32(1), np.floating), issubclass(np.int32, np.integer),
      np.issubdtype(np.float32, np.floating), np.issubdtype(a.dtype, np.integer), hash(np.int64(5)) == hash(5))
print(np.float64(0.1), np.float32(0.1), np.float64(1e20), np.int64(-5), np.bool_(True), f"{np.float64(3.14159):.2f}",
      f"{np.int64(42):5d}|", "%.3f" % np.float32(2.5), "%d" % np.int64(3), str(np.float64("nan")), np.float64("inf"))
print(np.dtype("float32"), repr(np.dtype(np.int64)), np.dtype("f4") == np.float32, np.dtype("<i8").name, np.dtype(float).itemsize,
      np.dtype("uint8").kind, np.float32 == np.dtype("float32"), a.dtype == int, a.dtype == "int64", a.dtype.type is np.int64)
print(np.finfo(np.float32).eps, np.finfo(np.float64).max, np.finfo("float16").tiny, np.iinfo(np.int32).max, np.iinfo("uint8").min,
      np.pi, np.e, np.inf, np.nan, np.newaxis)
for row in a:
    print(row, end=" ")
print([value for value in np.arange(3)], list(a.flat)[:3], a.flat[5], 5 in a, 50 in a)
m = np.arange(6).reshape(2, 3)
m.shape = (3, 2)
show(m, m.tolist(), m.ravel(), m.flatten(), m.T.flatten(), m.reshape(-1), m.reshape((2, -1)), m.swapaxes(0, 1), m.transpose(1, 0))
r = m.ravel()
r[0] = 42
show(m[0, 0], m.flags.writeable, m.T.flags.c_contiguous)
t = np.arange(24).reshape(2, 3, 4)
show(t.transpose(2, 0, 1).shape, t[0, ..., 1], t[:, [0, 1], [1, 2]], t[[0, 1], :, [1, 2]], t[0][None, :, 1:2, None].shape)
show(np.frombuffer(b"\x00\x00\x80?\x00\x00\x00@", dtype=np.float32), np.frombuffer(b"\x01\x00\x01", dtype=bool),
     np.frombuffer(bytes(range(8)), dtype="<i2", offset=2, count=2), f.tobytes(), f.view(np.int32), np.arange(4, dtype=np.uint8).view(np.uint16))
show(np.array([1.7, -1.7]).astype(int), np.array([0, 2]).astype(bool), np.array([300]).astype(np.uint8), a.astype("float32")[0])
