"""A class that derives from OrderedDict and writes items itself is asked for each of them; one that derives from dict is not."""
import collections


class Attributes(collections.OrderedDict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)


made = Attributes(a=1)
made.update([("b", 2)], c=3)
made.setdefault("d", 4)
made.setdefault("a", 9)
print(made.a, made.b, made.c, made.d, list(made.items()))


class Plain(dict):
    def __setitem__(self, key, value):
        print("never called", key)


plain = Plain(a=1)
plain.update(b=2)
plain.setdefault("c", 3)
print(dict(plain))
