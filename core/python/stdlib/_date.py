"""date, and what it shares with datetime."""

import _strftime
import time as _time
from _strftime import day_of_year, days_before_year, days_in_month, is_leap, iso_week, ordinal_of
from _timedelta import timedelta

MINYEAR, MAXYEAR = 1, 9999
_MOST_DAYS = 3652059


def whole(value):
    """An int, or what can be one."""
    if isinstance(value, int):
        return int(value)
    if hasattr(type(value), "__index__"):
        return value.__index__()
    raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")


def check_range(name, value, low, high):
    """Refuses a field that is not between two numbers."""
    if not low <= value <= high:
        raise ValueError(f"{name} must be in {low}..{high}, not {value}")


def date_of_ordinal(ordinal):
    """(year, month, day) of the day that is so many days after the last of year 0."""
    n = ordinal - 1
    centuries, n = divmod(n, 146097)
    year = centuries * 400 + 1
    hundreds, n = divmod(n, 36524)
    fours, n = divmod(n, 1461)
    ones, n = divmod(n, 365)
    year += hundreds * 100 + fours * 4 + ones
    if ones == 4 or hundreds == 4:
        return year - 1, 12, 31
    month = 1
    while n >= days_in_month(year, month):
        n -= days_in_month(year, month)
        month += 1
    return year, month, n + 1


class IsoCalendarDate(tuple):
    """(year, week, weekday) as ISO 8601 counts."""

    year = property(lambda self: self[0])
    week = property(lambda self: self[1])
    weekday = property(lambda self: self[2])

    def __repr__(self):
        return f"datetime.IsoCalendarDate(year={self[0]}, week={self[1]}, weekday={self[2]})"


class date:
    """A day of the Gregorian calendar. Behaviour: CPython Lib/_pydatetime.py."""

    __slots__ = ("_year", "_month", "_day")

    def __new__(cls, year, month, day):
        year, month, day = whole(year), whole(month), whole(day)
        check_range("year", year, MINYEAR, MAXYEAR)
        check_range("month", month, 1, 12)
        most = days_in_month(year, month)
        if not 1 <= day <= most:
            raise ValueError(f"day {day} must be in range 1..{most} for month {month} in year {year}")
        self = object.__new__(cls)
        self._year, self._month, self._day = year, month, day
        return self

    @classmethod
    def fromtimestamp(cls, timestamp, /):
        """The local day of seconds since 1970."""
        return cls(*_time.localtime(timestamp)[:3])

    @classmethod
    def today(cls):
        """The day now."""
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromordinal(cls, ordinal, /):
        """The day that is so many days after the last of year 0."""
        if ordinal < 1:
            raise ValueError("ordinal must be >= 1")
        if ordinal > _MOST_DAYS:
            raise ValueError(f"year must be in 1..9999, not {date_of_ordinal(ordinal)[0]}")
        return cls(*date_of_ordinal(ordinal))

    @classmethod
    def fromisoformat(cls, date_string, /):
        """The day of YYYY-MM-DD, YYYYMMDD, YYYY-Www-D."""
        if not isinstance(date_string, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            return cls(*read_iso_date(date_string))
        except ValueError as problem:
            if str(problem) == "":
                raise ValueError(f"Invalid isoformat string: {date_string!r}") from None
            raise

    @classmethod
    def fromisocalendar(cls, year, week, day):
        """The day of an ISO year, week and weekday."""
        return cls(*date_of_ordinal(_ordinal_of_week(year, week, day)))

    @classmethod
    def strptime(cls, date_string, format, /):
        """The day that a text says."""
        return cls(*_strftime.read(date_string, format)[0][:3])

    year = property(lambda self: self._year)
    month = property(lambda self: self._month)
    day = property(lambda self: self._day)

    def _name(self):
        module = type(self).__module__
        return f"{module}.{type(self).__qualname__}"

    def __repr__(self):
        return f"{self._name()}({self._year}, {self._month}, {self._day})"

    def isoformat(self):
        """YYYY-MM-DD"""
        return f"{self._year:04d}-{self._month:02d}-{self._day:02d}"

    __str__ = isoformat

    def _parts(self):
        """What strftime() needs."""
        return (self._year, self._month, self._day, 0, 0, 0, self.weekday(),
                day_of_year(self._year, self._month, self._day))

    def ctime(self):
        """Mon Jan  1 00:00:00 2024"""
        return _strftime.written("%a %b %e %H:%M:%S %Y", self._parts())

    def strftime(self, format, /):
        """The day as a pattern says."""
        return _strftime.written(format, self._parts())

    def __format__(self, format, /):
        if not isinstance(format, str):
            raise TypeError(f"__format__() argument 1 must be str, not {type(format).__name__}")
        return self.strftime(format) if format else str(self)

    def timetuple(self):
        """The parts as module time has them."""
        return _time.struct_time((*self._parts(), -1))

    def toordinal(self):
        """Days since the last of year 0."""
        return ordinal_of(self._year, self._month, self._day)

    def replace(self, year=None, month=None, day=None):
        """The day with some parts changed."""
        return type(self)(self._year if year is None else year, self._month if month is None else month,
                          self._day if day is None else day)

    def __replace__(self, /, **changes):
        return self.replace(**changes)

    def weekday(self):
        """0 for Monday."""
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        """1 for Monday."""
        return self.weekday() + 1

    def isocalendar(self):
        """(year, week, weekday) as ISO 8601 counts."""
        return IsoCalendarDate(iso_week(self._year, self._month, self._day))

    def _compared(self):
        return self._year, self._month, self._day

    def _others(self, other):
        """What to compare with, or None. A datetime is no day to compare with."""
        return other._compared() if isinstance(other, date) and not hasattr(other, "_hour") else None

    def __eq__(self, other):
        others = self._others(other)
        return NotImplemented if others is None else self._compared() == others

    def __lt__(self, other):
        others = self._others(other)
        return NotImplemented if others is None else self._compared() < others

    def __le__(self, other):
        others = self._others(other)
        return NotImplemented if others is None else self._compared() <= others

    def __gt__(self, other):
        others = self._others(other)
        return NotImplemented if others is None else self._compared() > others

    def __ge__(self, other):
        others = self._others(other)
        return NotImplemented if others is None else self._compared() >= others

    def __hash__(self):
        return hash(self._compared())

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        ordinal = self.toordinal() + other.days
        if not 0 < ordinal <= _MOST_DAYS:
            raise OverflowError("date value out of range")
        return type(self)(*date_of_ordinal(ordinal))

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + timedelta(-other.days)
        if isinstance(other, date):
            return timedelta(self.toordinal() - other.toordinal())
        return NotImplemented

    def __reduce__(self):
        return type(self), self._compared()


def _ordinal_of_week(year, week, day):
    check = year
    if not MINYEAR <= check <= MAXYEAR:
        raise ValueError(f"year must be in 1..9999, not {year}")
    monday = _strftime._monday_of_first_week(year)
    weeks = (_strftime._monday_of_first_week(year + 1) - monday) // 7
    if not 1 <= week <= weeks:
        raise ValueError(f"Invalid week: {week}")
    if not 1 <= day <= 7:
        raise ValueError(f"Invalid weekday: {day} (range is [1, 7])")
    return monday + (week - 1) * 7 + day - 1


def digits(text):
    """The number of ASCII digits. Errors: ValueError without a text."""
    if not text.isdigit() or not text.isascii():
        raise ValueError
    return int(text)


def read_iso_date(text):
    """(year, month, day) of a date in one of ISO 8601's forms. Errors: ValueError, without a text for what is none."""
    if len(text) not in (7, 8, 10):
        raise ValueError
    year = digits(text[:4])
    between = "-" if text[4] == "-" else ""
    at = 4 + len(between)
    if text[at] == "W":
        week = digits(text[at + 1:at + 3])
        at += 3
        day = 1
        if at < len(text):
            if text[at:at + len(between)] != between or len(text) != at + len(between) + 1:
                raise ValueError
            day = digits(text[at + len(between):])
        return date_of_ordinal(_ordinal_of_week(year, week, day))
    month = digits(text[at:at + 2])
    at += 2
    if text[at:at + len(between)] != between or len(text) != at + len(between) + 2:
        raise ValueError
    return year, month, digits(text[at + len(between):])


date.min = date(1, 1, 1)
date.max = date(9999, 12, 31)
date.resolution = timedelta(days=1)
date.__module__ = IsoCalendarDate.__module__ = "datetime"
