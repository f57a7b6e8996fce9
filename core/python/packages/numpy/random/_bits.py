"""The 32-bit numbers of MT19937 as numpy's legacy streams take them. Source: torch's generator of the same kind.

Matsumoto and Nishimura: Mersenne Twister, ACM TOMACS 8 (1998). Behaviour: numpy/random/src/mt19937.
"""
import torch


_SIZE = 624  # words of state
_WORD = 0xFFFFFFFF


class Twister:
    """A stream of 32-bit words that can be read ahead and put back."""

    def __init__(self):
        self._generator = torch.Generator()
        self._start()

    def _start(self):
        """Nothing is read ahead of where the generator stands."""
        self._words = torch.zeros(0, dtype=torch.int64)
        self._at, self._drawn, self._anchor = 0, 0, self._generator.get_state()

    def seed(self, number):
        """Starts from a number of 32 bits, as init_genrand does."""
        self._generator.manual_seed(number)
        self._start()

    def seed_by(self, numbers):
        """Starts from several numbers of 32 bits, as init_by_array does."""
        key = [19650218]
        for i in range(1, _SIZE):
            key.append((1812433253 * (key[-1] ^ key[-1] >> 30) + i) & _WORD)
        i, j = 1, 0
        for _ in range(max(_SIZE, len(numbers))):
            key[i] = ((key[i] ^ (key[i - 1] ^ key[i - 1] >> 30) * 1664525) + numbers[j] + j) & _WORD
            i, j = i + 1, (j + 1) % len(numbers)
            if i == _SIZE:
                key[0], i = key[-1], 1
        for _ in range(_SIZE - 1):
            key[i] = ((key[i] ^ (key[i - 1] ^ key[i - 1] >> 30) * 1566083941) - i) & _WORD
            i += 1
            if i == _SIZE:
                key[0], i = key[-1], 1
        key[0] = 0x80000000
        self.set_state(key, _SIZE)

    def state(self):
        """The words of state, int64 (624,), and how many of them are read."""
        generator = torch.Generator()
        generator.set_state(self._anchor)
        consumed = self._drawn - (self._words.numel() - self._at)
        if consumed // 2:
            torch.empty(consumed // 2, dtype=torch.int64).random_(-2 ** 63, None, generator=generator)
        if consumed % 2:
            torch.empty(1, dtype=torch.int64).random_(0, 2, generator=generator)
        data = generator.get_state()
        left, read = data[8:12].view(torch.int32).item(), data[16:24].view(torch.int64).item()
        return data[24:24 + 8 * _SIZE].clone().view(torch.int64), _SIZE if left == 1 else read

    def set_state(self, key, read):
        data = self._generator.get_state().clone()
        data[8:12] = torch.tensor([_SIZE - read + 1], dtype=torch.int32).view(torch.uint8)
        data[16:24] = torch.tensor([read], dtype=torch.int64).view(torch.uint8)
        data[24:24 + 8 * _SIZE] = torch.as_tensor(key, dtype=torch.int64).view(torch.uint8)
        self._generator.set_state(data)
        self._start()

    def words(self, count):
        """The next words as int64 (count,); they stay readable for unread()."""
        left = self._words.numel() - self._at
        if left < count:
            pairs = max((count - left + 1) // 2, 16)
            if left == 0:
                self._drawn, self._anchor = 0, self._generator.get_state()
            self._drawn += 2 * pairs
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
