"""Means, medians, spreads. Sums are exact: they are rounded once, at the end."""

__all__ = ["StatisticsError", "correlation", "covariance", "fmean", "geometric_mean", "harmonic_mean", "linear_regression",
           "mean", "median", "median_grouped", "median_high", "median_low", "mode", "multimode", "pstdev", "pvariance",
           "quantiles", "stdev", "variance"]

from collections import namedtuple
from fractions import Fraction
from math import exp, fsum, isqrt, log, sqrt

LinearRegression = namedtuple("LinearRegression", ("slope", "intercept"))


class StatisticsError(ValueError):
    """Data that there is no answer for."""


def _kind(data):
    """The class of the answer: Fraction if one is in the data, else float if one is, else int."""
    if any(isinstance(one, Fraction) for one in data):
        return Fraction if not any(isinstance(one, float) for one in data) else float
    return float if any(isinstance(one, float) for one in data) else int


def _exact(one):
    try:
        return Fraction(one)
    except (OverflowError, ValueError):
        return one
    except TypeError:
        raise TypeError(f"can't convert type '{type(one).__name__}' to numerator/denominator") from None


def _sum(data):
    """The exact sum; with an infinity or NaN in the data that of floats."""
    exact = [_exact(one) for one in data]
    if any(isinstance(one, float) for one in exact):
        return sum(map(float, exact))
    return sum(exact, Fraction(0))


def _converted(value, kind):
    if isinstance(value, float) or kind is Fraction:
        return value
    if kind is int and value.denominator == 1:
        return int(value)
    return value.numerator / value.denominator


def mean(data):
    """The arithmetic mean. Errors: StatisticsError without data."""
    data = list(data)
    if not data:
        raise StatisticsError("mean requires at least one data point")
    return _converted(_sum(data) / len(data), _kind(data))


def fmean(data, weights=None):
    """The arithmetic mean as a float, quickly; weighted with weights."""
    data = list(data)
    if weights is None:
        if not data:
            raise StatisticsError("fmean requires at least one data point")
        return fsum(data) / len(data)
    weights = list(weights)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total = fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return fsum([x * w for x, w in zip(data, weights)]) / total


def geometric_mean(data):
    """The n-th root of the product. Errors: StatisticsError for what is not positive."""
    logarithms = []
    has_zero = False
    for one in data:
        if one > 0.0 or one != one:
            logarithms.append(log(one))
        elif one == 0.0:
            has_zero = True
        else:
            raise StatisticsError(f"No negative inputs allowed {one}")
    if has_zero:
        return 0.0
    if not logarithms:
        raise StatisticsError("Must have a non-empty dataset")
    return exp(fsum(logarithms) / len(logarithms))


def harmonic_mean(data, weights=None):
    """The reciprocal of the mean of reciprocals. Errors: StatisticsError."""
    data = list(data)
    if not data:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if any(one < 0 for one in data):
        raise StatisticsError("harmonic mean does not support negative values")
    weights = [1] * len(data) if weights is None else list(weights)
    if len(weights) != len(data):
        raise StatisticsError("Number of weights does not match data size")
    if any(one < 0 for one in weights):
        raise StatisticsError("harmonic mean does not support negative values")
    if len(data) == 1 and data[0] >= 0:
        return data[0]
    if any(not one for one in data):
        return 0
    reciprocals = [w / x if w else 0 for x, w in zip(data, weights)]
    return _converted(_sum(weights) / _sum(reciprocals), _kind(reciprocals))


def median(data):
    """The middle; the mean of both in the middle of an even number."""
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    """The middle, the lower of both of an even number."""
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[(len(data) - 1) // 2]


def median_high(data):
    """The middle, the higher of both of an even number."""
    data = sorted(data)
    if not data:
        raise StatisticsError("no median for empty data")
    return data[len(data) // 2]


def median_grouped(data, interval=1.0):
    """The median of values that stand for groups of a width."""
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError("no median for empty data")
    middle = data[n // 2]
    below = data.index(middle)
    inside = data.count(middle)
    interval = float(interval)
    return float(middle) - interval / 2.0 + interval * (n / 2 - below) / inside


def mode(data):
    """What is there most often, the first of several. Errors: StatisticsError."""
    from collections import Counter
    found = Counter(data).most_common(1)
    if not found:
        raise StatisticsError("no mode for empty data")
    return found[0][0]


def multimode(data):
    """All that are there most often."""
    from collections import Counter
    counts = Counter(data)
    most = max(counts.values(), default=0)
    return [one for one, count in counts.items() if count == most]


def quantiles(data, *, n=4, method="exclusive"):
    """The n - 1 places that divide the data into n parts of the same size. Errors: StatisticsError, ValueError."""
    if n < 1:
        raise StatisticsError("n must be at least 1")
    data = sorted(data)
    count = len(data)
    if count < 2:
        if count == 1:
            return data * (n - 1)
        raise StatisticsError("must have at least one data point")
    result = []
    if method == "inclusive":
        for i in range(1, n):
            j, delta = divmod(i * (count - 1), n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
    elif method == "exclusive":
        for i in range(1, n):
            j = min(max(i * (count + 1) // n, 1), count - 1)
            delta = i * (count + 1) - j * n
            result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    else:
        raise ValueError(f"Unknown method: {method!r}")
    return result


def _squares(data, center):
    """The exact sum of squared distances from the mean."""
    if center is None:
        center = _sum(data) / len(data)
        if isinstance(center, float):
            return center * float("nan")
    else:
        center = _exact(center)
    return sum([(_exact(one) - center) ** 2 for one in data], Fraction(0))


def variance(data, xbar=None):
    """The variance of a sample. Errors: StatisticsError below two values."""
    data = list(data)
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return _converted(_squares(data, xbar) / (len(data) - 1), _kind(data))


def pvariance(data, mu=None):
    """The variance of a population. Errors: StatisticsError without data."""
    data = list(data)
    if not data:
        raise StatisticsError("pvariance requires at least one data point")
    return _converted(_squares(data, mu) / len(data), _kind(data))


def _root(value):
    """The square root of an exact number, correctly rounded."""
    if isinstance(value, float):
        return sqrt(value)
    n, m = value.numerator, value.denominator
    shift = (n.bit_length() - m.bit_length() - 109) // 2
    if shift >= 0:
        top, bottom = n, m << 2 * shift
    else:
        top, bottom = n << -2 * shift, m
    root = isqrt(top // bottom)
    # An odd last bit keeps what was cut off from being taken for a tie.
    root |= root * root * bottom != top
    return (root << shift) / 1 if shift >= 0 else root / (1 << -shift)


def stdev(data, xbar=None):
    """The standard deviation of a sample. Errors: StatisticsError below two values."""
    data = list(data)
    if len(data) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return _root(_squares(data, xbar) / (len(data) - 1))


def pstdev(data, mu=None):
    """The standard deviation of a population. Errors: StatisticsError without data."""
    data = list(data)
    if not data:
        raise StatisticsError("pstdev requires at least one data point")
    return _root(_squares(data, mu) / len(data))


def _centered(x, y, what):
    n = len(x)
    if len(y) != n:
        raise StatisticsError(f"{what} requires that both inputs have same number of data points")
    if n < 2:
        raise StatisticsError(f"{what} requires at least two data points")
    mean_x, mean_y = fsum(x) / n, fsum(y) / n
    return mean_x, mean_y, [one - mean_x for one in x], [one - mean_y for one in y]


def _product(a, b):
    return float(sum([Fraction(p) * Fraction(q) for p, q in zip(a, b)], Fraction(0)))


def covariance(x, y, /):
    """The covariance of a sample."""
    _, _, a, b = _centered(x, y, "covariance")
    return _product(a, b) / (len(x) - 1)


def correlation(x, y, /, *, method="linear"):
    """Pearson's correlation, or Spearman's with method='ranked'. Errors: StatisticsError, ValueError."""
    if method not in ("linear", "ranked"):
        raise ValueError(f"Unknown method: {method!r}")
    if method == "ranked":
        x, y = _ranks(x), _ranks(y)
    _, _, a, b = _centered(x, y, "correlation")
    try:
        return _product(a, b) / sqrt(_product(a, a) * _product(b, b))
    except ZeroDivisionError:
        raise StatisticsError("at least one of the inputs is constant") from None


def _ranks(data):
    """The place of each value in order, the mean of places for values that are equal."""
    ordered = sorted(range(len(data)), key=data.__getitem__)
    result = [0.0] * len(data)
    at = 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and data[ordered[end]] == data[ordered[at]]:
            end += 1
        for place in range(at, end):
            result[ordered[place]] = (at + end + 1) / 2
        at = end
    return result


def linear_regression(x, y, /, *, proportional=False):
    """The line that fits best by least squares. Errors: StatisticsError."""
    mean_x, mean_y, a, b = _centered(x, y, "linear regression")
    if proportional:
        a, b = x, y
    try:
        slope = _product(a, b) / _product(a, a)
    except ZeroDivisionError:
        raise StatisticsError("x is constant") from None
    return LinearRegression(slope=slope, intercept=0.0 if proportional else mean_y - slope * mean_x)
