"""Messages of programs, by level and by name."""

import io
import os
import sys
import time
import traceback
import warnings

from logging._format import (BufferingFormatter, Formatter, LogRecord, PercentStyle, StrFormatStyle, StringTemplateStyle,
                             makeLogRecord, getLogRecordFactory, setLogRecordFactory, _new_record, _STYLES)

__all__ = ["BASIC_FORMAT", "BufferingFormatter", "CRITICAL", "DEBUG", "ERROR", "FATAL", "FileHandler", "Filter", "Formatter",
           "Handler", "INFO", "LogRecord", "Logger", "LoggerAdapter", "NOTSET", "NullHandler", "StreamHandler", "WARN",
           "WARNING", "addLevelName", "basicConfig", "captureWarnings", "critical", "debug", "disable", "error", "exception",
           "fatal", "getLevelName", "getLevelNamesMapping", "getLogger", "getLoggerClass", "info", "log", "makeLogRecord",
           "setLoggerClass", "shutdown", "warn", "warning", "getLogRecordFactory", "setLogRecordFactory", "lastResort",
           "raiseExceptions", "getHandlerByName", "getHandlerNames"]

CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"
raiseExceptions = True

_levelToName = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG", 0: "NOTSET"}
_nameToLevel = {"CRITICAL": 50, "FATAL": 50, "ERROR": 40, "WARN": 30, "WARNING": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}


def getLevelNamesMapping():
    """The levels by name."""
    return _nameToLevel.copy()


def getLevelName(level):
    """The name of a level, or the level of a name."""
    found = _levelToName.get(level)
    if found is None:
        found = _nameToLevel.get(level)
    return f"Level {level}" if found is None else found


def addLevelName(level, levelName):
    """Gives a level a name."""
    _levelToName[level] = levelName
    _nameToLevel[levelName] = level


def _check_level(level):
    if isinstance(level, int):
        return level
    if isinstance(level, str):
        if level not in _nameToLevel:
            raise ValueError(f"Unknown level: {level!r}")
        return _nameToLevel[level]
    raise TypeError(f"Level not an integer or a valid string: {level!r}")


class Filter:
    """Lets through what comes from a logger of this name or below it."""

    def __init__(self, name=""):
        self.name = name

    def filter(self, record):
        """Whether the record goes on."""
        return not self.name or record.name == self.name or record.name.startswith(self.name + ".")


class Filterer:
    """What has filters."""

    def __init__(self):
        self.filters = []

    def addFilter(self, filter):
        """Adds a filter."""
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter):
        """Removes a filter."""
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record):
        """The record (or another in its place) if all filters let it through, else something false."""
        for one in self.filters:
            result = one.filter(record) if hasattr(one, "filter") else one(record)
            if not result:
                return False
            if isinstance(result, LogRecord):
                record = result
        return record


_handlers = {}
_default_formatter = Formatter()


class Handler(Filterer):
    """Does something with records."""

    def __init__(self, level=NOTSET):
        super().__init__()
        self._name = None
        self.level = _check_level(level)
        self.formatter = None
        self.lock = None

    @property
    def name(self):
        """Its name, or None."""
        return self._name

    @name.setter
    def name(self, name):
        _handlers.pop(self._name, None)
        self._name = name
        if name:
            _handlers[name] = self

    get_name = lambda self: self._name

    def set_name(self, name):
        """Gives it a name."""
        self.name = name

    def acquire(self):
        """There is one thread."""

    release = createLock = acquire

    def setLevel(self, level):
        """Records below it are left out."""
        self.level = _check_level(level)

    def setFormatter(self, fmt):
        """Says how records read."""
        self.formatter = fmt

    def format(self, record):
        """The text of a record."""
        return (self.formatter or _default_formatter).format(record)

    def emit(self, record):
        """Does it. Errors: NotImplementedError here."""
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def handle(self, record):
        """Does it if the filters let the record through."""
        result = self.filter(record)
        if isinstance(result, LogRecord):
            record = result
        if result:
            self.emit(record)
        return result

    def handleError(self, record):
        """Shows on stderr what went wrong in emit()."""
        if not raiseExceptions or not sys.stderr:
            return
        sys.stderr.write("--- Logging error ---\n")
        traceback.print_exc(file=sys.stderr)
        sys.stderr.write(f"Message: {record.msg!r}\nArguments: {record.args}\n")

    def flush(self):
        """Writes what waits."""

    def close(self):
        """Ends it."""
        _handlers.pop(self._name, None)

    def __repr__(self):
        return f"<{type(self).__name__} ({getLevelName(self.level)})>"


class StreamHandler(Handler):
    """Writes to a file, sys.stderr without one."""

    terminator = "\n"

    def __init__(self, stream=None):
        super().__init__()
        self.stream = sys.stderr if stream is None else stream

    def flush(self):
        if self.stream and hasattr(self.stream, "flush"):
            self.stream.flush()

    def emit(self, record):
        try:
            self.stream.write(self.format(record) + self.terminator)
            self.flush()
        except RecursionError:
            raise
        except Exception:
            self.handleError(record)

    def setStream(self, stream):
        """Another file; returns the one before, None if it is the same."""
        if stream is self.stream:
            return None
        before = self.stream
        self.flush()
        self.stream = stream
        return before

    def __repr__(self):
        name = str(getattr(self.stream, "name", ""))
        return f"<{type(self).__name__} {name + ' ' if name else ''}({getLevelName(self.level)})>"


class FileHandler(StreamHandler):
    """Writes to a file of a name."""

    def __init__(self, filename, mode="a", encoding=None, delay=False, errors=None):
        self.baseFilename = os.path.abspath(filename)
        self.mode = mode
        self.encoding = encoding
        self.errors = errors
        super().__init__(io.StringIO())
        self.stream = None if delay else self._open()

    def _open(self):
        return open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors)

    def emit(self, record):
        if self.stream is None:
            self.stream = self._open()
        super().emit(record)

    def close(self):
        if self.stream is not None:
            self.flush()
            self.stream.close()
            self.stream = None
        super().close()

    def __repr__(self):
        return f"<{type(self).__name__} {self.baseFilename} ({getLevelName(self.level)})>"


class _StderrHandler(StreamHandler):
    """Writes to what sys.stderr is at the time."""

    def __init__(self, level=NOTSET):
        Handler.__init__(self, level)

    @property
    def stream(self):
        return sys.stderr


class NullHandler(Handler):
    """Does nothing."""

    def handle(self, record):
        pass

    emit = handle


lastResort = _StderrHandler(WARNING)


class Logger(Filterer):
    """Takes messages under a name; what it has no handlers for its parents have."""

    def __init__(self, name, level=NOTSET):
        super().__init__()
        self.name = name
        self.level = _check_level(level)
        self.parent = None
        self.propagate = True
        self.handlers = []
        self.disabled = False

    def setLevel(self, level):
        """Messages below it are left out."""
        self.level = _check_level(level)

    def debug(self, msg, *args, **kwargs):
        """A message of level DEBUG."""
        if self.isEnabledFor(DEBUG):
            self._log(DEBUG, msg, args, **kwargs)

    def info(self, msg, *args, **kwargs):
        """A message of level INFO."""
        if self.isEnabledFor(INFO):
            self._log(INFO, msg, args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        """A message of level WARNING."""
        if self.isEnabledFor(WARNING):
            self._log(WARNING, msg, args, **kwargs)

    def warn(self, msg, *args, **kwargs):
        """The same; deprecated."""
        warnings.warn("The 'warn' method is deprecated, use 'warning' instead", DeprecationWarning, 2)
        self.warning(msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        """A message of level ERROR."""
        if self.isEnabledFor(ERROR):
            self._log(ERROR, msg, args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        """A message of level ERROR, with the exception that is handled now."""
        self.error(msg, *args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        """A message of level CRITICAL."""
        if self.isEnabledFor(CRITICAL):
            self._log(CRITICAL, msg, args, **kwargs)

    fatal = critical

    def log(self, level, msg, *args, **kwargs):
        """A message of any level."""
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        if self.isEnabledFor(level):
            self._log(level, msg, args, **kwargs)

    def findCaller(self, stack_info=False, stacklevel=1):
        """(file, line, function, stack) of who called."""
        try:
            frame = sys._getframe(1)
        except (AttributeError, ValueError):
            return "(unknown file)", 0, "(unknown function)", None
        while frame is not None and frame.f_globals.get("__name__") in (__name__, "logging._functions"):
            frame = frame.f_back
        for _ in range(stacklevel - 1):
            if frame.f_back is None:
                break
            frame = frame.f_back
        text = None
        if stack_info:
            text = "Stack (most recent call last):\n" + "".join(traceback.format_stack(frame)).rstrip("\n")
        return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, text

    def makeRecord(self, name, level, fn, lno, msg, args, exc_info, func=None, extra=None, sinfo=None):
        """A record. Errors: KeyError where `extra` would overwrite what it has."""
        record = _new_record(name, level, fn, lno, msg, args, exc_info, func, sinfo)
        for key in extra or ():
            if key in ("message", "asctime") or key in record.__dict__:
                raise KeyError(f"Attempt to overwrite {key!r} in LogRecord")
            record.__dict__[key] = extra[key]
        return record

    def _log(self, level, msg, args, exc_info=None, extra=None, stack_info=False, stacklevel=1):
        filename, lineno, function, text = self.findCaller(stack_info, stacklevel)
        if exc_info:
            if isinstance(exc_info, BaseException):
                exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
            elif not isinstance(exc_info, tuple):
                exc_info = sys.exc_info()
        self.handle(self.makeRecord(self.name, level, filename, lineno, msg, args, exc_info, function, extra, text))

    def handle(self, record):
        """Gives a record to the handlers if the filters let it through."""
        if self.disabled:
            return
        result = self.filter(record)
        if result:
            self.callHandlers(result if isinstance(result, LogRecord) else record)

    def addHandler(self, hdlr):
        """Adds a handler."""
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr):
        """Removes a handler."""
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self):
        """Whether it or a parent has a handler."""
        logger = self
        while logger:
            if logger.handlers:
                return True
            if not logger.propagate:
                return False
            logger = logger.parent
        return False

    def callHandlers(self, record):
        """Gives a record to the handlers, its own and its parents'."""
        logger = self
        found = 0
        while logger:
            for handler in logger.handlers:
                found += 1
                if record.levelno >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and lastResort and record.levelno >= lastResort.level:
            lastResort.handle(record)

    def getEffectiveLevel(self):
        """Its level, or that of the next parent that has one."""
        logger = self
        while logger:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level):
        """Whether messages of the level get through."""
        return not self.disabled and self.manager.disable < level and level >= self.getEffectiveLevel()

    def getChild(self, suffix):
        """The logger of a name below its own."""
        return getLogger(suffix if self.root is self else f"{self.name}.{suffix}")

    def getChildren(self):
        """The loggers right below it."""
        return {one for one in self.manager.loggerDict.values() if one.parent is self}

    def __repr__(self):
        return f"<{type(self).__name__} {self.name} ({getLevelName(self.getEffectiveLevel())})>"

    def __reduce__(self):
        return getLogger, (self.name,)


class RootLogger(Logger):
    """The parent of all."""

    def __init__(self, level):
        super().__init__("root", level)


class Manager:
    """The loggers by name."""

    def __init__(self, root):
        self.root = root
        self.disable = 0
        self.loggerDict = {}
        self.loggerClass = None

    def getLogger(self, name):
        """The logger of a name, made at the first question."""
        if not isinstance(name, str):
            raise TypeError("A logger name must be a string")
        logger = self.loggerDict.get(name)
        if logger is None:
            logger = self.loggerDict[name] = (self.loggerClass or _logger_class)(name)
            logger.manager = self
            logger.parent = self._parent(name)
            for other in self.loggerDict.values():
                if other.name.startswith(name + ".") and len(other.parent.name) < len(name) or \
                        other.name.startswith(name + ".") and other.parent is self.root:
                    other.parent = logger
        return logger

    def _parent(self, name):
        while "." in name:
            name = name.rpartition(".")[0]
            if name in self.loggerDict:
                return self.loggerDict[name]
        return self.root


_logger_class = Logger
root = RootLogger(WARNING)
Logger.root = root
Logger.manager = Manager(root)


def setLoggerClass(klass):
    """The class of loggers that are made from now on."""
    global _logger_class
    if klass is not Logger and not issubclass(klass, Logger):
        raise TypeError("logger not derived from logging.Logger: " + klass.__name__)
    _logger_class = klass


def getLoggerClass():
    """The class of loggers that are made."""
    return _logger_class


def getLogger(name=None):
    """The logger of a name; the root of all without one."""
    if not name or isinstance(name, str) and name == root.name:
        return root
    return Logger.manager.getLogger(name)


from logging._functions import (LoggerAdapter, basicConfig, captureWarnings, critical, debug, disable, error, exception,  # noqa: E402
                                fatal, getHandlerByName, getHandlerNames, info, log, shutdown, warn, warning)
