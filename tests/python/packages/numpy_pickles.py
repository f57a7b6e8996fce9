"""Pickles as numpy writes them, items one by one, reductions with masks, distributions."""
import copy
import pickle

import numpy as np

a = np.arange(6, dtype=np.int32).reshape(2, 3)
for x in (a, a.T, a[::-1], np.array(1j), np.float32(1.5), np.bool(True), np.int64(-3), np.complex64(1j), np.dtype("F"), np.dtype(bool),
          np.uint64(2 ** 64 - 1), np.array([2 ** 64 - 1], np.uint64), np.zeros((0, 3)), np.array([True, False])):
    for protocol in (0, 2, 4, 5):
        back = pickle.loads(pickle.dumps(x, protocol))
        if type(back) is not type(x) or repr(back) != repr(x):
            print("differs", x, back, protocol)
old = (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02U\x01bq\x03\x87q\x04Rq\x05(K\x01K\x02\x85q\x06"
       b"cnumpy\ndtype\nq\x07U\x02u1q\x08K\x00K\x01\x87q\tRq\n(K\x03U\x01|q\x0bNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x0cb\x89U\x02\x07\tq\rtq"
       b"\x0eb.")
print(repr(pickle.loads(old)), repr(pickle.loads(old, encoding="latin1")), np.arange(2).__reduce__()[2])
print(pickle.dumps(np.float64(1), 2)[:60], copy.deepcopy([a[0], np.float32(1)]))

print([int(x) for x in np.nditer(a.T)], [int(x) for x in np.nditer(a.T, order="C")], [int(x) for x in np.nditer(a, order="F")])
with np.nditer(a, op_flags=["readwrite"]) as items:
    for x in items:
        x[...] = 2 * x
print(a)
items = np.nditer(a[:, :2], flags=["multi_index"])
while not items.finished:
    print(items.multi_index, items[0], end=" ")
    items.iternext()
print([(int(x), int(y)) for x, y in np.nditer([np.arange(3), np.array(1)])], np.broadcast(np.ones((2, 1)), np.ones(3)).shape,
      [(int(x), int(y)) for x, y in np.broadcast([[1], [2]], [3, 4])])

b, mask = np.array([[1., 2, 3], [4, 5, 6]]), np.array([[True, False, True], [False, True, True]])
print(b.sum(where=mask), b.mean(axis=1, where=mask), np.var([1., 2, 9], where=[True, True, False]), np.prod(b, where=mask),
      b.max(where=mask, initial=-1, axis=0), np.all(b > 2, where=mask), np.any(b > 5, axis=0, where=mask), np.var(b, mean=3.5) == b.var())
print(np.format_float_scientific(np.float32(np.pi)), np.format_float_scientific(1234.5, precision=2), np.format_float_scientific(1.5, exp_digits=3))
eye = np.eye(24).reshape(6, 4, 2, 3, 4)
right = np.arange(24.).reshape(6, 4)
print(np.allclose(np.tensordot(eye, np.linalg.tensorsolve(eye, right), axes=3), right), np.linalg.tensorinv(np.eye(24).reshape(4, 6, 8, 3)).shape)

g = np.random.default_rng(42)
print(g.standard_normal(10), g.integers(0, 10, 3).dtype, g.normal(size=(2, 3)).shape, type(g.normal()).__name__)
kept = np.random.default_rng(3)
print(sorted(kept.choice(5, 5, replace=False)), kept.choice([7], 2), kept.choice(3, 4, p=[0, 1, 0]), kept.choice(np.eye(3), 2, axis=1).shape,
      sorted(kept.permutation([3, 1, 2])), kept.permuted(np.zeros((2, 3)), axis=1).shape, len(kept.bytes(5)), len(kept.spawn(2)))
print(kept.integers(5, 6, size=3, dtype=np.uint8), kept.integers([1, 5], [2, 6]), kept.integers(0, 2, 4, dtype=bool).dtype, kept.multinomial(9, [0.2, 0.8]).sum())
for name, args, mean, spread in [
        ("normal", (1, 2), 1, 2), ("exponential", (2,), 2, 2), ("gamma", (3, 2), 6, 3.46), ("gamma", (0.5,), 0.5, 0.71), ("beta", (2, 3), 0.4, 0.2),
        ("beta", (0.5, 0.5), 0.5, 0.35), ("poisson", (3,), 3, 1.73), ("poisson", (50,), 50, 7.07), ("binomial", (10, 0.3), 3, 1.45),
        ("binomial", (1000, 0.7), 700, 14.5), ("geometric", (0.2,), 5, 4.47), ("laplace", (1, 2), 1, 2.83), ("gumbel", (0, 1), 0.577, 1.28),
        ("logistic", (0, 1), 0, 1.81), ("rayleigh", (1,), 1.25, 0.655), ("weibull", (2,), 0.886, 0.463), ("triangular", (0, 1, 2), 1, 0.408),
        ("chisquare", (4,), 4, 2.83), ("wald", (1, 4), 1, 0.5), ("negative_binomial", (5, 0.5), 5, 3.16), ("uniform", (2, 4), 3, 0.577),
        ("lognormal", (0, 0.5), 1.13, 0.604), ("noncentral_chisquare", (3, 1), 4, 3.16), ("power", (2,), 0.667, 0.236), ("logseries", (0.5,), 1.44, 0.8)]:
    for source in (np.random.default_rng(1), np.random.RandomState(1)):
        made = getattr(source, name)(*args, size=1500)
        if abs(made.mean() - mean) > 5 * spread / 1500 ** 0.5 + 0.01 or abs(made.std() - spread) > 0.2 * spread:
            print(name, args, made.mean(), made.std())
cloud = np.random.default_rng(2).multivariate_normal([1, -1], [[2, 1], [1, 2]], 1500)
print(np.abs(cloud.mean(axis=0) - [1, -1]).max() < 0.2, np.abs(np.cov(cloud.T) - [[2, 1], [1, 2]]).max() < 0.3, np.random.default_rng(2).dirichlet([1, 2, 3]).sum().round(9))
for wrong in (lambda: g.normal(0, -1), lambda: g.choice(2, 3, replace=False), lambda: g.choice(2, p=[0.5, 0.6]), lambda: g.integers(3, 3),
              lambda: g.poisson(-1), lambda: g.integers(0, 300, dtype=np.uint8), lambda: g.choice(0), lambda: g.binomial(1, 2)):
    try:
        wrong()
    except ValueError as error:
        print(error)

r = np.random.RandomState([0x123, 0x234, 0x345, 0x456])
print(int.from_bytes(r.bytes(4), "little"), int.from_bytes(r.bytes(4), "little"))  # the first words of the reference mt19937ar.c
for count in (0, 1, 617, 700, 2):
    r.random_sample(count)
    r.bytes(4)
    r.standard_normal()
    state = r.get_state()
    first = r.random_sample(3), r.standard_normal(3), r.randint(0, 10, 4)
    r.set_state(state)
    second = r.random_sample(3), r.standard_normal(3), r.randint(0, 10, 4)
    other = np.random.RandomState(0)
    other.set_state(r.get_state(legacy=False))
    print(all((x == y).all() for x, y in zip(first, second)), other.random_sample() == r.random_sample())
state = np.random.RandomState(5).get_state()
print(state[0], state[1][:1], state[1].dtype, state[1].shape, state[2:])
np.random.seed(0)
print(np.random.randint(0, 256, 6, dtype=np.uint8), np.random.randint(0, 2, 3, dtype=bool).dtype, np.random.randint([1, 5], [2, 6]))
