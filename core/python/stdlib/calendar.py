"""Weeks and months. Behaviour: CPython Lib/calendar.py. Of texts there are those of month() and calendar()."""
import datetime as _datetime
import enum as _enum
from itertools import repeat as _repeat


class Month(_enum.IntEnum):
    JANUARY = 1
    FEBRUARY = 2
    MARCH = 3
    APRIL = 4
    MAY = 5
    JUNE = 6
    JULY = 7
    AUGUST = 8
    SEPTEMBER = 9
    OCTOBER = 10
    NOVEMBER = 11
    DECEMBER = 12


class Day(_enum.IntEnum):
    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY = Day
(JANUARY, FEBRUARY, MARCH, APRIL, MAY, JUNE, JULY, AUGUST, SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER) = Month
EPOCH = 1970
day_name = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
day_abbr = [name[:3] for name in day_name]
month_name = ["", *(month.name.capitalize() for month in Month)]
month_abbr = [name[:3] for name in month_name]
mdays = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


class IllegalMonthError(ValueError, IndexError):
    def __init__(self, month):
        self.month = month

    def __str__(self):
        return f"bad month number {self.month!r}; must be 1-12"


class IllegalWeekdayError(ValueError):
    def __init__(self, weekday):
        self.weekday = weekday

    def __str__(self):
        return f"bad weekday number {self.weekday!r}; must be 0 (Monday) to 6 (Sunday)"


def isleap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def leapdays(y1, y2):
    def before(year):
        year -= 1
        return year // 4 - year // 100 + year // 400

    return before(y2) - before(y1)


def weekday(year, month, day):
    if not 1 <= year <= 9999:
        year = 2000 + year % 400
    return Day(_datetime.date(year, month, day).weekday())


def monthrange(year, month):
    """The weekday of the first day, and how many days there are."""
    if not 1 <= month <= 12:
        raise IllegalMonthError(month)
    return weekday(year, month, 1), mdays[month] + (month == 2 and isleap(year))


class Calendar:
    """Weeks that begin with a day of one's choice."""

    def __init__(self, firstweekday=0):
        self.firstweekday = firstweekday

    def getfirstweekday(self):
        return self.firstweekday % 7

    def setfirstweekday(self, firstweekday):
        self.firstweekday = firstweekday

    def iterweekdays(self):
        for i in range(self.firstweekday, self.firstweekday + 7):
            yield i % 7

    def itermonthdays(self, year, month):
        first, days = monthrange(year, month)
        yield from _repeat(0, (first - self.firstweekday) % 7)
        yield from range(1, days + 1)
        yield from _repeat(0, (self.firstweekday - first - days) % 7)

    def itermonthdays2(self, year, month):
        for i, day in enumerate(self.itermonthdays(year, month), self.firstweekday):
            yield day, i % 7

    def itermonthdates(self, year, month):
        first, days = monthrange(year, month)
        start = _datetime.date(year, month, 1) - _datetime.timedelta((first - self.firstweekday) % 7)
        for i in range(len(list(self.itermonthdays(year, month)))):
            yield start + _datetime.timedelta(i)

    def _weeks(self, days):
        days = list(days)
        return [days[i:i + 7] for i in range(0, len(days), 7)]

    def monthdayscalendar(self, year, month):
        return self._weeks(self.itermonthdays(year, month))

    def monthdays2calendar(self, year, month):
        return self._weeks(self.itermonthdays2(year, month))

    def monthdatescalendar(self, year, month):
        return self._weeks(self.itermonthdates(year, month))


class TextCalendar(Calendar):
    """Months as texts."""

    def formatday(self, day, weekday, width):
        return ("" if day == 0 else "%2i" % day).center(width)

    def formatweek(self, theweek, width):
        return " ".join(self.formatday(day, weekday, width) for day, weekday in theweek)

    def formatweekday(self, day, width):
        return (day_name if width >= 9 else day_abbr)[day][:width].center(width)

    def formatweekheader(self, width):
        return " ".join(self.formatweekday(day, width) for day in self.iterweekdays())

    def formatmonthname(self, theyear, themonth, width, withyear=True):
        name = month_name[themonth]
        return (f"{name} {theyear!r}" if withyear else name).center(width)

    def formatmonth(self, theyear, themonth, w=0, l=0):
        w, l = max(2, w), max(1, l)
        text = self.formatmonthname(theyear, themonth, 7 * (w + 1) - 1).rstrip() + "\n" * l
        text += self.formatweekheader(w).rstrip() + "\n" * l
        for week in self.monthdays2calendar(theyear, themonth):
            text += self.formatweek(week, w).rstrip() + "\n" * l
        return text

    def prmonth(self, theyear, themonth, w=0, l=0):
        print(self.formatmonth(theyear, themonth, w, l), end="")


_text = TextCalendar()
monthcalendar, month, prmonth = _text.monthdayscalendar, _text.formatmonth, _text.prmonth
firstweekday = _text.getfirstweekday


def setfirstweekday(firstweekday):
    if not MONDAY <= firstweekday <= SUNDAY:
        raise IllegalWeekdayError(firstweekday)
    _text.firstweekday = firstweekday


def timegm(tuple):
    """Seconds since 1970 of a moment in Greenwich."""
    year, month, day, hour, minute, second = tuple[:6]
    days = _datetime.date(year, month, 1).toordinal() - _datetime.date(EPOCH, 1, 1).toordinal() + day - 1
    return ((days * 24 + hour) * 60 + minute) * 60 + second
