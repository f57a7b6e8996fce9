"""PCG64 and what seeds are made into. Behaviour: numpy/random/bit_generator.pyx, src/pcg64.

Melissa O'Neill: PCG, HMC-CS-2014-0905 (2014).
"""
import operator

from numpy._array import array, ndarray
from numpy._dtypes import as_dtype

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
