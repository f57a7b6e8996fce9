"""Records of logging, and how they read."""

import os
import sys
import time
import traceback

_start_ns = time.time_ns()


class LogRecord:
    """One message, where it came from and when."""

    def __init__(self, name, level, pathname, lineno, msg, args, exc_info, func=None, sinfo=None, **kwargs):
        from logging import getLevelName
        now = time.time_ns()
        self.name = name
        self.msg = msg
        # A dict as the only argument is what %(name)s in the message reads from.
        if args and len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        self.args = args
        self.levelname = getLevelName(level)
        self.levelno = level
        self.pathname = pathname
        self.filename = pathname.replace("\\", "/").rpartition("/")[2]
        self.module = self.filename.rpartition(".")[0] or self.filename
        self.exc_info = exc_info
        self.exc_text = None
        self.stack_info = sinfo
        self.lineno = lineno
        self.funcName = func
        self.created = now / 1e9
        self.msecs = now % 1_000_000_000 // 1_000_000 + 0.0
        self.relativeCreated = (now - _start_ns) / 1e6
        self.thread = 0
        self.threadName = "MainThread"
        self.processName = "MainProcess"
        self.process = os.getpid() if hasattr(os, "getpid") else None
        self.taskName = None

    def __repr__(self):
        return f'<LogRecord: {self.name}, {self.levelno}, {self.pathname}, {self.lineno}, "{self.msg}">'

    def getMessage(self):
        """The message with its arguments in it."""
        message = str(self.msg)
        return message % self.args if self.args else message


_record_factory = LogRecord


def _new_record(*args):
    return _record_factory(*args)


def setLogRecordFactory(factory):
    """What makes records from now on."""
    global _record_factory
    _record_factory = factory


def getLogRecordFactory():
    """What makes records."""
    return _record_factory


def makeLogRecord(dict):
    """A record with these attributes."""
    record = _new_record(None, 0, "", 0, "", (), None, None)
    record.__dict__.update(dict)
    return record


class PercentStyle:
    """%(name)s"""

    default_format = "%(message)s"
    asctime_format = "%(asctime)s"
    asctime_search = "%(asctime)"

    def __init__(self, fmt, *, defaults=None):
        self._fmt = fmt or self.default_format
        self._defaults = defaults

    def usesTime(self):
        """Whether the time is asked for."""
        return self._fmt.find(self.asctime_search) >= 0

    def validate(self):
        """Refuses a format without any field."""
        if "%(" not in self._fmt:
            raise ValueError(f"Invalid format '{self._fmt}' for '{self.default_format[0]}' style")

    def _values(self, record):
        return {**self._defaults, **record.__dict__} if self._defaults else record.__dict__

    def _format(self, record):
        return self._fmt % self._values(record)

    def format(self, record):
        """The text of a record. Errors: ValueError for a field that it has not."""
        try:
            return self._format(record)
        except KeyError as error:
            raise ValueError(f"Formatting field not found in record: {error}") from None


class StrFormatStyle(PercentStyle):
    """{name}"""

    default_format = "{message}"
    asctime_format = "{asctime}"
    asctime_search = "{asctime"

    def validate(self):
        if "{" not in self._fmt:
            raise ValueError("invalid format: no fields")

    def _format(self, record):
        return self._fmt.format(**self._values(record))


class StringTemplateStyle(PercentStyle):
    """$name"""

    default_format = "${message}"
    asctime_format = "${asctime}"
    asctime_search = "${asctime}"

    def usesTime(self):
        return "$asctime" in self._fmt or self.asctime_search in self._fmt

    def validate(self):
        if "$" not in self._fmt:
            raise ValueError("invalid format: no fields")

    def _format(self, record):
        from string import Template
        return Template(self._fmt).substitute(**self._values(record))


_STYLES = {"%": (PercentStyle, "%(levelname)s:%(name)s:%(message)s"), "{": (StrFormatStyle, "{levelname}:{name}:{message}"),
           "$": (StringTemplateStyle, "${levelname}:${name}:${message}")}


class Formatter:
    """Makes texts of records."""

    converter = time.localtime
    default_time_format = "%Y-%m-%d %H:%M:%S"
    default_msec_format = "%s,%03d"

    def __init__(self, fmt=None, datefmt=None, style="%", validate=True, *, defaults=None):
        if style not in _STYLES:
            raise ValueError(f"Style must be one of: {','.join(_STYLES)}")
        self._style = _STYLES[style][0](fmt, defaults=defaults)
        if validate:
            self._style.validate()
        self._fmt = self._style._fmt
        self.datefmt = datefmt

    def formatTime(self, record, datefmt=None):
        """The time of a record."""
        moment = type(self).converter(record.created)
        if datefmt:
            return time.strftime(datefmt, moment)
        text = time.strftime(self.default_time_format, moment)
        return self.default_msec_format % (text, record.msecs) if self.default_msec_format else text

    def formatException(self, ei):
        """The text of an exception."""
        return "".join(traceback.format_exception(*ei)).removesuffix("\n")

    def formatStack(self, stack_info):
        """The text of a stack."""
        return stack_info

    def usesTime(self):
        """Whether the time is asked for."""
        return self._style.usesTime()

    def formatMessage(self, record):
        """The text without exception and stack."""
        return self._style.format(record)

    def format(self, record):
        """The text of a record."""
        record.message = record.getMessage()
        if self.usesTime():
            record.asctime = self.formatTime(record, self.datefmt)
        text = self.formatMessage(record)
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            text = text.removesuffix("\n") + "\n" + record.exc_text
        if record.stack_info:
            text = text.removesuffix("\n") + "\n" + self.formatStack(record.stack_info)
        return text


class BufferingFormatter:
    """Makes one text of several records."""

    def __init__(self, linefmt=None):
        self.linefmt = linefmt or Formatter()

    def formatHeader(self, records):
        """What comes first."""
        return ""

    formatFooter = formatHeader

    def format(self, records):
        """The text."""
        if not records:
            return ""
        return self.formatHeader(records) + "".join(map(self.linefmt.format, records)) + self.formatFooter(records)


for _class in (LogRecord, PercentStyle, StrFormatStyle, StringTemplateStyle, Formatter, BufferingFormatter):
    _class.__module__ = "logging"
