"""Sums, products, quotients and what is built of them. Behaviour: General Decimal Arithmetic Specification 1.70.

Each gives (result, signals)."""
from math import isqrt

from decimal._context import ROUND_FLOOR, ROUND_HALF_EVEN
from decimal._signals import DIVISION_BY_ZERO, IMPOSSIBLE, INEXACT, INVALID, ROUNDED, UNDEFINED, CLAMPED
from decimal._value import adjusted, cut, fit, fit_value, invalid, length, made, nan_of


def plus(a, context):
    found = nan_of(context, a) if a._kind else None
    if found:
        return found
    sign = a._sign if a._digits or a._kind or context.rounding == ROUND_FLOOR else 0
    return fit_value(made(sign, a._digits, a._exponent, a._kind), context)


def negated(a):
    return made(1 - a._sign, a._digits, a._exponent, a._kind)


def minus(a, context):
    found = nan_of(context, a) if a._kind else None
    return found or plus(negated(a), context)


def absolute(a, context):
    return minus(a, context) if a._sign else plus(a, context)


def add(a, b, context):
    if a._kind or b._kind:
        found = nan_of(context, a, b)
        if found:
            return found
        if a._kind and b._kind and a._sign != b._sign:
            return invalid()
        return (a if a._kind else b), 0
    exponent = min(a._exponent, b._exponent)
    if not a._digits and not b._digits:
        sign = 1 if a._sign and b._sign or (a._sign != b._sign and context.rounding == ROUND_FLOOR) else 0
        return fit(sign, 0, exponent, context)
    if not a._digits or not b._digits:
        kept = a if a._digits else b
        exponent = max(exponent, kept._exponent - context.prec - 1)
        return fit(kept._sign, *_shifted_to(kept, exponent), context)
    # Where one is far below the other's last digit that counts, any tiny number rounds as it does.
    high, low = (a, b) if a._exponent >= b._exponent else (b, a)
    high_at, low_at = adjusted(high), adjusted(low)
    edge = high._exponent + min(-1, length(high._digits) - context.prec - 2)
    low_digits, low_exponent = low._digits, low._exponent
    if high_at > low_at and low_at < edge:
        low_digits, low_exponent = 1, edge
    shift = high._exponent - low_exponent
    x = high._digits * 10 ** shift if shift else high._digits
    total = (-x if high._sign else x) + (-low_digits if low._sign else low_digits)
    if not total:
        return fit(1 if context.rounding == ROUND_FLOOR else 0, 0, exponent, context)
    return fit(1 if total < 0 else 0, abs(total), low_exponent, context)


def _shifted_to(one, exponent):
    if exponent >= one._exponent:
        return one._digits, one._exponent
    return one._digits * 10 ** (one._exponent - exponent), exponent


def subtract(a, b, context):
    found = nan_of(context, a, b) if a._kind or b._kind else None
    return found or add(a, negated(b), context)


def multiply(a, b, context):
    sign = a._sign ^ b._sign
    if a._kind or b._kind:
        found = nan_of(context, a, b)
        if found:
            return found
        other = b if a._kind else a
        if not other._kind and not other._digits:
            return invalid()
        return made(sign, 0, 0, "F"), 0
    return fit(sign, a._digits * b._digits, a._exponent + b._exponent, context)


def fma(a, b, c, context):
    """a * b + c, rounded once."""
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found and not c._kind == "N":
        return found
    if c._kind == "N" or not (a._kind or b._kind) and c._kind == "n":
        return nan_of(context, *([one for one in (a, b, c) if one._kind == "N"] or [c]))
    if a._kind or b._kind:
        product, bits = multiply(a, b, context)
        if bits:
            return product, bits
    else:
        product = made(a._sign ^ b._sign, a._digits * b._digits, a._exponent + b._exponent)
    return add(product, c, context)


def divide(a, b, context):
    sign = a._sign ^ b._sign
    if a._kind or b._kind:
        found = nan_of(context, a, b)
        if found:
            return found
        if a._kind:
            return invalid() if b._kind else (made(sign, 0, 0, "F"), 0)
        return made(sign, 0, context.Etiny()), CLAMPED
    if not b._digits:
        return (made(sign, 0, 0, "F"), DIVISION_BY_ZERO) if a._digits else invalid(UNDEFINED)
    ideal = a._exponent - b._exponent
    if not a._digits:
        return fit(sign, 0, ideal, context)
    shift = length(b._digits) - length(a._digits) + context.prec + 1
    exponent = ideal - shift
    if shift >= 0:
        digits, rest = divmod(a._digits * 10 ** shift, b._digits)
    else:
        digits, rest = divmod(a._digits, b._digits * 10 ** -shift)
    return fit(sign, *_sticky(digits, rest, exponent, ideal), context)


def _sticky(digits, rest, exponent, ideal):
    """A result that was cut off: with a rest a last digit that rounds as it does, without one as short as it may be."""
    if rest:
        return (digits + 1 if digits % 5 == 0 else digits), exponent
    while exponent < ideal and digits % 10 == 0:
        digits //= 10
        exponent += 1
    return digits, exponent


def _quotient(a, b, context):
    """(the whole quotient, the rest) of finite numbers, or None where the quotient is longer than the precision."""
    exponent = min(a._exponent, b._exponent)
    if not a._digits:
        return 0, made(a._sign, 0, exponent)
    reach = adjusted(a) - adjusted(b)
    if reach <= -2:
        return 0, made(a._sign, *_shifted_to(a, b._exponent if a._exponent > b._exponent else a._exponent))
    if reach > context.prec:
        return None
    quotient, rest = divmod(a._digits * 10 ** (a._exponent - exponent), b._digits * 10 ** (b._exponent - exponent))
    return None if quotient >= 10 ** context.prec else (quotient, made(a._sign, rest, exponent))


def _division_of_special(a, b, context):
    """For // and %: what needs no division, as ((quotient, signals), (rest, signals)), or None."""
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found:
        return found, found
    sign = a._sign ^ b._sign
    if a._kind:
        return invalid() if b._kind else (made(sign, 0, 0, "F"), 0), invalid()
    if b._kind:
        return fit(sign, 0, 0, context), fit_value(a, context)
    if not b._digits:
        return ((made(sign, 0, 0, "F"), DIVISION_BY_ZERO), invalid()) if a._digits else (invalid(UNDEFINED),) * 2
    return None


def divmod_of(a, b, context):
    """((quotient, signals), (rest, signals))."""
    special = _division_of_special(a, b, context)
    if special:
        return special
    found = _quotient(a, b, context)
    if found is None:
        return invalid(IMPOSSIBLE), invalid(IMPOSSIBLE)
    quotient, rest = found
    return fit(a._sign ^ b._sign, quotient, 0, context), fit_value(rest, context)


def divide_int(a, b, context):
    return divmod_of(a, b, context)[0]


def remainder(a, b, context):
    return divmod_of(a, b, context)[1]


def remainder_near(a, b, context):
    """The rest to the nearest multiple of b, to the even one of two."""
    special = _division_of_special(a, b, context)
    if special:
        return special[1]
    found = _quotient(a, b, context)
    if found is None:
        return invalid(IMPOSSIBLE)
    quotient, rest = found
    exponent = min(rest._exponent, b._exponent)
    part, unit = rest._digits * 10 ** (rest._exponent - exponent), b._digits * 10 ** (b._exponent - exponent)
    sign = rest._sign
    if 2 * part > unit or 2 * part == unit and quotient & 1:
        quotient += 1
        part, sign = unit - part, 1 - sign
    if quotient >= 10 ** context.prec:
        return invalid(IMPOSSIBLE)
    return fit(sign, part, exponent, context)


def rescaled(a, exponent, rounding):
    """(a with that exponent, whether anything but zeros was cut off), of a finite number."""
    if a._exponent >= exponent:
        return made(a._sign, a._digits * 10 ** (a._exponent - exponent), exponent), False
    drop = exponent - a._exponent
    if drop > length(a._digits) + 1:  # a digit stands for what is far below the unit
        digits, is_inexact = cut(1 if a._digits else 0, 2, rounding, a._sign)
    else:
        digits, is_inexact = cut(a._digits, drop, rounding, a._sign)
    return made(a._sign, digits, exponent), is_inexact


def quantize(a, b, context, rounding=None):
    """a with the exponent of b."""
    if a._kind or b._kind:
        found = nan_of(context, a, b)
        if found:
            return found
        return (a, 0) if a._kind and b._kind else invalid()
    exponent = b._exponent
    if not context.Etiny() <= exponent <= context.Emax:
        return invalid()
    if not a._digits:
        return fit(a._sign, 0, exponent, context)
    if adjusted(a) > context.Emax or adjusted(a) - exponent + 1 > context.prec:
        return invalid()
    kept, is_inexact = rescaled(a, exponent, rounding or context.rounding)
    if adjusted(kept) > context.Emax or length(kept._digits) > context.prec:
        return invalid()
    bits = (ROUNDED if kept._exponent > a._exponent else 0) | (INEXACT if is_inexact else 0)
    fitted, more = fit(kept._sign, kept._digits, kept._exponent, context)
    return fitted, bits | more


def to_integral(a, context, rounding=None, is_exact=False):
    """a as a whole number; without is_exact nothing is signalled."""
    found = nan_of(context, a) if a._kind else None
    if found:
        return found
    if a._kind or a._exponent >= 0:
        return a, 0
    if not a._digits:
        return made(a._sign, 0, 0), 0
    kept, is_inexact = rescaled(a, 0, rounding or context.rounding)
    return kept, ((INEXACT if is_inexact else 0) | ROUNDED) if is_exact else 0


def normalize(a, context):
    """The shortest form."""
    found = nan_of(context, a) if a._kind else None
    if found:
        return found
    fitted, bits = fit_value(a, context)
    if fitted._kind:
        return fitted, bits
    if not fitted._digits:
        return made(fitted._sign, 0, 0), bits
    most = context.Etop() if context.clamp else context.Emax
    digits, exponent = fitted._digits, fitted._exponent
    while digits % 10 == 0 and exponent < most:
        digits //= 10
        exponent += 1
    return made(fitted._sign, digits, exponent), bits


def square_root(a, context):
    """Rounded half to even, whatever the context says."""
    if a._kind:
        return nan_of(context, a) or (invalid() if a._sign else (a, 0))
    if not a._digits:
        return fit(a._sign, 0, a._exponent // 2, context)
    if a._sign:
        return invalid()
    digits, exponent = a._digits, a._exponent
    if exponent & 1:
        digits *= 10
        exponent -= 1
    shift = context.prec + 1 - (length(digits) + 1 >> 1)
    if shift >= 0:
        wide, rest = digits * 100 ** shift, 0
    else:
        wide, rest = divmod(digits, 100 ** -shift)
    root = isqrt(wide)
    is_exact = not rest and root * root == wide
    at = exponent // 2 - shift
    even = context.copy()
    even.rounding = ROUND_HALF_EVEN
    if not is_exact:
        return fit(0, *_sticky(root, 1, at, at), even)
    if at > exponent // 2:
        root, at = root * 10 ** (at - exponent // 2), exponent // 2
    return fit(0, *_sticky(root, 0, at, exponent // 2), even)


def order(a, b):
    """-1, 0 or 1 of numbers that are no NaN."""
    if a._kind or b._kind:
        x = 0 if not a._kind else -1 if a._sign else 1
        y = 0 if not b._kind else -1 if b._sign else 1
        return (x > y) - (x < y)
    if not a._digits or not b._digits:
        x = 0 if not a._digits else -1 if a._sign else 1
        y = 0 if not b._digits else -1 if b._sign else 1
        return (x > y) - (x < y)
    if a._sign != b._sign:
        return -1 if a._sign else 1
    x, y = adjusted(a), adjusted(b)
    if x == y:
        exponent = min(a._exponent, b._exponent)
        x, y = a._digits * 10 ** (a._exponent - exponent), b._digits * 10 ** (b._exponent - exponent)
    return ((x > y) - (x < y)) * (-1 if a._sign else 1)


def compare(a, b, context, is_signal=False):
    """-1, 0 or 1 as a number."""
    if a._kind or b._kind:
        found = nan_of(context, a, b)
        if found:
            return (found[0], INVALID) if is_signal else found
    way = order(a, b)
    return made(1 if way < 0 else 0, abs(way), 0), 0


def total_order(a, b):
    """-1, 0 or 1 of the order of all numbers, NaNs among them."""
    if a._sign != b._sign:
        return -1 if a._sign else 1
    sign = -1 if a._sign else 1
    ranks = {"n": 2, "N": 1}
    x, y = ranks.get(a._kind, 0), ranks.get(b._kind, 0)
    if x == y and x:
        x, y = a._digits, b._digits
    elif not x and not y:
        way = order(a, b)
        if way:
            return way
        x, y = (0, 0) if a._kind else (a._exponent, b._exponent)
    return ((x > y) - (x < y)) * sign
