"""Dates, times of day, and lengths of time."""

import _strftime
import time as _time
from _date import (MAXYEAR, MINYEAR, IsoCalendarDate, check_range as _check_range, date, digits as _digits,
                   read_iso_date as _read_iso_date, whole as _whole)
from _strftime import day_of_year as _day_of_year
from _timedelta import timedelta, timezone, tzinfo

__all__ = ("date", "datetime", "time", "timedelta", "timezone", "tzinfo", "MINYEAR", "MAXYEAR", "UTC")

UTC = timezone.utc


def _check_time(hour, minute, second, microsecond, fold):
    _check_range("hour", hour, 0, 23)
    _check_range("minute", minute, 0, 59)
    _check_range("second", second, 0, 59)
    _check_range("microsecond", microsecond, 0, 999999)
    if fold not in (0, 1):
        raise ValueError(f"fold must be either 0 or 1, not {fold}")


def _check_zone(zone):
    if zone is not None and not isinstance(zone, tzinfo):
        raise TypeError(f"tzinfo argument must be None or of a tzinfo subclass, not type '{type(zone).__name__}'")


def _offset_of(zone, moment, method="utcoffset"):
    if zone is None:
        return None
    offset = getattr(zone, method)(moment)
    if offset is None:
        return None
    if not isinstance(offset, timedelta):
        raise TypeError(f"tzinfo.{method}() must return None or timedelta, not '{type(offset).__name__}'")
    if not timedelta(-1) < offset < timedelta(1):
        raise ValueError(f"{method}() must be strictly between -timedelta(hours=24) and timedelta(hours=24)")
    return offset


def _offset_text(offset):
    """+HH:MM, with seconds where there are some."""
    if offset is None:
        return ""
    total = abs(offset)
    text = _strftime.offset_text((offset.days * 86400 + offset.seconds) if offset.days >= 0 else -total.seconds, ":")
    return text + (f".{total.microseconds:06d}" if total.microseconds else "")


def _time_text(hour, minute, second, microsecond, timespec):
    forms = {"hours": "{0:02d}", "minutes": "{0:02d}:{1:02d}", "seconds": "{0:02d}:{1:02d}:{2:02d}",
             "milliseconds": "{0:02d}:{1:02d}:{2:02d}.{4:03d}", "microseconds": "{0:02d}:{1:02d}:{2:02d}.{3:06d}"}
    if timespec == "auto":
        timespec = "microseconds" if microsecond else "seconds"
    if timespec not in forms:
        raise ValueError("Unknown timespec value")
    return forms[timespec].format(hour, minute, second, microsecond, microsecond // 1000)


def _read_iso_time(text):
    """(hour, minute, second, microsecond, zone) of a time in one of ISO 8601's forms; hour 24 is allowed."""
    zone = None
    for at, letter in enumerate(text):
        if letter in "+-Z":
            given, text = text[at:], text[:at]
            if given == "Z":
                zone = UTC
            else:
                hour, minute, second, microsecond = _clock_fields(given[1:])
                offset = timedelta(hours=hour, minutes=minute, seconds=second, microseconds=microsecond)
                zone = timezone(-offset if letter == "-" else offset)
            break
    return (*_clock_fields(text), zone)


def _clock_fields(text):
    text, mark, fraction = text.replace(",", ".").partition(".")
    microsecond = 0
    if mark:
        microsecond = _digits(fraction[:6].ljust(6, "0")) if fraction else _digits("")
        _digits(fraction)
    between = ":" if text[2:3] == ":" else ""
    fields = text.split(":") if between else [text[at:at + 2] for at in range(0, len(text), 2)]
    if not 1 <= len(fields) <= 3 or any(len(one) != 2 for one in fields) or mark and len(fields) != 3:
        raise ValueError
    hour, minute, second = ([_digits(one) for one in fields] + [0, 0])[:3]
    return hour, minute, second, microsecond


class _Clock:
    """What a time of day and a moment share."""

    __slots__ = ()
    hour = property(lambda self: self._hour)
    minute = property(lambda self: self._minute)
    second = property(lambda self: self._second)
    microsecond = property(lambda self: self._microsecond)
    tzinfo = property(lambda self: self._tzinfo)
    fold = property(lambda self: self._fold)

    def _set_clock(self, hour, minute, second, microsecond, zone, fold):
        hour, minute, second, microsecond = _whole(hour), _whole(minute), _whole(second), _whole(microsecond)
        _check_time(hour, minute, second, microsecond, fold)
        _check_zone(zone)
        self._hour, self._minute, self._second, self._microsecond = hour, minute, second, microsecond
        self._tzinfo, self._fold = zone, fold

    def _repr_tail(self):
        parts = [self._hour, self._minute]
        if self._second or self._microsecond:
            parts.append(self._second)
        if self._microsecond:
            parts.append(self._microsecond)
        text = ", ".join(map(str, parts))
        if self._tzinfo is not None:
            text += f", tzinfo={self._tzinfo!r}"
        return text + (", fold=1" if self._fold else "")


class time(_Clock):
    """A time of day. Behaviour: CPython Lib/_pydatetime.py."""

    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(cls, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        self = object.__new__(cls)
        self._set_clock(hour, minute, second, microsecond, tzinfo, fold)
        return self

    @classmethod
    def fromisoformat(cls, time_string, /):
        """The time of HH:MM:SS and the like."""
        if not isinstance(time_string, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            hour, minute, second, microsecond, zone = _read_iso_time(time_string.removeprefix("T"))
        except ValueError as problem:
            raise ValueError(str(problem) or f"Invalid isoformat string: {time_string!r}") from None
        return cls(hour, minute, second, microsecond, zone)

    @classmethod
    def strptime(cls, date_string, format, /):
        """The time that a text says."""
        return datetime.strptime(date_string, format).timetz()

    def utcoffset(self):
        """The zone's offset."""
        return _offset_of(self._tzinfo, None)

    def dst(self):
        """The zone's summer time."""
        return _offset_of(self._tzinfo, None, "dst")

    def tzname(self):
        """The zone's name."""
        return None if self._tzinfo is None else self._tzinfo.tzname(None)

    def isoformat(self, timespec="auto"):
        """HH:MM:SS.ffffff+HH:MM"""
        return _time_text(self._hour, self._minute, self._second, self._microsecond, timespec) + \
            _offset_text(self.utcoffset())

    __str__ = isoformat

    def __repr__(self):
        return f"{type(self).__module__}.{type(self).__qualname__}({self._repr_tail()})"

    def strftime(self, format, /):
        """The time as a pattern says."""
        offset = self.utcoffset()
        return _strftime.written(format, (1900, 1, 1, self._hour, self._minute, self._second, 0, 1), self._microsecond,
                                 None if offset is None else offset.days * 86400 + offset.seconds, self.tzname() or "")

    def __format__(self, format, /):
        return self.strftime(format) if format else str(self)

    def replace(self, hour=None, minute=None, second=None, microsecond=None, tzinfo=True, *, fold=None):
        """The time with some parts changed."""
        return type(self)(self._hour if hour is None else hour, self._minute if minute is None else minute,
                          self._second if second is None else second,
                          self._microsecond if microsecond is None else microsecond,
                          self._tzinfo if tzinfo is True else tzinfo, fold=self._fold if fold is None else fold)

    def __replace__(self, /, **changes):
        return self.replace(**changes)

    def _compared(self, other, is_equality):
        """(mine, others) as numbers, or None where they can't be compared."""
        if not isinstance(other, time):
            return None
        own, others = self.utcoffset(), other.utcoffset()
        if (own is None) != (others is None):
            if is_equality:
                return 0, 1
            raise TypeError("can't compare offset-naive and offset-aware times")
        result = []
        for one, offset in ((self, own), (other, others)):
            seconds = one._hour * 3600 + one._minute * 60 + one._second - (0 if offset is None else offset // timedelta(seconds=1))
            result.append((seconds, one._microsecond))
        return result

    def __eq__(self, other):
        both = self._compared(other, True)
        return NotImplemented if both is None else both[0] == both[1]

    def __lt__(self, other):
        both = self._compared(other, False)
        return NotImplemented if both is None else both[0] < both[1]

    def __le__(self, other):
        both = self._compared(other, False)
        return NotImplemented if both is None else both[0] <= both[1]

    def __gt__(self, other):
        both = self._compared(other, False)
        return NotImplemented if both is None else both[0] > both[1]

    def __ge__(self, other):
        both = self._compared(other, False)
        return NotImplemented if both is None else both[0] >= both[1]

    def __hash__(self):
        offset = self.utcoffset() or timedelta(0)
        return hash(timedelta(hours=self._hour, minutes=self._minute, seconds=self._second,
                              microseconds=self._microsecond) - offset)

    def __reduce__(self):
        return type(self), (self._hour, self._minute, self._second, self._microsecond, self._tzinfo)


class datetime(_Clock, date):
    """A moment. Behaviour: CPython Lib/_pydatetime.py."""

    __slots__ = ("_hour", "_minute", "_second", "_microsecond", "_tzinfo", "_fold")

    def __new__(cls, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None, *, fold=0):
        self = date.__new__(cls, year, month, day)
        self._set_clock(hour, minute, second, microsecond, tzinfo, fold)
        return self

    @classmethod
    def _from_seconds(cls, timestamp, parts_of, zone):
        if isinstance(timestamp, float):
            if timestamp != timestamp:
                raise ValueError("cannot convert float NaN to integer")
            if timestamp in (float("inf"), float("-inf")):
                raise OverflowError("cannot convert float infinity to integer")
            total = timedelta(seconds=timestamp)
            seconds, microsecond = total.days * 86400 + total.seconds, total.microseconds
        else:
            seconds, microsecond = _whole(timestamp), 0
        parts = parts_of(seconds)
        return cls(*parts[:5], min(parts[5], 59), microsecond, zone)

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        """The moment of seconds since 1970, local or in a zone."""
        _check_zone(tz)
        made = cls._from_seconds(timestamp, _time.localtime if tz is None else _time.gmtime, tz)
        return made if tz is None else tz.fromutc(made)

    @classmethod
    def utcfromtimestamp(cls, timestamp, /):
        """The same in Greenwich, without a zone."""
        import warnings
        warnings.warn("datetime.datetime.utcfromtimestamp() is deprecated and scheduled for removal in a future version. Use "
                      "timezone-aware objects to represent datetimes in UTC: datetime.datetime.fromtimestamp(timestamp, "
                      "datetime.UTC).", DeprecationWarning, stacklevel=2)
        return cls._from_seconds(timestamp, _time.gmtime, None)

    @classmethod
    def now(cls, tz=None):
        """The moment now."""
        return cls.fromtimestamp(_time.time(), tz)

    @classmethod
    def today(cls):
        """The moment now, local."""
        return cls.fromtimestamp(_time.time())

    @classmethod
    def utcnow(cls):
        """The moment now in Greenwich, without a zone."""
        import warnings
        warnings.warn("datetime.datetime.utcnow() is deprecated and scheduled for removal in a future version. Use "
                      "timezone-aware objects to represent datetimes in UTC: datetime.datetime.now(datetime.UTC).",
                      DeprecationWarning, stacklevel=2)
        return cls._from_seconds(_time.time(), _time.gmtime, None)

    @classmethod
    def combine(cls, date, time, tzinfo=True):
        """A day and a time of it."""
        zone = time.tzinfo if tzinfo is True else tzinfo
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second, time.microsecond, zone, fold=time.fold)

    @classmethod
    def strptime(cls, date_string, format, /):
        """The moment that a text says."""
        parts, microsecond, offset, name = _strftime.read(date_string, format)
        zone = None
        if offset is not None:
            zone = timezone(timedelta(seconds=offset)) if name is None else timezone(timedelta(seconds=offset), name)
        return cls(*parts[:6], microsecond, zone)

    @classmethod
    def fromisoformat(cls, date_string, /):
        """The moment of YYYY-MM-DD HH:MM:SS and the like."""
        if not isinstance(date_string, str):
            raise TypeError("fromisoformat: argument must be str")
        try:
            return cls._read_iso(date_string)
        except ValueError as problem:
            raise ValueError(str(problem) or f"Invalid isoformat string: {date_string!r}") from None

    @classmethod
    def _read_iso(cls, text):
        size = 10
        if "-" != text[4:5]:
            size = 8 if text[4:5] != "W" or text[7:8].isdigit() else 7
        elif text[5:6] == "W":
            size = 10 if text[8:9] == "-" else 8
        day, clock = text[:size], text[size + 1:]
        if len(text) > size and not clock:
            raise ValueError
        year, month, number = _read_iso_date(day)
        hour, minute, second, microsecond, zone = _read_iso_time(clock) if clock else (0, 0, 0, 0, None)
        if hour == 24 and minute == second == microsecond == 0:
            return cls(year, month, number, 0, 0, 0, 0, zone) + timedelta(1)
        return cls(year, month, number, hour, minute, second, microsecond, zone)

    def timestamp(self):
        """Seconds since 1970."""
        if self._tzinfo is None:
            return _time.mktime(self.timetuple()) + self._microsecond / 1e6
        return (self - _EPOCH).total_seconds()

    def utcoffset(self):
        """The zone's offset."""
        return _offset_of(self._tzinfo, self)

    def dst(self):
        """The zone's summer time."""
        return _offset_of(self._tzinfo, self, "dst")

    def tzname(self):
        """The zone's name."""
        return None if self._tzinfo is None else self._tzinfo.tzname(self)

    def date(self):
        """The day."""
        return _date(self._year, self._month, self._day)

    def time(self):
        """The time of day, without a zone."""
        return time(self._hour, self._minute, self._second, self._microsecond, fold=self._fold)

    def timetz(self):
        """The same with the zone."""
        return time(self._hour, self._minute, self._second, self._microsecond, self._tzinfo, fold=self._fold)

    def _parts(self):
        return (self._year, self._month, self._day, self._hour, self._minute, self._second, self.weekday(),
                _day_of_year(self._year, self._month, self._day))

    def timetuple(self):
        """The parts as module time has them."""
        summer = self.dst()
        return _time.struct_time((*self._parts(), -1 if summer is None else int(bool(summer))))

    def utctimetuple(self):
        """The same in Greenwich."""
        moment = self - (self.utcoffset() or timedelta(0))
        return _time.struct_time((*moment._parts(), 0))

    def astimezone(self, tz=None):
        """The same moment in another zone, in the local one without `tz`."""
        _check_zone(tz)
        own = self._tzinfo
        offset = self.utcoffset()
        if own is None or offset is None:
            parts = _time.localtime(self.replace(tzinfo=None).timestamp())
            offset = timedelta(seconds=parts.tm_gmtoff)
        utc = (self - offset).replace(tzinfo=UTC)
        if tz is None:
            parts = _time.localtime((utc - _EPOCH) // timedelta(seconds=1))
            tz = timezone(timedelta(seconds=parts.tm_gmtoff), parts.tm_zone)
        elif tz is own:
            return self
        return tz.fromutc(utc.replace(tzinfo=tz))

    def isoformat(self, sep="T", timespec="auto"):
        """YYYY-MM-DDTHH:MM:SS.ffffff+HH:MM"""
        return f"{self._year:04d}-{self._month:02d}-{self._day:02d}{sep}" + \
            _time_text(self._hour, self._minute, self._second, self._microsecond, timespec) + _offset_text(self.utcoffset())

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        return f"{self._name()}({self._year}, {self._month}, {self._day}, {self._repr_tail()})"

    def strftime(self, format, /):
        """The moment as a pattern says."""
        offset = self.utcoffset()
        seconds = int(self.timestamp() // 1) if "%s" in format else None
        return _strftime.written(format, self._parts(), self._microsecond,
                                 None if offset is None else offset.days * 86400 + offset.seconds, self.tzname() or "", seconds)

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=True, *,
                fold=None):
        """The moment with some parts changed."""
        def chosen(given, own):
            return own if given is None else given

        return type(self)(chosen(year, self._year), chosen(month, self._month), chosen(day, self._day),
                          chosen(hour, self._hour), chosen(minute, self._minute), chosen(second, self._second),
                          chosen(microsecond, self._microsecond), self._tzinfo if tzinfo is True else tzinfo,
                          fold=chosen(fold, self._fold))

    def _microseconds(self):
        """Microseconds since the begin of year 1, as the clock there shows."""
        seconds = (self.toordinal() * 24 + self._hour) * 3600 + self._minute * 60 + self._second
        return seconds * 1000000 + self._microsecond

    def _compared(self):
        offset = self.utcoffset()
        return self._microseconds() - (0 if offset is None else offset._total())

    def _others(self, other):
        if not isinstance(other, datetime):
            return None
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't compare offset-naive and offset-aware datetimes")
        return other._compared()

    def __eq__(self, other):
        if not isinstance(other, datetime):
            return NotImplemented
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            return False
        return self._compared() == other._compared()

    def __hash__(self):
        return hash(timedelta._of(self._compared()))

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        days, rest = divmod(self._microseconds() + other._total(), 86400000000)
        if not 0 < days <= 3652059:
            raise OverflowError("date value out of range")
        seconds, microsecond = divmod(rest, 1000000)
        day = _date.fromordinal(days)
        return type(self)(day.year, day.month, day.day, seconds // 3600, seconds // 60 % 60, seconds % 60, microsecond,
                          self._tzinfo)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + -other
        if not isinstance(other, datetime):
            return NotImplemented
        if (self.utcoffset() is None) != (other.utcoffset() is None):
            raise TypeError("can't subtract offset-naive and offset-aware datetimes")
        if self._tzinfo is other._tzinfo:
            return timedelta._of(self._microseconds() - other._microseconds())
        return timedelta._of(self._compared() - other._compared())

    def __reduce__(self):
        return type(self), (*self._parts()[:6], self._microsecond, self._tzinfo)


_date = date
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
time.min, time.max = time(), time(23, 59, 59, 999999)
datetime.min, datetime.max = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
time.resolution = datetime.resolution = timedelta(microseconds=1)
