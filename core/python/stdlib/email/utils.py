"""Dates and addresses of mail. Behaviour: CPython 3.14, Lib/email/utils.py, RFC 5322."""
import datetime as _datetime
import re as _re
import time as _time

__all__ = ["collapse_rfc2231_value", "formataddr", "formatdate", "format_datetime", "getaddresses", "localtime", "make_msgid",
           "mktime_tz", "parseaddr", "parsedate", "parsedate_tz", "parsedate_to_datetime", "unquote"]
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()
_ZONES = {"UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "AST": -400, "ADT": -300, "EST": -500, "EDT": -400, "CST": -600, "CDT": -500,
          "MST": -700, "MDT": -600, "PST": -800, "PDT": -700}
_SPECIAL = _re.compile(r'[][\\()<>@,:;".]')
_DATE = _re.compile(r"(?:[A-Za-z]+\s*,?\s+)?(\d{1,2})[\s-]+([A-Za-z]{3,})[\s-]+(\d{2,4})(?:\s+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?)?"
                    r"(?:\s+([-+]?\d{4}|[A-Za-z]+))?")


def quote(str):
    """Backslashes before backslashes and quotes."""
    return str.replace("\\", "\\\\").replace('"', '\\"')


def unquote(str):
    if len(str) > 1:
        if str.startswith('"') and str.endswith('"'):
            return str[1:-1].replace("\\\\", "\\").replace('\\"', '"')
        if str.startswith("<") and str.endswith(">"):
            return str[1:-1]
    return str


def _cut(text):
    """[an address with its name] of a list with commas, and whether quotes and brackets match."""
    parts, begin, at, depth, in_quotes, in_angle = [], 0, 0, 0, False, False
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == '"' and not depth:
            in_quotes = not in_quotes
        elif not in_quotes:
            if letter == "(":
                depth += 1
            elif letter == ")":
                depth -= 1
            elif letter in "<>" and not depth:
                if in_angle == (letter == "<"):
                    return [], False
                in_angle = letter == "<"
            elif letter == "," and not depth and not in_angle:
                parts.append(text[begin:at])
                begin = at + 1
        at += 1
    parts.append(text[begin:])
    return parts, not in_quotes and not in_angle and depth == 0


def _one(text):
    """(name, address) or None."""
    comments = _re.findall(r"\(([^()]*)\)", _re.sub(r'"(?:\\.|[^"\\])*"', "", text))
    bare = text
    for comment in comments:
        bare = bare.replace(f"({comment})", " ", 1)
    bare = bare.strip()
    found = _re.fullmatch(r"(.*?)<([^<>]*)>", bare, _re.DOTALL)
    if found:
        name, address = found[1].strip(), found[2].strip()
        name = " ".join(unquote(part) for part in _re.findall(r'"(?:\\.|[^"\\])*"|[^\s"]+', name))
        if comments:
            name = f"{name} ({' '.join(comments)})".strip() if name else " ".join(comments)
    else:
        name, address = " ".join(comments), _re.sub(r"\s*([@.])\s*", r"\1", bare)
    if _re.search(r"\s", address) or address.count("@") > 1 or "," in address:
        return None
    return name, address


def parseaddr(addr, *, strict=True):
    """(name, address) of a header; ("", "") for what is none."""
    if isinstance(addr, list):
        addr = addr[0] if addr else ""
    if not isinstance(addr, str):
        return "", ""
    parts, is_whole = _cut(addr)
    if not is_whole or strict and len(parts) != 1:
        return "", ""
    return _one(parts[0]) or ("", "")


def getaddresses(fieldvalues, *, strict=True):
    """[(name, address)] of several headers."""
    made = []
    for value in fieldvalues:
        parts, is_whole = _cut(str(value))
        if not is_whole:
            made.append(("", ""))
            continue
        made.extend(_one(part) or ("", "") for part in parts if part.strip())
    return made


def _coded(name, charset):
    """Letters beyond ASCII in the shorter of the two ways of RFC 2047."""
    data = name.encode(charset)
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-!*+/"
    letters = "".join("_" if one == 32 else chr(one) if one in plain else "=%02X" % one for one in data)
    if (len(data) + 2) // 3 * 4 < len(letters):
        import base64
        return f"=?{charset}?b?{base64.b64encode(data).decode()}?="
    return f"=?{charset}?q?{letters}?="


def formataddr(pair, charset="utf-8"):
    """What parseaddr() takes apart. Errors: UnicodeEncodeError for an address that is not ASCII."""
    name, address = pair
    address.encode("ascii")
    if not name:
        return address
    try:
        name.encode("ascii")
    except UnicodeEncodeError:
        return f"{_coded(name, charset)} <{address}>"
    marks = '"' if _SPECIAL.search(name) else ""
    return f"{marks}{quote(name)}{marks} <{address}>"


def parsedate_tz(data):
    """(year, month, day, hour, minute, second, 0, 1, -1, seconds east of Greenwich), or None."""
    found = _parsed(data)
    return found and (*found[:9], found[9] or 0)


def _parsed(data):
    """The same; where nothing is known of the zone there is None."""
    if not data:
        return None
    found = _DATE.match(data.strip())
    if not found or found[2][:3].capitalize() not in _MONTHS:
        return None
    year = int(found[3])
    if year < 100:
        year += 1900 if year > 68 else 2000
    zone = found[7]
    offset = None
    if zone:
        number = _ZONES.get(zone.upper())
        if number is None and _re.fullmatch(r"[-+]?\d{4}", zone):
            number = int(zone)
            if number == 0 and zone.startswith("-"):
                number = None  # the time of Greenwich, and nothing about where it was written
        if number is not None:
            sign = -1 if number < 0 else 1
            offset = sign * (abs(number) // 100 * 3600 + abs(number) % 100 * 60)
    clock = [int(found[at] or 0) for at in (4, 5, 6)]
    made = (year, _MONTHS.index(found[2][:3].capitalize()) + 1, int(found[1]), *clock, 0, 1, -1)
    return (*made, offset)


def parsedate(data):
    """The same without the zone."""
    found = parsedate_tz(data)
    return found[:9] if found else None


def parsedate_to_datetime(data):
    """Errors: ValueError."""
    found = _parsed(data)
    if found is None:
        raise ValueError("Invalid date value or format \"%s\"" % str(data))
    if found[9] is None:
        return _datetime.datetime(*found[:6])
    return _datetime.datetime(*found[:6], tzinfo=_datetime.timezone(_datetime.timedelta(seconds=found[9])))


def mktime_tz(data):
    """The seconds since 1970 of what parsedate_tz() gives."""
    if data[9] is None:
        return _time.mktime(data[:8] + (-1,))
    moment = _datetime.datetime(*data[:6], tzinfo=_datetime.timezone.utc)
    return int(moment.timestamp()) - data[9]


def _written(moment, zone):
    return "%s, %02d %s %04d %02d:%02d:%02d %s" % (_DAYS[moment.weekday()], moment.day, _MONTHS[moment.month - 1], moment.year,
                                                  moment.hour, moment.minute, moment.second, zone)


def format_datetime(dt, usegmt=False):
    """Errors: ValueError."""
    if usegmt:
        if dt.tzinfo is None or dt.tzinfo != _datetime.timezone.utc:
            raise ValueError("usegmt option requires a UTC datetime")
        return _written(dt, "GMT")
    return _written(dt, "-0000" if dt.tzinfo is None else dt.strftime("%z"))


def formatdate(timeval=None, localtime=False, usegmt=False):
    """The moment (now) as a header has it."""
    timeval = _time.time() if timeval is None else timeval
    moment = _datetime.datetime.fromtimestamp(timeval, _datetime.timezone.utc)
    if localtime:
        return format_datetime(moment.astimezone())
    return format_datetime(moment, True) if usegmt else format_datetime(moment.replace(tzinfo=None))


def localtime(dt=None):
    return (_datetime.datetime.now(_datetime.timezone.utc) if dt is None else dt).astimezone()


def make_msgid(idstring=None, domain=None):
    """An address for a message that no other has."""
    import os
    import random
    import socket
    return "<%d.%d.%d%s@%s>" % (int(_time.time() * 100), os.getpid(), random.getrandbits(64),
                                "" if idstring is None else "." + idstring, socket.getfqdn() if domain is None else domain)


def collapse_rfc2231_value(value, errors="replace", fallback_charset="us-ascii"):
    if not isinstance(value, tuple) or len(value) != 3:
        return unquote(value)
    charset, _, text = value
    return bytes(text, "raw-unicode-escape").decode(charset or fallback_charset, errors)
