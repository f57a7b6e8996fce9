import statistics as s
from fractions import Fraction


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


data = [2.5, 3.25, 5.5, 11.25, 11.75]
print(s.mean(data), s.mean([1, 2, 3, 4]), s.mean([1, 2, 3]), s.mean([Fraction(1, 3), 1]), s.fmean(data), s.fmean([1, 2], [3, 1]), s.mean([0.1] * 10))
print(s.median(data), s.median([1, 2, 3, 4]), s.median_low([1, 2, 3, 4]), s.median_high([1, 2, 3, 4]), s.median_grouped([1, 3, 3, 5, 7]))
print(s.mode("aabbb"), s.multimode("aabbc"), s.quantiles(data), s.quantiles(data, n=10), s.quantiles(data, method="inclusive"))
print(s.variance(data), s.pvariance(data), s.stdev(data), s.pstdev(data), s.stdev([1, 2, 3, 4]), s.variance([1, 2, 3, 4]), s.variance([1, 3]), s.stdev([1.5, 1.5]))
print(s.stdev([0.1, 0.2, 0.35]), s.stdev([1e10, 1e10 + 1, 1e10 + 2]), s.pstdev([1e-10, 2e-10]), s.variance(data, s.mean(data)))
print(round(s.geometric_mean([54, 24, 36]), 9), s.harmonic_mean([40, 60]), s.harmonic_mean([2.5, 3, 10]), s.harmonic_mean([5]))
print(s.covariance([1, 2, 3], [1, 5, 7]), round(s.correlation([1, 2, 3], [1, 5, 7]), 12), s.linear_regression([1, 2, 3], [2, 4, 6]), round(s.correlation([1, 2, 3], [3, 1, 2], method="ranked"), 12))
shown(lambda: s.mean([]))
shown(lambda: s.median([]))
shown(lambda: s.mode([]))
shown(lambda: s.stdev([1]))
shown(lambda: s.variance([]))
shown(lambda: s.harmonic_mean([-1]))
shown(lambda: s.quantiles([]))
shown(lambda: s.correlation([1, 1], [1, 2]))
