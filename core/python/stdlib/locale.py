"""How numbers and texts are written where the program runs. Behaviour: CPython Lib/locale.py. There is the locale C."""
LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)
CHAR_MAX = 127
_set = "C"


class Error(Exception):
    """There is no such locale."""


def setlocale(category, locale=None):
    global _set
    if locale is None:
        return _set
    if isinstance(locale, tuple):
        locale = ".".join(part for part in locale if part)
    if locale in ("", "C", "POSIX") or locale.upper().replace("-", "") in ("C.UTF8", "EN_US.UTF8"):
        _set = {"": "C.UTF-8", "POSIX": "C"}.get(locale, locale)
        return _set
    raise Error("unsupported locale setting")


def getlocale(category=LC_CTYPE):
    name, _, encoding = _set.partition(".")
    return (None, None) if name in ("C", "POSIX") and not encoding else (name, encoding or None)


def getdefaultlocale(envvars=()):
    return "C", "UTF-8"


def getpreferredencoding(do_setlocale=True):
    return "utf-8"


def getencoding():
    return "utf-8"


def localeconv():
    made = {name: "" for name in ("int_curr_symbol", "currency_symbol", "mon_decimal_point", "mon_thousands_sep",
                                  "positive_sign", "negative_sign", "thousands_sep")}
    made.update(decimal_point=".", grouping=[], mon_grouping=[])
    for name in ("int_frac_digits", "frac_digits", "p_cs_precedes", "p_sep_by_space", "n_cs_precedes", "n_sep_by_space",
                 "p_sign_posn", "n_sign_posn"):
        made[name] = CHAR_MAX
    return made


def format_string(f, val, grouping=False, monetary=False):
    return f % val


def currency(val, symbol=True, grouping=False, international=False):
    raise ValueError("Currency formatting is not possible using the 'C' locale.")


def str(val):
    return "%.12g" % val


def atof(string, func=float):
    return func(string)


def atoi(string):
    return int(string)


def strcoll(string1, string2):
    return (string1 > string2) - (string1 < string2)


def strxfrm(string):
    return string


def normalize(localename):
    return localename
