"""Dates, times, lengths of time; moments as texts."""
import time
from datetime import UTC, date, datetime, timedelta, timezone
from datetime import time as clock


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


d = timedelta(days=1, hours=2, minutes=3, seconds=4.5, milliseconds=6)
print(d, repr(d), d.days, d.seconds, d.microseconds, d.total_seconds(), -d, abs(-d), d * 2, d / 2, d // timedelta(hours=1),
      d % timedelta(hours=1), divmod(d, timedelta(hours=5)), d / timedelta(seconds=1), d * 0.5, d > timedelta(1), bool(timedelta()))
print(timedelta(0), repr(timedelta()), timedelta(weeks=-1, seconds=1), timedelta.max, timedelta.min, hash(d) == hash(d * 1), d + d - d == d)
print(timedelta(microseconds=0.5), timedelta(microseconds=1.5), timedelta(seconds=0.1) * 3, sum([d, d], timedelta()))
shown(lambda: timedelta("a"))
shown(lambda: timedelta(days=10**9))
shown(lambda: d / 0)

day = date(2024, 2, 29)
print(day, repr(day), day.weekday(), day.isoweekday(), tuple(day.isocalendar()), day.toordinal(), date.fromordinal(738945), day.ctime())
print(day + timedelta(366), day - timedelta(1), day - date(2023, 3, 1), day.replace(year=2020), day < date(2024, 3, 1), day.isocalendar())
print(date.fromisoformat("2024-02-29"), date.fromisoformat("20240229"), date.fromisoformat("2024-W09-4"), date.fromisocalendar(2020, 53, 7))
print(day.strftime("%A %d. %B %Y, %j %U %W %G-W%V-%u %y %b %a %% %e"), f"{day:%d/%m/%y}", day.timetuple()[:8], date.min, date.max)
for year in (2015, 2016, 2020, 2021, 2026):
    print([date(year, 1, one).strftime("%G-%V-%w") for one in (1, 2, 3, 4, 5)], date(year, 12, 31).isocalendar()[:2])
shown(lambda: date.fromisoformat("2024-13"))
shown(lambda: day + timedelta(10**7))
shown(lambda: day == datetime(2024, 2, 29))

m = datetime(2024, 2, 29, 13, 5, 9, 42)
print(m, repr(m), m.isoformat(), m.isoformat(" ", "minutes"), m.date(), m.time(), repr(m.time()), m.ctime(), m.replace(hour=0, microsecond=0))
print(m.strftime("%Y-%m-%d_%H-%M-%S.%f %I:%M %p %c | %x | %X | %D %T %F %R"), f"{m:%H:%M}", f"{m}", m.strftime("%z%Z|"))
print(m + timedelta(hours=11), m - datetime(2024, 1, 1), m - timedelta(days=60, microseconds=43), m > datetime(2024, 2, 29), m.timetuple())
print(datetime.strptime("2024-02-29 01:02:03", "%Y-%m-%d %H:%M:%S"), datetime.strptime("Feb 3 24 11PM", "%b %d %y %I%p"),
      datetime.strptime("060 2023 +0130", "%j %Y %z"), datetime.strptime("1.5", "%S.%f"))
for text in ("2024-02-29T01:02:03", "2024-02-29 01:02", "2024-02-29T01:02:03.123456+05:30", "20240229T010203Z", "2024-02-29",
             "2024-02-29T01:02:03,5", "2024-W09-4T10"):
    print(datetime.fromisoformat(text))
for text in ("2024", "2024-02-29T", "2024-02-29T1:2", "x"):
    shown(lambda: datetime.fromisoformat(text))
shown(lambda: datetime.strptime("a", "%Y"))
shown(lambda: datetime.strptime("2024x", "%Y"))
shown(lambda: datetime.strptime("2024", "%Q"))

zone = timezone(timedelta(hours=-5, minutes=-30))
aware = m.replace(tzinfo=zone)
print(aware, repr(aware), aware.astimezone(UTC), aware.utcoffset(), aware.tzname(), aware.timestamp(), aware == aware.astimezone(UTC))
print(timezone.utc, repr(timezone(timedelta(hours=1), "CET")), timezone(timedelta(0)) is UTC, UTC.tzname(None), repr(zone), aware.timetz())
print(datetime.fromtimestamp(1e9, UTC), datetime.fromtimestamp(1709212809.5, zone), datetime.combine(day, clock(1, 2)), aware.strftime("%z %Z"))
print(m == aware, aware - aware.astimezone(UTC), {aware: 1}[aware.astimezone(UTC)])
shown(lambda: m < aware)
shown(lambda: m - aware)
t = clock(9, 8, 7, 6)
print(t, repr(t), t.isoformat("milliseconds"), t.replace(hour=1), clock.fromisoformat("04:05"), t < clock(10), t.strftime("%H %f"), clock.min, clock.max)
print(max(date(2024, 1, 1), date(2023, 1, 1)), sorted([m, datetime.min])[0], datetime.max, abs((datetime.now() - datetime.today()).days) <= 1)

g = time.gmtime(0)
print(g, g.tm_year, g[6], time.strftime("%Y-%m-%d %H:%M:%S", g), time.asctime(g), time.strptime("30 Nov 00", "%d %b %y"))
print(time.mktime(time.localtime(1e9)) == 1e9, len(time.localtime()), time.time() > 1.6e9, time.perf_counter() >= 0, time.monotonic_ns() >= 0)
