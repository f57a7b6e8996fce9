"""Arrays and scalars as text. Behaviour: numpy/_core/arrayprint.py, numpy/_core/src/multiarray/dragon4.c."""
from math import inf, isfinite, isnan, ldexp

from numpy._dtypes import FLOAT64, absent, real_for

_OPTIONS = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False, "nanstr": "nan",
            "infstr": "inf", "sign": "-", "formatter": None, "floatmode": "maxprec", "legacy": False,
            "override_repr": None}
_CUTOFFS = {2: 1e3, 4: 1e6, 8: 1e16}  # from here on scalars have an exponent
_PRECISIONS = {2: 3, 4: 6, 8: 15}
_SMALLEST = {2: -24, 4: -149, 8: -1074}  # exponents of the least positive numbers
_DIGITS = {2: 11, 4: 24, 8: 53}


def _shortest(found, value):
    """The fewest digits that tell a positive number from its neighbours, and the exponent of the first one."""
    if found.itemsize == 8:
        text = f"{float(value)!r}"
        mantissa, _, exponent = text.partition("e")
        whole, _, fraction = mantissa.partition(".")
        digits = (whole + fraction).lstrip("0")
        place = int(exponent or 0) + (len(whole) - 1 if whole.strip("0") else -1 - (len(fraction) - len(fraction.lstrip("0"))))
        return digits.rstrip("0") or "0", place
    low, high, is_even = _margins(found, value)
    for count in range(1, 18):
        text = f"{value:.{count - 1}e}"
        near = float(text)
        if low < near < high or (is_even and low <= near <= high):
            break
        # Below a power of two the neighbours are nearer: the next number above may do where the nearest does not.
        mantissa, _, exponent = text.partition("e")
        digits = int(mantissa.replace(".", "")) + 1
        above = float(f"{digits}e{int(exponent) - count + 1}")
        if near < value and above < high:
            text = f"{above:.{count - 1}e}"
            break
    mantissa, _, exponent = text.partition("e")
    return mantissa.replace(".", "").rstrip("0"), int(exponent)


def _margins(found, value):
    """Half way to the numbers below and above, and whether the last bit is 0."""
    whole, divisor = value.as_integer_ratio()
    exponent = whole.bit_length() - divisor.bit_length()  # value is in [2**exponent, 2**(exponent + 1)) or one below
    if value < ldexp(1.0, exponent):
        exponent -= 1
    unit_exponent = max(exponent - _DIGITS[found.itemsize] + 1, _SMALLEST[found.itemsize])
    unit = ldexp(1.0, unit_exponent)
    is_even = int(value / unit) % 2 == 0
    is_power = value == ldexp(1.0, exponent) and unit_exponent > _SMALLEST[found.itemsize]
    return value - (unit / 4 if is_power else unit / 2), value + unit / 2, is_even


def positional(found, value, precision=None, is_fixed=False):
    """Digits with a point behind the whole ones and no zeros at the end: "1.5", "2."."""
    sign = "-" if value < 0 or (value == 0 and str(value)[0] == "-") else ""
    value = abs(value)
    if is_fixed:
        text = f"{value:.{precision}f}"
        return sign + (text if precision else text + ".")
    if value == 0:
        return sign + "0."
    digits, place = _shortest(found, value)
    if precision is not None and len(digits) - 1 - place > precision:
        text = f"{value:.{precision}f}"
        return sign + (text.rstrip("0") if precision else text + ".")
    if place < 0:
        return f"{sign}0.{'0' * (-1 - place)}{digits}"
    digits = digits.ljust(place + 1, "0")
    return f"{sign}{digits[:place + 1]}.{digits[place + 1:]}"


def scientific(found, value, precision=None, keep=0, exponent_digits=2, is_fixed=False):
    """One digit, a point, at least `keep` more, an exponent: "1.e+10"."""
    sign = "-" if value < 0 or (value == 0 and str(value)[0] == "-") else ""
    value = abs(value)
    digits, place = ("0", 0) if value == 0 else _shortest(found, value)
    if precision is not None and (len(digits) - 1 > precision or is_fixed):
        mantissa, _, exponent = f"{value:.{precision}e}".partition("e")
        digits, place = mantissa.replace(".", ""), int(exponent)
        if not is_fixed:
            digits = digits[0] + digits[1:].rstrip("0")
    if len(digits) - 1 < keep and value:
        digits = f"{value:.{keep}e}".partition("e")[0].replace(".", "")  # more digits of the number itself, not zeros
    exponent = f"{abs(place)}".rjust(exponent_digits, "0")
    return f"{sign}{digits[0]}.{digits[1:].ljust(keep, '0')}e{'-' if place < 0 else '+'}{exponent}"


def scalar_text(found, value):
    """str() of a scalar."""
    if found.kind == "c":
        return _complex_text(real_for(found), value)
    if found.kind != "f":
        return str(value)
    text = _part_text(found, value)
    return text + "0" if text.endswith(".") else text


def _part_text(found, value):
    if not isfinite(value):
        return "nan" if isnan(value) else "inf" if value > 0 else "-inf"
    if value == 0 or 1e-4 <= abs(value) < _CUTOFFS[found.itemsize]:
        return positional(found, value)
    return scientific(found, value).replace(".e", "e")


def _complex_text(found, value):
    """Without the real part where it is a zero without a sign; no point behind whole parts."""
    imag = _part_text(found, value.imag).removesuffix(".")
    if str(value.real) == "0.0":
        return imag + "j"
    return f"({_part_text(found, value.real).removesuffix('.')}{'' if imag.startswith('-') else '+'}{imag}j)"


class _Floats:
    """One width for all numbers of an array."""

    def __init__(self, found, values, options):
        self.found, self.options = found, options
        mode = options["floatmode"]
        precision = None if mode == "unique" else options["precision"]
        is_fixed = mode == "fixed"
        finite = [x for x in values if isfinite(x)]
        sizes = [abs(x) for x in finite if x != 0]
        self.has_exponent = False
        if sizes:
            largest, least = max(sizes), min(sizes)
            cutoff = 10.0 ** min(8, _PRECISIONS[found.itemsize])
            self.has_exponent = largest >= cutoff or (
                not options["suppress"] and (least < 0.0001 or self._ratio(largest, least) > 1000.0))
        self.pad_left = self.pad_right = 0
        self.keep, self.exponent_digits = 0, -1
        self.precision, self.is_fixed, self.zeros = precision, is_fixed, False
        if finite and self.has_exponent:
            texts = [scientific(found, x, precision, is_fixed=is_fixed).partition("e") for x in finite]
            heads = [text[0].split(".") for text in texts]
            self.exponent_digits = max(len(text[2]) for text in texts) - 1
            self.precision = self.keep = max(len(fraction) for _, fraction in heads)
            self.pad_left = max(len(whole) for whole, _ in heads)
            self.pad_right = self.exponent_digits + 2 + self.precision
        elif finite:
            parts = [positional(found, x, precision, is_fixed).split(".") for x in finite]
            self.pad_left = max(len(whole) for whole, _ in parts)
            self.pad_right = max(len(fraction) for _, fraction in parts)
            if mode in ("fixed", "maxprec_equal"):
                self.precision, self.zeros = self.pad_right, True
        if options["sign"] == " " or (options["sign"] == "+" and finite):
            wide = [x for x in finite if x >= 0]
            lengths = [len((scientific if self.has_exponent else positional)(found, x, precision).split(".")[0]) for x in wide]
            self.pad_left = max([self.pad_left] + [1 + n for n in lengths])
        if len(finite) != len(values):
            has_sign = options["sign"] != "-" or any(x == -inf for x in values)
            offset = self.pad_right + 1
            self.pad_left = max(self.pad_left, len(options["nanstr"]) - offset, len(options["infstr"]) + has_sign - offset)

    def _ratio(self, largest, least):
        return inf if largest / least > 3.4e38 and self.found.itemsize == 4 else largest / least

    def __call__(self, value):
        plus = "+" if self.options["sign"] == "+" else ""
        if not isfinite(value):
            if isnan(value):
                text = plus + self.options["nanstr"]
            else:
                text = ("-" if value < 0 else plus) + self.options["infstr"]
            return text.rjust(self.pad_left + self.pad_right + 1)
        plus = plus if str(value)[0] != "-" else ""
        if self.has_exponent:
            text = plus + scientific(self.found, value, self.precision, self.keep, self.exponent_digits, self.is_fixed)
            return " " * (self.pad_left - text.index(".")) + text
        whole, fraction = (plus + positional(self.found, value, self.precision, self.is_fixed)).split(".")
        return f"{whole.rjust(self.pad_left)}.{fraction.ljust(self.pad_right, '0' if self.zeros else ' ')}"


class _Complexes:
    """One width for all real parts of an array and one for all imaginary ones, which have signs."""

    def __init__(self, found, values, options):
        self.real = _Floats(found, [one.real for one in values], options)
        self.imag = _Floats(found, [one.imag for one in values], {**options, "sign": "+"})

    def __call__(self, value):
        imag = self.imag(value.imag)
        digits = imag.rstrip()
        return self.real(value.real) + digits + "j" + imag[len(digits):]


def _format_function(found, values, has_dims, options):
    formatter = options["formatter"] or {}
    kinds = {"b": ["bool"], "i": ["int", "int_kind"], "u": ["int", "int_kind"], "f": ["float", "float_kind"],
             "c": ["complexfloat", "complex_kind"]}[found.kind]
    for name in ["all", *kinds]:
        if formatter.get(name) is not None:
            from numpy._scalars import make
            return lambda value: formatter[name](make(found, value))
    if found.kind == "f":
        return _Floats(found, values, options)
    if found.kind == "c":
        return _Complexes(real_for(found), values, options)
    if found.kind == "b":
        return lambda value: (" True" if has_dims else "True") if value else "False"
    plus = "+" if options["sign"] == "+" else " " if options["sign"] == " " else ""
    width = 0
    if values:
        low, high = min(values), max(values)
        width = max(len((plus if low >= 0 else "") + str(low)), len((plus if high >= 0 else "") + str(high)))
    return lambda value: ((plus if value >= 0 else "") + str(value)).rjust(width)


def _flat(nested, depth, out):
    if depth == 0:
        out.append(nested)
    else:
        for one in nested:
            _flat(one, depth - 1, out)
    return out


def _without_middle(tensor, edge):
    import torch
    for d in range(tensor.ndim):
        if tensor.shape[d] > 2 * edge:
            first = tensor.narrow(d, 0, edge)
            last = tensor.narrow(d, tensor.shape[d] - edge, edge)
            tensor = torch.cat([first, last], dim=d)
    return tensor


class _Layout:
    """Words into lines, brackets around the rows."""

    def __init__(self, shape, format_one, separator, edge, is_short):
        self.shape, self.format_one, self.separator, self.edge, self.is_short = shape, format_one, separator, edge, is_short

    def _extend(self, done, line, word, width, indent):
        if len(line) + len(word) > width and len(line) > len(indent):
            done += line.rstrip() + "\n"
            line = indent
        return done, line + word

    def text(self, nested, axis, indent, width):
        left = len(self.shape) - axis
        if left == 0:
            return self.format_one(nested)
        cut = self.is_short and 2 * self.edge < self.shape[axis]
        inner = [self.text(one, axis + 1, indent + " ", width - 1) for one in nested]
        if cut:
            inner.insert(self.edge, "...")
        done = ""
        if left == 1:
            room = width - max(len(self.separator.rstrip()), 1)
            line = indent
            for i, word in enumerate(inner):
                done, line = self._extend(done, line, word, room, indent)
                if i + 1 < len(inner):
                    line += self.separator
            done += line
        else:
            between = self.separator.rstrip() + "\n" * (left - 1)
            done = between.join(indent + one for one in inner)
        return "[" + done[len(indent):] + "]"


def array2string(a, max_line_width=None, precision=None, suppress_small=None, separator=" ", prefix="", *, formatter=None,
                 threshold=None, edgeitems=None, sign=None, floatmode=None, suffix="", legacy=None):
    """The items of an array, without a name around."""
    if legacy not in (None, False):
        raise absent("array2string(legacy=...)")
    options = dict(_OPTIONS)
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small, "formatter": formatter,
             "threshold": threshold, "edgeitems": edgeitems, "sign": sign, "floatmode": floatmode}
    options.update({name: value for name, value in given.items() if value is not None})
    if a.size == 0:
        return "[]"
    tensor = a._t
    is_short = a.size > options["threshold"]
    if is_short:
        tensor = _without_middle(tensor, options["edgeitems"])
    nested = a._of(tensor, a.dtype).tolist()
    format_one = _format_function(a.dtype, _flat(nested, a.ndim, []), a.ndim > 0, options)
    layout = _Layout(a.shape, format_one, separator, options["edgeitems"], is_short)
    return layout.text(nested, 0, " " + " " * len(prefix), options["linewidth"] - len(suffix))


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    if a.ndim == 0:
        return str(a[()])
    return array2string(a, max_line_width, precision, suppress_small, " ", "")


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    width = _OPTIONS["linewidth"] if max_line_width is None else max_line_width
    prefix = ("array" if type(arr).__name__ == "ndarray" else type(arr).__name__) + "("
    items = array2string(arr, width, precision, suppress_small, ", ", prefix, suffix=")")
    extras = []
    if (arr.size == 0 and arr.shape != (0,)) or arr.size > _OPTIONS["threshold"]:
        extras.append(f"shape={arr.shape}")
    if arr.dtype.name not in ("int64", "float64", "complex128", "bool") or arr.size == 0:
        extras.append(f"dtype={arr.dtype.name}")
    if not extras:
        return f"{prefix}{items})"
    start = f"{prefix}{items},"
    end = ", ".join(extras) + ")"
    last = len(start) - (start.rfind("\n") + 1)
    return start + ("\n" + " " * len(prefix) if last + len(end) + 1 > width else " ") + end


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, nanstr=None, infstr=None,
                     formatter=None, sign=None, floatmode=None, *, legacy=None, override_repr=None):
    if legacy not in (None, False) or override_repr is not None:
        raise absent("set_printoptions(legacy=..., override_repr=...)")
    if floatmode not in (None, "fixed", "unique", "maxprec", "maxprec_equal"):
        raise ValueError("floatmode option must be one of 'maxprec', 'maxprec_equal', 'unique', 'fixed'")
    if sign not in (None, "-", "+", " "):
        raise ValueError("sign option must be one of ' ', '+', or '-'")
    if threshold is not None and isnan(threshold):
        raise ValueError("threshold must be non-NAN, try sys.maxsize for untruncated representation")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth,
             "suppress": None if suppress is None else bool(suppress), "nanstr": nanstr, "infstr": infstr, "sign": sign,
             "floatmode": floatmode}
    _OPTIONS.update({name: value for name, value in given.items() if value is not None})
    _OPTIONS["formatter"] = formatter


def get_printoptions():
    return dict(_OPTIONS)


class printoptions:
    """Options for the length of a with block."""

    def __init__(self, **options):
        self._given = options

    def __enter__(self):
        self._kept = get_printoptions()
        set_printoptions(**self._given)
        return get_printoptions()

    def __exit__(self, *error):
        _OPTIONS.update(self._kept)


def format_float_scientific(x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None,
                            min_digits=None):
    """A number with one digit before the point and an exponent."""
    if pad_left is not None or min_digits is not None or (not unique and precision is None):
        raise absent("format_float_scientific with these options")
    found = getattr(x, "dtype", FLOAT64)
    keep = 0 if unique else precision
    text = scientific(found, float(x), precision, keep, 2 if exp_digits is None else exp_digits, is_fixed=not unique)
    mantissa, _, exponent = text.partition("e")
    if trim != "k":
        mantissa = mantissa.rstrip("0")
        mantissa = mantissa + "0" if trim == "0" and mantissa.endswith(".") else mantissa.rstrip(".") if trim == "-" else mantissa
    return f"{'+' if sign and x >= 0 else ''}{mantissa}e{exponent}"


def format_float_positional(x, precision=None, unique=True, fractional=True, trim="k", sign=False, pad_left=None,
                            pad_right=None, min_digits=None):
    if not fractional or not unique or min_digits is not None or pad_left is not None or pad_right is not None:
        raise absent("format_float_positional with these options")
    text = positional(getattr(x, "dtype", FLOAT64), float(x), precision)
    if trim == "-":
        text = text.rstrip(".")
    elif trim == "0" and text.endswith("."):
        text += "0"
    elif trim == "k" and precision is not None:
        whole, _, fraction = text.partition(".")
        text = f"{whole}.{fraction}"
    return ("+" if sign and x >= 0 else "") + text
