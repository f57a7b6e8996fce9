"""Distributions made of uniform, normal and exponential numbers. Behaviour: numpy/random/src/distributions/distributions.c.

G. Marsaglia, W. W. Tsang: A simple method for generating gamma variables, ACM TOMS 26 (2000).
W. Hoermann: The transformed rejection method for generating Poisson random variables, Insurance Math. Econ. 12 (1993).
V. Kachitvichyanukul, B. W. Schmeiser: Binomial random variate generation, CACM 31 (1988).
"""
import math

import torch

from numpy._array import asarray, ndarray
from numpy._dtypes import FLOAT64, INT64
from numpy._functions import broadcast_arrays
from numpy._scalars import make
from numpy._shapes import shape_of
from numpy._ufunc import warn_at_caller

_of = ndarray._of


class Distributions:
    """What both kinds of generators draw; they give _double(), _normal_one() and _exponential_one(), _is_legacy."""

    def _drawn(self, draw, size, *parameters, found=FLOAT64, check=None):
        """Numbers by draw(*parameters), as many as the size and the parameters ask for. Errors: ValueError of check()."""
        arrays = [asarray(one) for one in parameters]
        if all(one.ndim == 0 for one in arrays):
            plain = [one.item() for one in arrays]
            if check is not None:
                check(*plain)
            if size is None:
                made = draw(*plain)
                return make(found, made) if found is INT64 and not self._is_legacy else made
            shape = shape_of(size)
            values = [draw(*plain) for _ in range(math.prod(shape))]
            return _of(torch.tensor(values, dtype=found.torch).reshape(shape), found)
        arrays = list(broadcast_arrays(*arrays))
        shape = arrays[0].shape
        if size is not None:
            wanted = shape_of(size)
            arrays = [_of(one._t.expand(wanted), one.dtype) for one in arrays]
            shape = wanted
        rows = list(zip(*[one.reshape(-1).tolist() for one in arrays]))
        for row in rows if check is not None else ():
            check(*row)
        return _of(torch.tensor([draw(*row) for row in rows], dtype=found.torch).reshape(shape), found)

    # One number each.

    def _gamma_one(self, shape):
        if shape == 1.0:
            return self._exponential_one()
        if shape == 0.0:
            return 0.0
        if shape < 1.0:
            while True:
                u, v = self._double(), self._exponential_one()
                if u <= 1.0 - shape:
                    x = u ** (1.0 / shape)
                    if x <= v:
                        return x
                else:
                    y = -math.log((1 - u) / shape)
                    x = (1.0 - shape + shape * y) ** (1.0 / shape)
                    if x <= v + y:
                        return x
        b = shape - 1.0 / 3.0
        c = 1.0 / math.sqrt(9 * b)
        while True:
            v = 0.0
            while v <= 0.0:
                x = self._normal_one()
                v = 1.0 + c * x
            v = v * v * v
            u = self._double()
            if u < 1.0 - 0.0331 * (x * x) * (x * x):
                return b * v
            if u > 0.0 and math.log(u) < 0.5 * x * x + b * (1.0 - v + math.log(v)):
                return b * v

    def _beta_one(self, a, b):
        if a > 1.0 or b > 1.0:
            first = self._gamma_one(a)
            return first / (first + self._gamma_one(b))
        while True:
            u, v = self._double(), self._double()
            x, y = u ** (1.0 / a), v ** (1.0 / b)
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0:
                    return x / (x + y)
                log_x, log_y = math.log(u) / a, math.log(v) / b
                most = max(log_x, log_y)
                log_x, log_y = log_x - most, log_y - most
                return math.exp(log_x - math.log(math.exp(log_x) + math.exp(log_y)))

    def _poisson_one(self, lam):
        if lam == 0:
            return 0
        if lam < 10:
            limit, count, product = math.exp(-lam), 0, 1.0
            while True:
                product *= self._double()
                if product <= limit:
                    return count
                count += 1
        root, log_lam = math.sqrt(lam), math.log(lam)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        limit = 0.9277 - 3.6224 / (b - 2)
        while True:
            u, v = self._double() - 0.5, self._double()
            us = 0.5 - abs(u)
            k = math.floor((2 * a / us + b) * u + lam + 0.43)
            if us >= 0.07 and v <= limit:
                return k
            if k < 0 or (us < 0.013 and v > us):
                continue
            log_v = math.log(v) if v > 0 else -math.inf
            if log_v + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= -lam + k * log_lam - math.lgamma(k + 1):
                return k

    def _binomial_one(self, n, p):
        n = int(n)
        if n == 0 or p == 0.0:
            return 0
        if p > 0.5:
            return n - self._binomial_low(n, 1.0 - p)
        return self._binomial_low(n, p)

    def _binomial_low(self, n, p):
        return self._binomial_by_steps(n, p) if p * n <= 30.0 else self._binomial_by_shapes(n, p)

    def _binomial_by_steps(self, n, p):
        q = 1.0 - p
        none = math.exp(n * math.log1p(-p))
        limit = int(min(n, n * p + 10.0 * math.sqrt(n * p * q + 1)))
        x, share, u = 0, none, self._double()
        while u > share:
            x += 1
            if x > limit:
                x, share, u = 0, none, self._double()
            else:
                u -= share
                share = (n - x + 1) * p * share / (x * q)
        return x

    def _binomial_by_shapes(self, n, p):
        """By a triangle, two parallelograms and two exponential tails."""
        q = 1.0 - p
        middle = n * p + p
        m = math.floor(middle)
        spread = n * p * q
        p1 = math.floor(2.195 * math.sqrt(spread) - 4.6 * q) + 0.5
        xm = m + 0.5
        xl, xr = xm - p1, xm + p1
        c = 0.134 + 20.5 / (15.3 + m)
        a = (middle - xl) / (middle - xl * p)
        left = a * (1.0 + a / 2.0)
        a = (xr - middle) / (xr * q)
        right = a * (1.0 + a / 2.0)
        p2 = p1 * (1.0 + 2.0 * c)
        p3 = p2 + c / left
        p4 = p3 + c / right
        while True:
            u, v = self._double() * p4, self._double()
            if u <= p1:
                return math.floor(xm - p1 * v + u)
            if u <= p2:
                x = xl + (u - p1) / c
                v = v * c + 1.0 - abs(m - x + 0.5) / p1
                if v > 1.0:
                    continue
                y = math.floor(x)
            elif u <= p3:
                y = math.floor(xl + math.log(v) / left) if v > 0 else -1
                if y < 0:
                    continue
                v = v * (u - p2) * left
            else:
                y = math.floor(xr - math.log(v) / right) if v > 0 else n + 1
                if y > n:
                    continue
                v = v * (u - p3) * right
            if self._fits_binomial(n, p, m, y, v, spread):
                return y

    def _fits_binomial(self, n, p, m, y, v, spread):
        q = 1.0 - p
        k = abs(y - m)
        if k <= 20 or k >= spread / 2.0 - 1:
            s = p / q
            a, share = s * (n + 1), 1.0
            for i in range(m + 1, y + 1):
                share *= a / i - s
            for i in range(y + 1, m + 1):
                share /= a / i - s
            return v <= share
        near = (k / spread) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / spread + 0.5)
        far = -k * k / (2 * spread)
        log_v = math.log(v) if v > 0 else -math.inf
        if log_v < far - near:
            return True
        if log_v > far + near:
            return False
        x1, f1, z, w = y + 1, m + 1, n + 1 - m, n - y + 1
        bound = (m + 0.5) * math.log(f1 / x1) + (n - m + 0.5) * math.log(z / w) + (y - m) * math.log(w * p / (x1 * q))
        return log_v <= bound + sum(_correction(one) for one in (f1, z, x1, w))

    # By name.

    def standard_gamma(self, shape, size=None):
        return self._drawn(self._gamma_one, size, shape, check=_not_negative("shape"))

    def gamma(self, shape, scale=1.0, size=None):
        return self._drawn(lambda k, s: s * self._gamma_one(k), size, shape, scale, check=_not_negative("shape", "scale"))

    def beta(self, a, b, size=None):
        return self._drawn(self._beta_one, size, a, b, check=_positive("a", "b"))

    def chisquare(self, df, size=None):
        return self._drawn(lambda n: 2.0 * self._gamma_one(n / 2.0), size, df, check=_positive("df"))

    def f(self, dfnum, dfden, size=None):
        def draw(top, bottom):
            first = 2.0 * self._gamma_one(top / 2.0) * bottom
            return first / (2.0 * self._gamma_one(bottom / 2.0) * top)

        return self._drawn(draw, size, dfnum, dfden, check=_positive("dfnum", "dfden"))

    def standard_t(self, df, size=None):
        def draw(n):
            top = self._normal_one()
            return math.sqrt(n / 2) * top / math.sqrt(self._gamma_one(n / 2))

        return self._drawn(draw, size, df, check=_positive("df"))

    def standard_cauchy(self, size=None):
        def draw():
            top = self._normal_one()
            return top / self._normal_one()

        if size is None:
            return draw()
        shape = shape_of(size)
        return _of(torch.tensor([draw() for _ in range(math.prod(shape))], dtype=torch.float64).reshape(shape), FLOAT64)

    def laplace(self, loc=0.0, scale=1.0, size=None):
        def draw(middle, width):
            while True:
                u = self._double()
                if u >= 0.5:
                    return middle - width * math.log(2.0 - u - u)
                if u > 0.0:
                    return middle + width * math.log(u + u)

        return self._drawn(draw, size, loc, scale, check=_not_negative(None, "scale"))

    def gumbel(self, loc=0.0, scale=1.0, size=None):
        def draw(middle, width):
            while True:
                u = 1.0 - self._double()
                if u < 1.0:
                    return middle - width * math.log(-math.log(u))

        return self._drawn(draw, size, loc, scale, check=_not_negative(None, "scale"))

    def logistic(self, loc=0.0, scale=1.0, size=None):
        def draw(middle, width):
            while True:
                u = self._double()
                if u > 0.0:
                    return middle + width * math.log(u / (1.0 - u))

        return self._drawn(draw, size, loc, scale, check=_not_negative(None, "scale"))

    def rayleigh(self, scale=1.0, size=None):
        def draw(mode):
            if self._is_legacy:
                return mode * math.sqrt(-2.0 * math.log1p(-self._double()))
            return mode * math.sqrt(2.0 * self._exponential_one())

        return self._drawn(draw, size, scale, check=_not_negative("scale"))

    def weibull(self, a, size=None):
        return self._drawn(lambda k: self._exponential_one() ** (1.0 / k) if k else 0.0, size, a, check=_not_negative("a"))

    def pareto(self, a, size=None):
        def draw(k):
            x = self._exponential_one() / k
            return math.exp(x) - 1 if self._is_legacy else math.expm1(x)

        return self._drawn(draw, size, a, check=_positive("a"))

    def power(self, a, size=None):
        def draw(k):
            x = -self._exponential_one()
            return (1 - math.exp(x) if self._is_legacy else -math.expm1(x)) ** (1.0 / k)

        return self._drawn(draw, size, a, check=_positive("a"))

    def triangular(self, left, mode, right, size=None):
        def check(low, middle, high):
            if low > middle:
                raise ValueError("left > mode")
            if middle > high:
                raise ValueError("mode > right")
            if low == high:
                raise ValueError("left == right")

        def draw(low, middle, high):
            base = high - low
            u = self._double()
            if u <= (middle - low) / base:
                return low + math.sqrt(u * (middle - low) * base)
            return high - math.sqrt((1.0 - u) * (high - middle) * base)

        return self._drawn(draw, size, left, mode, right, check=check)

    def poisson(self, lam=1.0, size=None):
        def check(one):
            if not one >= 0:
                raise ValueError("lam < 0 or lam contains NaNs")

        return self._drawn(self._poisson_one, size, lam, found=INT64, check=check)

    def binomial(self, n, p, size=None):
        def check(count, share):
            if count < 0:
                raise ValueError("n < 0")
            if not 0 <= share <= 1:
                raise ValueError("p < 0, p > 1 or p is NaN")

        return self._drawn(self._binomial_one, size, n, p, found=INT64, check=check)

    def geometric(self, p, size=None):
        def check(share):
            if not 0 < share <= 1:
                raise ValueError("p <= 0, p > 1 or p contains NaNs")

        def draw(share):
            if share >= 0.333333333333333333333333:
                x, total = 1, share
                product, u = share, self._double()
                while u > total:
                    product *= 1.0 - share
                    total += product
                    x += 1
                return x
            if self._is_legacy:
                return math.ceil(math.log1p(-self._double()) / math.log(1.0 - share))
            return math.ceil(-self._exponential_one() / math.log1p(-share))

        return self._drawn(draw, size, p, found=INT64, check=check)

    def negative_binomial(self, n, p, size=None):
        def check(count, share):
            if not count > 0:
                raise ValueError("n <= 0")
            if not 0 < share <= 1:
                raise ValueError("p <= 0, p > 1 or p is NaN")

        def draw(count, share):
            return self._poisson_one((1 - share) / share * self._gamma_one(count))

        return self._drawn(draw, size, n, p, found=INT64, check=check)

    def vonmises(self, mu, kappa, size=None):
        return self._drawn(self._von_mises_one, size, mu, kappa, check=_not_negative(None, "kappa"))

    def _von_mises_one(self, mu, kappa):
        if kappa < 1e-8:
            return math.pi * (2 * self._double() - 1)
        if kappa > 1e6:
            x = mu + math.sqrt(1.0 / kappa) * self._normal_one()
            return x + 2 * math.pi if x < -math.pi else x - 2 * math.pi if x > math.pi else x
        if kappa < 1e-5:
            s = 1.0 / kappa + kappa
        else:
            r = 1 + math.sqrt(1 + 4 * kappa * kappa)
            rho = (r - math.sqrt(2 * r)) / (2 * kappa)
            s = (1 + rho * rho) / (2 * rho)
        while True:
            z = math.cos(math.pi * self._double())
            w = (1 + s * z) / (s + z)
            y, v = kappa * (s - w), self._double()
            if y * (2 - y) - v >= 0 or v == 0 or math.log(y / v) + 1 - y >= 0:
                break
        x = math.acos(w)
        x = (-x if self._double() < 0.5 else x) + mu
        turned = math.fmod(abs(x) + math.pi, 2 * math.pi) - math.pi
        return -turned if x < 0 else turned

    def wald(self, mean, scale, size=None):
        def draw(middle, width):
            y = middle * self._normal_one() ** 2
            x = middle + middle / (2 * width) * (y - math.sqrt(4 * width * y + y * y))
            return x if self._double() <= middle / (middle + x) else middle * middle / x

        return self._drawn(draw, size, mean, scale, check=_positive("mean", "scale"))

    def logseries(self, p, size=None):
        def check(share):
            if not 0 <= share < 1:
                raise ValueError("p < 0, p >= 1 or p is NaN")

        def draw(share):
            r = math.log1p(-share)
            while True:
                v = self._double()
                if v >= share:
                    return 1
                q = -math.expm1(r * self._double())
                if v <= q * q:
                    x = math.floor(1 + math.log(v) / math.log(q)) if v > 0 else 0
                    if x >= 1:
                        return x
                    continue
                return 1 if v >= q else 2

        return self._drawn(draw, size, p, found=INT64, check=check)

    def noncentral_chisquare(self, df, nonc, size=None):
        def check(n, center):
            _positive("df")(n)
            _not_negative("nonc")(center)

        return self._drawn(self._noncentral_one, size, df, nonc, check=check)

    def _noncentral_one(self, df, nonc):
        if nonc == 0:
            return 2.0 * self._gamma_one(df / 2.0)
        if df > 1:
            square = 2.0 * self._gamma_one((df - 1) / 2.0)
            x = self._normal_one() + math.sqrt(nonc)
            return square + x * x
        return 2.0 * self._gamma_one((df + 2 * self._poisson_one(nonc / 2.0)) / 2.0)

    def noncentral_f(self, dfnum, dfden, nonc, size=None):
        def check(top, bottom, center):
            _positive("dfnum", "dfden")(top, bottom)
            _not_negative("nonc")(center)

        def draw(top, bottom, center):
            first = self._noncentral_one(top, center) * bottom
            return first / (2.0 * self._gamma_one(bottom / 2.0) * top)

        return self._drawn(draw, size, dfnum, dfden, nonc, check=check)

    # Several numbers each.

    def multinomial(self, n, pvals, size=None):
        shares = [float(one) for one in asarray(pvals).tolist()]
        if math.fsum(shares[:-1]) > 1.0 + 1e-12:
            raise ValueError("sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point prior "
                             "to checking the sum. Precision changes when casting may cause problems even if the sum of the "
                             "original pvals is valid.")
        shape = () if size is None else shape_of(size)
        rows = []
        for _ in range(math.prod(shape)):
            row, left, total = [0] * len(shares), int(n), 1.0
            for i, one in enumerate(shares[:-1]):
                row[i] = self._binomial_one(left, one / total)
                left -= row[i]
                if left <= 0:
                    break
                total -= one
            if left > 0:
                row[-1] = left
            rows.append(row)
        return _of(torch.tensor(rows, dtype=torch.int64).reshape(shape + (len(shares),)), INT64)

    def dirichlet(self, alpha, size=None):
        weights = [float(one) for one in asarray(alpha).tolist()]
        if any(not one > 0 for one in weights) and (self._is_legacy or any(not one >= 0 for one in weights)):
            raise ValueError("alpha <= 0" if self._is_legacy else "alpha < 0")
        shape = () if size is None else shape_of(size)
        rows = [self._dirichlet_one(weights) for _ in range(math.prod(shape))]
        return _of(torch.tensor(rows, dtype=torch.float64).reshape(shape + (len(weights),)), FLOAT64)

    def _dirichlet_one(self, weights):
        if not self._is_legacy and weights and max(weights) < 0.1:
            # Small weights: a share of what is left, one after another.
            row, left = [0.0] * len(weights), 1.0
            for i, one in enumerate(weights[:-1]):
                rest = math.fsum(weights[i + 1:])
                share = self._beta_one(one, rest) if one and rest else (1.0 if one else 0.0)
                row[i] = left * share
                left *= 1.0 - share
            row[-1] = left
            return row
        row = [self._gamma_one(one) for one in weights]
        scale = 1.0 / sum(row) if sum(row) else math.nan
        return [one * scale for one in row]

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
        mean, cov = asarray(mean).astype(float), asarray(cov).astype(float)
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        shape = () if size is None else shape_of(size)
        x = asarray(self.standard_normal(shape + mean.shape)).reshape(-1, mean.size)._t
        if method == "cholesky":
            factor = torch.linalg.cholesky(cov._t)
        elif method == "eigh":
            values, vectors = torch.linalg.eigh(cov._t)
            factor = vectors * torch.sqrt(torch.clamp(values, min=0.0))
        else:
            u, s, vh = torch.linalg.svd(cov._t)
            self._check_covariance(cov._t, s, vh, check_valid, tol)
            factor = (torch.sqrt(s).unsqueeze(1) * vh).T if self._is_legacy else u * torch.sqrt(s)
        return _of((x @ factor.T + mean._t).reshape(shape + mean.shape), FLOAT64)

    @staticmethod
    def _check_covariance(cov, s, vh, check_valid, tol):
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        if check_valid != "ignore" and not torch.allclose(vh.T @ (s.unsqueeze(1) * vh), cov, rtol=tol, atol=tol):
            text = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                raise ValueError(text)
            warn_at_caller(text, RuntimeWarning)

    def bytes(self, length):
        words = [self._word() for _ in range((length + 3) // 4)]
        return b"".join(one.to_bytes(4, "little") for one in words)[:length]


def _correction(x):
    """The rest of Stirling's series for the logarithm of a factorial."""
    square = float(x) * x
    return (13680.0 - (462.0 - (132.0 - (99.0 - 140.0 / square) / square) / square) / square) / x / 166320.0


def _not_negative(*names):
    def check(*values):
        for name, value in zip(names, values):
            if name is not None and not value >= 0:
                raise ValueError(f"{name} < 0")

    return check


def _positive(*names):
    def check(*values):
        for name, value in zip(names, values):
            if not value > 0:
                raise ValueError(f"{name} <= 0")

    return check
