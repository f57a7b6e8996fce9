"""Decimal. Behaviour: CPython Modules/_decimal/_decimal.c."""
import math as _math
import numbers as _numbers
from collections import namedtuple as _namedtuple

from decimal import _arithmetic, _context, _digits, _powers, _signals, _text, _value
from decimal._operators import Operators

DecimalTuple = _namedtuple("DecimalTuple", "sign digits exponent")
DecimalTuple.__module__ = "decimal"
_MODULUS = 2 ** 61 - 1
_TEN_INVERSE = pow(10, _MODULUS - 2, _MODULUS)


def _of_parts(parts, context):
    """From (sign, digits, exponent). Errors: ValueError."""
    if len(parts) != 3:
        raise ValueError("argument must be a sequence of length 3")
    sign, digits, exponent = parts
    if not isinstance(sign, int) or sign not in (0, 1):
        raise ValueError("sign must be an integer with the value 0 or 1")
    if isinstance(exponent, str):
        if exponent not in ("F", "n", "N"):
            raise ValueError("string argument in the third position must be 'F', 'n' or 'N'")
    elif not isinstance(exponent, int):
        raise ValueError("exponent must be an integer")
    if not isinstance(digits, (tuple, list)):
        raise ValueError("coefficient must be a tuple of digits")
    for digit in digits:
        if not isinstance(digit, int) or not 0 <= digit <= 9:
            raise ValueError("coefficient must be a tuple of digits")
    number = int("".join(map(str, digits)) or 0)
    if isinstance(exponent, str):
        return _value.made(sign, 0 if exponent == "F" else number, 0, exponent)
    return _value.made(sign, number, exponent)


def _of_float(given):
    if _math.isinf(given):
        return _value.made(1 if given < 0 else 0, 0, 0, "F")
    if _math.isnan(given):
        return _value.made(1 if _math.copysign(1.0, given) < 0 else 0, 0, 0, "n")
    numerator, denominator = abs(given).as_integer_ratio()
    twos = denominator.bit_length() - 1
    return _value.made(1 if _math.copysign(1.0, given) < 0 else 0, numerator * 5 ** twos, -twos)


class Decimal(Operators):
    """A number of decimal digits, an exponent of ten and a sign; or an infinity; or no number."""

    __slots__ = ("_sign", "_digits", "_exponent", "_kind")
    __module__ = "decimal"

    def __new__(cls, value="0", context=None):
        """The exact number that a text, an int, a float, a tuple or a Decimal is."""
        if isinstance(value, str):
            found = _text.parsed(value)
            if found is None:
                (context or _context.getcontext()).report(_signals.SYNTAX)
                found = _value.made(0, 0, 0, "n")
            elif not found._kind and (found._exponent < _context.MIN_ETINY or _value.adjusted(found) > _context.MAX_EMAX):
                (context or _context.getcontext()).report(_signals.INVALID)
                found = _value.made(0, 0, 0, "n")
        elif isinstance(value, int):
            found = _value.made(1 if value < 0 else 0, abs(int(value)), 0)
        elif isinstance(value, Decimal):
            found = value
        elif isinstance(value, float):
            (context or _context.getcontext()).report(_signals.FLOAT_OPERATION)
            found = _of_float(value)
        elif isinstance(value, (tuple, list)):
            found = _of_parts(value, context)
        else:
            raise TypeError(f"conversion from {type(value).__name__} to Decimal is not supported")
        return found if cls is Decimal else cls._of(found)

    @classmethod
    def _of(cls, found):
        self = object.__new__(cls)
        self._sign, self._digits, self._exponent, self._kind = found._sign, found._digits, found._exponent, found._kind
        return self

    @classmethod
    def from_float(cls, f, /):
        """The exact number that a float is."""
        if isinstance(f, int):
            found = Decimal(int(f))
        elif isinstance(f, float):
            found = _of_float(f)
        else:
            raise TypeError("argument must be int or float")
        return found if cls is Decimal else cls._of(found)

    @classmethod
    def from_number(cls, number, /):
        """The exact number that a number is; no text."""
        if isinstance(number, Decimal):
            found = number
        elif isinstance(number, (int, float)):
            found = Decimal.from_float(number)
        else:
            raise TypeError(f"Cannot convert {number!r} to Decimal")
        return found if cls is Decimal else cls._of(found)

    # What it is.

    def as_tuple(self):
        exponent = self._kind or self._exponent
        digits = (0,) if self._kind == "F" else tuple(map(int, str(self._digits)))
        return DecimalTuple(self._sign, () if self._kind in ("n", "N") and not self._digits else digits, exponent)

    def as_integer_ratio(self):
        if self._kind == "F":
            raise OverflowError("cannot convert Infinity to integer ratio")
        if self._kind:
            raise ValueError("cannot convert NaN to integer ratio")
        top, bottom = self._digits * 10 ** max(self._exponent, 0), 10 ** max(-self._exponent, 0)
        common = _math.gcd(top, bottom)
        return (-top if self._sign else top) // common, bottom // common

    def adjusted(self):
        return 0 if self._kind else _value.adjusted(self)

    def canonical(self):
        return self

    def conjugate(self):
        return self

    real = property(lambda self: self)
    imag = property(lambda self: Decimal(0))

    def is_canonical(self):
        return True

    def is_finite(self):
        return not self._kind

    def is_infinite(self):
        return self._kind == "F"

    def is_nan(self):
        return self._kind in ("n", "N")

    def is_qnan(self):
        return self._kind == "n"

    def is_snan(self):
        return self._kind == "N"

    def is_signed(self):
        return self._sign == 1

    def is_zero(self):
        return not self._kind and not self._digits

    def is_normal(self, context=None):
        return not self._kind and self._digits != 0 and _value.adjusted(self) >= (context or _context.getcontext()).Emin

    def is_subnormal(self, context=None):
        return not self._kind and self._digits != 0 and _value.adjusted(self) < (context or _context.getcontext()).Emin

    def number_class(self, context=None):
        return _digits.number_class(self, context or _context.getcontext())

    def radix(self):
        return Decimal(10)

    def copy_abs(self):
        return _value.made(0, self._digits, self._exponent, self._kind)

    def copy_negate(self):
        return _arithmetic.negated(self)

    def copy_sign(self, other, context=None):
        other = self._converted(other)
        return _value.made(other._sign, self._digits, self._exponent, self._kind)

    def same_quantum(self, other, context=None):
        other = self._converted(other)
        if self._kind or other._kind:
            return self._kind.lower() == other._kind.lower()
        return self._exponent == other._exponent

    def compare_total(self, other, context=None):
        return Decimal(_arithmetic.total_order(self, self._converted(other)))

    def compare_total_mag(self, other, context=None):
        return Decimal(_arithmetic.total_order(self.copy_abs(), self._converted(other).copy_abs()))

    # What it is as something else.

    def __bool__(self):
        return bool(self._kind) or self._digits != 0

    def __int__(self):
        if self._kind == "F":
            raise OverflowError("cannot convert Infinity to integer")
        if self._kind:
            raise ValueError("cannot convert NaN to integer")
        size = self._digits * 10 ** self._exponent if self._exponent >= 0 else self._digits // 10 ** -self._exponent
        return -size if self._sign else size

    __trunc__ = __int__

    def __float__(self):
        if self._kind == "N":
            raise ValueError("cannot convert signaling NaN to float")
        if self._kind == "n":
            return float("-nan" if self._sign else "nan")
        return float(str(self))

    def __complex__(self):
        return complex(float(self))

    def _rounded_int(self, rounding):
        if self._kind == "F":
            raise OverflowError("cannot convert Infinity to integer")
        if self._kind:
            raise ValueError("cannot convert NaN to integer")
        return int(_arithmetic.rescaled(self, 0, rounding)[0])

    def __floor__(self):
        return self._rounded_int(_context.ROUND_FLOOR)

    def __ceil__(self):
        return self._rounded_int(_context.ROUND_CEILING)

    def __round__(self, ndigits=None):
        if ndigits is None:
            return self._rounded_int(_context.ROUND_HALF_EVEN)
        if not isinstance(ndigits, int):
            raise TypeError("optional arg must be an integer")
        return self.quantize(_value.made(0, 1, -ndigits))

    def __hash__(self):
        if self._kind == "N":
            raise TypeError("Cannot hash a signaling NaN value")
        if self._kind == "n":
            return object.__hash__(self)
        if self._kind:
            return -314159 if self._sign else 314159
        ten = pow(10, self._exponent, _MODULUS) if self._exponent >= 0 else pow(_TEN_INVERSE, -self._exponent, _MODULUS)
        made = self._digits % _MODULUS * ten % _MODULUS
        made = -made if self._sign else made
        return -2 if made == -1 else made

    def __str__(self):
        return _text.text_of(self, _context.getcontext().capitals)

    def __repr__(self):
        return f"Decimal('{self}')"

    def to_eng_string(self, context=None):
        return _text.text_of(self, (context or _context.getcontext()).capitals, True)

    def __format__(self, spec, context=None):
        return _text.formatted(self, spec, context or _context.getcontext())

    def __reduce__(self):
        return (type(self), (str(self),))

    def __copy__(self):
        return self if type(self) is Decimal else type(self)(str(self))

    def __deepcopy__(self, memo):
        return self.__copy__()


_value._class.append(Decimal)
_numbers.Number.register(Decimal)
