"""RandomState: the streams of numpy before Generator, bit for bit. Behaviour: numpy/random/mtrand.pyx, legacy-distributions.c."""
import math
import operator

import torch

from numpy._array import array, asarray, ndarray
from numpy._dtypes import BOOL, FLOAT64, INT64, UINT64, absent, as_dtype, bounds, no_attribute
from numpy._functions import broadcast_arrays
from numpy._scalars import generic, make
from numpy._sets import unique
from numpy._shapes import shape_of
from numpy.random._bits import Twister
from numpy.random._distributions import Distributions

_of = ndarray._of


def _count(size):
    return math.prod(shape_of(size)) if size is not None else 1


def _mask(most):
    return (1 << most.bit_length()) - 1


class RandomState(Distributions):
    """A generator with a stream of its own; seeds are ints below 2**32 or None."""

    def __init__(self, seed=None):
        self._bits = Twister()
        self._gauss = None
        self.seed(seed)

    def __repr__(self):
        return f"RandomState(MT19937) at 0x{id(self):X}"

    def __str__(self):
        return "RandomState(MT19937)"

    def seed(self, seed=None):
        if seed is None:
            from time import time_ns
            seed = (time_ns() ^ id(self)) & 0xFFFFFFFF
        self._gauss = None
        given = asarray(seed)
        if given.size == 0:
            raise ValueError("Seed must be non-empty")
        if given.dtype.kind not in "biu":
            raise TypeError(f"Cannot cast array data from {given.dtype!r} to dtype('int64') according to the rule 'safe'")
        if given.ndim > 1:
            raise ValueError("Seed array must be 1-d")
        numbers = [int(one) for one in given.ravel().tolist()]
        if not all(0 <= one < 2 ** 32 for one in numbers):
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        if given.ndim:
            self._bits.seed_by(numbers)
        else:
            self._bits.seed(numbers[0])

    def get_state(self, legacy=True):
        """The name of the generator, its words, how many are read, and the normal number that is kept."""
        words, read = self._bits.state()
        key = _of(words, INT64).astype("uint32")
        has_gauss, gauss = int(self._gauss is not None), self._gauss or 0.0
        if legacy:
            return "MT19937", key, read, has_gauss, gauss
        return {"bit_generator": "MT19937", "state": {"key": key, "pos": read}, "has_gauss": has_gauss, "gauss": gauss}

    def set_state(self, state):
        if isinstance(state, dict):
            inner = state["state"]
            state = state["bit_generator"], inner["key"], inner["pos"], state.get("has_gauss", 0), state.get("gauss", 0.0)
        elif not isinstance(state, (tuple, list)):
            raise TypeError("state must be a dict or a tuple.")
        if state[0] != "MT19937":
            raise ValueError("set_state can only be used with legacy MT19937 state instances.")
        self._bits.set_state(asarray(state[1]).astype("int64")._t, int(state[2]))
        self._gauss = float(state[4]) if len(state) > 3 and state[3] else None

    # What Distributions draws from.

    _is_legacy = True

    def _double(self):
        return self._bits.double()

    def _normal_one(self):
        return self._normals(1).item()

    def _exponential_one(self):
        return -math.log(1.0 - self._bits.double())

    def _word(self):
        return self._bits.word()

    # Numbers in an interval.

    def random_sample(self, size=None):
        if size is None:
            return self._bits.double()
        return _of(self._bits.doubles(_count(size)).reshape(shape_of(size)), FLOAT64)

    def random(self, size=None):
        return self.random_sample(size)

    def rand(self, *args):
        return self.random_sample(args if args else None)

    def _spread(self, size, draw, *parameters):
        """draw(count) of numbers, as many as the parameters and the size ask for; the parameters as tensors or numbers."""
        if all(not isinstance(one, (ndarray, list, tuple)) or asarray(one).ndim == 0 for one in parameters):
            plain = [float(one) for one in parameters]
            made = draw(_count(size), plain)
            return made.item() if size is None else _of(made.reshape(shape_of(size)), FLOAT64)
        tensors = torch.broadcast_tensors(*[asarray(one)._t.double() for one in parameters])
        shape = tuple(tensors[0].shape) if size is None else shape_of(size)
        tensors = [one.expand(shape).reshape(-1) for one in tensors]
        return _of(draw(math.prod(shape), tensors).reshape(shape), FLOAT64)

    def uniform(self, low=0.0, high=1.0, size=None):
        return self._spread(size, lambda count, p: p[0] + (p[1] - p[0]) * self._bits.doubles(count), low, high)

    def randint(self, low, high=None, size=None, dtype=int):
        """Integers from low up to, without, high by masks and rejection."""
        found = as_dtype(dtype)
        if found.kind not in "biu":
            raise TypeError(f"Unsupported dtype {found!r} for randint")
        if high is None:
            low, high = 0, low
        if asarray(low).ndim or asarray(high).ndim:
            return self._between_arrays(asarray(low), asarray(high), size, found)
        low, high = int(low), int(high)
        _check_range(low, high, found)
        count = _count(size)
        if found.itemsize < 4:
            made = self._below_small(high - 1 - low, count, 1 if found is BOOL else 8 * found.itemsize) + low
        else:
            made = self._below(high - 1 - low, count) + (low if low < 2 ** 63 else low - 2 ** 64)
        if size is None:
            value = made.item()
            if dtype is int or dtype is bool:
                return dtype(value)
            return make(found, value + 2 ** 64 if found is UINT64 and value < 0 else value)
        return _of(made.reshape(shape_of(size)).to(found.torch), found)

    def _between_arrays(self, low, high, size, found):
        if found.itemsize < 4:
            raise absent(f"randint(dtype={found.name}) with arrays of bounds")
        low, high = broadcast_arrays(low, high)
        shape = low.shape if size is None else shape_of(size)
        pairs = list(zip(*[_of(one._t.expand(shape), one.dtype).reshape(-1).tolist() for one in (low, high)]))
        for first, last in pairs:
            _check_range(int(first), int(last), found)
        return array([int(first) + self._below(int(last) - 1 - int(first), 1).item() for first, last in pairs],
                     dtype=found).reshape(shape)

    def _below_small(self, most, count, width):
        """The same out of words of `width` bits, several in one of 32; what is left of the last one is dropped."""
        if most == 0:
            return torch.zeros(count, dtype=torch.int64)
        each, mask, parts, missing = 32 // width, _mask(most), [], count
        shifts = torch.arange(each) * width
        while missing:
            drawn = -(-missing // each)
            tried = ((self._bits.words(drawn).unsqueeze(1) >> shifts) & ((1 << width) - 1)).reshape(-1) & mask
            places = torch.where(tried <= most)[0][:missing]
            if places.numel() == missing:
                self._bits.unread(drawn - 1 - int(places[-1]) // each)
            parts.append(tried[places])
            missing -= places.numel()
        return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.int64)

    def _below(self, most, count):
        """int64 (count,) of 0 to `most`, both with."""
        if most == 0:
            return torch.zeros(count, dtype=torch.int64)
        if most > 0xFFFFFFFF:
            return self._below_wide(most, count)
        if most == 0xFFFFFFFF:
            return self._bits.words(count).clone()
        mask, parts, missing = _mask(most), [], count
        while missing:
            tried = self._bits.words(missing) & mask
            kept = tried[tried <= most]
            parts.append(kept)
            missing -= kept.numel()
        return torch.cat(parts) if parts else torch.zeros(0, dtype=torch.int64)

    def _below_wide(self, most, count):
        mask, made = _mask(most), []
        while len(made) < count:
            high, low = self._bits.words(2).tolist()
            value = ((high << 32) | low) & mask
            if value <= most:
                made.append(value - 2 ** 64 if value >= 2 ** 63 else value)
        return torch.tensor(made, dtype=torch.int64)

    def random_integers(self, low, high=None, size=None):
        return self.randint(*((1, low + 1) if high is None else (low, high + 1)), size=size)

    # Normal numbers and what is made of them.

    def _normals(self, count):
        """Standard normal numbers, float64 (count,), two at a time by the polar method."""
        made = []
        if self._gauss is not None and count:
            made.append(torch.tensor([self._gauss], dtype=torch.float64))
            self._gauss = None
            count -= 1
        pairs = (count + 1) // 2
        while pairs:
            tries = pairs + pairs // 3 + 4
            points = 2.0 * self._bits.doubles(2 * tries).reshape(tries, 2) - 1.0
            squares = points[:, 0] * points[:, 0] + points[:, 1] * points[:, 1]
            places = torch.where((squares < 1.0) & (squares != 0.0))[0][:pairs]
            if places.numel() == pairs:
                self._bits.unread(4 * (tries - 1 - int(places[-1])))
            inside = squares[places]
            logs = torch.tensor([math.log(one) for one in inside.tolist()], dtype=torch.float64)
            scale = torch.sqrt(-2.0 * logs / inside).unsqueeze(1)
            made.append((scale * points[places].flip(1)).reshape(-1))
            pairs -= places.numel()
        numbers = torch.cat(made) if made else torch.zeros(0, dtype=torch.float64)
        if count % 2 and count > 0:
            self._gauss = numbers[-1].item()
            numbers = numbers[:-1]
        return numbers

    def standard_normal(self, size=None):
        made = self._normals(_count(size))
        return made.item() if size is None else _of(made.reshape(shape_of(size)), FLOAT64)

    def randn(self, *args):
        return self.standard_normal(args if args else None)

    def normal(self, loc=0.0, scale=1.0, size=None):
        if bool((asarray(scale)._t < 0).any()):
            raise ValueError("scale < 0")
        return self._spread(size, lambda count, p: p[0] + p[1] * self._normals(count), loc, scale)

    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        if bool((asarray(sigma)._t < 0).any()):
            raise ValueError("sigma < 0")
        return self._spread(size, lambda count, p: _exp(p[0] + p[1] * self._normals(count)), mean, sigma)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def exponential(self, scale=1.0, size=None):
        if bool((asarray(scale)._t < 0).any()):
            raise ValueError("scale < 0")
        return self._spread(size, lambda count, p: p[0] * -_log(1.0 - self._bits.doubles(count)), scale)

    # Orders and choices.

    def _interval(self, most):
        """An int of 0 to `most`, both with. Behaviour: random_interval."""
        if most == 0:
            return 0
        mask = _mask(most)
        while True:
            value = self._bits.word() & mask
            if value <= most:
                return value

    def _shuffled_places(self, n):
        """The order in which shuffle() leaves n items."""
        places = list(range(n))
        at, words = 0, []
        for i in range(n - 1, 0, -1):
            mask = _mask(i)
            while True:
                if at == len(words):
                    words = self._bits.words(max(i + i // 2, 8)).tolist()
                    at = 0
                value = words[at] & mask
                at += 1
                if value <= i:
                    break
            places[i], places[value] = places[value], places[i]
        self._bits.unread(len(words) - at)
        return places

    def shuffle(self, x):
        """In place along the first axis."""
        if isinstance(x, torch.Tensor):
            x = x.numpy()
        if isinstance(x, ndarray):
            if x.ndim == 0:
                raise TypeError("len() of unsized object")
            x._write(x._t[torch.tensor(self._shuffled_places(len(x)), dtype=torch.int64)])
            return
        places = self._shuffled_places(len(x))
        kept = [x[i] for i in range(len(x))]
        for i, place in enumerate(places):
            x[i] = kept[place]

    def permutation(self, x):
        if isinstance(x, (int, generic)) and not isinstance(x, bool):
            return _of(torch.tensor(self._shuffled_places(operator.index(x)), dtype=torch.int64), INT64)
        x = asarray(x)
        if x.ndim < 1:
            raise IndexError("x must be an integer or at least 1-dimensional")
        return x[_of(torch.tensor(self._shuffled_places(len(x)), dtype=torch.int64), INT64)]

    def choice(self, a, size=None, replace=True, p=None):
        items = None
        if isinstance(a, (int, generic)) and not isinstance(a, bool):
            population = operator.index(a)
            if population <= 0 and _count(size):
                raise ValueError("a must be greater than 0 unless no samples are taken")
        else:
            items = asarray(a) if not _is_objects(a) else list(a)
            if isinstance(items, ndarray) and items.ndim != 1:
                raise ValueError("a must be 1-dimensional")
            population = len(items)
            if population == 0 and _count(size):
                raise ValueError("'a' cannot be empty unless no samples are taken")
        weights = None if p is None else self._weights(p, population)
        count = _count(size)
        if replace:
            if weights is not None:
                places = self._by_weight(weights, self._bits.doubles(count))
            else:
                places = self._below(population - 1, count)
        else:
            if count > population:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            if weights is not None:
                places = self._distinct(weights, count)
            else:
                places = torch.tensor(self._shuffled_places(population)[:count], dtype=torch.int64)
        if isinstance(items, list):
            if size is not None:
                raise absent("random.choice(size=...) of objects that are no numbers")
            return items[places.item()]
        if size is None:
            return places.item() if items is None else items[places.item()]
        places = _of(places.reshape(shape_of(size)), INT64)
        return places if items is None else items[places]

    @staticmethod
    def _weights(p, population):
        weights = asarray(p).astype(float)._t
        if weights.ndim != 1:
            raise ValueError("'p' must be 1-dimensional")
        if weights.numel() != population:
            raise ValueError("'a' and 'p' must have same size")
        total = weights.sum().item()
        if total != total:
            raise ValueError("probabilities contain NaN")
        if bool((weights < 0).any()):
            raise ValueError("probabilities are not non-negative")
        limit = math.sqrt(2.220446049250313e-16)
        if isinstance(p, ndarray) and p.dtype.kind == "f" and p.dtype.itemsize < 8:
            limit = max(limit, math.sqrt({2: 2.0 ** -10, 4: 2.0 ** -23}[p.dtype.itemsize]))
        if abs(math.fsum(weights.tolist()) - 1.0) > limit:
            raise ValueError("probabilities do not sum to 1")
        return weights

    @staticmethod
    def _by_weight(weights, drawn):
        borders = torch.cumsum(weights, 0)
        borders = borders / borders[-1]
        return torch.searchsorted(borders, drawn.contiguous(), right=True)

    def _distinct(self, weights, count):
        if int((weights > 0).sum()) < count:
            raise ValueError("Fewer non-zero entries in p than size")
        weights, found = weights.clone(), torch.zeros(0, dtype=torch.int64)
        while found.numel() < count:
            drawn = self._bits.doubles(count - found.numel())
            if found.numel():
                weights[found] = 0.0
            new = _of(self._by_weight(weights, drawn), INT64)
            _, first = unique(new, return_index=True)
            first.sort()
            found = torch.cat([found, new[first]._t])
        return found

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'RandomState' object has no attribute {name!r}")
        raise no_attribute("numpy.random.RandomState", name)


def _check_range(low, high, found):
    least, most = (0, 1) if found is BOOL else bounds(found)
    if low < least:
        raise ValueError(f"low is out of bounds for {found.name}")
    if high - 1 > most:
        raise ValueError(f"high is out of bounds for {found.name}")
    if low >= high:
        raise ValueError("low >= high")


def _is_objects(a):
    return isinstance(a, (list, tuple)) and any(isinstance(one, (str, bytes)) or one is None for one in a)


def _log(tensor):
    return torch.tensor([math.log(one) for one in tensor.tolist()], dtype=torch.float64).reshape(tensor.shape)


def _exp(tensor):
    return torch.tensor([math.exp(one) for one in tensor.tolist()], dtype=torch.float64).reshape(tensor.shape)


RandomState.__module__ = "numpy.random"
