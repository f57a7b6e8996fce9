"""Context: a context with the operations as methods. Behaviour: CPython Modules/_decimal/_decimal.c."""
from decimal import _arithmetic, _powers
from decimal._context import ContextBase
from decimal._number import Decimal
from decimal._operators import METHODS
from decimal._signals import SYNTAX
from decimal._value import fit_value, length


class Context(ContextBase):
    """How results are rounded, and which signals raise."""

    __module__ = "decimal"

    def _done(self, result_and_bits):
        result, bits = result_and_bits
        self.report(bits)
        return result

    def create_decimal(self, num="0", /):
        """A number, rounded to this context."""
        if isinstance(num, str) and (num != num.strip() or "_" in num):
            self.report(SYNTAX)
            return Decimal("NaN")
        made = Decimal(num, self)
        if made._kind in ("n", "N") and length(made._digits) > self.prec - self.clamp:
            self.report(SYNTAX)
            return Decimal("NaN")
        return self._done(fit_value(made, self))

    def create_decimal_from_float(self, f, /):
        return self._done(fit_value(Decimal.from_float(f), self))

    def power(self, a, b, modulo=None):
        a, b = Decimal._converted(a), Decimal._converted(b)
        if modulo is None:
            return self._done(_powers.power(a, b, self))
        return self._done(_powers.power_modulo(a, b, Decimal._converted(modulo), self))

    def divmod(self, a, b, /):
        (quotient, bits), (rest, more) = _arithmetic.divmod_of(Decimal._converted(a), Decimal._converted(b), self)
        self.report(bits | more)
        return quotient, rest

    def quantize(self, a, b, /):
        return self._done(_arithmetic.quantize(Decimal._converted(a), Decimal._converted(b), self))

    def to_integral_exact(self, a, /):
        return self._done(_arithmetic.to_integral(Decimal._converted(a), self, is_exact=True))

    def to_integral_value(self, a, /):
        return self._done(_arithmetic.to_integral(Decimal._converted(a), self))

    to_integral = to_integral_value

    def compare_signal(self, a, b, /):
        return self._done(_arithmetic.compare(Decimal._converted(a), Decimal._converted(b), self, True))

    def to_sci_string(self, a, /):
        from decimal._text import text_of
        return text_of(Decimal._converted(a), self.capitals)

    def to_eng_string(self, a, /):
        return Decimal._converted(a).to_eng_string(self)

    def copy_decimal(self, a, /):
        return Decimal._converted(a)


def _operation(name, kernel, count):
    if count == 0:
        def operation(self, a, /):
            return self._done(kernel(Decimal._converted(a), self))
    elif count == 1:
        def operation(self, a, b, /):
            return self._done(kernel(Decimal._converted(a), Decimal._converted(b), self))
    else:
        def operation(self, a, b, c, /):
            return self._done(kernel(Decimal._converted(a), Decimal._converted(b), Decimal._converted(c), self))
    operation.__name__ = name
    operation.__qualname__ = f"Context.{name}"
    setattr(Context, name, operation)


for _name, (_kernel, _count) in METHODS.items():
    _operation(_name, _kernel, _count)
for _name, _kernel, _count in (
        ("abs", _arithmetic.absolute, 0), ("minus", _arithmetic.minus, 0), ("plus", _arithmetic.plus, 0),
        ("add", _arithmetic.add, 1), ("subtract", _arithmetic.subtract, 1), ("multiply", _arithmetic.multiply, 1),
        ("divide", _arithmetic.divide, 1), ("divide_int", _arithmetic.divide_int, 1),
        ("remainder", _arithmetic.remainder, 1)):
    _operation(_name, _kernel, _count)


def _question(name):
    """A method of numbers that asks something of them."""
    def ask(self, a, *others):
        return getattr(Decimal._converted(a), name)(*others)

    def ask_within(self, a, *others):
        return getattr(Decimal._converted(a), name)(*others, context=self)

    chosen = ask_within if name in ("is_normal", "is_subnormal", "number_class") else ask
    chosen.__name__ = name
    chosen.__qualname__ = f"Context.{name}"
    setattr(Context, name, chosen)


for _name in ("canonical", "compare_total", "compare_total_mag", "copy_abs", "copy_negate", "copy_sign", "is_canonical",
              "is_finite", "is_infinite", "is_nan", "is_normal", "is_qnan", "is_signed", "is_snan", "is_subnormal",
              "is_zero", "number_class", "same_quantum"):
    _question(_name)
