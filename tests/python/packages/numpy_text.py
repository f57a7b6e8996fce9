"""Arrays and scalars as text, as numpy 2 writes them."""
import numpy as np

for a in [np.array([1.5, 2, 3]), np.array([0.1, 0.25, 1 / 3]), np.array([1e10, 1.0]), np.array([1e-5, 1.0]), np.array([1e-3, 1.0]),
          np.array([1234.5678, 0.1]), np.array([1e8, 1]), np.array([99999999.0, 1]), np.array([np.nan, 1.0, -np.inf]),
          np.array([np.inf, 1e-10]), np.array([np.nan]), np.array([-0.0, 0.0]), np.array([1e300, 1e-300]), np.array([123456789.123]),
          np.array([1.0, -2.5, 3.14159265358979]), np.array([[1.0, 22.5], [-333.25, 4]]), np.array([5e-324]), np.array([2.0**70]),
          np.array([0.1, 0.2, 0.30000000000000004]), np.array([1e22, 1e21]), np.array([0.00012345]), np.array([12345678.9]),
          np.array(3.0), np.array(1e100), np.array(-7), np.array(True), np.array([True, False]), np.array([[True], [False]]),
          np.array([1, -10, 100]), np.array([[1, 2], [300, -4]]), np.array([], dtype=np.int32), np.zeros((0, 3)), np.zeros((2, 0)),
          np.zeros((2, 2, 2)), np.arange(16).reshape(2, 2, 2, 2), np.arange(30), np.arange(30) / 7, np.arange(5, dtype=np.uint8),
          np.linspace(-1, 1, 11), np.linspace(-1, 1, 40).reshape(4, 10), np.eye(3), np.ones((2, 3, 4)) * 0.1,
          np.array([0.1, 0.7, 2.5], dtype=np.float32), np.array([1 / 3, 2 / 3], dtype=np.float32), np.array([16777216, 0.5], dtype=np.float32) / 32,
          np.array([1e-30, 1], dtype=np.float32), np.array([3.4028235e38], dtype=np.float32), np.array([1e-45], dtype=np.float32),
          np.array([0.1, 0.2, 3.5], dtype=np.float16), np.array([999.0, 0.5], dtype=np.float16), np.arange(1000).reshape(10, 100)[:3]]:
    print(a)
    print(repr(a))
print(np.arange(1001))
print(np.arange(2000.0).reshape(2, 1000))
print(np.zeros((40, 40)))
print(np.arange(10000).reshape(10, 10, 100) * 0.5)
for value in [0.1, 1.0, 1e15, 1e16, 1.5e16, 123456.789, 1e-4, 1e-5, 5e-324, 1.7976931348623157e308, -0.0, float("nan"), float("inf"), 2 / 3]:
    print(np.float64(value), np.float64(-value))
for value in [0.1, 1.0, 123456.789, 999999.5, 1e-4, 1e-5, 1e-45, 2 / 3, 16777.216]:
    print(np.float32(value), np.float16(value) if value < 500 else "", np.float32(-value))
print(*[np.float32(2.0**k) for k in range(-149, 19, 3)])
print(*[np.float32(2.0**k * 1.1) for k in range(-140, 19, 7)])
print(*[np.float16(2.0**k) for k in range(-24, 9)])
rng = np.random.RandomState(3)
for scale in [1e-6, 1e-2, 1.0, 50.0, 3e4, 1e9]:
    print(rng.randn(3, 4) * scale)
    print(repr((rng.randn(7) * scale).astype(np.float32)) if scale < 1e5 else "")
    print(np.round(rng.randn(5) * scale, 2))
np.set_printoptions(precision=3, suppress=True)
print(np.array([1.23456789, 1e-8, 1000.5]), np.array([1e9, 1.0]), np.float64(1.23456789))
np.set_printoptions(precision=4, suppress=False, linewidth=40)
print(np.arange(30) * 1.1)
np.set_printoptions(precision=8, linewidth=75, threshold=5, edgeitems=1)
print(np.arange(10), np.ones((4, 4)))
np.set_printoptions(threshold=1000, edgeitems=3, sign="+")
print(np.array([1.5, -2.5]), np.array([1, -2]))
np.set_printoptions(sign="-", floatmode="fixed", precision=2)
print(np.array([1.5, 2.125, 1e-9]))
np.set_printoptions(floatmode="maxprec", precision=8, formatter={"float": lambda x: f"<{x:.1f}>"})
print(np.array([1.25, 2]))
np.set_printoptions()
with np.printoptions(precision=2):
    print(np.array([1.23456]))
print(np.array([1.23456]), np.array2string(np.arange(3.0), separator=", "), np.array2string(np.array([1.5, 2.25]), precision=1))
print(np.array_str(np.ones(2)), np.array_repr(np.ones(2, dtype=np.float32)))
print(f"{np.arange(3)}", "%s" % np.ones(2), str(np.ones((1, 1))), f"{np.array(2.5):.3f}")
