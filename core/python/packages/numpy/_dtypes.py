"""Types of items, and which type two of them have together. Behaviour: numpy/_core/numerictypes.py, NEP 50."""
import torch

# name, torch's dtype, kind, bytes, character
_ROWS = [
    ("bool", torch.bool, "b", 1, "?"),
    ("int8", torch.int8, "i", 1, "b"),
    ("int16", torch.int16, "i", 2, "h"),
    ("int32", torch.int32, "i", 4, "i"),
    ("int64", torch.int64, "i", 8, "l"),
    ("uint8", torch.uint8, "u", 1, "B"),
    ("uint16", torch.uint16, "u", 2, "H"),
    ("uint32", torch.uint32, "u", 4, "I"),
    ("uint64", torch.uint64, "u", 8, "L"),
    ("float16", torch.float16, "f", 2, "e"),
    ("float32", torch.float32, "f", 4, "f"),
    ("float64", torch.float64, "f", 8, "d"),
    ("complex64", torch.complex64, "c", 8, "F"),
    ("complex128", torch.complex128, "c", 16, "D"),
]
_ALIASES = {
    "float": "float64", "double": "float64", "int": "int64", "bool_": "bool", "half": "float16", "single": "float32",
    "intp": "int64", "uintp": "uint64", "int_": "int64", "uint": "uint64", "long": "int64", "ulong": "uint64",
    "longlong": "int64", "ulonglong": "uint64", "intc": "int32", "uintc": "uint32", "short": "int16", "ushort": "uint16",
    "byte": "int8", "ubyte": "uint8", "complex": "complex128", "csingle": "complex64", "cdouble": "complex128", "q": "int64",
    "Q": "uint64", "p": "int64", "P": "uint64",
}
KINDS = "buifc"  # each holds the ones before it, by the rule "same_kind"
# Types of numpy that arrays here don't have.
_ABSENT = ("object", "O", "str", "U", "S", "bytes", "V", "void", "M", "m", "datetime64", "timedelta64", "longdouble",
           "float128", "clongdouble", "complex256", "g", "G")


def absent(what):
    """The error for a part of numpy that is not here."""
    return NotImplementedError(f"numpy.{what} is not in the numpy of nnscope")


def no_attribute(owner, name):
    """The error for a name that is not in a module or class here."""
    return AttributeError(f"{owner} has no attribute {name!r} in the numpy of nnscope")


class dtype:
    """The type of an array's items; one object for each."""

    __slots__ = ("name", "kind", "itemsize", "char", "type", "torch", "rank", "__weakref__")
    _made = {}
    _of_torch = {}
    _of_class = {}

    def __new__(cls, dtype, align=False, copy=False):
        return as_dtype(dtype)

    @property
    def str(self):
        order = "|" if self.itemsize == 1 else "<"
        return f"{order}{self.kind}{self.itemsize}"

    @property
    def byteorder(self):
        return "|" if self.itemsize == 1 else "="

    @property
    def alignment(self):
        return self.itemsize // 2 if self.kind == "c" else self.itemsize

    @property
    def num(self):
        return "?bBhHiIlLqQfdgFDGOSUVMme".index(self.char)

    names = None
    fields = None
    shape = ()
    ndim = 0
    hasobject = False
    isnative = True

    def newbyteorder(self, new_order="S"):
        if new_order in ("=", "|", "<", "native", "little"):
            return self
        raise absent(f"dtype.newbyteorder({new_order!r})")

    def __eq__(self, other):
        if self is other:
            return True
        try:
            return self is as_dtype(other)
        except (TypeError, NotImplementedError):
            return False

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        other = as_dtype(other)
        return self is not other and promote(self, other) is other

    def __le__(self, other):
        return promote(self, as_dtype(other)) is as_dtype(other)

    def __gt__(self, other):
        return as_dtype(other) < self

    def __ge__(self, other):
        return as_dtype(other) <= self

    def __hash__(self):
        return hash(("dtype", self.name))

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return dtype, (self.str[1:], False, True), (3, self.str[0], None, None, None, -1, -1, 0)

    def __setstate__(self, state):
        if state[1] == ">":
            raise absent("dtype with the other order of bytes")


for _rank, (_name, _torch, _kind, _size, _char) in enumerate(_ROWS):
    _one = object.__new__(dtype)
    _one.name, _one.torch, _one.kind, _one.itemsize, _one.char, _one.rank = _name, _torch, _kind, _size, _char, _rank
    dtype._made[_name] = dtype._made[_char] = dtype._made[f"{_kind}{_size}"] = _one
    dtype._of_torch[_torch] = _one
dtype.__module__ = "numpy"
dtype._made["b1"] = dtype._made["bool"]
for _name, _of in _ALIASES.items():
    dtype._made[_name] = dtype._made[_of]

BOOL, INT8, INT16, INT64 = (dtype._made[_name] for _name in ("bool", "int8", "int16", "int64"))
UINT8, UINT64 = dtype._made["uint8"], dtype._made["uint64"]
FLOAT16, FLOAT32, FLOAT64 = (dtype._made[_name] for _name in ("float16", "float32", "float64"))
COMPLEX64, COMPLEX128 = dtype._made["complex64"], dtype._made["complex128"]
ALL = [dtype._made[_row[0]] for _row in _ROWS]


def as_dtype(value):
    """The dtype that a name, a class of Python or of scalars, or a dtype means. Errors: TypeError."""
    if isinstance(value, dtype):
        return value
    if value is None or value is float:
        return FLOAT64
    if value is int:
        return INT64
    if value is bool:
        return BOOL
    if value is complex:
        return COMPLEX128
    if isinstance(value, str):
        name = value[1:] if value[:1] in ("<", "=", "|") else value
        if name in dtype._made:
            return dtype._made[name]
        if name.lstrip("0123456789><") in _ABSENT or name.rstrip("0123456789") in _ABSENT:
            raise absent(f"dtype({value!r})")
        if value[:1] == ">" and value[1:] in dtype._made:
            raise absent(f"dtype({value!r})")
        raise TypeError(f"data type {value!r} not understood")
    if isinstance(value, type):
        found = dtype._of_class.get(value)
        if found is not None:
            return found
        if value in (object, str, bytes):
            raise absent(f"dtype({value.__name__})")
        if value.__module__ == "numpy" and value.__name__ in ("number", "integer", "signedinteger", "unsignedinteger", "inexact",
                                                              "floating", "complexfloating"):
            raise TypeError(f"Converting {value!r} to a dtype is not allowed")
    elif hasattr(value, "dtype") and isinstance(value.dtype, dtype):
        return value.dtype
    raise TypeError(f"Cannot interpret '{value!r}' as a data type")


def of_tensor(tensor):
    """The dtype of a tensor. Errors: TypeError in PyTorch's words for one that numpy has not."""
    found = dtype._of_torch.get(tensor.dtype)
    if found is None:
        name = str(tensor.dtype).removeprefix("torch.")
        name = {"bfloat16": "BFloat16", "complex32": "ComplexHalf"}.get(name) or name.replace("float", "Float")
        raise TypeError(f"Got unsupported ScalarType {name}")
    return found


def promote(a, b):
    """The smallest type that holds both."""
    if a is b:
        return a
    if a.kind == "b":
        return b
    if b.kind == "b":
        return a
    if a.kind == b.kind:
        return a if a.itemsize >= b.itemsize else b
    if "c" in (a.kind, b.kind):
        number, other = (a, b) if a.kind == "c" else (b, a)
        other = promote(other, FLOAT16)
        return number if number.itemsize >= 2 * other.itemsize else COMPLEX128
    if "f" in (a.kind, b.kind):
        number, whole = (a, b) if a.kind == "f" else (b, a)
        least = 2 if whole.itemsize == 1 else 4 if whole.itemsize == 2 else 8
        return number if number.itemsize >= least else dtype._made[f"f{least}"]
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return FLOAT64 if unsigned.itemsize == 8 else dtype._made[f"i{2 * unsigned.itemsize}"]


def with_weak(found, weak):
    """The type of `found` (None: no array took part) together with numbers of Python: "b", "i", "f", "c" or "" for none."""
    if not weak:
        return found
    plain = {"b": BOOL, "i": INT64, "f": FLOAT64, "c": COMPLEX128}[weak]
    if found is None:
        return plain
    if weak == "c":
        return found if found.kind == "c" else complex_for(found)
    if weak == "f" and found.kind not in "fc":
        return FLOAT64
    if weak == "i" and found.kind == "b":
        return INT64
    return found


def complex_for(found):
    """The complex type of numbers with real parts of the type; whole ones have parts of 64 bits."""
    return found if found.kind == "c" else COMPLEX64 if found.kind == "f" and found.itemsize <= 4 else COMPLEX128


def real_for(found):
    """The type of the real parts of a type."""
    return found if found.kind != "c" else dtype._made[f"f{found.itemsize // 2}"]


def floating_for(found):
    """The floating type in which functions such as exp work."""
    if found.kind in "fc":
        return found
    return FLOAT16 if found.itemsize == 1 else FLOAT32 if found.itemsize == 2 else FLOAT64


def bounds(found):
    """The least and the greatest int of an integer type."""
    bits = 8 * found.itemsize
    return (0, 2 ** bits - 1) if found.kind == "u" else (-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def can_cast(from_, to, casting="safe"):
    if not isinstance(from_, (dtype, type, str)) and not hasattr(from_, "dtype"):
        raise TypeError("can_cast() does not support Python ints, floats, and complex because the result used to depend "
                        "on the value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in "
                        "the future.")
    from_, to = as_dtype(from_), as_dtype(to)
    if casting == "unsafe":
        return True
    if casting in ("no", "equiv"):
        return from_ is to
    if casting == "same_kind":
        return KINDS.index(from_.kind) <= KINDS.index(to.kind)
    if casting != "safe":
        raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value'"
                         f" (got '{casting}')")
    return promote(from_, to) is to
