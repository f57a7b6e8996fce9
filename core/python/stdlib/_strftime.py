"""How moments are written and read by patterns: %Y-%m-%d %H:%M:%S. Behaviour: the C library's strftime in the C locale."""

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")
_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def is_leap(year):
    """Whether February has 29 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_before_year(year):
    """Days from the 1st of January of year 1 to that of `year`."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400


def days_in_month(year, month):
    """28 to 31."""
    return 29 if month == 2 and is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def day_of_year(year, month, day):
    """1 for the 1st of January."""
    return _BEFORE[month - 1] + (month > 2 and is_leap(year)) + day


def ordinal_of(year, month, day):
    """1 for the 1st of January of year 1."""
    return days_before_year(year) + day_of_year(year, month, day)


def weekday_of(year, month, day):
    """0 for Monday."""
    return (ordinal_of(year, month, day) + 6) % 7


def _monday_of_first_week(year):
    first = ordinal_of(year, 1, 1)
    weekday = (first + 6) % 7
    return first - weekday + (7 if weekday > 3 else 0)


def iso_week(year, month, day):
    """(year, week, weekday from 1) as ISO 8601 counts."""
    ordinal = ordinal_of(year, month, day)
    monday = _monday_of_first_week(year)
    if ordinal < monday:
        year -= 1
        monday = _monday_of_first_week(year)
    elif ordinal >= _monday_of_first_week(year + 1):
        year += 1
        monday = _monday_of_first_week(year)
    return year, (ordinal - monday) // 7 + 1, (ordinal - monday) % 7 + 1


def offset_text(seconds, between=""):
    """+HHMM, with seconds where there are some; empty for None."""
    if seconds is None:
        return ""
    sign = "-" if seconds < 0 else "+"
    seconds = abs(seconds)
    text = f"{sign}{seconds // 3600:02d}{between}{seconds // 60 % 60:02d}"
    return text + (f"{between}{seconds % 60:02d}" if seconds % 60 else "")


def written(pattern, parts, microsecond=0, offset=None, zone="", seconds=None):
    """The text of a moment. `parts`: as time.struct_time has them, weekday and day of the year too."""
    year, month, day, hour, minute, second, weekday, yday = parts[:8]
    result = []
    at = 0
    while True:
        sign = pattern.find("%", at)
        if sign < 0 or sign + 1 >= len(pattern):
            result.append(pattern[at:])
            return "".join(result)
        result.append(pattern[at:sign])
        letter = pattern[sign + 1]
        at = sign + 2
        width = None
        if letter == "-" and at < len(pattern):
            letter, at, width = pattern[at], at + 1, 0
        elif letter == ":" and pattern[at:at + 1] == "z":
            result.append(offset_text(offset, ":"))
            at += 1
            continue
        result.append(_field(letter, year, month, day, hour, minute, second, weekday, yday, microsecond, offset, zone,
                             seconds, width))


def _field(letter, year, month, day, hour, minute, second, weekday, yday, microsecond, offset, zone, seconds, width):
    def number(value, digits=2, fill="0"):
        return str(value) if width == 0 else str(value).rjust(digits, fill)

    def part(pattern):
        return written(pattern, (year, month, day, hour, minute, second, weekday, yday), microsecond, offset, zone, seconds)

    if letter == "a":
        return DAYS[weekday][:3]
    if letter == "A":
        return DAYS[weekday]
    if letter in "bh":
        return MONTHS[month - 1][:3]
    if letter == "B":
        return MONTHS[month - 1]
    if letter in "cDFRrTxX":
        return part({"c": "%a %b %e %H:%M:%S %Y", "D": "%m/%d/%y", "F": "%Y-%m-%d", "R": "%H:%M", "r": "%I:%M:%S %p",
                     "T": "%H:%M:%S", "x": "%m/%d/%y", "X": "%H:%M:%S"}[letter])
    if letter == "d":
        return number(day)
    if letter == "e":
        return number(day, 2, " ")
    if letter == "f":
        return f"{microsecond:06d}"
    if letter == "H":
        return number(hour)
    if letter == "I":
        return number((hour + 11) % 12 + 1)
    if letter == "j":
        return number(yday, 3)
    if letter == "m":
        return number(month)
    if letter == "M":
        return number(minute)
    if letter == "p":
        return "AM" if hour < 12 else "PM"
    if letter == "S":
        return number(second)
    if letter == "s" and seconds is not None:
        return str(seconds)
    if letter == "u":
        return str(weekday + 1)
    if letter == "w":
        return str((weekday + 1) % 7)
    if letter == "U":
        return number((yday + 6 - (weekday + 1) % 7) // 7)
    if letter == "W":
        return number((yday + 6 - weekday) // 7)
    if letter in "GVg":
        iso_year, week, _ = iso_week(year, month, day)
        return f"{iso_year:04d}" if letter == "G" else number(week) if letter == "V" else number(iso_year % 100)
    if letter == "C":
        return number(year // 100)
    if letter == "y":
        return number(year % 100)
    if letter == "Y":
        return f"{year:04d}"
    if letter == "z":
        return offset_text(offset)
    if letter == "Z":
        return zone
    return {"n": "\n", "t": "\t", "%": "%"}.get(letter, "%" + letter)


_NUMBERS = {"d": r"3[01]|[12]\d|0[1-9]|[1-9]| [1-9]", "f": r"\d{1,6}", "H": r"2[0-3]|[01]\d|\d", "I": r"1[0-2]|0[1-9]|[1-9]| [1-9]",
            "j": r"36[0-6]|3[0-5]\d|[12]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]", "m": r"1[0-2]|0[1-9]|[1-9]",
            "M": r"[0-5]\d|\d", "S": r"6[01]|[0-5]\d|\d", "y": r"\d\d", "Y": r"\d\d\d\d", "w": r"[0-6]", "u": r"[1-7]",
            "U": r"5[0-3]|[0-4]\d|\d", "W": r"5[0-3]|[0-4]\d|\d"}


def read(text, pattern):
    """What a text says of a moment: (parts, microsecond, seconds east of Greenwich or None, zone or None)."""
    import re
    names = {"a": [one[:3] for one in DAYS], "A": list(DAYS), "b": [one[:3] for one in MONTHS], "B": list(MONTHS),
             "p": ["AM", "PM"], "Z": ["UTC", "GMT"]}
    for short, full in (("c", "%a %b %d %H:%M:%S %Y"), ("x", "%m/%d/%y"), ("X", "%H:%M:%S"), ("T", "%H:%M:%S"),
                        ("D", "%m/%d/%y"), ("F", "%Y-%m-%d"), ("R", "%H:%M")):
        pattern = pattern.replace("%" + short, full)
    built = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        at += 1
        if letter.isspace():
            built.append(r"\s+" if not built or built[-1] != r"\s+" else "")
        elif letter != "%":
            built.append(re.escape(letter))
        else:
            if at >= len(pattern):
                raise ValueError(f"stray % in format {pattern!r}")
            letter = pattern[at]
            at += 1
            if letter == "%":
                built.append("%")
            elif letter == "z":
                built.append(r"(?P<z>[+-]\d\d:?[0-5]\d(?::?[0-5]\d(?:\.\d{1,6})?)?|Z)")
            elif letter in _NUMBERS:
                built.append(f"(?P<{letter}>{_NUMBERS[letter]})")
            elif letter in names:
                built.append(f"(?P<{letter}>{'|'.join(names[letter])})")
            else:
                raise ValueError(f"'{letter}' is a bad directive in format {pattern!r}")
    match = re.match("".join(built), text, re.IGNORECASE)
    if match is None:
        raise ValueError(f"time data {text!r} does not match format {pattern!r}")
    if match.end() != len(text):
        raise ValueError(f"unconverted data remains: {text[match.end():]}")
    return _moment(match.groupdict(), names)


def _moment(found, names):
    def number(letter, otherwise):
        return int(found[letter]) if letter in found else otherwise

    year = number("Y", 1900)
    if "y" in found:
        year = int(found["y"]) + (2000 if int(found["y"]) <= 68 else 1900)
    month, day = number("m", 1), number("d", 1)
    for letter in "bB":
        if letter in found:
            month = [one.lower() for one in names[letter]].index(found[letter].lower()) + 1
    hour, minute, second = number("H", 0), number("M", 0), number("S", 0)
    if "I" in found:
        hour = int(found["I"]) % 12 + (12 if found.get("p", "AM").upper() == "PM" else 0)
    if "j" in found and not ({"m", "b", "B"} & set(found)):
        yday = int(found["j"])
        month = 1
        while yday > days_in_month(year, month):
            yday -= days_in_month(year, month)
            month += 1
        day = yday
    if day > days_in_month(year, month):
        raise ValueError("day is out of range for month")
    microsecond = int(found["f"].ljust(6, "0")) if "f" in found else 0
    offset = None
    if "z" in found:
        given = found["z"].replace(":", "")
        offset = 0
        if given.upper() != "Z":
            seconds = int(given[1:3]) * 3600 + int(given[3:5]) * 60 + int(given[5:7] or 0)
            offset = -seconds if given[0] == "-" else seconds
    zone = found.get("Z")
    if zone is not None and offset is None and zone.upper() in ("UTC", "GMT"):
        zone = zone.upper()
    return ((year, month, day, hour, minute, second, weekday_of(year, month, day), day_of_year(year, month, day), -1),
            microsecond, offset, zone)
