"""The 32-bit numbers of MT19937 as numpy's legacy streams take them. Source: torch's generator of the same kind.

Matsumoto and Nishimura: Mersenne Twister, ACM TOMACS 8 (1998). Behaviour: numpy/random/src/mt19937.
"""
import torch


class Twister:
    """A stream of 32-bit words that can be read ahead and put back."""

    def __init__(self):
        self._generator = torch.Generator()
        self._words = torch.zeros(0, dtype=torch.int64)
        self._at = 0

    def seed(self, number):
        """Starts from a number of 32 bits, as init_genrand does."""
        self._generator.manual_seed(number)
        self._words = torch.zeros(0, dtype=torch.int64)
        self._at = 0

    def words(self, count):
        """The next words as int64 (count,); they stay readable for unread()."""
        left = self._words.numel() - self._at
        if left < count:
            pairs = max((count - left + 1) // 2, 16)
            drawn = torch.empty(pairs, dtype=torch.int64).random_(-2 ** 63, None, generator=self._generator)
            fresh = torch.stack([(drawn >> 32) & 0xFFFFFFFF, drawn & 0xFFFFFFFF], dim=1).reshape(-1)
            self._words = torch.cat([self._words[self._at:], fresh])
            self._at = 0
        made = self._words[self._at:self._at + count]
        self._at += count
        return made

    def unread(self, count):
        """Puts back what the last words() gave too much."""
        self._at -= count

    def word(self):
        return int(self.words(1)[0])

    def doubles(self, count):
        """Numbers in [0, 1) with 53 bits, float64 (count,)."""
        words = self.words(2 * count).reshape(count, 2)
        whole = (words[:, 0] >> 5) * 67108864 + (words[:, 1] >> 6)
        return whole.to(torch.float64) / 9007199254740992.0

    def double(self):
        return self.doubles(1).item()
