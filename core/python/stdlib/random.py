"""Random numbers; the same seed gives the same numbers as in CPython."""

__all__ = ["Random", "SystemRandom", "betavariate", "choice", "choices", "expovariate", "gammavariate", "gauss",
           "getrandbits", "getstate", "lognormvariate", "normalvariate", "paretovariate", "randbytes", "randint", "random",
           "randrange", "sample", "seed", "setstate", "shuffle", "triangular", "uniform", "vonmisesvariate",
           "weibullvariate"]

from math import acos, ceil, cos, e, exp, floor, isfinite, log, pi, sin, sqrt

from _entropy import random_bytes as _random_bytes
from _mersenne import Twister, sha512
from bisect import bisect

TWOPI = 2.0 * pi
LOG4 = log(4.0)
SG_MAGICCONST = 1.0 + log(4.5)
NV_MAGICCONST = 4 * exp(-0.5) / sqrt(2.0)
BPF = 53
RECIP_BPF = 2 ** -BPF


def _index(value):
    if isinstance(value, int):
        return value
    method = getattr(type(value), "__index__", None)
    if method is None:
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    return method(value)


class Random:
    """A generator with a state of its own."""

    VERSION = 3

    def __init__(self, x=None):
        self._twister = Twister()
        self.gauss_next = None
        self.seed(x)

    def seed(self, a=None, version=2):
        """Starts again from a number or text; from the time without one. Errors: TypeError."""
        if a is None:
            from time import time_ns
            a = time_ns() ^ (id(self) << 32)
        elif version == 1 and isinstance(a, (str, bytes)):
            text = a.decode("latin-1") if isinstance(a, bytes) else a
            x = ord(text[0]) << 7 if text else 0
            for c in map(ord, text):
                x = ((1000003 * x) ^ c) & 0xFFFFFFFFFFFFFFFF
            x ^= len(text)
            a = -2 if x == -1 else x
        elif version == 2 and isinstance(a, (str, bytes, bytearray)):
            if isinstance(a, str):
                a = a.encode()
            a = int.from_bytes(bytes(a) + sha512(a), "big")
        elif not isinstance(a, (int, float, str, bytes, bytearray)):
            raise TypeError("The only supported seed types are:\nNone, int, float, str, bytes, and bytearray.")
        elif isinstance(a, float):
            a = hash(a) & 0xFFFFFFFFFFFFFFFF
        self._twister.seed(a)
        self.gauss_next = None

    def getstate(self):
        """All that setstate() needs to go on from here."""
        return self.VERSION, (*self._twister.words, self._twister.at), self.gauss_next

    def setstate(self, state):
        """Goes on from where getstate() was called. Errors: ValueError."""
        version = state[0]
        if version != 3:
            raise ValueError(f"state with version {version} passed to Random.setstate() of version {self.VERSION}")
        _, words, self.gauss_next = state
        if len(words) != 625:
            raise ValueError("state vector is the wrong size")
        self._twister.words = list(words[:-1])
        self._twister.at = words[-1]

    def random(self):
        """A float from [0, 1)."""
        next32 = self._twister.next32
        return ((next32() >> 5) * 67108864.0 + (next32() >> 6)) * (1.0 / 9007199254740992.0)

    def getrandbits(self, k, /):
        """An int of k random bits."""
        k = _index(k)
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        if k == 0:
            return 0
        next32 = self._twister.next32
        if k <= 32:
            return next32() >> (32 - k)
        result = shift = 0
        while k > 0:
            word = next32()
            if k < 32:
                word >>= 32 - k
            result |= word << shift
            shift += 32
            k -= 32
        return result

    def randbytes(self, n):
        """n random bytes."""
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def _randbelow(self, n):
        k = n.bit_length()
        r = self.getrandbits(k)
        while r >= n:
            r = self.getrandbits(k)
        return r

    def randrange(self, start, stop=None, step=1):
        """An item of range(start, stop, step). Errors: ValueError if there is none."""
        start = _index(start)
        if stop is None:
            if step != 1:
                raise TypeError("Missing a non-None stop argument")
            if start > 0:
                return self._randbelow(start)
            raise ValueError("empty range for randrange()")
        stop = _index(stop)
        step = _index(step)
        width = stop - start
        if step == 1:
            if width > 0:
                return start + self._randbelow(width)
            raise ValueError(f"empty range in randrange({start}, {stop})")
        if step == 0:
            raise ValueError("zero step for randrange()")
        count = (width + step + (-1 if step > 0 else 1)) // step
        if count <= 0:
            raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
        return start + step * self._randbelow(count)

    def randint(self, a, b):
        """An int from a to b, both included."""
        return self.randrange(a, b + 1)

    def choice(self, seq):
        """An item of a sequence. Errors: IndexError if there is none."""
        if not len(seq):
            raise IndexError("Cannot choose from an empty sequence")
        return seq[self._randbelow(len(seq))]

    def shuffle(self, x):
        """Brings a list into a random order."""
        for i in reversed(range(1, len(x))):
            j = self._randbelow(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        """k different items. Errors: TypeError, ValueError."""
        if isinstance(population, (set, frozenset, dict)) or not hasattr(population, "__getitem__") or \
                not hasattr(population, "__len__"):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        n = len(population)
        if counts is not None:
            cumulative = []
            total = 0
            for count in counts:
                total += count
                cumulative.append(total)
            if len(cumulative) != n:
                raise ValueError("The number of counts does not match the population")
            total = cumulative.pop() if cumulative else 0
            if not isinstance(total, int):
                raise TypeError("Counts must be integers")
            if total < 0:
                raise ValueError("Counts must be non-negative")
            return [population[bisect(cumulative, one)] for one in self.sample(range(total), k=k)]
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        # A list of all costs n places, a set of those that were taken about 4 ** ceil(log(3k, 4)).
        size = 21
        if k > 5:
            size += 4 ** ceil(log(k * 3, 4))
        result = []
        if n <= size:
            pool = list(population)
            for i in range(k):
                j = self._randbelow(n - i)
                result.append(pool[j])
                pool[j] = pool[n - i - 1]
            return result
        taken = set()
        for _ in range(k):
            j = self._randbelow(n)
            while j in taken:
                j = self._randbelow(n)
            taken.add(j)
            result.append(population[j])
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        """k items, each of which may come again. Errors: ValueError, TypeError."""
        random = self.random
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[floor(random() * n)] for _ in range(k)]
            if isinstance(weights, int):
                raise TypeError(f"The number of choices must be a keyword argument: k={weights!r}")
            cum_weights = []
            total = 0
            for weight in weights:
                total += weight
                cum_weights.append(total)
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        if not isfinite(total):
            raise ValueError("Total of weights must be finite")
        return [population[bisect(cum_weights, random() * total, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b):
        """A float between a and b."""
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        """A float between low and high, most often near mode."""
        u = self.random()
        try:
            c = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        """Normally distributed. Behaviour: Kinderman and Monahan, ACM TOMS 3 (1977)."""
        random = self.random
        while True:
            u1 = random()
            u2 = 1.0 - random()
            z = NV_MAGICCONST * (u1 - 0.5) / u2
            if z * z / 4.0 <= -log(u2):
                return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        """Normally distributed, two at a time."""
        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            angle = self.random() * TWOPI
            radius = sqrt(-2.0 * log(1.0 - self.random()))
            z = cos(angle) * radius
            self.gauss_next = sin(angle) * radius
        return mu + z * sigma

    def lognormvariate(self, mu=0.0, sigma=1.0):
        """What has a normally distributed logarithm."""
        return exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd=1.0):
        """Exponentially distributed."""
        return -log(1.0 - self.random()) / lambd

    def vonmisesvariate(self, mu, kappa):
        """An angle around mu. Behaviour: Fisher, Statistical Analysis of Circular Data (1993)."""
        random = self.random
        if kappa <= 1e-6:
            return TWOPI * random()
        s = 0.5 / kappa
        r = s + sqrt(1.0 + s * s)
        while True:
            u1 = random()
            z = cos(pi * u1)
            d = z / (r + z)
            u2 = random()
            if u2 < 1.0 - d * d or u2 <= (1.0 - d) * exp(d):
                break
        q = 1.0 / r
        f = (q + z) / (1.0 + q * z)
        return (mu + acos(f)) % TWOPI if random() > 0.5 else (mu - acos(f)) % TWOPI

    def gammavariate(self, alpha, beta):
        """Gamma distributed. Behaviour: Cheng (1977) for alpha > 1, Ahrens and Dieter's GS (1974) below."""
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        random = self.random
        if alpha > 1.0:
            ainv = sqrt(2.0 * alpha - 1.0)
            bbb = alpha - LOG4
            ccc = alpha + ainv
            while True:
                u1 = random()
                if not 1e-7 < u1 < 0.9999999:
                    continue
                u2 = 1.0 - random()
                v = log(u1 / (1.0 - u1)) / ainv
                x = alpha * exp(v)
                z = u1 * u1 * u2
                r = bbb + ccc * v - x
                if r + SG_MAGICCONST - 4.5 * z >= 0.0 or r >= log(z):
                    return x * beta
        if alpha == 1.0:
            return -log(1.0 - random()) * beta
        while True:
            b = (e + alpha) / e
            p = b * random()
            x = p ** (1.0 / alpha) if p <= 1.0 else -log((b - p) / alpha)
            u = random()
            if p > 1.0:
                if u <= x ** (alpha - 1.0):
                    return x * beta
            elif u <= exp(-x):
                return x * beta

    def betavariate(self, alpha, beta):
        """Beta distributed."""
        y = self.gammavariate(alpha, 1.0)
        return y / (y + self.gammavariate(beta, 1.0)) if y else 0.0

    def paretovariate(self, alpha):
        """Pareto distributed."""
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        """Weibull distributed."""
        return alpha * (-log(1.0 - self.random())) ** (1.0 / beta)

    def __getstate__(self):
        return self.getstate()

    def __setstate__(self, state):
        self._twister = Twister()
        self.setstate(state)


class SystemRandom(Random):
    """Numbers of os.urandom(): there is no state, and a seed changes nothing."""

    def random(self):
        """A float of [0, 1), with 53 random bits."""
        return (int.from_bytes(_random_bytes(7), "big") >> 3) * RECIP_BPF

    def getrandbits(self, k, /):
        """An int of k random bits."""
        k = _index(k)
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        size = (k + 7) // 8
        return int.from_bytes(_random_bytes(size), "big") >> size * 8 - k

    def randbytes(self, n):
        """n random bytes."""
        return _random_bytes(n)

    def seed(self, *args, **kwds):
        """Nothing."""

    def _without_state(self, *args, **kwds):
        raise NotImplementedError("System entropy source does not have state.")

    getstate = setstate = _without_state


_inst = Random()
for _name in __all__[2:]:
    globals()[_name] = getattr(_inst, _name)
del _name
