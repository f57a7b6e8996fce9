"""Clocks, and moments as texts."""

import sys as _sys

import _strftime
import _time
from _time import (monotonic, monotonic_ns, perf_counter, perf_counter_ns, process_time, process_time_ns, thread_time,
                   time, time_ns)
from _time import sleep as _sleep


class struct_time(tuple):
    """The parts of a moment: (year, month, day, hour, minute, second, weekday, day of the year, summer time)."""

    n_fields, n_sequence_fields, n_unnamed_fields = 11, 9, 0
    _NAMES = ("tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst")

    def __new__(cls, parts, /):
        parts = tuple(parts)
        if len(parts) < 9:
            raise TypeError(f"time.struct_time() takes an at least 9-sequence ({len(parts)}-sequence given)")
        if len(parts) > 11:
            raise TypeError(f"time.struct_time() takes an at most 11-sequence ({len(parts)}-sequence given)")
        made = tuple.__new__(cls, parts[:9])
        made.tm_zone, made.tm_gmtoff = (parts[9:] + (None, None))[:2]
        return made

    tm_year = property(lambda self: self[0])
    tm_mon = property(lambda self: self[1])
    tm_mday = property(lambda self: self[2])
    tm_hour = property(lambda self: self[3])
    tm_min = property(lambda self: self[4])
    tm_sec = property(lambda self: self[5])
    tm_wday = property(lambda self: self[6])
    tm_yday = property(lambda self: self[7])
    tm_isdst = property(lambda self: self[8])

    def __repr__(self):
        return f"time.struct_time({', '.join(f'{name}={value!r}' for name, value in zip(self._NAMES, self))})"


def sleep(seconds, /):
    """Waits; threads of the program (module threading) run meanwhile."""
    if not isinstance(seconds, (int, float)):
        if not hasattr(type(seconds), "__index__") and not hasattr(type(seconds), "__float__"):
            raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
        seconds = float(seconds)
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    threading = _sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        threading._sleep(seconds)
    else:
        _sleep(seconds)


def _seconds(given):
    if given is None:
        return int(time() // 1)
    if not isinstance(given, (int, float)):
        raise TypeError(f"'{type(given).__name__}' object cannot be interpreted as an integer")
    return int(given // 1)


def localtime(seconds=None, /):
    """The parts of a moment where the program runs."""
    return struct_time(_time.parts(_seconds(seconds), True))


def gmtime(seconds=None, /):
    """The parts of a moment in Greenwich."""
    return struct_time(_time.parts(_seconds(seconds), False))


def mktime(parts, /):
    """The seconds of a local moment."""
    if not isinstance(parts, tuple):
        raise TypeError("Tuple or struct_time argument required")
    return float(_time.seconds_of(*parts[:6], parts[8]))


def _checked(parts):
    parts = localtime() if parts is None else parts
    if not isinstance(parts, tuple):
        raise TypeError("Tuple or struct_time argument required")
    for at, (low, high, message) in enumerate(((0, 12, "month out of range"), (0, 31, "day of month out of range"),
                                               (0, 23, "hour out of range"), (0, 59, "minute out of range"),
                                               (0, 61, "seconds out of range")), 1):
        if not low <= parts[at] <= high:
            raise ValueError(message)
    if not 0 <= parts[7] <= 366:
        raise ValueError("day of year out of range")
    return parts


def strftime(format, t=None, /):
    """The text of a moment."""
    parts = _checked(t)
    zone, offset = getattr(parts, "tm_zone", None), getattr(parts, "tm_gmtoff", None)
    fixed = (parts[0], parts[1] or 1, parts[2] or 1, *parts[3:6], parts[6] % 7, parts[7] or 1)
    return _strftime.written(format, fixed, 0, 0 if offset is None else offset, "" if zone is None else zone)


def asctime(t=None, /):
    """Sun Jun 20 23:21:05 1993"""
    parts = _checked(t)
    return f"{_strftime.DAYS[parts[6]][:3]} {_strftime.MONTHS[parts[1] - 1][:3]}{parts[2]:3d} " \
           f"{parts[3]:02d}:{parts[4]:02d}:{parts[5]:02d} {parts[0]}"


def ctime(seconds=None, /):
    """The same for seconds."""
    return asctime(localtime(seconds))


def strptime(data_string, format="%a %b %d %H:%M:%S %Y", /):
    """The moment that a text says."""
    parts, _, offset, zone = _strftime.read(data_string, format)
    return struct_time((*parts, zone, offset))


def get_clock_info(name):
    """What is known of a clock."""
    from types import SimpleNamespace
    if name not in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        raise ValueError("unknown clock")
    return SimpleNamespace(implementation="std::chrono", monotonic=name != "time", adjustable=name == "time", resolution=1e-09)


_winter = [_time.parts(1704067200 + half * 15768000, True) for half in (0, 1)]
_winter.sort(key=lambda parts: parts[8])
timezone, altzone = -_winter[0][10], -_winter[-1][10]
daylight = int(_winter[0][8] != _winter[1][8])
tzname = (_winter[0][9], _winter[-1][9])
del _winter
