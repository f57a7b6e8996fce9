"""A power series over a domain, as an object. Behaviour: numpy/polynomial/_polybase.py, polynomial.py."""
from numpy._array import array, asarray
from numpy._functions import linspace
from numpy._polynomials import poly1d
from numpy._scalars import generic
from numpy._text import format_float_positional, get_printoptions, scientific
from numpy.polynomial import polynomial as series

_RAISED = str.maketrans({str(i): one for i, one in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})


class Polynomial:
    """A sum of powers of what `domain` is taken to `window` by."""

    __hash__ = None
    __array_ufunc__ = None
    maxpower = 100
    basis_name = None
    domain = window = array([-1.0, 1.0])

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        self.coef = series._series(coef, trims=False)
        for name, given in (("domain", domain), ("window", window)):
            if given is not None:
                given = series._series(given, trims=False)
                if given.size != 2:
                    raise ValueError(f"{name.capitalize()} has wrong number of elements.")
                setattr(self, name, given)
        if not isinstance(symbol, str):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self.symbol = symbol

    def _made(self, coef):
        return type(self)(coef, self.domain, self.window, self.symbol)

    def has_samecoef(self, other):
        return len(self.coef) == len(other.coef) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other):
        return bool((self.domain == other.domain).all())

    def has_samewindow(self, other):
        return bool((self.window == other.window).all())

    def has_sametype(self, other):
        return isinstance(other, type(self))

    def _coefficients(self, other):
        """What takes part in arithmetic. Errors: TypeError."""
        if isinstance(other, Polynomial):
            if not self.has_samedomain(other):
                raise TypeError("Domains differ")
            if not self.has_samewindow(other):
                raise TypeError("Windows differ")
            if self.symbol != other.symbol:
                raise ValueError("Polynomial symbols differ")
            return other.coef
        return other

    def __repr__(self):
        domain, window, coef = (repr(one)[6:-1] for one in (self.domain, self.window, self.coef))
        return f"{type(self).__name__}({coef}, domain={domain}, window={window}, symbol='{self.symbol}')"

    def __str__(self):
        return self._text("unicode")

    def __format__(self, fmt_str):
        if fmt_str == "":
            return str(self)
        if fmt_str not in ("ascii", "unicode"):
            raise ValueError(f"Unsupported format string '{fmt_str}' passed to {type(self)}.__format__. Valid options are 'ascii' "
                             "and 'unicode'")
        return self._text(fmt_str)

    def _text(self, style):
        made = _number_text(self.coef[0])
        width = get_printoptions()["linewidth"]
        width = 75 if width < 1 else width
        offset, scale = self.mapparms()
        for i, one in enumerate(self.coef[1:]):
            power, part = str(i + 1), ""
            is_complex = one.dtype.kind == "c"
            if not is_complex and one >= 0:
                part = f"+ {_number_text(one, parens=True)}"
            elif is_complex:
                part = f"+ {_number_text(one, parens=True)}"
            else:
                part = f"- {_number_text(-one, parens=True)}"
            part += self._term(power, self._scaled(offset, scale), style)
            length = len(made.split("\n")[-1]) + len(part)
            length += 1 if i < len(self.coef[1:]) - 1 else 0
            made += f"\n{part}" if length >= width else f" {part}"
        return made

    def _scaled(self, offset, scale):
        if offset == 0 and scale == 1:
            return self.symbol
        if scale == 1:
            return f"({_number_text(offset)} + {self.symbol})"
        if offset == 0:
            return f"({_number_text(scale)}{self.symbol})"
        return f"({_number_text(offset)} + {_number_text(scale)}{self.symbol})"

    def _term(self, power, argument, style):
        if power == "1":
            return f" {argument}" if style == "ascii" else f"·{argument}"
        if style == "ascii":
            return f" {argument}**{power}"
        return f"·{argument}{power.translate(_RAISED)}"

    # Arithmetic.

    def __call__(self, arg):
        return series.polyval(series.mapdomain(arg, self.domain, self.window), self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __len__(self):
        return len(self.coef)

    def __neg__(self):
        return self._made(-self.coef)

    def __pos__(self):
        return self

    def _joined(self, function, other, is_reflected=False):
        if not _takes_part(other):
            return NotImplemented
        other = self._coefficients(other)
        return self._made(function(other, self.coef) if is_reflected else function(self.coef, other))

    def __add__(self, other):
        return self._joined(series.polyadd, other)

    def __sub__(self, other):
        return self._joined(series.polysub, other)

    def __mul__(self, other):
        return self._joined(series.polymul, other)

    def __radd__(self, other):
        return self._joined(series.polyadd, other, True)

    def __rsub__(self, other):
        return self._joined(series.polysub, other, True)

    def __rmul__(self, other):
        return self._joined(series.polymul, other, True)

    def __truediv__(self, other):
        if not isinstance(other, (int, float, complex, generic)) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self // other

    def __floordiv__(self, other):
        return divmod(self, other)[0]

    def __mod__(self, other):
        return divmod(self, other)[1]

    def __divmod__(self, other):
        quotient, rest = series.polydiv(self.coef, self._coefficients(other))
        return self._made(quotient), self._made(rest)

    def __rdivmod__(self, other):
        quotient, rest = series.polydiv(other, self.coef)
        return self._made(quotient), self._made(rest)

    def __rfloordiv__(self, other):
        return self.__rdivmod__(other)[0]

    def __rmod__(self, other):
        return self.__rdivmod__(other)[1]

    def __pow__(self, other):
        return self._made(series.polypow(self.coef, other, maxpower=self.maxpower))

    def __eq__(self, other):
        return isinstance(other, Polynomial) and self.has_samedomain(other) and self.has_samewindow(other) and \
            self.has_samecoef(other) and self.symbol == other.symbol

    def __ne__(self, other):
        return not self == other

    # Others made of it.

    def copy(self):
        return self._made(self.coef.copy())

    def degree(self):
        return len(self) - 1

    def cutdeg(self, deg):
        return self.truncate(deg + 1)

    def trim(self, tol=0):
        return self._made(series.polytrim(self.coef, tol))

    def truncate(self, size):
        if size != int(size) or size < 1:
            raise ValueError("size must be a positive integer")
        return self._made(self.coef[:int(size)])

    def mapparms(self):
        return series.mapparms(self.domain, self.window)

    def convert(self, domain=None, kind=None, window=None):
        kind = type(self) if kind is None else kind
        domain = kind.domain if domain is None else domain
        window = kind.window if window is None else window
        return self(kind.identity(domain, window=window, symbol=self.symbol))

    def integ(self, m=1, k=(), lbnd=None):
        offset, scale = self.mapparms()
        bound = 0 if lbnd is None else offset + scale * lbnd
        return self._made(series.polyint(self.coef, m, k, bound, 1.0 / scale))

    def deriv(self, m=1):
        return self._made(series.polyder(self.coef, m, self.mapparms()[1]))

    def roots(self):
        return series.mapdomain(series.polyroots(self.coef), self.window, self.domain)

    def linspace(self, n=100, domain=None):
        domain = self.domain if domain is None else domain
        x = linspace(domain[0], domain[1], n)
        return x, self(x)

    @classmethod
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        """The fit over the interval that the points lie in."""
        if domain is None:
            domain = series.getdomain(x)
            if domain[0] == domain[1]:
                domain[0] -= 1
                domain[1] += 1
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        found = series.polyfit(series.mapdomain(asarray(x), domain, window), y, deg, w=w, rcond=rcond, full=full)
        if full:
            return cls(found[0], domain, window, symbol), found[1]
        return cls(found, domain, window, symbol)

    @classmethod
    def fromroots(cls, roots, domain=(), window=None, symbol="x"):
        roots = series._series(roots, trims=False)
        domain = series.getdomain(roots) if domain is None else cls.domain if len(domain) == 0 else domain
        window = cls.window if window is None else window
        offset, scale = series.mapparms(domain, window)
        return cls(series.polyfromroots(offset + scale * roots) / scale ** len(roots), domain, window, symbol)

    @classmethod
    def identity(cls, domain=None, window=None, symbol="x"):
        domain = cls.domain if domain is None else domain
        window = cls.window if window is None else window
        offset, scale = series.mapparms(window, domain)
        return cls(series.polyline(offset, scale), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        if deg != int(deg) or deg < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * int(deg) + [1], domain, window, symbol)

    @classmethod
    def cast(cls, series, domain=None, window=None):
        return series.convert(cls.domain if domain is None else domain, cls, cls.window if window is None else window)


def _takes_part(other):
    return isinstance(other, (Polynomial, int, float, complex, generic, list, tuple)) or (
        hasattr(other, "__array__") and not isinstance(other, poly1d))


def _number_text(number, parens=False):
    """A coefficient in the text of a series: floats with digits as arrays have them."""
    options = get_printoptions()
    if number.dtype.kind == "c":
        return f"({number})" if parens and not str(number).startswith("(") else str(number)
    value = float(number)
    precision = options["precision"]
    is_long = value != 0 and (abs(value) >= 1e8 or abs(value) < 10.0 ** min(-4, -(precision - 1)))
    if value != value:
        return options["nanstr"]
    if value in (float("inf"), -float("inf")):
        return ("-" if value < 0 else "") + options["infstr"]
    if is_long:
        made = scientific(number.dtype, value, precision, keep=1)
        return f"({made})" if parens else made
    return format_float_positional(number, precision=precision, trim="0")
