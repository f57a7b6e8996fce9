"""Stand-in for torchgen.utils: how databases of ops show an entry."""


def dataclass_repr(value, *args):
    return f"{type(value).__name__}({value.name!r})"
