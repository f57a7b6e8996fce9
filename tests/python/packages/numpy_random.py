"""The legacy streams of numpy.random, bit for bit."""
import numpy as np

for seed in [0, 1, 42, 2**32 - 1]:
    np.random.seed(seed)
    print([float(x) for x in np.random.rand(3)], np.random.random(), np.random.uniform(-2, 5))
    print([float(x) for x in np.random.randn(5)], float(np.random.randn()), [float(x) for x in np.random.normal(3, 2, 4)])
    print(np.random.randint(10, size=12), np.random.randint(-5, 5), np.random.randint(0, 2**40, size=3), np.random.randint(256, size=(2, 3), dtype=np.uint32))
    print(np.random.permutation(10), np.random.permutation(np.arange(12).reshape(6, 2)))
    x = np.arange(9)
    np.random.shuffle(x)
    y = list("abcdefg")
    np.random.shuffle(y)
    z = np.arange(8).reshape(4, 2)
    np.random.shuffle(z)
    print(x, y, z)
    print(np.random.choice(5, 7), np.random.choice(5, 3, replace=False), np.random.choice([10, 20, 30]), np.random.choice(5))
    print(np.random.choice(4, 6, p=[0.1, 0.2, 0.3, 0.4]), np.random.choice(6, 4, replace=False, p=[0.1, 0.1, 0.3, 0.2, 0.2, 0.1]))
    print(np.random.choice(["x", "y", "z"]), float(np.random.random_sample()), np.random.rand(2, 2))
    print([float(x) for x in np.random.exponential(2.0, 3)], [float(x) for x in np.random.lognormal(0, 1, 3)])
    print([float(x) for x in np.random.normal([0, 10, 100], [1, 2, 3])], [float(x) for x in np.random.uniform([0, 1], 2)])
    print(np.random.randint(0, 2, 5), np.random.randint(1, 7, (2, 2)), float(np.random.standard_normal()))
np.random.seed(7)
big = np.random.randn(10001)
print(float(big[0]), float(big[-1]), float(big[5000]), float(np.random.randn()))
big = np.random.randint(0, 1000, 10000)
print(big[:5], big[-5:], np.random.randint(7))
order = np.random.permutation(1000)
print(order[:6], order[-6:], float(np.random.rand()))
a, b = np.random.RandomState(5), np.random.RandomState(5)
print(float(a.rand()) == float(b.rand()), a.randint(100), a.choice(3), [float(x) for x in a.randn(3)])
for call in [lambda: np.random.seed(-1), lambda: np.random.choice(3, 5, replace=False), lambda: np.random.randint(5, 5),
             lambda: np.random.normal(0, -1), lambda: np.random.choice(3, p=[0.5, 0.5]), lambda: np.random.choice(2, p=[0.5, 0.6]),
             lambda: np.random.choice(0), lambda: np.random.choice([])]:
    try:
        print(call())
    except ValueError as error:
        print("ValueError", error)
rng = np.random.default_rng(12345)
print([float(x) for x in rng.random(4)], float(rng.random()), [float(x) for x in rng.uniform(-1, 1, 3)])
print(rng.integers(0, 10, 12), rng.integers(100), rng.integers(0, 2**40, 3), rng.integers(1, 6, size=(2, 3), endpoint=True))
print(rng.permutation(10), rng.permutation(np.arange(5)), rng.random(3, dtype=np.float32))
x = np.arange(10)
rng.shuffle(x)
print(x, [float(v) for v in np.random.default_rng(0).random(2)], [float(v) for v in np.random.default_rng([1, 2, 3]).random(2)],
      [float(v) for v in np.random.default_rng(2**70 + 5).random(2)])
print(np.random.SeedSequence(42).generate_state(6), np.random.SeedSequence(42).spawn(2)[1].generate_state(2, np.uint64))
