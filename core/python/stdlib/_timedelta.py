"""timedelta, and the zones of module datetime."""


def _round_half_even(numerator, denominator):
    """The nearest int, halves to the even one."""
    quotient, rest = divmod(numerator, denominator)
    twice = 2 * rest
    if twice > denominator or twice == denominator and quotient % 2 == 1:
        quotient += 1
    return quotient


def _exact(number):
    """A number of microseconds as a fraction: (numerator, denominator)."""
    if isinstance(number, int):
        return number, 1
    if isinstance(number, float):
        return number.as_integer_ratio()
    raise TypeError(f"unsupported type for timedelta component: {type(number).__name__}")


_UNITS = {"days": 86400000000, "seconds": 1000000, "microseconds": 1, "milliseconds": 1000, "minutes": 60000000,
          "hours": 3600000000, "weeks": 604800000000}


class timedelta:
    """A length of time: days, seconds and microseconds. Behaviour: CPython Lib/_pydatetime.py."""

    __slots__ = ("_days", "_seconds", "_microseconds")

    def __new__(cls, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        given = (("days", days), ("seconds", seconds), ("microseconds", microseconds), ("milliseconds", milliseconds),
                 ("minutes", minutes), ("hours", hours), ("weeks", weeks))
        whole, numerator, denominator = 0, 0, 1
        for name, number in given:
            if not isinstance(number, (int, float)):
                raise TypeError(f"unsupported type for timedelta {name} component: {type(number).__name__}")
            if isinstance(number, int):
                whole += number * _UNITS[name]
            elif number != number:
                raise ValueError("cannot convert float NaN to integer")
            elif number in (float("inf"), float("-inf")):
                raise OverflowError("cannot convert float infinity to integer")
            else:
                above, below = _exact(number)
                above *= _UNITS[name]
                numerator, denominator = numerator * below + above * denominator, denominator * below
        return cls._of(whole + _round_half_even(numerator, denominator))

    @classmethod
    def _of(cls, total):
        """The length of so many microseconds."""
        days, rest = divmod(total, 86400000000)
        if abs(days) > 999999999:
            raise OverflowError(f"days={days}; must have magnitude <= 999999999")
        self = object.__new__(cls)
        self._days = days
        self._seconds, self._microseconds = divmod(rest, 1000000)
        return self

    days = property(lambda self: self._days)
    seconds = property(lambda self: self._seconds)
    microseconds = property(lambda self: self._microseconds)

    def _total(self):
        return (self._days * 86400 + self._seconds) * 1000000 + self._microseconds

    def total_seconds(self):
        """The whole length in seconds."""
        return self._total() / 10 ** 6

    def __repr__(self):
        parts = [f"{name}={value}" for name, value in (("days", self._days), ("seconds", self._seconds),
                                                       ("microseconds", self._microseconds)) if value]
        module = "datetime." if type(self).__module__ == "datetime" else f"{type(self).__module__}."
        return f"{module}{type(self).__qualname__}({', '.join(parts) or '0'})"

    def __str__(self):
        minutes, seconds = divmod(self._seconds, 60)
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}:{minutes:02d}:{seconds:02d}"
        if self._days:
            text = f"{self._days} day{'' if abs(self._days) == 1 else 's'}, {text}"
        return text + (f".{self._microseconds:06d}" if self._microseconds else "")

    def __add__(self, other):
        return timedelta._of(self._total() + other._total()) if isinstance(other, timedelta) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        return timedelta._of(self._total() - other._total()) if isinstance(other, timedelta) else NotImplemented

    def __rsub__(self, other):
        return timedelta._of(other._total() - self._total()) if isinstance(other, timedelta) else NotImplemented

    def __neg__(self):
        return timedelta._of(-self._total())

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self._days < 0 else self

    def __mul__(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        above, below = _exact(other)
        return timedelta._of(_round_half_even(self._total() * above, below))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._total() / other._total()
        if not isinstance(other, (int, float)):
            return NotImplemented
        above, below = _exact(other)
        if above < 0:
            above, below = -above, -below
        if above == 0:
            raise ZeroDivisionError("division by zero" if isinstance(other, float) else "integer division or modulo by zero")
        return timedelta._of(_round_half_even(self._total() * below, above))

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._total() // other._total()
        return timedelta._of(self._total() // other) if isinstance(other, int) else NotImplemented

    def __mod__(self, other):
        return timedelta._of(self._total() % other._total()) if isinstance(other, timedelta) else NotImplemented

    def __divmod__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        quotient, rest = divmod(self._total(), other._total())
        return quotient, timedelta._of(rest)

    def __eq__(self, other):
        return self._total() == other._total() if isinstance(other, timedelta) else NotImplemented

    def __lt__(self, other):
        return self._total() < other._total() if isinstance(other, timedelta) else NotImplemented

    def __le__(self, other):
        return self._total() <= other._total() if isinstance(other, timedelta) else NotImplemented

    def __gt__(self, other):
        return self._total() > other._total() if isinstance(other, timedelta) else NotImplemented

    def __ge__(self, other):
        return self._total() >= other._total() if isinstance(other, timedelta) else NotImplemented

    def __hash__(self):
        return hash((self._days, self._seconds, self._microseconds))

    def __bool__(self):
        return self._total() != 0

    def __reduce__(self):
        return type(self), (self._days, self._seconds, self._microseconds)


timedelta.min = timedelta(-999999999)
timedelta.max = timedelta(999999999, 86399, 999999)
timedelta.resolution = timedelta(microseconds=1)


class tzinfo:
    """A zone: what classes of programs derive from."""

    __slots__ = ()

    def tzname(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement tzname()")

    def utcoffset(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement utcoffset()")

    def dst(self, dt):
        raise NotImplementedError("a tzinfo subclass must implement dst()")

    def fromutc(self, dt):
        """The moment in this zone, from one that is given in UTC."""
        if dt.tzinfo is not self:
            raise ValueError("fromutc: dt.tzinfo is not self")
        offset = dt.utcoffset()
        summer = dt.dst()
        if offset is None or summer is None:
            raise ValueError("fromutc: non-None utcoffset() and dst() results required")
        if offset != summer:
            dt += offset - summer
            summer = dt.dst()
        return dt + summer


_no_name = object()


class timezone(tzinfo):
    """A zone with one offset."""

    __slots__ = ("_offset", "_name")

    def __new__(cls, offset, name=_no_name):
        if not isinstance(offset, timedelta):
            raise TypeError("timezone() argument 1 must be datetime.timedelta, not " + type(offset).__name__)
        if name is not _no_name and not isinstance(name, str):
            raise TypeError(f"timezone() argument 2 must be str, not {type(name).__name__}")
        if not timedelta(days=-1) < offset < timedelta(days=1):
            raise ValueError("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), "
                             f"not {offset!r}")
        if name is _no_name:
            if not offset and "utc" in timezone.__dict__:
                return timezone.utc
            name = None
        self = tzinfo.__new__(cls)
        self._offset = offset
        self._name = name
        return self

    def utcoffset(self, dt):
        """The offset."""
        return self._offset

    def tzname(self, dt):
        """The name."""
        if self._name is not None:
            return self._name
        if not self._offset:
            return "UTC"
        sign, offset = ("-", -self._offset) if self._offset < timedelta(0) else ("+", self._offset)
        hours, rest = divmod(offset, timedelta(hours=1))
        minutes, rest = divmod(rest, timedelta(minutes=1))
        text = f"UTC{sign}{hours:02d}:{minutes:02d}"
        if rest:
            text += f":{rest.seconds:02d}" + (f".{rest.microseconds:06d}" if rest.microseconds else "")
        return text

    def dst(self, dt):
        """There is no summer time."""
        return None

    def fromutc(self, dt):
        """The moment in this zone, from one that is given in UTC."""
        return dt + self._offset

    def __eq__(self, other):
        return self._offset == other._offset if isinstance(other, timezone) else NotImplemented

    def __hash__(self):
        return hash(self._offset)

    def __repr__(self):
        if self is timezone.utc:
            return "datetime.timezone.utc"
        name = "" if self._name is None else f", {self._name!r}"
        return f"datetime.timezone({self._offset!r}{name})"

    def __str__(self):
        return self.tzname(None)

    def __deepcopy__(self, memo):
        return self


timezone.utc = timezone(timedelta(0))
timezone.min = timezone(-timedelta(hours=23, minutes=59))
timezone.max = timezone(timedelta(hours=23, minutes=59))
for _class in (timedelta, tzinfo, timezone):
    _class.__module__ = "datetime"
