"""memoryview: items without a copy, slices, casts, errors."""
from array import array


def error(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


m = memoryview(b"abcdef")
print(m[0], m[-1], m[1:3].tobytes(), m[::-2].tolist(), len(m), m.nbytes, m.itemsize, m.format, m.shape, m.strides, m.ndim, m.readonly)
print(m == b"abcdef", m[:3] == b"abc", m != b"abcdeg", hash(m) == hash(b"abcdef"), list(m[2:4]), m.hex(), bytes(m[4:]))
print(error(lambda: m[6]), "|", error(lambda: m["a"]), "|", error(lambda: m.__setitem__(0, 1)), "|", error(lambda: memoryview("text")))

data = bytearray(b"0123456789")
m = memoryview(data)
m[0] = 65
m[2:5] = b"xyz"
m[::-1][0] = 66
print(data, m.readonly, m.toreadonly().readonly)
print(error(lambda: m.__setitem__(slice(0, 2), b"abc")), "|", error(lambda: m.__setitem__(0, 256)), "|",
      error(lambda: m.__setitem__(0, "a")), "|", error(lambda: hash(m)))
data[1] = 33
print(m[:3].tobytes(), m.count(33), m.index(33), error(lambda: m.index(0)))

wide = memoryview(bytearray(range(16))).cast("I")
print(wide.tolist(), wide.shape, wide.itemsize, wide.nbytes, wide.strides)
wide[1] = 0xDEADBEEF
print(wide.cast("B").tolist(), wide.tobytes().hex())
print(wide.cast("B")[4:8].hex(), wide[1:3].tolist())
square = memoryview(bytes(range(12))).cast("B", (3, 4))
print(square.shape, square.strides, square.ndim, square.tolist(), square[1, 2], square[-1, -1], len(square))
print(error(lambda: square[0]), "|", error(lambda: square[0,]), "|", error(lambda: square[0, 0, 0]), "|", error(lambda: square[3, 0]), "|", error(lambda: memoryview(b"abc").cast("I")), "|",
      error(lambda: wide.cast("d")))

numbers = array("d", [1.5, 2.5, 3.5])
m = memoryview(numbers)
m[1] = 7.25
print(numbers.tolist(), m.format, m.itemsize, m.nbytes, m.tolist(), m.cast("B").nbytes, m[1:].tolist())
print(memoryview(m)[2], memoryview(m).obj is numbers)

with memoryview(b"closed") as m:
    print(m[0])
print(error(lambda: m[0]), "|", error(lambda: len(m)))
print(isinstance(m, memoryview), type(memoryview(b"")).__name__, len(memoryview(b"")), memoryview(b"").tolist())
print(b"".join([memoryview(b"ab"), b"cd"]), bytearray(memoryview(b"xy")), int.from_bytes(memoryview(b"\x01\x02"), "big"))

import hashlib
print(hashlib.sha256(memoryview(b"abc")).hexdigest()[:16], b"a" + memoryview(b"bc"), bytearray(b"a") + memoryview(b"b"),
      error(lambda: b"".join([memoryview(b"a"), "b"])))
print([(code, memoryview(array(code, [1, 2])).nbytes) for code in "bhilqfd"], memoryview(array("l", [7, 8])).tobytes().hex())
