import datetime
from email.utils import *
from email.utils import quote

print(formatdate(0), formatdate(1234567890.5, usegmt=True), format_datetime(datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))))
for text in ("Fri, 15 May 2009 17:58:28 +0000", "Thu, 1 Jan 1970 00:00:00 GMT", "20 Nov 95 10:02:03 -0830", "Wed, 02 Oct 2002 08:00:00 EST", "Mon, 16 Nov 2009 13:32:02 -0000", "nonsense", ""):
    print(parsedate_tz(text), parsedate(text), mktime_tz(parsedate_tz(text)) if parsedate_tz(text) and parsedate_tz(text)[9] is not None else None)
print(parsedate_to_datetime("Fri, 15 May 2009 17:58:28 +0100"), parsedate_to_datetime("Fri, 15 May 2009 17:58:28 -0000"))
for text in ("Ada Lovelace <ada@x.org>", '"Lovelace, Ada" <ada@x.org>', "ada@x.org", "ada@x.org (Ada)", "<ada@x.org>", ""):
    print(parseaddr(text))
print(getaddresses(["Ada <ada@x.org>, bob@y.org", '"C, D" <c@z.org>']))
print(formataddr(("Ada Lovelace", "ada@x.org")), formataddr(("Lovelace, Ada", "ada@x.org")), formataddr((None, "a@b")), formataddr(("Ad\u00e0", "a@b")))
print(quote('a "b" \\c'), unquote('"a b"'), unquote("<x>"), make_msgid("i", "host").endswith(".i@host>"))
try:
    parsedate_to_datetime("no date")
except ValueError as error:
    print(error)
