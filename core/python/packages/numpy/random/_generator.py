"""Generator over PCG64. Behaviour: numpy/random/bit_generator.pyx, _generator.pyx, src/pcg64, src/distributions.

Melissa O'Neill: PCG, HMC-CS-2014-0905 (2014). Daniel Lemire: Fast random integer generation in an interval, ACM TOMACS (2019).
"""
import math
import operator

import torch

from numpy._array import asarray, ndarray
from numpy._dtypes import FLOAT32, FLOAT64, INT64, absent, as_dtype, bounds, no_attribute
from numpy._scalars import generic, make
from numpy._shapes import shape_of

_of = ndarray._of
_MASK32, _MASK64, _MASK128 = (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1
_MULTIPLIER = (2549297995355413924 << 64) + 4865540595714422341


class SeedSequence:
    """Mixes what a program gives into words of any number."""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if entropy is None:
            from time import time_ns
            entropy = time_ns() ^ (id(self) << 64)
        self.entropy, self.spawn_key, self.pool_size = entropy, tuple(spawn_key), pool_size
        self.n_children_spawned = n_children_spawned
        self._constant = 0x43B0D7E5
        words = _words_of(entropy)
        if self.spawn_key and len(words) < pool_size:
            words += [0] * (pool_size - len(words))
        words += [word for key in self.spawn_key for word in _words_of(key)]
        pool = [self._hashed(words[i] if i < len(words) else 0) for i in range(pool_size)]
        for source in range(pool_size):
            for target in range(pool_size):
                if source != target:
                    pool[target] = _mixed(pool[target], self._hashed(pool[source]))
        for word in words[pool_size:]:
            for target in range(pool_size):
                pool[target] = _mixed(pool[target], self._hashed(word))
        self._pool = pool

    def _hashed(self, value):
        value ^= self._constant
        self._constant = self._constant * 0x931E8875 & _MASK32
        value = value * self._constant & _MASK32
        return value ^ value >> 16

    def _words(self, count):
        constant, made = 0x8B51F9DD, []
        for i in range(count):
            value = self._pool[i % self.pool_size] ^ constant
            constant = constant * 0x58F38DED & _MASK32
            value = value * constant & _MASK32
            made.append(value ^ value >> 16)
        return made

    def generate_state(self, n_words, dtype="uint32"):
        from numpy._array import array
        found = as_dtype(dtype)
        words = self._words(n_words * found.itemsize // 4)
        if found.itemsize == 8:
            words = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        return array(words, dtype=found)

    def spawn(self, n_children):
        first = self.n_children_spawned
        self.n_children_spawned += n_children
        return [SeedSequence(self.entropy, spawn_key=self.spawn_key + (i,), pool_size=self.pool_size)
                for i in range(first, first + n_children)]

    def __repr__(self):
        lines = [f"    entropy={self.entropy!r},"]
        if self.spawn_key:
            lines.append(f"    spawn_key={self.spawn_key!r},")
        return "SeedSequence(\n" + "\n".join(lines) + "\n)"


def _mixed(x, y):
    value = (0xCA01F9DD * x - 0x4973F715 * y) & _MASK32
    return value ^ value >> 16


def _words_of(number):
    if isinstance(number, (list, tuple, ndarray)):
        return [word for one in number for word in _words_of(one)]
    number = operator.index(number)
    if number < 0:
        raise ValueError("expected non-negative integer")
    words = [number & _MASK32]
    while number >> 32:
        number >>= 32
        words.append(number & _MASK32)
    return words


class PCG64:
    """128 bits of state, 64 out of them a step."""

    def __init__(self, seed=None):
        self.seed_seq = seed if isinstance(seed, SeedSequence) else SeedSequence(seed)
        words = self.seed_seq._words(8)
        words = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        self._increment = ((words[2] << 64 | words[3]) << 1 | 1) & _MASK128
        self._state = (self._increment + (words[0] << 64 | words[1])) & _MASK128
        self._step()
        self._half = None

    def _step(self):
        self._state = (self._state * _MULTIPLIER + self._increment) & _MASK128

    def next64(self):
        self._step()
        value = (self._state >> 64 ^ self._state) & _MASK64
        turn = self._state >> 122
        return (value >> turn | value << (64 - turn)) & _MASK64

    def next32(self):
        if self._half is not None:
            value, self._half = self._half, None
            return value
        value = self.next64()
        self._half = value >> 32
        return value & _MASK32


class Generator:
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

    def uniform(self, low=0.0, high=1.0, size=None):
        if asarray(low).ndim or asarray(high).ndim:
            raise absent("random.Generator.uniform with arrays of bounds")
        low, high = float(low), float(high)
        if high < low:
            raise ValueError("high - low < 0")
        made = low + (high - low) * self._doubles(1 if size is None else math.prod(shape_of(size)))
        return made.item() if size is None else _of(made.reshape(shape_of(size)), FLOAT64)

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

    def integers(self, low, high=None, size=None, dtype="int64", endpoint=False):
        found = as_dtype(dtype)
        if found.kind not in "iu":
            raise TypeError(f"Unsupported dtype {found!r} for integers")
        if found.itemsize < 4:
            raise absent(f"random.Generator.integers(dtype={found.name})")
        low, high = (0, low) if high is None else (low, high)
        if asarray(low).ndim or asarray(high).ndim:
            raise absent("random.Generator.integers with arrays of bounds")
        low, high = int(low), int(high) - (not endpoint)
        least, most = bounds(found)
        if low < least:
            raise ValueError(f"low is out of bounds for {found.name}")
        if high > most:
            raise ValueError(f"high is out of bounds for {found.name}")
        if low > high:
            raise ValueError("low > high" if endpoint else "low >= high")
        draw = self._bounded64
        if size is None:
            return make(found, low + draw(high - low))
        values = [low + draw(high - low) for _ in range(math.prod(shape_of(size)))]
        values = [one - 2 ** 64 if one >= 2 ** 63 else one for one in values]
        return _of(torch.tensor(values, dtype=torch.int64).reshape(shape_of(size)).to(found.torch), found)

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
        if axis != 0:
            raise absent("random.Generator.shuffle(axis=...)")
        if isinstance(x, ndarray):
            x._write(x._t[torch.tensor(self._order(len(x)), dtype=torch.int64)])
            return
        kept = [x[i] for i in range(len(x))]
        for i, place in enumerate(self._order(len(x))):
            x[i] = kept[place]

    def permutation(self, x, axis=0):
        if axis != 0:
            raise absent("random.Generator.permutation(axis=...)")
        if isinstance(x, (int, generic)):
            return _of(torch.tensor(self._order(operator.index(x)), dtype=torch.int64), INT64)
        x = asarray(x)
        return x[_of(torch.tensor(self._order(len(x)), dtype=torch.int64), INT64)]

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
