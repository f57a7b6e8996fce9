"""Arrays in files: npy, npz, plain bytes, tables of text; numpy.testing."""
import io
import os
import tempfile

import numpy as np

folder = tempfile.mkdtemp()
path = os.path.join(folder, "x")
a = np.arange(6).reshape(2, 3)
buffer = io.BytesIO()
np.save(buffer, a)
data = buffer.getvalue()
print(len(data), data[:10], data[10:70], data[127:128], data[128:] == a.tobytes())
buffer.seek(0)
print(np.load(buffer))
for name in ("bool", "uint8", "int16", "float16", "float32", "complex64", "complex128"):
    np.save(path, np.array([[0, 1, 2]]).astype(name))
    print(np.load(path + ".npy"), np.load(path + ".npy").dtype)
np.save(path, a.T)
print(b"'fortran_order': True" in open(path + ".npy", "rb").read(), np.load(path + ".npy"))
big = data.replace(b"<i8", b">i8")
print(np.load(io.BytesIO(big[:128] + a.byteswap().tobytes())))
np.savez(path, a, x=np.float32([1, 2]))
with np.load(path + ".npz") as archive:
    print(archive.files, archive["x"], archive["arr_0.npy"], archive.f.arr_0.sum(), "x" in archive, len(archive))
np.savez_compressed(path, q=a.T)
print(np.load(path + ".npz")["q"])
for wrong in (b"", b"abcdefgh", data[:140]):
    try:
        np.load(io.BytesIO(wrong))
    except (ValueError, EOFError) as error:
        print(type(error).__name__, str(error)[:60])
a.tofile(path)
print(np.fromfile(path, dtype=np.int64), np.fromfile(path, dtype=np.int64, count=2, offset=8), np.fromstring("1, 2, 3", sep=","))

text = io.StringIO()
np.savetxt(text, a, fmt="%d", delimiter=",", header="first\nsecond", footer="end")
print(text.getvalue())
text.seek(0)
print(np.loadtxt(text, delimiter=",", dtype=int))
np.savetxt(path, [1.5, -2])
print(open(path).read(), np.loadtxt(path))
np.savetxt(path, np.array([[1 + 2j, 3 - 4j]]), fmt="%.1f")
print(open(path).read())
print(np.loadtxt(["# c", "1 2 3", "4 5 6"], usecols=(0, 2), unpack=True), np.loadtxt(["1 2"], ndmin=2), np.loadtxt(["7"]), np.loadtxt(["1;2"], delimiter=";", max_rows=1),
      np.loadtxt(["a 1", "b 2"], converters={0: lambda word: ord(word)}))
for lines in (["1 2", "3 x"], ["1 2", "3"]):
    try:
        np.loadtxt(lines)
    except ValueError as error:
        print(error)
print(np.genfromtxt(["1,2,", "4,x,6"], delimiter=","), np.genfromtxt(["h", "1 2"], skip_header=1, dtype=int), np.genfromtxt(["1,,3"], delimiter=",", filling_values=0))

np.testing.assert_allclose([1, 2], [1, 2 + 1e-9])
np.testing.assert_array_equal([1, np.nan], [1, np.nan])
np.testing.assert_equal({"a": [1, np.array([1, 2])]}, {"a": [1, np.array([1, 2])]})
np.testing.assert_almost_equal(1.0, 1.00000001)
np.testing.assert_array_less([1, 2], [2, 3])
with np.testing.assert_raises(ValueError):
    np.zeros(3).reshape(2)
np.testing.assert_raises_regex(ValueError, "negative", np.zeros, -1)
for wrong in (lambda: np.testing.assert_array_equal([1, 2], [1, 2, 3]), lambda: np.testing.assert_equal(1, 2), lambda: np.testing.assert_equal([1, 2], [1, 3]),
              lambda: np.testing.assert_almost_equal(1.0, 1.1, decimal=3)):
    try:
        wrong()
    except AssertionError as error:
        print(error)
for wrong in (lambda: np.testing.assert_allclose([1., 2, 3], [1, 2, 4.]), lambda: np.testing.assert_array_less([1, 5], [2, 3])):
    try:
        wrong()
    except AssertionError as error:
        print("\n".join(line for line in str(error).splitlines() if not line.startswith((" [", "Mismatch at"))))
