"""Numbers and dates of TOML 1.0. Behaviour: CPython Lib/tomllib/_re.py, https://toml.io/en/v1.0.0."""
import re as _re
from datetime import date, datetime, time, timedelta, timezone

_TIME = r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6})\d*)?"
_NUMBER = _re.compile(r"0(?:x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|b[01](?:_?[01])*|o[0-7](?:_?[0-7])*)|"
                      r"[+-]?(?:0|[1-9](?:_?[0-9])*)((?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?)")
_LOCAL_TIME = _re.compile(_TIME)
_DATE = _re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
                    rf"(?:[Tt ]{_TIME}(?:([Zz])|([+-])([01]\d|2[0-3]):([0-5]\d))?)?")


def _clock(hour, minute, second, part):
    return int(hour), int(minute), int(second), int(part.ljust(6, "0")) if part else 0


def _moment(found):
    """Errors: ValueError  there is no such day."""
    year, month, day, *clock, zulu, sign, hours, minutes = found.groups()
    if clock[0] is None:
        return date(int(year), int(month), int(day))
    zone = None
    if sign:
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(-offset if sign == "-" else offset)
    elif zulu:
        zone = timezone.utc
    return datetime(int(year), int(month), int(day), *_clock(*clock), tzinfo=zone)


def date_at(text, at):
    """(value, where it ends), or None. Errors: ValueError for a day that there is not."""
    found = _DATE.match(text, at)
    if found:
        return _moment(found), found.end()
    found = _LOCAL_TIME.match(text, at)
    if found:
        return time(*_clock(*found.groups())), found.end()
    return None


def number_at(text, at, parse_float):
    """(value, where it ends), or None."""
    found = _NUMBER.match(text, at)
    if found:
        if found[1]:
            return parse_float(found[0]), found.end()
        return int(found[0], 0), found.end()
    for length in (3, 4):
        word = text[at:at + length]
        if word[length - 3:] in ("inf", "nan") and word[:length - 3] in ("", "+", "-"):
            return parse_float(word), at + length
    return None
