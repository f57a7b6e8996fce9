"""Functions of arrays: sums, joining, sorting, sets, products, statistics."""
import numpy as np


def show(*values):
    for value in values:
        if isinstance(value, np.generic):
            print(type(value).__name__.rstrip("_"), value)
        elif isinstance(value, (tuple, list)):
            show(*value)
        else:
            print(repr(value))


def fails(function):
    try:
        show(function())
    except Exception as error:
        print(type(error).__name__, error)


rng = np.random.RandomState(11)
a = rng.randn(5, 4)
b = rng.randint(0, 10, (4, 6))
f = rng.rand(3, 50, 7).astype(np.float32)
big = rng.rand(4321)
for axis in [None, 0, 1, -1]:
    show(a.sum(axis), a.mean(axis), a.std(axis), a.var(axis, ddof=1), a.min(axis), a.max(axis), a.argmax(axis), a.argmin(axis),
         b.sum(axis), b.prod(axis), b.cumsum(axis), b.mean(axis), np.median(a, axis), np.ptp(b, axis), (a > 0).any(axis),
         (a > 0).all(axis), np.percentile(a, [10, 50, 90], axis), np.quantile(b, 0.3, axis), np.cumprod(b[:2], axis))
show(f.sum(), f.sum(0)[:3, :3], f.sum(1)[:, :2], f.sum((0, 2))[:5], f.mean(), f.std(), f.mean(axis=(1, 2)), f.var(-1)[0, :4])
show(big.sum(), big.mean(), big.std(), big.astype(np.float32).sum(), big.astype(np.float16).sum(), big.astype(np.float16).mean(), big[:100].sum(), big[:7].sum())
show(a.sum(axis=1, keepdims=True), np.mean(b, axis=0, dtype=np.float32), np.sum([1, 2, 3]), np.sum([[True, False], [True, True]]),
     np.max([3, 1]), np.argmax([1, 5, 5]), np.count_nonzero([0, 1, 2]), np.average([1, 2, 3], weights=[3, 1, 0]), np.average(b, axis=0))
show(np.nansum([1, np.nan, 2]), np.nanmean([1, np.nan, 2]), np.nanmax([np.nan, 3]), np.nanstd([1.0, np.nan, 3]), np.maximum(a[0], 0),
     np.minimum(b[0], [5, 5, 5, 5, 5, 1]), np.clip(b[0], 2, 6), a[0].clip(0), np.where(a[0] > 0, a[0], -1), np.where(b[0] > 4), np.nonzero(b[0]))
show(np.concatenate([b[:1], b[2:]]), np.concatenate([[1, 2], [3.5]]), np.stack([b[0], b[1]], axis=1), np.vstack([[1, 2], [3, 4]]),
     np.hstack([[1], [2, 3]]), np.hstack([b[:, :1], b[:, 2:3]]), np.dstack([[1, 2], [3, 4]]), np.column_stack([[1, 2], [3, 4]]),
     np.append([1, 2], 3), np.split(np.arange(6), 3), np.array_split(np.arange(7), 3), np.split(np.arange(6), [1, 4]),
     np.expand_dims(b[0], 0).shape, np.squeeze(b[None]).shape, np.tile([1, 2], 3), np.tile([[1, 2]], (2, 2)), np.repeat([1, 2, 3], 2),
     np.repeat(b[:2, :2], [1, 2], axis=0), np.moveaxis(f, 0, -1).shape, np.rollaxis(f, 2).shape, np.broadcast_to([1, 2], (2, 2)),
     np.flip(b[0]), np.flipud(b)[0], np.fliplr(b)[0], np.roll(b[0], 2), np.rot90([[1, 2], [3, 4]]), np.pad([1, 2], 1), np.pad([1, 2, 3], (1, 2), mode="edge"),
     np.pad([1, 2, 3], 2, mode="reflect"), np.pad([[1, 2]], ((0, 1), (1, 0)), constant_values=9), np.meshgrid([1, 2], [3, 4, 5]), np.indices((2, 2)))
show(np.sort([3, 1, 2]), np.sort(b, axis=0), np.argsort([3, 1, 2]), np.sort([3.0, np.nan, 1]), np.unique([3, 1, 3, 2]),
     np.unique(["1", "2"] and [2, 2, 1], return_counts=True, return_index=True, return_inverse=True), np.searchsorted([1, 3, 5], [0, 3, 9]),
     np.searchsorted([1, 3, 5], 3, side="right"), np.digitize([0.5, 2.5], [0, 1, 2, 3]), np.lexsort(([1, 2, 1], [3, 1, 3])), np.argwhere(b > 7),
     np.flatnonzero([0, 3, 0, 4]), np.isin([1, 2, 3], [2, 5]), np.intersect1d([1, 2, 3], [2, 3, 4]), np.union1d([1], [0, 1]), np.setdiff1d([1, 2, 3], [2]))
c = np.arange(6.0).reshape(2, 3)
show(c @ c.T, np.dot(c, [1, 2, 3]), np.dot([1, 2], [3, 4]), np.matmul(c, c.T), np.outer([1, 2], [3, 4]), np.inner([1, 2], [3, 4]), np.einsum("ij,kj->ik", c, c),
     np.einsum("ij->j", c), np.tensordot(c, c, axes=([1], [1])), np.trace(c), np.diag([1, 2]), np.diag(c), np.tril(c), np.triu(c, 1), np.kron([1, 2], [1, 1]),
     np.cross([1, 0, 0], [0, 1, 0]), np.linalg.norm([3, 4]), np.linalg.norm(c), np.linalg.norm(c, axis=1), np.linalg.norm(c, 1), np.linalg.norm(c, np.inf),
     np.linalg.norm([3, 4], 1), np.vdot([1, 2], [3, 4]), np.triu_indices(3, 1), np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10))
show(np.histogram([1, 2, 2, 3, 9], bins=4), np.histogram(big, bins=5, range=(0, 1)), np.histogram([1, 2, 3], bins=[0, 2, 4]), np.histogram([1, 2, 4], bins=3, density=True),
     np.bincount([0, 1, 1, 3]), np.bincount([0, 1], weights=[0.5, 2]), np.diff([1, 4, 9]), np.diff(b, axis=0)[0], np.interp([0.5, 3], [0, 1, 2], [0, 10, 20]),
     np.convolve([1, 2, 3], [0, 1, 0.5]), np.convolve([1, 2, 3], [0, 1, 0.5], "same"), np.cov([1, 2, 3], [1, 3, 2]), np.corrcoef([1, 2, 3], [1, 3, 2]))
show(np.floor([1.5, -1.5]), np.ceil([1.5, -1.5]), np.round([0.5, 1.5, 2.567], 1), np.round(2.5), np.rint([0.5, 1.5]), np.trunc([-1.7]), np.sign([-2, 0, 3.0]), np.mod([-7, 7], 3),
     np.fmod([-7, 7], 3), np.power(2, [1, 2, 3]), np.power([1.5, 2], 2), np.sqrt([4, 9]), np.exp(0), np.log1p(0.0), np.log2(8), np.log10([10, 1000]), np.square(3), np.abs([-1, 2]),
     np.hypot(3, 4), np.arctan2(1, 1), np.sin(0.0), np.cos([0.0]), np.tanh(0.5), np.isnan([1, np.nan]), np.isinf(np.inf), np.isfinite([1, np.inf]), np.logical_and([True, False], True),
     np.logical_not([0, 1]), np.floor_divide(7, 2), np.true_divide(7, 2), np.negative([1, -1]), np.reciprocal([2.0, 4.0]), np.deg2rad(180), np.nan_to_num([np.nan, np.inf]), np.copysign(1, -2))
print(np.allclose([1, 2], [1, 2 + 1e-9]), np.allclose(1, 2), np.array_equal([1, 2], [1, 2]), np.array_equal([1], [1, 1]), np.isclose([1, 2], [1, 3]), np.isscalar(3), np.isscalar(np.ones(1)))
show(np.take(b, [0, 2], axis=1)[0], np.take_along_axis(b, np.argsort(b, axis=1), axis=1)[0], np.delete([1, 2, 3], 1), np.insert([1, 2, 3], 1, 9), np.compress([True, False, True], [1, 2, 3]),
     b[np.ix_([0, 1], [1, 2])], np.unravel_index(7, (3, 4)), np.apply_along_axis(np.sum, 1, b), np.vectorize(lambda x: x * 2)([1, 2]), np.fromiter(range(3), dtype=float))
show(np.add.reduce([1, 2, 3]), np.add.outer([1, 2], [10, 20]), np.multiply.accumulate([1, 2, 3]), np.maximum.accumulate([1, 3, 2]), np.add(1, 2, dtype=np.float32))
out = np.zeros(3)
np.add([1, 2, 3], 1, out=out)
show(out, np.result_type(np.int8, np.float32), np.promote_types("i4", "f4"), np.can_cast("i4", "i8"), np.can_cast(np.float64, np.float32), list(np.ndindex(2, 2)), list(np.ndenumerate([[1, 2]])))
fails(lambda: np.split(np.arange(5), 2))
fails(lambda: np.argmax([]))
fails(lambda: np.max([]))
fails(lambda: np.percentile([1], 101))
fails(lambda: np.array([1, 2, 3]).sum(axis=2))
fails(lambda: np.transpose(b, (0, 0)))
fails(lambda: np.dot([1, 2], [1, 2, 3]))
fails(lambda: np.where([True], 1))
fails(lambda: np.linspace(0, 1, -1))
fails(lambda: np.uint8(5) and np.array([1, 2], dtype="nope"))
