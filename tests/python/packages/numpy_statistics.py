"""Histograms, quantiles, covariances, differences, folds, sets and what leaves out NaN."""
import warnings

import numpy as np

warnings.simplefilter("ignore")
nan = np.nan
print(np.histogram([1, 2, 1], bins=[0, 1, 2, 3]), np.histogram([1, 2, 3, 4], bins=2, weights=[1., 2, 3, 4], density=True))
print(*np.histogram2d([1, 2, 1], [0, 1, 1], bins=2), np.histogramdd(np.array([[0, 0], [1, 1], [1, 0.9]]), bins=(2, 2))[0])
print(np.bincount([0, 1, 1, 3]), np.bincount([0, 1, 1], weights=[0.5, 1, 2]), np.digitize([0.5, 2, 7], [1, 2, 5]), np.digitize([3, 1], [5, 2, 0]))
methods = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
           "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
print(*[f"{np.percentile([1, 2, 3, 4, 10], 35, method=one):g}" for one in methods], repr(np.percentile([1, 2, 3], 50, method="lower")))
print(np.quantile([[1., 2, 3], [4, 5, 6]], [0, 0.5], axis=1, keepdims=True), np.percentile([1, nan], 50), np.median([[1, 3], [2, 8]], axis=0))
print(np.nanpercentile([[1, nan, 3], [4, 5, 6]], 50, axis=1), np.nanmedian([[1, nan, 3], [4, 5, 6]], axis=0), np.nanquantile([nan, 2, 4], 0.25))
print(np.nanmean([1, nan, 3]), np.nanstd([1, nan, 3]), np.nanvar([1, nan, 3], ddof=1), np.nanargmax([nan, 2, 1]), np.nanargmin([3, nan]),
      np.nancumsum([1, nan, 2]), np.nancumprod([2, nan, 3]), np.nanmean([nan]))
print(np.cov([[0, 1, 2], [2, 1, 0]]), np.cov([1, 2, 3], [1, 4, 9], aweights=[1, 2, 1]), np.cov(np.float32([1, 2, 4])).dtype,
      np.cov([1, 2, 3], fweights=[1, 1, 2], bias=True), np.corrcoef([1, 2, 3], [3, 2, 1]))
print(np.diff([1, 4, 9, 16], n=2), np.diff([1, 2, 4], prepend=0, append=[10]), np.ediff1d([1, 2, 4], to_begin=9), np.trapezoid([1, 2, 3], x=[4, 6, 8]))
print(np.gradient([1., 2, 4, 7, 11, 16]), np.gradient([1., 2, 4, 7, 11, 16], [0., 1, 1.5, 3.5, 4, 6]), *np.gradient([[1., 2, 6], [3, 4, 5]]))
print(np.gradient([0., 1, 4, 9], edge_order=2), np.gradient(np.eye(3), 2., axis=0), np.unwrap([0, 3, 6.5]).round(6))
print(np.interp([-1, 0.5, 4], [0, 1, 3], [10, 20, 0]), np.interp([0.5], [0, 1], [0, 2j]), np.interp([5], [0, 1], [0, 1], left=-1, right=7),
      np.interp([-180, 0, 365], [190, -190, 350, -350], [5, 10, 3, 4], period=360))
for mode in ("full", "same", "valid"):
    print(mode, np.convolve([1, 2, 3], [0, 1, 0.5], mode), np.correlate([1, 2, 3], [0, 1, 0.5], mode), np.correlate([1, 2], [1, 2, 3], mode))
print(np.correlate([1 + 1j, 2, 3 - 1j], [0, 1, 0.5j], "full"))
for all_of in np.unique([[1, 0], [1, 0], [0, 2]], axis=0, return_index=True, return_inverse=True, return_counts=True):
    print(all_of)
print(*np.unique([3, 1, 3, 2], True, True, True), np.unique([nan, 1, nan]), np.unique([[1, 2], [2, 1]], return_inverse=True)[1])
print(np.unique_counts([1, 1, 2]), np.unique_values([2, 1]), np.intersect1d([1, 3, 4, 3], [3, 1, 2, 1], return_indices=True))
print(np.isin([1, 2, 3], [3, 1]), np.union1d([1, 2], [2, 3]), np.setdiff1d([1, 2, 3], [2]), np.setxor1d([1, 2], [2, 3]))
