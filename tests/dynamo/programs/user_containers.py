"""User classes of dict and list in compiled functions print what they print uncompiled."""
import collections
import torch


class Box(dict):
    scale = 2

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)

    def double(self):
        return {key: value * self.scale for key, value in self.items()}


class Missing(dict):
    def __missing__(self, key):
        return 10


class Attr(collections.OrderedDict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value


class Stack(list):
    def push(self, item):
        self.append(item)
        return self

    @property
    def top(self):
        return self[-1]

    def __len__(self):
        return 100


def show(name, *values):
    print(name, *[v.tolist() if isinstance(v, torch.Tensor) else v for v in values])


def check(function, *make):
    for compiled in (False, True):
        f = torch.compile(function, backend="eager", fullgraph=True) if compiled else function
        for _ in range(2):
            args = [one() for one in make]
            out = f(*args)
            print(function.__name__, [repr(a) for a in args], getattr(args[-1], "__dict__", None), repr(out), type(out).__name__)


def t():
    return torch.ones(2)


def reads(x, box):
    y = x * box["a"]
    box["b"] = y + 1
    return y + box.reads + len(box) + box.get("z", 3)


def makes(x):
    box = Box(a=x, k=3)
    box.name = "made"
    box["c"] = box["a"] + 1
    return box


def missing(x, box):
    return x * box["nothing"] + box["a"] + ("a" in box) + sum(box.values())


def attrs(x, box):
    box.new = x * 2
    box.move_to_end("a")
    return box.new + box.a


def stack(x, s):
    s.push(x + 1).push(x + 2)
    s.note = "seen"
    return torch.cat(s) + s.top.sum() + len(s)


def makes_stack(x):
    s = Stack([x])
    s.push(x * 2)
    for item in s:
        x = x + item
    return s, x, s[0] is s[-2], Stack() == [], bool(s)


def inherits(x, box):
    total = x
    for key, value in sorted(box.double().items()):
        total = total + value
    return total, isinstance(box, dict), type(box).__name__, list(box), dict(box), {**box}


check(reads, t, lambda: Box(a=3))
check(makes, t)
check(missing, t, lambda: Missing(a=1))
check(attrs, t, lambda: Attr(a=1, b=2))
check(stack, t, lambda: Stack([torch.zeros(2)]))
check(makes_stack, t)
check(inherits, t, lambda: Box(a=1, b=2))

counter = []


def backend(gm, inputs):
    counter.append(1)
    return gm


@torch.compile(backend=backend)
def guarded(x, box):
    return x + box["a"] + len(box)


for box in (Missing(a=1), Missing(a=1), Missing(a=2), Missing(a=2, b=1), Missing(a=2)):
    print(guarded(t(), box).tolist(), len(counter))
