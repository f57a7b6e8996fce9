"""What Decimal has of operators and methods that calculate. Behaviour: CPython Modules/_decimal/_decimal.c.

They take a context, the current one where none is given, round to it and signal there."""
import numbers as _numbers

from decimal import _arithmetic, _context, _digits, _powers
from decimal._signals import FLOAT_OPERATION, INVALID
from decimal._value import fit_value, made


def _operand(other):
    """An int or Decimal as a number, None for anything else."""
    if hasattr(other, "_exponent") and isinstance(other, Operators):
        return other
    if isinstance(other, int):
        return made(1 if other < 0 else 0, abs(int(other)), 0)
    return None


def _operator(kernel):
    """(a op b, b op a)."""
    def forward(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        context = _context.getcontext()
        result, bits = kernel(self, other, context)
        if bits:
            context.report(bits)
        return result

    def backward(self, other):
        other = _operand(other)
        return NotImplemented if other is None else forward(other, self)

    return forward, backward


def _unary_operator(kernel):
    def operator(self):
        context = _context.getcontext()
        result, bits = kernel(self, context)
        context.report(bits)
        return result

    return operator


def _method(name, kernel, count):
    """A method of so many numbers besides itself."""
    def done(result_and_bits, context):
        result, bits = result_and_bits
        context.report(bits)
        return result

    if count == 0:
        def method(self, context=None):
            context = context or _context.getcontext()
            return done(kernel(self, context), context)
    elif count == 1:
        def method(self, other, context=None):
            context = context or _context.getcontext()
            return done(kernel(self, self._converted(other), context), context)
    else:
        def method(self, other, third, context=None):
            context = context or _context.getcontext()
            return done(kernel(self, self._converted(other), self._converted(third), context), context)
    method.__name__ = name
    method.__qualname__ = f"Decimal.{name}"
    return method


def _comparison(test, is_equality):
    def compare(self, other):
        x, y = self, _operand(other)
        if y is None:
            if isinstance(other, float) or isinstance(other, complex) and is_equality and other.imag == 0:
                other = other.real
                context = _context.getcontext()
                if is_equality:
                    context._flags |= FLOAT_OPERATION
                else:
                    context.report(FLOAT_OPERATION)
                y = type(self).from_float(other)
            elif isinstance(other, _numbers.Rational):
                if not self._kind:
                    x = made(self._sign, self._digits * other.denominator, self._exponent)
                y = made(1 if other.numerator < 0 else 0, abs(other.numerator), 0)
            else:
                return NotImplemented
        if x._kind in ("n", "N") or y._kind in ("n", "N"):
            if not is_equality or "N" in (x._kind, y._kind):
                _context.getcontext().report(INVALID)
            return test is _unequal
        return test(_arithmetic.order(x, y))

    return compare


def _unequal(way):
    return way != 0


class Operators:
    __slots__ = ()

    @staticmethod
    def _converted(other):
        """Errors: TypeError."""
        found = _operand(other)
        if found is None:
            raise TypeError(f"conversion from {type(other).__name__} to Decimal is not supported")
        return found

    __add__, __radd__ = _operator(_arithmetic.add)
    __sub__, __rsub__ = _operator(_arithmetic.subtract)
    __mul__, __rmul__ = _operator(_arithmetic.multiply)
    __truediv__, __rtruediv__ = _operator(_arithmetic.divide)
    __floordiv__, __rfloordiv__ = _operator(_arithmetic.divide_int)
    __mod__, __rmod__ = _operator(_arithmetic.remainder)
    __neg__ = _unary_operator(_arithmetic.minus)
    __pos__ = _unary_operator(_arithmetic.plus)
    __abs__ = _unary_operator(_arithmetic.absolute)
    __eq__ = _comparison(lambda way: way == 0, True)
    __ne__ = _comparison(_unequal, True)
    __lt__ = _comparison(lambda way: way < 0, False)
    __le__ = _comparison(lambda way: way <= 0, False)
    __gt__ = _comparison(lambda way: way > 0, False)
    __ge__ = _comparison(lambda way: way >= 0, False)
    __hash__ = None

    def __divmod__(self, other):
        other = _operand(other)
        if other is None:
            return NotImplemented
        context = _context.getcontext()
        (quotient, bits), (rest, more) = _arithmetic.divmod_of(self, other, context)
        context.report(bits | more)
        return quotient, rest

    def __rdivmod__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else divmod(other, self)

    def __pow__(self, other, modulo=None):
        other = _operand(other)
        if other is None:
            return NotImplemented
        context = _context.getcontext()
        if modulo is None:
            result, bits = _powers.power(self, other, context)
        else:
            modulo = _operand(modulo)
            if modulo is None:
                return NotImplemented
            result, bits = _powers.power_modulo(self, other, modulo, context)
        context.report(bits)
        return result

    def __rpow__(self, other):
        other = _operand(other)
        return NotImplemented if other is None else other ** self

    def quantize(self, exp, rounding=None, context=None):
        """The number with the exponent of `exp`."""
        context = context or _context.getcontext()
        _check_rounding(rounding)
        result, bits = _arithmetic.quantize(self, self._converted(exp), context, rounding)
        context.report(bits)
        return result

    def to_integral_value(self, rounding=None, context=None):
        context = context or _context.getcontext()
        _check_rounding(rounding)
        result, bits = _arithmetic.to_integral(self, context, rounding)
        context.report(bits)
        return result

    to_integral = to_integral_value

    def to_integral_exact(self, rounding=None, context=None):
        context = context or _context.getcontext()
        _check_rounding(rounding)
        result, bits = _arithmetic.to_integral(self, context, rounding, True)
        context.report(bits)
        return result

    def compare_signal(self, other, context=None):
        context = context or _context.getcontext()
        result, bits = _arithmetic.compare(self, self._converted(other), context, True)
        context.report(bits)
        return result


def _check_rounding(rounding):
    if rounding is not None and rounding not in _context.ROUNDINGS:
        raise TypeError("valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n   "
                        "ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]")


# name -> (what does it, how many numbers it takes besides the first)
METHODS = {
    "compare": (_arithmetic.compare, 1), "exp": (_powers.exp, 0), "fma": (_arithmetic.fma, 2), "ln": (_powers.ln, 0),
    "log10": (_powers.log10, 0), "logb": (_digits.logb, 0), "logical_and": (_digits.logical_and, 1),
    "logical_invert": (_digits.logical_invert, 0), "logical_or": (_digits.logical_or, 1),
    "logical_xor": (_digits.logical_xor, 1), "max": (_digits.max_of, 1), "max_mag": (_digits.max_mag, 1),
    "min": (_digits.min_of, 1), "min_mag": (_digits.min_mag, 1), "next_minus": (_digits.next_minus, 0),
    "next_plus": (_digits.next_plus, 0), "next_toward": (_digits.next_toward, 1), "normalize": (_arithmetic.normalize, 0),
    "remainder_near": (_arithmetic.remainder_near, 1), "rotate": (_digits.rotate, 1), "scaleb": (_digits.scaleb, 1),
    "shift": (_digits.shift, 1), "sqrt": (_arithmetic.square_root, 0),
}
for _name, (_kernel, _count) in METHODS.items():
    setattr(Operators, _name, _method(_name, _kernel, _count))
