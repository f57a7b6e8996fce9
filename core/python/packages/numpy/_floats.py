"""Parts of floating numbers, and functions made of others. Behaviour: numpy/_core/src/npymath, numpy/lib/_ufunclike_impl.py."""
import math

import torch

from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, FLOAT64, as_dtype, bounds, dtype, floating_for
from numpy._functions import arange
from numpy._ufunc import UFUNCS, _Operand, ufunc, wrap

_INT32 = dtype._made["int32"]


def _cbrt(x):
    made = torch.copysign(torch.pow(torch.abs(x), 1.0 / 3.0), x)
    better = made - (made * made * made - x) / (3 * made * made)
    return torch.where(torch.isfinite(better), better, made)


def _spacing(x):
    """The way to the neighbour that is further from 0, with the sign."""
    far = torch.nextafter(x, torch.copysign(torch.full_like(x, math.inf), x))
    return torch.where(torch.isinf(x), torch.full_like(x, math.nan), far - x)


def _bits(x):
    """How many bits of the size of each item are set."""
    if x.dtype == torch.bool:
        return x.to(torch.uint8)
    found = dtype._of_torch[x.dtype]
    x = x.to(torch.int64)
    x = torch.abs(x) if found.kind == "i" else x
    made = torch.zeros_like(x)
    for bit in range(8 * found.itemsize):
        made = made + ((x >> bit) & 1)
    return made.to(torch.uint8)


for _name, _rule, _function in [("cbrt", "float", _cbrt), ("spacing", "float", _spacing), ("bitwise_count", "bit", _bits)]:
    UFUNCS[_name] = ufunc(_name, 1, _rule, _function)


def _real_operand(x, name):
    operand = _Operand(x, name)
    found = floating_for(operand.own_type())
    if found.kind == "c":
        raise TypeError(f"ufunc '{name}' not supported for the input types, and the inputs could not be safely coerced to any "
                        "supported types according to the casting rule ''safe''")
    return operand.as_tensor(found), found


def modf(x, /):
    """The fraction and the whole part, both with the sign."""
    tensor, found = _real_operand(x, "modf")
    whole = torch.trunc(tensor)
    fraction = torch.where(torch.isinf(tensor), torch.zeros_like(tensor), tensor - whole)
    return wrap(torch.copysign(fraction, tensor), found), wrap(whole, found)


def frexp(x, /):
    """A number of at least a half and below 1, and the power of 2 that it is taken with."""
    tensor, found = _real_operand(x, "frexp")
    mantissa, exponent = torch.frexp(tensor)
    return wrap(mantissa, found), wrap(exponent.to(torch.int32), _INT32)


def ldexp(x1, x2, /):
    tensor, found = _real_operand(x1, "ldexp")
    exponent = asarray(x2)
    if exponent.dtype.kind not in "bui":
        raise TypeError("ufunc 'ldexp' not supported for the input types, and the inputs could not be safely coerced to any "
                        "supported types according to the casting rule ''safe''")
    return wrap(torch.ldexp(tensor.double(), exponent._t).to(found.torch), found)


def divmod(x1, x2, /):
    return UFUNCS["floor_divide"](x1, x2), UFUNCS["remainder"](x1, x2)


def fix(x, out=None):
    return UFUNCS["trunc"](x, out=out)


def isposinf(x, out=None):
    return UFUNCS["logical_and"](UFUNCS["isinf"](x), UFUNCS["logical_not"](UFUNCS["signbit"](x)), out=out)


def isneginf(x, out=None):
    return UFUNCS["logical_and"](UFUNCS["isinf"](x), UFUNCS["signbit"](x), out=out)


def sinc(x):
    x = asarray(x)
    y = asarray(UFUNCS["multiply"](math.pi, x if x.dtype.kind in "fc" else x.astype(float)))
    tiny = 1.0e-20 if y.dtype.itemsize != 2 else 2.0 ** -24
    at = torch.where(y._t == 0, torch.full((), tiny, dtype=y._t.dtype), y._t)
    return UFUNCS["divide"](UFUNCS["sin"](ndarray._of(at, y.dtype)), ndarray._of(at, y.dtype)) if y.ndim else \
        UFUNCS["divide"](UFUNCS["sin"](wrap(at, y.dtype)), wrap(at, y.dtype))


def i0(x):
    """The modified Bessel function of order 0."""
    x = asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    found = floating_for(x.dtype) if x.dtype.kind == "f" else FLOAT64
    return wrap(torch.special.i0(x._t.to(found.torch)), found)


# Windows.

def _window(M, shape):
    M = float(M) if not isinstance(M, int) else M
    if M < 1:
        return ndarray._of(torch.zeros(0, dtype=torch.float64), FLOAT64)
    if M == 1:
        return ndarray._of(torch.ones(1, dtype=torch.float64), FLOAT64)
    return shape(arange(1 - M, M, 2, dtype=float), M)


def hanning(M):
    return _window(M, lambda n, size: 0.5 + 0.5 * UFUNCS["cos"](math.pi * n / (size - 1)))


def hamming(M):
    return _window(M, lambda n, size: 0.54 + 0.46 * UFUNCS["cos"](math.pi * n / (size - 1)))


def blackman(M):
    return _window(M, lambda n, size: 0.42 + 0.5 * UFUNCS["cos"](math.pi * n / (size - 1)) +
                   0.08 * UFUNCS["cos"](2.0 * math.pi * n / (size - 1)))


def bartlett(M):
    def triangle(n, size):
        below = n._t <= 0
        return ndarray._of(torch.where(below, 1 + n._t / (size - 1), 1 - n._t / (size - 1)), FLOAT64)

    return _window(M, triangle)


def kaiser(M, beta):
    def bell(n, size):
        places = arange(0, size, dtype=float)
        alpha = (size - 1) / 2.0
        return i0(beta * UFUNCS["sqrt"](1 - ((places - alpha) / alpha) ** 2.0)) / i0(float(beta))

    return _window(M, bell)


# Types and digits.

def min_scalar_type(a, /):
    """The smallest type that holds the number; an array's own."""
    a = asarray(a)
    if a.ndim or a.dtype is BOOL:
        return a.dtype
    value = a.item()
    if a.dtype.kind in "iu":
        names = [f"{'u' if value >= 0 else ''}int{bits}" for bits in (8, 16, 32, 64)]
        return next(dtype._made[name] for name in names if bounds(dtype._made[name])[0] <= value <= bounds(dtype._made[name])[1])
    parts = [value.real, value.imag] if isinstance(value, complex) else [value]
    size = max((abs(one) for one in parts if math.isfinite(one)), default=0.0)
    names = ("complex64", "complex128") if a.dtype.kind == "c" else ("float16", "float32", "float64")
    limits = {"float16": 65000, "float32": 3.4e38, "complex64": 3.4e38}
    return next(dtype._made[name] for name in names if name not in limits or size < limits[name] or
                dtype._made[name] is a.dtype)


def isdtype(dtype, kind):
    """Whether a type is one of the kinds of the array API. Errors: ValueError."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    known = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
             "complex floating": "c", "numeric": "iufc"}
    found = as_dtype(dtype)
    for one in kinds:
        if isinstance(one, str) and one not in known:
            raise ValueError(f"kind argument is a string, but {one!r} is not a known kind name.")
        if found.kind in known[one] if isinstance(one, str) else found == one:
            return True
    return False


def binary_repr(num, width=None):
    """The digits to base 2; below 0 with a sign, or as two's complement of a width. Errors: ValueError."""
    num = int(num)
    if num >= 0 or width is None:
        text = f"{'-' if num < 0 else ''}{abs(num):b}"
        if width is not None and len(text) > width:
            raise ValueError(f"Insufficient bit width={width} provided for binwidth={len(text)}")
        return text.zfill(width or 0)
    least = len(f"{-num:b}")
    least = least - 1 if 2 ** (least - 1) == -num else least
    if least + 1 > width:
        raise ValueError(f"Insufficient bit width={width} provided for binwidth={least + 1}")
    return f"{2 ** width + num:b}".zfill(width)


def base_repr(number, base=2, padding=0):
    if not 2 <= base <= 36:
        raise ValueError("Bases greater than 36 not handled in base_repr." if base > 36 else
                         "Bases less than 2 not handled in base_repr.")
    digits, rest = [], abs(int(number))
    while rest:
        rest, digit = rest // base, rest % base
        digits.append("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit])
    digits.extend("0" * padding)
    if number < 0:
        digits.append("-")
    return "".join(reversed(digits)) or "0"
