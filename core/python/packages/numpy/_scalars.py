"""One item of an array, with arithmetic of its own type. Behaviour: numpy/_core/src/multiarray/scalartypes.c.src."""
import torch

from numpy._dtypes import ALL, BOOL, COMPLEX128, FLOAT64, bounds, dtype, real_for
from numpy._text import scalar_text

_array = None  # the module numpy._array, which needs this one


class generic:
    """What all scalars derive from."""

    __slots__ = ()
    __array_priority__ = -1000000.0
    ndim = 0
    shape = ()
    size = 1
    strides = ()
    flags = None

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"cannot create 'numpy.{cls.__name__}' instances")

    @property
    def _t(self):
        return _array.tensor_of_number(self.item(), self.dtype)

    def __torch_number__(self):
        return self.item()

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.dtype.itemsize

    @property
    def T(self):
        return self

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return type(self)(0)

    def item(self, *args):
        return self._value

    def tolist(self):
        return self.item()

    def tobytes(self, order="C"):
        return _array.ndarray._of(self._t, self.dtype).tobytes()

    def __array__(self, dtype=None, copy=None):
        made = _array.ndarray._of(self._t, self.dtype)
        return made if dtype is None else made.astype(dtype)

    def __bool__(self):
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __complex__(self):
        return complex(self.item())

    def __hash__(self):
        return hash(self.item())

    def __str__(self):
        return scalar_text(self.dtype, self.item())

    def __repr__(self):
        return f"np.{type(self).__name__}({scalar_text(self.dtype, self.item())})"

    def __format__(self, spec):
        return str(self) if not spec else format(self.item(), spec)

    def __reduce__(self):
        from numpy._core.multiarray import scalar
        return scalar, (self.dtype, self.tobytes())

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __getitem__(self, key):
        if key == () or key is Ellipsis or key is None or isinstance(key, tuple):
            return self.__array__()[key]
        raise IndexError("invalid index to scalar variable.")

    def __round__(self, ndigits=None):
        if ndigits is None:
            return int(round(self.item()))
        return self.round(ndigits)

    def __getattr__(self, name):
        # The methods of arrays, on an array without dimensions.
        if not name.startswith("_") and name in _array.ndarray.__dict__ and name not in ("sort", "fill", "resize", "put"):
            return getattr(self.__array__(), name)
        raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute {name!r}")


class number(generic):
    __slots__ = ()


class integer(number):
    __slots__ = ()

    def __index__(self):
        return self._value

    def is_integer(self):
        return True

    def bit_count(self):
        return abs(self._value).bit_count()

    @property
    def numerator(self):
        return self

    @property
    def denominator(self):
        return type(self)(1)


class signedinteger(integer):
    __slots__ = ()


class unsignedinteger(integer):
    __slots__ = ()


class inexact(number):
    __slots__ = ()


class floating(inexact):
    __slots__ = ()

    def is_integer(self):
        return self.item().is_integer()

    def as_integer_ratio(self):
        return self.item().as_integer_ratio()


class complexfloating(inexact):
    __slots__ = ()

    @property
    def real(self):
        return make(real_for(self.dtype), self.item().real)

    @property
    def imag(self):
        return make(real_for(self.dtype), self.item().imag)

    def _only_real(self):
        from numpy._ufunc import warn_at_caller
        from numpy.exceptions import ComplexWarning
        warn_at_caller("Casting complex values to real discards the imaginary part", ComplexWarning)
        return self.item().real

    def __float__(self):
        return self._only_real()

    def __int__(self):
        return int(self._only_real())

    def __repr__(self):
        text = scalar_text(self.dtype, self.item())
        return f"np.{type(self).__name__}{text if text.startswith('(') else f'({text})'}"


class flexible(generic):
    __slots__ = ()


class character(flexible):
    __slots__ = ()


def _converted(found, value):
    """A number as an item of the type, of Python."""
    if isinstance(value, str):
        if found.kind == "f":
            value = float(value)
        elif found.kind == "c":
            value = complex(value)
        elif found.kind in "iu":
            value = int(value)
        else:
            value = bool(value)
    if hasattr(value, "item") and not isinstance(value, generic):
        if getattr(value, "ndim", 0) != 0:
            return None
        value = value.item()
    if found.kind == "b":
        return bool(value)
    if found.kind == "f":
        return _rounded(found, float(value))
    if found.kind == "c":
        return _rounded(found, complex(value))
    if isinstance(value, generic):
        value = value.item()
        if isinstance(value, int):  # from one type to another the bits that fit
            return _wrapped(found, int(value))
    if isinstance(value, float):
        whole = int(value)  # raises for what is no number
        return _wrapped(found, whole)
    if not isinstance(value, int):
        value = int(value)
    low, high = bounds(found)
    if not low <= value <= high:
        raise OverflowError(f"Python integer {value} out of bounds for {found.name}")
    return int(value)


def _wrapped(found, whole):
    low, high = bounds(found)
    return (whole - low) % (high - low + 1) + low


def _rounded(found, value):
    if found in (FLOAT64, COMPLEX128):
        return value
    return torch.tensor(value, dtype=COMPLEX128.torch if found.kind == "c" else FLOAT64.torch).to(found.torch).item()


def _new_of(found):
    if found.kind == "c":
        def __new__(cls, real=0, imag=None, /):
            if isinstance(real, (list, tuple)) or getattr(real, "ndim", 0):
                return _array.array(real, dtype=found)
            return make(found, _converted(found, real if imag is None else complex(real, imag)))

        return __new__

    def __new__(cls, value=0, /):
        plain = None
        if not isinstance(value, (list, tuple)):
            plain = _converted(found, value)
        if plain is None:
            return _array.array(value, dtype=found)
        return make(found, plain)

    return __new__


def _concrete(found, base, name):
    members = {"__slots__": ("_value",), "dtype": found, "__new__": _new_of(found), "__module__": "numpy"}
    made = type(name, (base,), members)
    found.type = made
    dtype._of_class[made] = found
    return made


class bool_(generic):
    __slots__ = ("_value",)
    dtype = BOOL
    _made = {}

    def __new__(cls, value=False, /):
        if isinstance(value, (list, tuple)):
            return _array.array(value, dtype=BOOL)
        return cls._made[bool(value)]

    def __repr__(self):
        return f"np.{self._value}"

    def __index__(self):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __bool__(self):
        return self._value


class float64(floating, float):
    """Python's float with numpy's arithmetic."""

    __slots__ = ()
    dtype = FLOAT64

    def __new__(cls, value=0.0, /):
        if isinstance(value, (list, tuple)) or (hasattr(value, "ndim") and value.ndim > 0):
            return _array.array(value, dtype=FLOAT64)
        return float.__new__(cls, value)

    def item(self, *args):
        return float.__float__(self)

    def __float__(self):
        return float.__float__(self)

    def __bool__(self):
        return float.__bool__(self)

    def __int__(self):
        return float.__int__(self)

    __hash__ = float.__hash__

    @property
    def _value(self):
        return float.__float__(self)

    def __torch_number__(self):
        return float.__float__(self)


class complex128(complexfloating, complex):
    """Python's complex with numpy's arithmetic."""

    __slots__ = ()
    dtype = COMPLEX128
    __new__ = _new_of(COMPLEX128)
    __hash__ = complex.__hash__

    def item(self, *args):
        return complex.__complex__(self)

    def __complex__(self):
        return complex.__complex__(self)

    def __bool__(self):
        return complex.__bool__(self)

    @property
    def _value(self):
        return complex.__complex__(self)


BOOL.type = bool_
FLOAT64.type = float64
COMPLEX128.type = complex128
dtype._of_class[bool_] = BOOL
dtype._of_class[float64] = FLOAT64
dtype._of_class[complex128] = COMPLEX128
for _value in (False, True):
    _one = object.__new__(bool_)
    _one._value = _value
    bool_._made[_value] = _one
bool_.__name__ = bool_.__qualname__ = "bool"
CLASSES = {}
_ABSTRACT = {"i": signedinteger, "u": unsignedinteger, "f": floating, "c": complexfloating}
for _found in ALL:
    if _found not in (BOOL, FLOAT64, COMPLEX128):
        _concrete(_found, _ABSTRACT[_found.kind], _found.name)
    CLASSES[_found.name] = _found.type
for _cls in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, complexfloating, flexible,
             character, bool_, float64, complex128):
    _cls.__module__ = "numpy"


def make(found, value):
    """The scalar of a type over an item of Python that is in its range."""
    if found is FLOAT64:
        return float.__new__(float64, value)
    if found is COMPLEX128:
        return complex.__new__(complex128, value)
    if found is BOOL:
        return bool_._made[bool(value)]
    made = object.__new__(found.type)
    made._value = value
    return made


class finfo:
    """What a floating type can hold."""

    _BITS = {2: (10, 5, 3), 4: (23, 8, 6), 8: (52, 11, 15)}

    def __init__(self, dtype):
        from numpy._dtypes import as_dtype
        found = as_dtype(dtype if isinstance(dtype, type) else getattr(dtype, "dtype", dtype))
        if found.kind not in "fc":
            raise ValueError(f"data type {found.type!r} not inexact")
        found = real_for(found)
        nmant, nexp, precision = self._BITS[found.itemsize]
        self.dtype, self.bits, self.nmant, self.nexp, self.precision = found, 8 * found.itemsize, nmant, nexp, precision
        self.maxexp = 2 ** (nexp - 1)
        self.minexp = 2 - self.maxexp
        self.machep, self.negep, self.iexp = -nmant, -nmant - 1, nexp
        self.eps = make(found, 2.0 ** -nmant)
        self.epsneg = make(found, 2.0 ** (-nmant - 1))
        self.max = make(found, (2.0 - 2.0 ** -nmant) * 2.0 ** (self.maxexp - 1))
        self.min = -self.max
        self.tiny = self.smallest_normal = make(found, 2.0 ** self.minexp)
        self.smallest_subnormal = make(found, 2.0 ** (self.minexp - nmant))
        self.resolution = make(found, _rounded(found, 10.0 ** -precision))

    def __repr__(self):
        return (f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})")


class iinfo:
    """The bounds of an integer type, as ints of Python."""

    def __init__(self, type):
        from numpy._dtypes import as_dtype
        found = as_dtype(type if isinstance(type, _class) else getattr(type, "dtype", _of_plain(type)))
        if found.kind not in "iu":
            raise ValueError(f"Invalid integer data type {found.kind!r}.")
        self.dtype, self.kind, self.bits = found, found.kind, 8 * found.itemsize
        self.min, self.max = bounds(found)

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def _of_plain(value):
    return int if isinstance(value, int) else value


_class = type
