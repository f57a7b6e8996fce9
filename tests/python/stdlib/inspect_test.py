import functools
import inspect
from inspect import signature, Parameter


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def f(a, b=1, /, c: int = 2, *args, d, e="x", **kw) -> str:
    """Doc.

        More.
    """


s = signature(f)
print(s, repr(s), list(s.parameters), s.return_annotation, s.parameters["c"].default, s.parameters["d"].kind, repr(s.parameters["c"]))
print(s.parameters["a"].default is Parameter.empty, s.parameters["args"].kind == Parameter.VAR_POSITIONAL, s.parameters["kw"].kind.name)
b = s.bind(1, 2, 3, 4, d=5, z=6)
print(b, b.args, b.kwargs)
b = s.bind(1, d=2)
b.apply_defaults()
print(b.arguments)
shown(lambda: s.bind())
shown(lambda: s.bind(1))
g = signature(lambda x, y=2: 0)
shown(lambda: g.bind(1, 2, 3))
shown(lambda: g.bind(1, q=3))
shown(lambda: g.bind(1, x=3))


class Net:
    "A net."

    def __init__(self, width, depth=3):
        self.width = width

    def forward(self, x, mask=None):
        return x

    @classmethod
    def make(cls, n):
        return cls(n)

    @staticmethod
    def helper(q):
        return q

    def __call__(self, x):
        return x


n = Net(1)
print(signature(Net), signature(n.forward), signature(Net.forward), signature(Net.make), signature(Net.helper), signature(n))
print(signature(functools.partial(f, 1, d=2)), signature(functools.partial(lambda x, y, z: 0, y=2)))


@functools.wraps(f)
def wrapper(*args):
    pass


print(signature(wrapper), inspect.unwrap(wrapper) is f)
print(inspect.isclass(Net), inspect.isfunction(f), inspect.ismethod(n.forward), inspect.isfunction(Net.forward), inspect.isbuiltin(len), inspect.ismodule(inspect))
print([name for name, value in inspect.getmembers(Net, inspect.isfunction)], [name for name, value in inspect.getmembers(n) if name[0] != "_"])
print(inspect.getmro(bool), inspect.getdoc(f), inspect.getdoc(Net), inspect.isgeneratorfunction(lambda: (yield)), inspect.isgenerator(i for i in ()))
print(inspect.getfullargspec(f), inspect.getfullargspec(n.forward).args)
shown(lambda: signature(3))
shown(lambda: Parameter("1x", Parameter.KEYWORD_ONLY))
print(s.replace(return_annotation=int), signature(f) == signature(f), inspect.cleandoc("  a\n    b\n      c\n\n"))
print(inspect.signature(type("Empty", (), {})), inspect.isabstract(Net), inspect.isroutine(len))
