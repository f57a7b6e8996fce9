import pprint
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from pprint import pformat, pp
from types import SimpleNamespace

data = {"name": "network", "layers": [{"in": 128, "out": 256, "bias": True}, {"in": 256, "out": 512, "bias": False}], "tags": ("a", "b"), "z": list(range(30)), "empty": [{}, (), []]}
pprint.pprint(data)
pprint.pprint(data, width=40, indent=4)
pprint.pprint(data, compact=True, width=60)
pprint.pprint(data, depth=1)
pp({"b": 1, "a": 2})
pp({"b": "x" * 50, "a": "y" * 50})
print(pformat([1, 2, 3]), pformat("short"), pformat({3: 1, 1: 2}), pformat({1: 2, "a": 3}))
print(pformat("a long text with many words in it that does not fit into one line of the usual width, so it is broken"))
print(pformat(["a long text with many words in it that does not fit into one line of the usual width, so it is broken"]))
print(pformat({"set": {1, 2, 3}, "frozen": frozenset(range(40))}))
print(pformat(Counter("abracadabra" * 3), width=20), pformat(deque(range(30), maxlen=30), width=50))
print(pformat(OrderedDict([("first key", "x" * 40), ("second key", "y" * 40)])))
print(pformat(defaultdict(list, {"first key": ["x" * 40], "second key": ["y" * 40]})))


@dataclass
class Config:
    name: str
    sizes: list
    other: dict


print(pformat(Config("a name", list(range(20)), {"key": "value" * 8})))
print(pformat(SimpleNamespace(first="x" * 40, second="y" * 40)))
loop = [1]
loop.append(loop)
print(pformat(loop).split("id=")[0], pprint.isrecursive(loop), pprint.isreadable([1, "a"]), pprint.isreadable([object()]), pprint.saferepr({"a": 1}))
print(pformat((1,)), pformat((list(range(40)),)), pformat(1234567, underscore_numbers=True))
