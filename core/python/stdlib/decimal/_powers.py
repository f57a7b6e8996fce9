"""exp, ln, log10 and power, rounded correctly. Behaviour: General Decimal Arithmetic Specification 1.70.

All is computed with whole numbers that stand for so many decimals, with more of them until the rounding is certain (Ziv)."""
from math import gcd, isqrt

from decimal._arithmetic import order
from decimal._context import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN
from decimal._signals import INEXACT, ROUNDED
from decimal._value import adjusted, fit, invalid, length, made, nan_of


def _log_near(x, one):
    """ln(x / one) * one for x / one in (0.9, 1.2), by the series of the inverse hyperbolic tangent."""
    z = abs(x - one) * one // (x + one)
    square, power, total, k = z * z // one, z, z, 3
    while power:
        power = power * square // one
        total += power // k
        k += 2
    return 2 * total if x >= one else -2 * total


_constants = {}  # name -> (decimals, value)


def _constant(name, places):
    """ln 2 or ln 10 with so many decimals, kept for the next time."""
    kept = _constants.get(name)
    if kept is None or kept[0] < places:
        wide = places + 20
        one = 10 ** wide
        # 2 ** 10 = 1000 * 1.024, and 10 = 2 ** 3 * 1.25 where 1.25 = 1.024 ** 9 * (1.25 / 1.024 ** 9).
        near = _log_near(1024 * one // 1000, one)
        rest = _log_near(125 * 1000 ** 9 * one // (100 * 1024 ** 9), one)
        # 10 ln 2 - 3 ln 10 = near; ln 10 - 3 ln 2 = 9 near + rest.
        two = near + 3 * (9 * near + rest)
        ten = 3 * two + 9 * near + rest
        kept = _constants["ln2"], _constants["ln10"] = (wide, two), (wide, ten)
        kept = _constants[name]
    return kept[1] // 10 ** (kept[0] - places)


def _ln(digits, exponent, places):
    """ln(digits * 10 ** exponent) * 10 ** places, wrong by a few units."""
    wide = places + 8
    one = 10 ** wide
    count = length(digits)
    x = digits * 10 ** (wide - count) if wide >= count else digits // 10 ** (count - wide)  # 0.1 <= x / one < 1
    exponent += count
    halvings = 0
    while x < one * 7 // 10:
        x += x
        halvings += 1
    # Roots bring x near 1, where the series is short.
    roots = 0
    while abs(x - one) > one // 1000 and roots < 12:
        x = isqrt(x * one)
        roots += 1
    total = _log_near(x, one) * 2 ** roots
    if exponent:
        total += exponent * _constant("ln10", wide)
    if halvings:
        total -= halvings * _constant("ln2", wide)
    return total // 10 ** 8


def _exp(value, places, count):
    """(digits, exponent) of exp(value / 10 ** places), some `count` digits of which are good."""
    ten = _constant("ln10", places)
    exponent, rest = divmod(value, ten)
    wide = count + 6
    x = rest * 10 ** (wide - places) if wide >= places else rest // 10 ** (places - wide)
    one = 10 ** wide
    # exp(x) = exp(x / 2 ** k) ** (2 ** k)
    halvings = 8 + count // 30
    guard = one << (halvings + 8)
    small = (x << (halvings + 8)) >> halvings
    term = total = guard
    k = 1
    while term:
        term = term * small // (guard * k)
        total += term
        k += 1
    for _ in range(halvings):
        total = total * total // guard
    return total >> (halvings + 8), exponent - wide


def _half_even(context):
    """exp and logarithms are rounded half to even, whatever the context says."""
    made = context.copy()
    made.rounding = ROUND_HALF_EVEN
    return made


def _certain(sign, compute, context):
    """Rounds what compute(count) gives as (digits, exponent), of which all but the last three digits are certain."""
    extra = 6
    while True:
        digits, exponent = compute(context.prec + extra)
        lost = length(digits) - context.prec
        unit = 10 ** lost
        part = digits % unit
        if lost > 4 and 1000 < part < unit - 1000 and abs(2 * part - unit) > 2000:
            return fit(sign, digits + (1 if digits % 5 == 0 else 0), exponent, context)
        extra += 3 + extra


def exp(a, context):
    if a._kind:
        return nan_of(context, a) or ((made(0, 0, 0), 0) if a._sign else (a, 0))
    if not a._digits:
        return made(0, 1, 0), 0
    context, prec = _half_even(context), context.prec
    if adjusted(a) > 20:
        # Beyond all exponents.
        return fit(0, 1, 20 * (MIN_EMIN if a._sign else MAX_EMAX), context)
    if adjusted(a) < -prec - 1:
        # 1 and so little that only the direction counts.
        return fit(0, 10 ** (prec + 1) + (-1 if a._sign else 1), -prec - 1, context)

    def compute(count):
        places = count + max(0, adjusted(a)) + 8
        shift = places + a._exponent
        value = a._digits * 10 ** shift if shift >= 0 else a._digits // 10 ** -shift
        if a._sign:
            value = -value
        return _exp(value, places, count)

    return _certain(0, compute, context)


def _log_digits(digits, exponent, count, is_common):
    """(digits, exponent, sign) of a logarithm, some `count` digits of which are good."""
    places = count + 4
    while True:
        value = _ln(digits, exponent, places + 4)
        if is_common:
            value = value * 10 ** (places + 4) // _constant("ln10", places + 4)
        value //= 10 ** 4
        have = length(abs(value))
        if value and have >= count:
            return abs(value) // 10 ** (have - count), have - count - places, 1 if value < 0 else 0
        places += count - have + 4 if value else count


def ln(a, context, is_common=False):
    if a._kind == "n" or a._kind == "N":
        return nan_of(context, a)
    if not a._kind and not a._digits:
        return made(1, 0, 0, "F"), 0
    if a._sign:
        return invalid()
    if a._kind:
        return a, 0
    context = _half_even(context)
    bare = str(a._digits).rstrip("0")
    if bare == "1":
        power = adjusted(a)
        if is_common:
            return fit(1 if power < 0 else 0, abs(power), 0, context)
        if not power:
            return made(0, 0, 0), 0
    sign = _log_digits(a._digits, a._exponent, 6, is_common)[2]
    return _certain(sign, lambda count: _log_digits(a._digits, a._exponent, count, is_common)[:2], context)


def log10(a, context):
    return ln(a, context, True)


def _as_int(b):
    """A finite number as an int, or None. A large one is told by its parity and size alone: 10 ** 40 at most."""
    if b._exponent >= 0:
        size = b._digits * 10 ** min(b._exponent, 40)
    else:
        size, rest = divmod(b._digits, 10 ** -b._exponent) if -b._exponent <= length(b._digits) else (0, b._digits)
        if rest:
            return None
    return -size if b._sign else size


def _root(value, degree):
    """The whole root of that degree, or None."""
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle ** degree <= value:
            low = middle
        else:
            high = middle - 1
    return low if low ** degree == value else None


def _exact_power(digits, exponent, b, prec):
    """(digits, exponent) of (digits * 10 ** exponent) ** b if that is a decimal of at most prec + 2 digits, else None."""
    if b._exponent > 30 or b._exponent < -400:
        return None
    while digits % 10 == 0:
        digits //= 10
        exponent += 1
    count, degree = b._digits * 10 ** max(b._exponent, 0), 10 ** max(-b._exponent, 0)
    common = gcd(count, degree)
    count, degree = count // common, degree // common
    if degree > 1:
        # A rational root: of the digits and of the power of ten together.
        if degree > 4 * digits.bit_length() + 8 * degree.bit_length() and digits != 1:
            return None
        spare = exponent % degree
        if spare > 400:
            return None
        root = 1 if digits == 1 and not spare else _root(digits * 10 ** spare, degree)
        if root is None:
            # As 0.5 ** 0.5 has none, with more digits there is none either.
            return None
        digits, exponent = root, (exponent - spare) // degree
        while digits and digits % 10 == 0:
            digits //= 10
            exponent += 1
    if digits == 1:
        return 1, exponent * (-count if b._sign else count)
    if count * (digits.bit_length() - 1) > 8 * (prec + 4):
        return None
    whole = digits ** count
    if not b._sign:
        return whole, exponent * count
    # 1 / whole is a decimal where whole has no factors but 2 and 5.
    twos = fives = 0
    rest = whole
    while rest % 2 == 0:
        rest //= 2
        twos += 1
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        return None
    places = max(twos, fives)
    return 10 ** places // whole, -exponent * count - places


def power(a, b, context):
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found:
        return found
    if not b._kind and not b._digits:
        return invalid() if not a._kind and not a._digits else (made(0, 1, 0), 0)
    whole = None if b._kind else _as_int(b)
    sign = 0
    if a._sign:
        if whole is not None:
            sign = whole & 1
        elif a._kind or a._digits:
            return invalid()
        a = made(0, a._digits, a._exponent, a._kind)
    if not a._kind and not a._digits:
        return (made(sign, 0, 0, "F") if b._sign else made(sign, 0, 0)), 0
    if a._kind:
        return (made(sign, 0, 0) if b._sign else made(sign, 0, 0, "F")), 0
    way = order(a, made(0, 1, 0))
    if b._kind:
        if not way:
            return fit(0, 10 ** (context.prec - 1), 1 - context.prec, context)[0], INEXACT | ROUNDED
        return (made(0, 0, 0, "F") if (way > 0) != bool(b._sign) else made(0, 0, 0)), 0
    exact = _exact_power(a._digits, a._exponent, b, context.prec)
    if exact is not None:
        return _fit_exact(sign, exact, a, b, whole, context)
    # The size tells whether it is beyond all exponents.
    rough = (adjusted(a) if adjusted(a) >= 0 else -adjusted(a) - 1) or 1
    if adjusted(b) + length(rough) > 25:
        grows = (way > 0) != bool(b._sign)
        return fit(sign, 1, 20 * (MAX_EMAX if grows else MIN_EMIN), context)

    def compute(count):
        more = max(0, adjusted(b)) + length(abs(adjusted(a)) + 1) + 6
        places = count + more + 4
        log = _ln(a._digits, a._exponent, places)
        scaled = log * b._digits
        value = scaled * 10 ** b._exponent if b._exponent >= 0 else scaled // 10 ** -b._exponent
        if b._sign:
            value = -value
        return _exp(value, places, count)

    return _certain(sign, compute, context)


def _fit_exact(sign, exact, a, b, whole, context):
    """An exact power has the exponent that the base's would give, as far as there is room; one of no integer fills it."""
    digits, exponent = exact
    if whole is not None and not b._sign:
        ideal = a._exponent * whole if abs(whole) < 10 ** 30 else exponent
    elif whole is not None:
        ideal = exponent
    else:
        ideal = exponent - context.prec
    room = context.prec - length(digits)
    if ideal < exponent and room > 0:
        drop = min(room, exponent - ideal)
        digits, exponent = digits * 10 ** drop, exponent - drop
    fitted, bits = fit(sign, digits, exponent, context)
    if whole is None:
        bits |= INEXACT | ROUNDED
    return fitted, bits


def power_modulo(a, b, modulo, context):
    """(a ** b) % modulo of whole numbers."""
    found = nan_of(context, a, b, modulo) if a._kind or b._kind or modulo._kind else None
    if found:
        return found
    if a._kind or b._kind or modulo._kind:
        return invalid()
    x, y, z = _as_int(a), _as_int(b), _as_int(modulo)
    if x is None or y is None or z is None or y < 0 or not z or adjusted(modulo) >= context.prec or not (x or y):
        return invalid()
    sign = 1 if a._sign and y & 1 else 0
    base = a._digits * pow(10, a._exponent, abs(z)) if a._exponent >= 0 else abs(x)
    return made(sign, pow(base, y, abs(z)), 0), 0
