"""MT19937, the generator behind module random, and the SHA-512 that makes seeds of texts.

Makoto Matsumoto and Takuji Nishimura: Mersenne Twister, ACM TOMACS 8 (1998). FIPS 180-4 for SHA-512.
"""

_N, _M = 624, 397


class Twister:
    """32 bits at a time from 624 words of state."""

    __slots__ = ("words", "at")

    def seed(self, number):
        """Starts from an int, of any size and without its sign."""
        number = abs(number)
        key = []
        while number:
            key.append(number & 0xFFFFFFFF)
            number >>= 32
        key = key or [0]
        words = [19650218]
        last = 19650218
        for i in range(1, _N):
            last = (1812433253 * (last ^ (last >> 30)) + i) & 0xFFFFFFFF
            words.append(last)
        i = 1
        j = 0
        for _ in range(max(_N, len(key))):
            last = words[i - 1]
            words[i] = ((words[i] ^ ((last ^ (last >> 30)) * 1664525)) + key[j] + j) & 0xFFFFFFFF
            i += 1
            j += 1
            if i >= _N:
                words[0] = words[-1]
                i = 1
            if j >= len(key):
                j = 0
        for _ in range(_N - 1):
            last = words[i - 1]
            words[i] = ((words[i] ^ ((last ^ (last >> 30)) * 1566083941)) - i) & 0xFFFFFFFF
            i += 1
            if i >= _N:
                words[0] = words[-1]
                i = 1
        words[0] = 0x80000000
        self.words = words
        self.at = _N

    def _renew(self):
        words = self.words
        for k in range(_N):
            y = (words[k] & 0x80000000) | (words[k + 1 - _N] & 0x7FFFFFFF)
            words[k] = words[k + _M - _N] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)
        self.at = 0

    def next32(self):
        """The next 32 bits."""
        if self.at >= _N:
            self._renew()
        y = self.words[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9D2C5680
        y ^= (y << 15) & 0xEFC60000
        return y ^ (y >> 18)


_MASK = (1 << 64) - 1


def _root_bits(prime, power):
    """The first 64 bits behind the point of a prime's square (2) or cube (3) root."""
    scaled = prime << (64 * power)
    low, high = 0, 1 << 74
    while low < high:
        middle = (low + high + 1) >> 1
        if middle ** power <= scaled:
            low = middle
        else:
            high = middle - 1
    return low & _MASK


def sha512(data):
    """The 64 bytes of SHA-512."""
    primes = [n for n in range(2, 410) if all(n % d for d in range(2, int(n ** 0.5) + 1))]
    constants = [_root_bits(prime, 3) for prime in primes]
    state = [_root_bits(prime, 2) for prime in primes[:8]]
    length = len(data)
    data = bytes(data) + b"\x80" + b"\0" * ((111 - length) % 128) + (length * 8).to_bytes(16, "big")

    def turned(x, n):
        return ((x >> n) | (x << (64 - n))) & _MASK

    for start in range(0, len(data), 128):
        w = [int.from_bytes(data[at:at + 8], "big") for at in range(start, start + 128, 8)]
        for t in range(16, 80):
            a, b = w[t - 15], w[t - 2]
            w.append((w[t - 16] + (turned(a, 1) ^ turned(a, 8) ^ (a >> 7)) + w[t - 7] +
                      (turned(b, 19) ^ turned(b, 61) ^ (b >> 6))) & _MASK)
        a, b, c, d, e, f, g, h = state
        for constant, word in zip(constants, w):
            first = h + (turned(e, 14) ^ turned(e, 18) ^ turned(e, 41)) + ((e & f) ^ (~e & g)) + constant + word
            second = (turned(a, 28) ^ turned(a, 34) ^ turned(a, 39)) + ((a & b) ^ (a & c) ^ (b & c))
            h, g, f, e, d, c, b, a = g, f, e, (d + first) & _MASK, c, b, a, (first + second) & _MASK
        state = [(x + y) & _MASK for x, y in zip(state, (a, b, c, d, e, f, g, h))]
    return b"".join(x.to_bytes(8, "big") for x in state)
