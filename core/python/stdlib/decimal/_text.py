"""Numbers as texts, and texts as numbers. Behaviour: CPython Lib/_pydecimal.py, Modules/_decimal."""
import re as _re

from decimal._value import adjusted, cut, length, made

_NUMBER = _re.compile(r"([-+])?(?:(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([-+]?\d+))?|([iI][nN][fF](?:[iI][nN][iI][tT][yY])?)|"
                      r"([sS])?[nN][aA][nN](\d*))")
_SPEC = _re.compile(r"(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?(,)?(?:\.(\d+))?([eEfFgGn%])?", _re.DOTALL)


def parsed(text):
    """The number that a text is, exactly, or None."""
    found = _NUMBER.fullmatch(text.strip().replace("_", ""))
    if found is None:
        return None
    sign = 1 if found[1] == "-" else 0
    if found[6]:
        return made(sign, 0, 0, "F")
    if found[8] is not None:
        return made(sign, int(found[8] or 0), 0, "N" if found[7] else "n")
    decimals = (found[4] if found[4] is not None else found[3]) or ""
    return made(sign, int((found[2] or "") + decimals or 0), int(found[5] or 0) - len(decimals))


def special_text(a):
    if a._kind == "F":
        return "Infinity"
    return ("NaN" if a._kind == "n" else "sNaN") + (str(a._digits) if a._digits else "")


def text_of(a, capitals, is_engineering=False):
    """As str() has it; with is_engineering the exponent is a multiple of three."""
    sign = "-" if a._sign else ""
    if a._kind:
        return sign + special_text(a)
    digits, exponent = str(a._digits), a._exponent
    left = exponent + len(digits)
    if exponent <= 0 and left > -6:
        point = left
    elif not is_engineering:
        point = 1
    elif a._digits:
        point = (left - 1) % 3 + 1
    else:
        point = (left + 1) % 3 - 1
    if point <= 0:
        whole, rest = "0", "." + "0" * -point + digits
    elif point >= len(digits):
        whole, rest = digits + "0" * (point - len(digits)), ""
    else:
        whole, rest = digits[:point], "." + digits[point:]
    return sign + whole + rest + ("" if left == point else f"{'eE'[capitals]}{left - point:+d}")


def _grouped(whole, separator, width):
    """Digits in groups of three, zeros before them until they fill `width`."""
    groups = []
    while True:
        count = min(3, max(len(whole), width, 1))
        groups.append(whole[-count:].rjust(count, "0"))
        whole = whole[:-count]
        width -= count
        if not whole and width <= 0:
            return separator.join(reversed(groups))
        width -= len(separator)


def _padded(sign, body, fill, align, width):
    room = max(0, width - len(sign) - len(body))
    if align == "<":
        return sign + body + fill * room
    if align == "=":
        return sign + fill * room + body
    if align == "^":
        return fill * (room // 2) + sign + body + fill * (room - room // 2)
    return fill * room + sign + body


def _rounded_for(a, kind, precision, rounding):
    """(digits, exponent) with the digits that a format shows."""
    digits, exponent = a._digits, a._exponent
    if kind in "fF%":
        drop = -precision - exponent
        if drop < 0:
            return digits * 10 ** -drop, -precision
    else:
        drop = length(digits) - (precision + 1 if kind in "eE" else max(precision, 1))
        if kind in "eE" and drop < 0 and digits:
            return digits * 10 ** -drop, exponent + drop
    if drop <= 0:
        return digits, exponent
    kept = cut(digits, drop, rounding, a._sign)[0]
    exponent += drop
    if kind in "gGeE" and length(kept) > max(precision + 1 if kind in "eE" else precision, 1):
        kept, exponent = kept // 10, exponent + 1
    return kept, exponent


def formatted(a, spec, context):
    """format(a, spec). Errors: ValueError."""
    found = _SPEC.fullmatch(spec)
    if found is None or (found[6] and (found[2] or found[1])):
        raise ValueError("invalid format string")
    fill, align, signs, no_minus_zero, _, zeros, width, separator, precision, kind = found.groups()
    if kind == "n" and separator:
        raise ValueError("invalid format string")
    fill = " " if fill is None else fill
    width = int(width or 0)
    separator = separator or ""
    kind = "g" if kind == "n" else kind or "gG"[context.capitals]
    sign_of = {"+": "+", " ": " "}.get(signs, "")
    if a._kind:
        body = special_text(a) + ("%" if kind == "%" else "")
        return _padded("-" if a._sign else sign_of, body, fill, align or ">", width)
    if kind == "%":
        a = made(a._sign, a._digits, a._exponent + 2)
    digits, exponent = a._digits, a._exponent
    if precision is not None:
        precision = int(precision)
        digits, exponent = _rounded_for(a, kind, precision, context.rounding)
    if not digits and exponent > 0 and kind in "fF%":
        exponent = 0
    sign = "-" if a._sign and not (no_minus_zero and not digits) else sign_of
    text = str(digits)
    left = exponent + len(text)
    if kind in "eE":
        point = 1 - precision if not digits and precision is not None else 1
    elif kind in "fF%" or exponent <= 0 and left > -6:
        point = left
    else:
        point = 1
    if point < 0:
        whole, part = "0", "0" * -point + text
    elif point > len(text):
        whole, part = text + "0" * (point - len(text)), ""
    else:
        whole, part = text[:point] or "0", text[point:]
    tail = ("." + part if part else "") + (f"{kind if kind in 'eE' else 'e' if kind == 'g' else 'E'}{left - point:+d}"
                                           if left != point or kind in "eE" else "") + ("%" if kind == "%" else "")
    least = width - len(sign) - len(tail) if zeros else 0
    whole = _grouped(whole, separator, least) if separator else whole.rjust(least, "0")
    return _padded(sign, whole + tail, fill, align or ">", width)
