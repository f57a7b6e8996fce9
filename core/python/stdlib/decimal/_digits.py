"""Operations on digits and exponents. Behaviour: General Decimal Arithmetic Specification 1.70, "miscellaneous operations"."""
from decimal._arithmetic import add, order, total_order
from decimal._context import ROUND_CEILING, ROUND_FLOOR
from decimal._signals import CLAMPED, DIVISION_BY_ZERO, INEXACT, OVERFLOW, ROUNDED, SUBNORMAL, UNDERFLOW
from decimal._value import adjusted, fit, fit_value, invalid, length, made, nan_of


def logb(a, context):
    """The exponent of the first digit, as a number."""
    if a._kind:
        return nan_of(context, a) or (made(0, 0, 0, "F"), 0)
    if not a._digits:
        return made(1, 0, 0, "F"), DIVISION_BY_ZERO
    at = adjusted(a)
    return fit(1 if at < 0 else 0, abs(at), 0, context)


def _whole(b):
    """A finite number as an int, None if it has decimals."""
    if b._kind or b._exponent < 0 and b._digits % 10 ** -b._exponent or b._exponent > 30:
        return None
    size = b._digits * 10 ** b._exponent if b._exponent >= 0 else b._digits // 10 ** -b._exponent
    return -size if b._sign else size


def scaleb(a, b, context):
    """a with b added to its exponent."""
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found:
        return found
    count = _whole(b) if b._exponent == 0 else None
    if count is None or abs(count) > 2 * (context.Emax + context.prec):
        return invalid()
    if a._kind:
        return a, 0
    return fit(a._sign, a._digits, a._exponent + count, context)


def _moved(a, b, context):
    """How far digits are to be moved, or what is given instead."""
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found:
        return None, found
    count = _whole(b) if b._exponent == 0 else None
    if count is None or abs(count) > context.prec:
        return None, invalid()
    return (None, (a, 0)) if a._kind else (count, None)


def shift(a, b, context):
    """The digits moved to the left (or to the right), zeros behind them, no more than the precision."""
    count, given = _moved(a, b, context)
    if given:
        return given
    room = 10 ** context.prec
    digits = a._digits % room
    digits = digits * 10 ** count % room if count >= 0 else digits // 10 ** -count
    return made(a._sign, digits, a._exponent), 0


def rotate(a, b, context):
    """The same where digits that fall out come in at the other side."""
    count, given = _moved(a, b, context)
    if given:
        return given
    prec = context.prec
    digits = a._digits % 10 ** prec
    count %= prec
    high, low = divmod(digits, 10 ** (prec - count))
    return made(a._sign, low * 10 ** count + high, a._exponent), 0


def _chosen(a, b, context, way, is_absolute=False):
    if a._kind or b._kind:
        # A number goes before a quiet NaN.
        if a._kind == "n" and b._kind not in ("n", "N"):
            return fit_value(b, context)
        if b._kind == "n" and a._kind not in ("n", "N"):
            return fit_value(a, context)
        found = nan_of(context, a, b)
        if found:
            return found
    x, y = (made(0, one._digits, one._exponent, one._kind) for one in (a, b)) if is_absolute else (a, b)
    found = order(x, y) or total_order(a, b)
    return fit_value(a if found == way else b, context)


def max_of(a, b, context):
    return _chosen(a, b, context, 1)


def min_of(a, b, context):
    return _chosen(a, b, context, -1)


def max_mag(a, b, context):
    return _chosen(a, b, context, 1, True)


def min_mag(a, b, context):
    return _chosen(a, b, context, -1, True)


def _neighbour(a, context, up):
    found = nan_of(context, a) if a._kind else None
    if found:
        return found
    if a._kind:
        return (a, 0) if bool(a._sign) != up else (made(a._sign, 10 ** context.prec - 1, context.Etop()), 0)
    toward = context.copy()
    toward.rounding = ROUND_CEILING if up else ROUND_FLOOR
    fitted = fit_value(a, toward)[0]
    if order(fitted, a):
        return fitted, 0
    step = made(0 if up else 1, 1, context.Etiny() - 1)
    return add(a, step, toward)[0], 0


def next_plus(a, context):
    return _neighbour(a, context, True)


def next_minus(a, context):
    return _neighbour(a, context, False)


def next_toward(a, b, context):
    found = nan_of(context, a, b) if a._kind or b._kind else None
    if found:
        return found
    way = order(a, b)
    if not way:
        return fit_value(made(b._sign, a._digits, a._exponent, a._kind), context)
    made_ = _neighbour(a, context, way < 0)[0]
    if made_._kind:
        return made_, OVERFLOW | INEXACT | ROUNDED
    if not made_._digits or adjusted(made_) < context.Emin:
        return made_, UNDERFLOW | SUBNORMAL | INEXACT | ROUNDED | (0 if made_._digits else CLAMPED)
    return made_, 0


def number_class(a, context):
    if a._kind:
        return {"F": "-Infinity" if a._sign else "+Infinity", "n": "NaN", "N": "sNaN"}[a._kind]
    name = "Zero" if not a._digits else "Subnormal" if adjusted(a) < context.Emin else "Normal"
    return ("-" if a._sign else "+") + name


def _bits(a, context):
    """The digits as text if they are all 0 and 1."""
    if a._kind or a._sign or a._exponent or length(a._digits) > context.prec or str(a._digits).strip("01"):
        return None
    return str(a._digits)


def _logical(name, combine):
    def operation(a, b, context):
        x, y = _bits(a, context), _bits(b, context)
        if x is None or y is None:
            return invalid()
        width = max(len(x), len(y))
        text = "".join(combine(p, q) for p, q in zip(x.rjust(width, "0"), y.rjust(width, "0")))
        return made(0, int(text), 0), 0

    operation.__name__ = name
    return operation


logical_and = _logical("logical_and", lambda p, q: "1" if p == q == "1" else "0")
logical_or = _logical("logical_or", lambda p, q: "1" if "1" in (p, q) else "0")
logical_xor = _logical("logical_xor", lambda p, q: "0" if p == q else "1")


def logical_invert(a, context):
    x = _bits(a, context)
    if x is None:
        return invalid()
    return made(0, int("".join("1" if one == "0" else "0" for one in x.rjust(context.prec, "0"))), 0), 0
