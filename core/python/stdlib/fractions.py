"""Rational numbers."""

__all__ = ["Fraction"]

import numbers
import sys
from math import gcd, isinf, isnan


def _parsed(text):
    """(numerator, denominator) of 3, -1/2, 0.25, 1e-3, or None."""
    sign = 1
    body = text.strip()
    if body[:1] in ("+", "-"):
        sign = -1 if body[0] == "-" else 1
        body = body[1:]
    if body != body.strip() or not body or not (body[0].isdecimal() or body[0] == "."):
        return None
    top, slash, bottom = body.partition("/")
    if slash:
        top, bottom = top.rstrip(), bottom.lstrip()
        if not _is_digits(top) or not _is_digits(bottom):
            return None
        return sign * int(top), int(bottom)
    mantissa, _, exponent = body.replace("E", "e").partition("e")
    if _ and not _is_digits(exponent[exponent[:1] in ("+", "-"):] if exponent else ""):
        return None
    whole, dot, decimals = mantissa.partition(".")
    if not (whole or decimals) or whole and not _is_digits(whole) or decimals and not _is_digits(decimals):
        return None
    numerator = int((whole + decimals).replace("_", "") or 0)
    shift = (int(exponent) if exponent else 0) - len(decimals.replace("_", ""))
    return (sign * numerator * 10 ** shift, 1) if shift >= 0 else (sign * numerator, 10 ** -shift)


def _is_digits(text):
    return bool(text) and text[0] != "_" and text[-1] != "_" and "__" not in text and text.replace("_", "").isdecimal()


class Fraction(numbers.Rational):
    """numerator / denominator, in lowest terms."""

    __slots__ = ("_numerator", "_denominator")

    def __new__(cls, numerator=0, denominator=None):
        if denominator is None:
            if type(numerator) is int:
                return cls._made(numerator, 1)
            if isinstance(numerator, numbers.Rational):
                return cls._made(numerator.numerator, numerator.denominator)
            if isinstance(numerator, str):
                found = _parsed(numerator)
                if found is None:
                    raise ValueError(f"Invalid literal for Fraction: {numerator!r}")
                numerator, denominator = found
            elif hasattr(numerator, "as_integer_ratio") and not isinstance(numerator, type):
                return cls._made(*numerator.as_integer_ratio())
            else:
                raise TypeError("argument should be a string or a Rational instance or have the as_integer_ratio() method")
        elif isinstance(numerator, numbers.Rational) and isinstance(denominator, numbers.Rational):
            numerator, denominator = numerator.numerator * denominator.denominator, \
                denominator.numerator * numerator.denominator
        else:
            raise TypeError("both arguments should be Rational instances")
        if denominator == 0:
            raise ZeroDivisionError(f"Fraction({numerator}, 0)")
        common = gcd(numerator, denominator)
        if denominator < 0:
            common = -common
        return cls._made(numerator // common, denominator // common)

    @classmethod
    def _made(cls, numerator, denominator):
        """From numbers that are in lowest terms."""
        self = object.__new__(cls)
        self._numerator = numerator
        self._denominator = denominator
        return self

    @classmethod
    def from_float(cls, f):
        """Exactly the float. Errors: TypeError."""
        if isinstance(f, numbers.Integral):
            return cls(f)
        if not isinstance(f, float):
            raise TypeError(f"{cls.__name__}.from_float() only takes floats, not {f!r} ({type(f).__name__})")
        return cls._made(*f.as_integer_ratio())

    @classmethod
    def from_number(cls, number):
        """Exactly the number. Errors: TypeError."""
        if isinstance(number, str):
            raise TypeError("argument should be a Rational instance or have the as_integer_ratio() method")
        return cls(number)

    numerator = property(lambda self: self._numerator)
    denominator = property(lambda self: self._denominator)

    def is_integer(self):
        """Whether it is a whole number."""
        return self._denominator == 1

    def as_integer_ratio(self):
        """(numerator, denominator)"""
        return self._numerator, self._denominator

    def limit_denominator(self, max_denominator=1000000):
        """The nearest with a denominator that is not larger. Errors: ValueError."""
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self._denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._numerator, self._denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        # The convergent p1 / q1 or the one between: whichever is nearer.
        if 2 * d * (q0 + k * q1) <= self._denominator:
            return Fraction._made(p1, q1)
        return Fraction._made(p0 + k * p1, q0 + k * q1)

    def __repr__(self):
        return f"{type(self).__name__}({self._numerator}, {self._denominator})"

    def __str__(self):
        return str(self._numerator) if self._denominator == 1 else f"{self._numerator}/{self._denominator}"

    def __format__(self, format_spec):
        if not format_spec:
            return str(self)
        if format_spec[-1] in "eEfFgG%":
            return format(self._numerator / self._denominator, format_spec)
        return format(str(self), format_spec)

    # Arithmetic: with ints and fractions exact, with floats and complex numbers in their kind.

    def __add__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(self._numerator * other.denominator + other.numerator * self._denominator,
                            self._denominator * other.denominator)
        return float(self) + other if isinstance(other, (float, complex)) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(self._numerator * other.denominator - other.numerator * self._denominator,
                            self._denominator * other.denominator)
        return float(self) - other if isinstance(other, (float, complex)) else NotImplemented

    def __rsub__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(other) - self
        return other - float(self) if isinstance(other, (float, complex)) else NotImplemented

    def __mul__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(self._numerator * other.numerator, self._denominator * other.denominator)
        return float(self) * other if isinstance(other, (float, complex)) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(self._numerator * other.denominator, self._denominator * other.numerator)
        return float(self) / other if isinstance(other, (float, complex)) else NotImplemented

    def __rtruediv__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(other.numerator * self._denominator, other.denominator * self._numerator)
        return other / float(self) if isinstance(other, (float, complex)) else NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, numbers.Rational):
            return (self._numerator * other.denominator) // (self._denominator * other.numerator)
        return float(self) // other if isinstance(other, float) else NotImplemented

    def __rfloordiv__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(other) // self
        return other // float(self) if isinstance(other, float) else NotImplemented

    def __mod__(self, other):
        if isinstance(other, numbers.Rational):
            return self - other * (self // other)
        return float(self) % other if isinstance(other, float) else NotImplemented

    def __rmod__(self, other):
        if isinstance(other, numbers.Rational):
            return Fraction(other) % self
        return other % float(self) if isinstance(other, float) else NotImplemented

    def __divmod__(self, other):
        if isinstance(other, numbers.Rational):
            return self // other, self % other
        return divmod(float(self), other) if isinstance(other, float) else NotImplemented

    def __rdivmod__(self, other):
        if isinstance(other, numbers.Rational):
            return divmod(Fraction(other), self)
        return divmod(other, float(self)) if isinstance(other, float) else NotImplemented

    def __pow__(self, other, modulo=None):
        if modulo is not None:
            return NotImplemented
        if isinstance(other, numbers.Rational):
            if other.denominator != 1:
                return float(self) ** float(other)
            power = other.numerator
            if power >= 0:
                return Fraction._made(self._numerator ** power, self._denominator ** power)
            if not self._numerator:
                raise ZeroDivisionError(f"Fraction({self._denominator ** -power}, 0)")
            top, bottom = self._denominator ** -power, self._numerator ** -power
            return Fraction._made(-top, -bottom) if bottom < 0 else Fraction._made(top, bottom)
        return float(self) ** other if isinstance(other, (float, complex)) else NotImplemented

    def __rpow__(self, other, modulo=None):
        if self._denominator == 1 and self._numerator >= 0:
            return other ** self._numerator
        return other ** float(self)

    def __pos__(self):
        return Fraction._made(self._numerator, self._denominator)

    def __neg__(self):
        return Fraction._made(-self._numerator, self._denominator)

    def __abs__(self):
        return Fraction._made(abs(self._numerator), self._denominator)

    def __int__(self):
        return self.__trunc__()

    def __trunc__(self):
        return -(-self._numerator // self._denominator) if self._numerator < 0 else self._numerator // self._denominator

    def __floor__(self):
        return self._numerator // self._denominator

    def __ceil__(self):
        return -(-self._numerator // self._denominator)

    def __round__(self, ndigits=None):
        if ndigits is None:
            floor, rest = divmod(self._numerator, self._denominator)
            twice = rest * 2
            if twice == self._denominator:
                return floor + (floor & 1)
            return floor + (twice > self._denominator)
        shift = 10 ** abs(ndigits)
        return Fraction(round(self * shift), shift) if ndigits > 0 else Fraction(round(self / shift) * shift)

    def __hash__(self):
        if self._denominator == 1:
            return hash(self._numerator)
        modulus = sys.hash_info.modulus
        try:
            inverse = pow(self._denominator, -1, modulus)
        except ValueError:
            value = sys.hash_info.inf
        else:
            value = hash(hash(abs(self._numerator)) * inverse)
        result = value if self._numerator >= 0 else -value
        return -2 if result == -1 else result

    def __eq__(self, other):
        if isinstance(other, numbers.Rational):
            return self._numerator == other.numerator and self._denominator == other.denominator
        if isinstance(other, complex) and other.imag == 0:
            other = other.real
        if isinstance(other, float):
            return False if isnan(other) or isinf(other) else self == Fraction(other)
        return NotImplemented

    def _order(self, other):
        """(left, right) to compare, or None."""
        if isinstance(other, numbers.Rational):
            return self._numerator * other.denominator, self._denominator * other.numerator
        if isinstance(other, float):
            return (0.0, other) if isnan(other) or isinf(other) else self._order(Fraction(other))
        return None

    def __lt__(self, other):
        pair = self._order(other)
        return NotImplemented if pair is None else pair[0] < pair[1]

    def __le__(self, other):
        pair = self._order(other)
        return NotImplemented if pair is None else pair[0] <= pair[1]

    def __gt__(self, other):
        pair = self._order(other)
        return NotImplemented if pair is None else pair[0] > pair[1]

    def __ge__(self, other):
        pair = self._order(other)
        return NotImplemented if pair is None else pair[0] >= pair[1]

    def __bool__(self):
        return bool(self._numerator)

    def __reduce__(self):
        return type(self), (self._numerator, self._denominator)

    def __copy__(self):
        return self if type(self) is Fraction else type(self)(self._numerator, self._denominator)

    __deepcopy__ = lambda self, memo: self.__copy__()
