"""Functions of complex numbers. Behaviour: CPython Modules/cmathmodule.c."""
import math as _math
from math import e, inf, nan, pi, tau

infj, nanj = complex(0.0, inf), complex(0.0, nan)


def _number(z):
    if isinstance(z, complex):
        return z
    if hasattr(type(z), "__complex__"):
        return z.__complex__()
    if not isinstance(z, (int, float)) and not hasattr(type(z), "__float__") and not hasattr(type(z), "__index__"):
        raise TypeError(f"must be real number, not {type(z).__name__}")
    return complex(float(z), 0.0)


def phase(z, /):
    z = _number(z)
    return _math.atan2(z.imag, z.real)


def polar(z, /):
    z = _number(z)
    return abs(z), phase(z)


def rect(r, phi, /):
    if phi == 0.0:
        return complex(r, r * phi)
    return complex(r * _math.cos(phi), r * _math.sin(phi))


def isfinite(z, /):
    z = _number(z)
    return _math.isfinite(z.real) and _math.isfinite(z.imag)


def isinf(z, /):
    z = _number(z)
    return _math.isinf(z.real) or _math.isinf(z.imag)


def isnan(z, /):
    z = _number(z)
    return _math.isnan(z.real) or _math.isnan(z.imag)


def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    a, b = _number(a), _number(b)
    if a == b:
        return True
    if isinf(a) or isinf(b):
        return False
    return abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


def exp(z, /):
    z = _number(z)
    size = _math.exp(z.real)
    return complex(size * _math.cos(z.imag), size * _math.sin(z.imag))


def log(z, base=None, /):
    z = _number(z)
    if z == 0:
        raise ValueError("math domain error")
    size = _math.hypot(z.real, z.imag)
    if 0.71 <= size <= 1.73:
        # Near 1 the square less 1 keeps more digits.
        larger, smaller = max(abs(z.real), abs(z.imag)), min(abs(z.real), abs(z.imag))
        real = _math.log1p((larger - 1) * (larger + 1) + smaller * smaller) / 2
    else:
        real = _math.log(size)
    made = complex(real, phase(z))
    return made if base is None else made / log(base)


def log10(z, /):
    made = log(z)
    return complex(made.real / _math.log(10), made.imag / _math.log(10))


def sqrt(z, /):
    z = _number(z)
    if z == 0:
        return complex(0.0, z.imag)
    half = _math.sqrt((abs(z.real) + abs(z)) / 2)
    other = abs(z.imag) / (2 * half)
    if z.real >= 0:
        return complex(half, _math.copysign(other, z.imag))
    return complex(other, _math.copysign(half, z.imag))


def sinh(z, /):
    z = _number(z)
    return complex(_math.cos(z.imag) * _math.sinh(z.real), _math.sin(z.imag) * _math.cosh(z.real))


def cosh(z, /):
    z = _number(z)
    return complex(_math.cos(z.imag) * _math.cosh(z.real), _math.sin(z.imag) * _math.sinh(z.real))


def tanh(z, /):
    z = _number(z)
    if abs(z.real) > 300:
        return complex(_math.copysign(1.0, z.real), 4.0 * _math.sin(z.imag) * _math.cos(z.imag) * _math.exp(-2 * abs(z.real)))
    tx, ty, cx = _math.tanh(z.real), _math.tan(z.imag), 1 / _math.cosh(z.real)
    txty = tx * ty
    below = 1 + txty * txty
    return complex(tx * (1 + ty * ty) / below, ((ty / below) * cx) * cx)


def sin(z, /):
    z = _number(z)
    made = sinh(complex(-z.imag, z.real))
    return complex(made.imag, -made.real)


def cos(z, /):
    z = _number(z)
    return cosh(complex(-z.imag, z.real))


def tan(z, /):
    z = _number(z)
    made = tanh(complex(-z.imag, z.real))
    return complex(made.imag, -made.real)


def asinh(z, /):
    z = _number(z)
    s1, s2 = sqrt(complex(1 + z.imag, -z.real)), sqrt(complex(1 - z.imag, z.real))
    return complex(_math.asinh(s1.real * s2.imag - s2.real * s1.imag),
                   _math.atan2(z.imag, s1.real * s2.real - s1.imag * s2.imag))


def acosh(z, /):
    z = _number(z)
    s1, s2 = sqrt(complex(z.real - 1, z.imag)), sqrt(complex(z.real + 1, z.imag))
    return complex(_math.asinh(s1.real * s2.real + s1.imag * s2.imag), 2 * _math.atan2(s1.imag, s2.real))


def acos(z, /):
    z = _number(z)
    s1, s2 = sqrt(complex(1 - z.real, -z.imag)), sqrt(complex(1 + z.real, z.imag))
    return complex(2 * _math.atan2(s1.real, s2.real), _math.asinh(s2.real * s1.imag - s2.imag * s1.real))


def asin(z, /):
    z = _number(z)
    made = asinh(complex(-z.imag, z.real))
    return complex(made.imag, -made.real)


def atanh(z, /):
    z = _number(z)
    if z.real < 0 or (z.real == 0 and _math.copysign(1.0, z.real) < 0):
        return -atanh(-z)
    if z.real == 1 and z.imag == 0:
        raise ValueError("math domain error")
    y = abs(z.imag)
    real = _math.log1p(4 * z.real / ((1 - z.real) ** 2 + y * y)) / 4
    return complex(real, -_math.atan2(-2 * z.imag, (1 - z.real) * (1 + z.real) - y * y) / 2)


def atan(z, /):
    z = _number(z)
    made = atanh(complex(-z.imag, z.real))
    return complex(made.imag, -made.real)
