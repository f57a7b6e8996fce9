"""What a calculation may signal, as classes and as bits. Behaviour: CPython Lib/_pydecimal.py, Modules/_decimal."""


class DecimalException(ArithmeticError):
    """What all signals are."""


class Clamped(DecimalException):
    """The exponent of a result was changed to fit."""


class InvalidOperation(DecimalException):
    """There is no answer."""


class ConversionSyntax(InvalidOperation):
    """A text is no number."""


class DivisionByZero(DecimalException, ZeroDivisionError):
    """A number other than zero was divided by zero."""


class DivisionImpossible(InvalidOperation):
    """The quotient of // has more digits than the precision."""


class DivisionUndefined(InvalidOperation, ZeroDivisionError):
    """Zero was divided by zero."""


class Inexact(DecimalException):
    """The result was rounded, and what was left out is not zero."""


class InvalidContext(InvalidOperation):
    """The context cannot do that."""


class Rounded(DecimalException):
    """Digits were left out."""


class Subnormal(DecimalException):
    """The exponent of the result is below Emin."""


class Overflow(Inexact, Rounded):
    """The result is too large."""


class Underflow(Inexact, Rounded, Subnormal):
    """The result is too small, and inexact."""


class FloatOperation(DecimalException, TypeError):
    """A float met a Decimal."""


SIGNALS = (InvalidOperation, FloatOperation, DivisionByZero, Overflow, Underflow, Subnormal, Inexact, Rounded, Clamped)
_CONDITIONS = (ConversionSyntax, DivisionImpossible, DivisionUndefined, InvalidContext)

# Each signal is a bit; a condition of InvalidOperation has its own besides.
(INVALID, FLOAT_OPERATION, DIVISION_BY_ZERO, OVERFLOW, UNDERFLOW, SUBNORMAL, INEXACT, ROUNDED, CLAMPED) = (
    1 << at for at in range(9))
SYNTAX, IMPOSSIBLE, UNDEFINED, BAD_CONTEXT = (INVALID | 1 << at for at in range(9, 13))
BITS = {signal: 1 << at for at, signal in enumerate(SIGNALS)}

for _class in (DecimalException, *SIGNALS, *_CONDITIONS):
    _class.__module__ = "decimal"


def bits_of(signals):
    """The bits of a list of signals. Errors: TypeError."""
    bits = 0
    for signal in signals:
        if signal not in BITS:
            raise TypeError("values must be signals")
        bits |= BITS[signal]
    return bits


def exception_of(bits):
    """The exception of the signals that are trapped: the class of the first, and all of them as its argument."""
    first = next(signal for signal in SIGNALS if bits & BITS[signal])
    told = [condition for at, condition in enumerate(_CONDITIONS) if bits & 1 << (9 + at)]
    told += [signal for signal in SIGNALS if bits & BITS[signal] and not (signal is InvalidOperation and told)]
    return first(told)
