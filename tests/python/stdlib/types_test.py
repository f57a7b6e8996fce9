import abc
import functools
import numbers
import types
from types import SimpleNamespace, MappingProxyType


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


n = SimpleNamespace(a=1, b="x")
n.c = [2]
print(n, n.a, n == SimpleNamespace(a=1, b="x", c=[2]), vars(n), SimpleNamespace(), n != SimpleNamespace())
n.self = n
print(n)
shown(lambda: n.zzz)
m = MappingProxyType({"a": 1})
print(m, m["a"], len(m), list(m), m.get("z", 0), "a" in m, m == {"a": 1}, m | {"b": 2}, dict(m), m.copy(), list(m.items()))
shown(lambda: m.__setitem__("a", 2))
shown(lambda: m["q"])
try:
    m["a"] = 2
except TypeError as error:
    print(error)


def f():
    yield


class C:
    def method(self):
        return self

    def __len__(self):
        return 3


print(isinstance(f, types.FunctionType), isinstance(lambda: 0, types.LambdaType), isinstance(f(), types.GeneratorType))
print(isinstance(C().method, types.MethodType), isinstance(len, types.BuiltinFunctionType), isinstance(types, types.ModuleType))
print(isinstance(None, types.NoneType), isinstance(..., types.EllipsisType), isinstance(f.__code__, types.CodeType))
c = C()
bound = types.MethodType(lambda self, x: (self is c, x), c)
print(bound(5), types.MethodType(len, c)())
made = types.new_class("Made", (C,), {}, lambda names: names.update(x=5))
print(made.x, made.__mro__[1].__name__, types.resolve_bases((C,)) == (C,), types.ModuleType("name").__name__)
print(isinstance(1, numbers.Integral), isinstance(1.5, numbers.Real), isinstance(1.5, numbers.Integral), isinstance(1j, numbers.Complex), isinstance(True, numbers.Number), isinstance("a", numbers.Number))
print(list[int], types.GenericAlias(list, (int,)), types.GenericAlias(dict, (str, int)) == dict[str, int], types.GenericAlias(list, int)([1, 2]))
