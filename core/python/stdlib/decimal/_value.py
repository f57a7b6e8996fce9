"""The bare number (sign, digits as an int, exponent), and rounding. Behaviour: General Decimal Arithmetic Specification 1.70.

`kind` is "" for finite numbers, else "F" (infinity), "n" (NaN; its payload is the digits) or "N" (signalling NaN). What a
calculation signals is gathered as bits beside its result."""
from decimal._context import (ROUND_05UP, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN,
                              ROUND_HALF_UP, ROUND_UP)
from decimal._signals import CLAMPED, INEXACT, INVALID, OVERFLOW, ROUNDED, SUBNORMAL, UNDERFLOW

_class = []  # Decimal, once it is defined


def made(sign, digits, exponent, kind=""):
    self = object.__new__(_class[0])
    self._sign, self._digits, self._exponent, self._kind = sign, digits, exponent, kind
    return self


def length(digits):
    """How many decimal digits a whole number has; zero has one."""
    return len(str(digits))


def adjusted(one):
    """The exponent of the first digit."""
    return one._exponent + length(one._digits) - 1


def goes_up(digits, part, unit, rounding, sign):
    """Whether `digits`, behind which part / unit was cut off (0 < part < unit), are rounded away from zero."""
    if rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN):
        twice = part + part
        if twice != unit:
            return twice > unit
        return rounding == ROUND_HALF_UP or rounding == ROUND_HALF_EVEN and digits & 1 == 1
    if rounding == ROUND_05UP:
        return digits % 5 == 0
    return rounding == ROUND_UP or rounding == (ROUND_FLOOR if sign else ROUND_CEILING)


def cut(digits, count, rounding, sign):
    """`digits` without their last `count`, rounded; and whether anything but zeros was cut off."""
    unit = 10 ** count
    kept, part = divmod(digits, unit)
    if not part:
        return kept, False
    return kept + (1 if goes_up(kept, part, unit, rounding, sign) else 0), True


def _overflow(sign, context):
    rounding = context.rounding
    to_infinity = rounding in (ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_UP) or (
        rounding == (ROUND_FLOOR if sign else ROUND_CEILING))
    if to_infinity:
        return made(sign, 0, 0, "F")
    return made(sign, 10 ** context.prec - 1, context.Etop())


def fit(sign, digits, exponent, context):
    """(the number rounded to a context, what that signals)."""
    prec = context.prec
    tiny = context.Emin - prec + 1
    top = context.Emax - prec + 1
    if digits == 0:
        kept = min(max(exponent, tiny), top if context.clamp else context.Emax)
        return made(sign, 0, kept), 0 if kept == exponent else CLAMPED
    count = length(digits)
    least = count + exponent - prec  # the exponent that leaves `prec` digits
    if least > top:
        return _overflow(sign, context), OVERFLOW | INEXACT | ROUNDED
    is_subnormal = least < tiny
    bits = SUBNORMAL if is_subnormal else 0
    if is_subnormal:
        least = tiny
    if exponent < least:
        if least - exponent > count + 2:  # far below the last digit that there is
            digits, exponent = 1, least - 2
        digits, is_inexact = cut(digits, least - exponent, context.rounding, sign)
        exponent = least
        bits |= ROUNDED
        if digits == 10 ** prec:
            digits //= 10
            exponent += 1
            if exponent > top:
                return _overflow(sign, context), OVERFLOW | INEXACT | ROUNDED
        if is_inexact:
            bits |= INEXACT | (UNDERFLOW if is_subnormal else 0)
        if not digits:
            bits |= CLAMPED
        return made(sign, digits, exponent), bits
    if context.clamp and exponent > top:
        return made(sign, digits * 10 ** (exponent - top), top), bits | CLAMPED
    return made(sign, digits, exponent), bits


def fit_value(one, context):
    """The same of a number that may be an infinity or a NaN, whose payload is cut."""
    if not one._kind:
        return fit(one._sign, one._digits, one._exponent, context)
    if one._kind != "F":
        room = context.prec - context.clamp
        if one._digits and length(one._digits) > room:
            return made(one._sign, one._digits % 10 ** room, 0, one._kind), 0
    return one, 0


def nan_of(context, *numbers):
    """(the NaN that an operation on these gives, signals), or None: a signalling one goes first."""
    for kind in "Nn":
        for one in numbers:
            if one._kind == kind:
                quiet = made(one._sign, one._digits, 0, "n")
                return fit_value(quiet, context)[0], INVALID if kind == "N" else 0
    return None


def invalid(bits=INVALID):
    return made(0, 0, 0, "n"), bits
