"""Generator. Behaviour: numpy/random/_generator.pyx, _bounded_integers.pyx.in, src/distributions.

Daniel Lemire: Fast random integer generation in an interval, ACM TOMACS (2019).
"""
import math
import operator

import torch

from numpy._array import array, asarray, ndarray
from numpy._dtypes import BOOL, FLOAT32, FLOAT64, INT64, absent, as_dtype, bounds, no_attribute
from numpy._functions import broadcast_arrays
from numpy._more import take
from numpy._scalars import generic, make
from numpy._sets import unique
from numpy._shapes import normal_axis, shape_of
from numpy.random import _ziggurat
from numpy.random._distributions import Distributions, _not_negative
from numpy.random._pcg import PCG64, SeedSequence

_of = ndarray._of
_MASK32, _MASK64 = (1 << 32) - 1, (1 << 64) - 1


class _SmallWords:
    """Words of 8 or 16 bits, or single bits, out of words of 32."""

    def __init__(self, bits, width):
        self._bits, self._width, self._left, self._word = bits, width, 0, 0

    def __call__(self):
        if self._left == 0:
            self._word, self._left = self._bits.next32(), 32 // self._width - 1
        else:
            self._word >>= self._width
            self._left -= 1
        return self._word & ((1 << self._width) - 1)


class Generator(Distributions):
    """Random numbers of a bit generator. What is not here raises by name."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    def __repr__(self):
        return f"Generator({type(self.bit_generator).__name__}) at 0x{id(self):X}"

    def __str__(self):
        return f"Generator({type(self.bit_generator).__name__})"

    def _doubles(self, count):
        step = self.bit_generator.next64
        return torch.tensor([(step() >> 11) * (1.0 / 9007199254740992.0) for _ in range(count)], dtype=torch.float64)

    def random(self, size=None, dtype=float, out=None):
        found = as_dtype(dtype)
        shape = () if size is None else shape_of(size)
        if out is not None:
            found, shape = out.dtype, out.shape
        if found is FLOAT32:
            step = self.bit_generator.next32
            made = torch.tensor([(step() >> 8) * (1.0 / 16777216.0) for _ in range(math.prod(shape))], dtype=torch.float32)
        elif found is FLOAT64:
            made = self._doubles(math.prod(shape))
        else:
            raise TypeError(f"Unsupported dtype {found!r} for random")
        if out is not None:
            out._write(made.reshape(shape))
            return out
        if size is None:
            return made.item() if found is FLOAT64 else make(found, made.item())
        return _of(made.reshape(shape), found)

    # What Distributions draws from.

    _is_legacy = False

    def _double(self):
        return (self.bit_generator.next64() >> 11) * (1.0 / 9007199254740992.0)

    def _normal_one(self):
        return _ziggurat.normal(self.bit_generator)

    def _exponential_one(self):
        return _ziggurat.exponential(self.bit_generator)

    def _word(self):
        return self.bit_generator.next32()

    def spawn(self, n_children):
        """Generators with streams of their own."""
        return [Generator(type(self.bit_generator)(one)) for one in self.bit_generator.seed_seq.spawn(n_children)]

    # Numbers of one distribution.

    def uniform(self, low=0.0, high=1.0, size=None):
        def check(least, most):
            if most < least:
                raise ValueError("high - low < 0")
            if not math.isfinite(most - least):
                raise OverflowError("high - low range exceeds valid bounds")

        low, high = (float(one) if asarray(one).ndim == 0 else one for one in (low, high))
        return self._drawn(lambda least, most: least + (most - least) * self._double(), size, low, high, check=check)

    def _standard(self, size, dtype, out, draw, draw_single):
        found = as_dtype(dtype)
        if found not in (FLOAT32, FLOAT64):
            raise TypeError(f"Unsupported dtype {found!r}")
        shape = out.shape if out is not None else () if size is None else shape_of(size)
        one = draw if found is FLOAT64 else draw_single
        made = torch.tensor([one() for _ in range(math.prod(shape))], dtype=found.torch).reshape(shape)
        if out is not None:
            out._write(made.to(out.dtype.torch))
            return out
        if size is None:
            return made.item() if found is FLOAT64 else make(found, made.item())
        return _of(made, found)

    def standard_normal(self, size=None, dtype=float, out=None):
        return self._standard(size, dtype, out, self._normal_one, lambda: _ziggurat.normal_single(self.bit_generator))

    def normal(self, loc=0.0, scale=1.0, size=None):
        return self._drawn(lambda middle, spread: middle + spread * self._normal_one(), size, loc, scale,
                           check=_not_negative(None, "scale"))

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return self._drawn(lambda middle, spread: math.exp(middle + spread * self._normal_one()), size, mean, sigma,
                           check=_not_negative(None, "sigma"))

    def standard_exponential(self, size=None, dtype=float, method="zig", out=None):
        if method not in ("zig", "inv"):
            raise ValueError(f"method must be 'zig' or 'inv' (got {method!r})")

        def single():
            raise absent("random.Generator.standard_exponential(dtype=float32)")

        draw = self._exponential_one if method == "zig" else lambda: -math.log1p(-self._double())
        return self._standard(size, dtype, out, draw, single)

    def exponential(self, scale=1.0, size=None):
        return self._drawn(lambda one: one * self._exponential_one(), size, scale, check=_not_negative("scale"))

    # Integers.

    def _bounded32(self, most):
        """0 to `most` by a product and rejection (Lemire)."""
        if most == 0:
            return 0
        step, span = self.bit_generator.next32, most + 1
        product = step() * span
        if product & _MASK32 < span:
            threshold = (_MASK32 - most) % span
            while product & _MASK32 < threshold:
                product = step() * span
        return product >> 32

    def _bounded64(self, most):
        if most <= _MASK32:
            return self.bit_generator.next32() if most == _MASK32 else self._bounded32(most)
        if most == _MASK64:
            return self.bit_generator.next64()
        step, span = self.bit_generator.next64, most + 1
        product = step() * span
        if product & _MASK64 < span:
            threshold = (_MASK64 - most) % span
            while product & _MASK64 < threshold:
                product = step() * span
        return product >> 64

    def _small(self, width):
        """draw(most) for types of 8 or 16 bits, or bools, which share words of 32 bits."""
        step = _SmallWords(self.bit_generator, width)
        top = (1 << width) - 1

        def draw(most):
            if most == 0:
                return 0
            if most == top:
                return step()
            span = most + 1
            product = step() * span
            if product & top < span:
                threshold = (top - most) % span
                while product & top < threshold:
                    product = step() * span
            return product >> width

        return draw

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        found = as_dtype(dtype)
        if found.kind not in "biu":
            raise TypeError(f"Unsupported dtype {found!r} for integers")
        low, high = (0, low) if high is None else (low, high)
        least, most = (0, 1) if found is BOOL else bounds(found)
        draw = self._bounded64 if found.itemsize >= 4 else self._small(1 if found is BOOL else 8 * found.itemsize)

        def check(first, last):
            if first < least:
                raise ValueError(f"low is out of bounds for {found.name}")
            if last > most:
                raise ValueError(f"high is out of bounds for {found.name}")
            if first > last:
                raise ValueError("low > high" if endpoint else "low >= high")

        if asarray(low).ndim == 0 and asarray(high).ndim == 0:
            first, last = int(low), int(high) - (not endpoint)
            check(first, last)
            if size is None:
                return make(found, first + draw(last - first))
            shape = shape_of(size)
            values = [first + draw(last - first) for _ in range(math.prod(shape))]
        else:
            lows, highs = broadcast_arrays(asarray(low), asarray(high))
            shape = lows.shape if size is None else shape_of(size)
            pairs = [[int(one) for one in _of(each._t.expand(shape), each.dtype).reshape(-1).tolist()] for each in (lows, highs)]
            pairs = [(first, last - (not endpoint)) for first, last in zip(*pairs)]
            for first, last in pairs:
                check(first, last)
            values = [first + draw(last - first) for first, last in pairs]
        return array(values, dtype=found).reshape(shape) if values else _of(torch.zeros(shape, dtype=found.torch), found)

    def _interval(self, most):
        """0 to `most` by masks and rejection. Behaviour: random_interval."""
        mask = (1 << most.bit_length()) - 1
        step = self.bit_generator.next32 if most <= _MASK32 else self.bit_generator.next64
        value = step() & mask
        while value > most:
            value = step() & mask
        return value

    def _order(self, n):
        places = list(range(n))
        for i in range(n - 1, 0, -1):
            j = self._interval(i)
            places[i], places[j] = places[j], places[i]
        return places

    def shuffle(self, x, axis=0):
        if isinstance(x, ndarray):
            axis = normal_axis(axis, x.ndim)
            x._write(torch.index_select(x._t, axis, torch.tensor(self._order(x.shape[axis]), dtype=torch.int64)))
            return
        if axis != 0:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        kept = [x[i] for i in range(len(x))]
        for i, place in enumerate(self._order(len(x))):
            x[i] = kept[place]

    def permutation(self, x, axis=0):
        if isinstance(x, (int, generic)):
            return _of(torch.tensor(self._order(operator.index(x)), dtype=torch.int64), INT64)
        x = asarray(x)
        axis = normal_axis(axis, x.ndim)
        return _of(torch.index_select(x._t, axis, torch.tensor(self._order(x.shape[axis]), dtype=torch.int64)), x.dtype)

    def permuted(self, x, *, axis=None, out=None):
        """Each row along an axis in an order of its own."""
        x = asarray(x)
        if axis is None:
            made = x._t.reshape(-1)[torch.tensor(self._order(x.size), dtype=torch.int64)].reshape(x.shape)
        else:
            axis = normal_axis(axis, x.ndim)
            rows = torch.movedim(x._t, axis, -1)
            flat = rows.reshape(-1, rows.shape[-1])
            places = torch.tensor([self._order(flat.shape[1]) for _ in range(flat.shape[0])], dtype=torch.int64)
            made = torch.movedim(torch.gather(flat, 1, places.reshape(flat.shape)).reshape(rows.shape), -1, axis)
        if out is not None:
            out._write(made)
            return out
        return _of(made.clone(), x.dtype)

    # Choices.

    def _swapped(self, places, first):
        """The last places of a list exchanged with ones before them, down to `first`."""
        for i in range(len(places) - 1, first - 1, -1):
            j = self._bounded64(i)
            places[i], places[j] = places[j], places[i]
        return places

    def _distinct(self, population, count, shuffle):
        """Different numbers below `population`: the end of a shuffled list, or Floyd's sampling."""
        if population > 10000 and count > population // (50 if shuffle else 20):
            return self._swapped(list(range(population)), max(population - count, 1))[population - count:]
        found, made = set(), []
        for j in range(population - count, population):
            one = self._bounded64(j)
            one = j if one in found else one
            found.add(one)
            made.append(one)
        return self._swapped(made, 1) if shuffle else made

    def _weights(self, p, population):
        weights = asarray(p).astype(float)._t.clone()
        if weights.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if weights.numel() != population:
            raise ValueError("a and p must have same size")
        total = math.fsum(weights.tolist())
        if total != total:
            raise ValueError("Probabilities contain NaN")
        if bool((weights < 0).any()):
            raise ValueError("Probabilities are not non-negative")
        found = asarray(p).dtype
        limit = math.sqrt(2.0 ** {2: -10, 4: -23}.get(found.itemsize, -52) if found.kind == "f" else 2.0 ** -52)
        if abs(total - 1.0) > limit:
            raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
        return weights

    def _by_weight(self, weights, count):
        borders = torch.cumsum(weights, 0)
        borders = borders / borders[-1]
        return torch.searchsorted(borders, self._doubles(count), right=True)

    def _distinct_by_weight(self, weights, count):
        if int((weights > 0).sum()) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        found = torch.zeros(0, dtype=torch.int64)
        while found.numel() < count:
            weights[found] = 0.0
            new = _of(self._by_weight(weights, count - found.numel()), INT64)
            _, first = unique(new, return_index=True)
            first.sort()
            found = torch.cat([found, new[first]._t])
        return found

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Items of an array along an axis, or numbers below an int; as likely as `p` says."""
        given = asarray(a)
        if given.ndim == 0:
            population = operator.index(a)
            if population <= 0 and (size is None or math.prod(shape_of(size))):
                raise ValueError("a must be a positive integer unless no samples are taken")
        else:
            population = given.shape[normal_axis(axis, given.ndim)]
            if population == 0 and (size is None or math.prod(shape_of(size))):
                raise ValueError("a cannot be empty unless no samples are taken")
        weights = None if p is None else self._weights(p, population)
        shape = () if size is None else shape_of(size)
        count = math.prod(shape)
        if replace:
            places = self.integers(0, population, size=count) if weights is None else _of(self._by_weight(weights, count), INT64)
        elif count > population:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        elif weights is not None:
            places = _of(self._distinct_by_weight(weights, count), INT64)
        else:
            places = array(self._distinct(population, count, shuffle), dtype=INT64)
        places = asarray(places).reshape(shape)
        if given.ndim == 0:
            return make(INT64, places.item()) if size is None else places
        return take(given, places[()] if size is None else places, axis)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'numpy.random._generator.Generator' object has no attribute {name!r}")
        raise no_attribute("numpy.random.Generator", name)


def default_rng(seed=None):
    """A Generator over PCG64; one that is given stays."""
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, PCG64) else PCG64(seed))


for _cls in (SeedSequence, PCG64, Generator):
    _cls.__module__ = "numpy.random"
