"""The functions of module logging that speak to the root logger."""

import warnings

import logging
from logging import CRITICAL, DEBUG, ERROR, INFO, WARNING, FileHandler, Formatter, NullHandler, StreamHandler, _STYLES, root


def basicConfig(**kwargs):
    """Gives the root logger a handler if it has none. Errors: ValueError for arguments that don't fit."""
    force = kwargs.pop("force", False)
    encoding = kwargs.pop("encoding", None)
    errors = kwargs.pop("errors", "backslashreplace")
    if force:
        for handler in root.handlers[:]:
            root.removeHandler(handler)
            handler.close()
    if root.handlers:
        return
    handlers = kwargs.pop("handlers", None)
    if handlers is None:
        if "stream" in kwargs and "filename" in kwargs:
            raise ValueError("'stream' and 'filename' should not be specified together")
    elif "stream" in kwargs or "filename" in kwargs:
        raise ValueError("'stream' or 'filename' should not be specified together with 'handlers'")
    if handlers is None:
        filename = kwargs.pop("filename", None)
        mode = kwargs.pop("filemode", "a")
        if filename:
            handlers = [FileHandler(filename, mode, encoding=encoding, errors=errors)]
        else:
            handlers = [StreamHandler(kwargs.pop("stream", None))]
    kwargs.pop("filemode", None)
    date_format = kwargs.pop("datefmt", None)
    style = kwargs.pop("style", "%")
    if style not in _STYLES:
        raise ValueError(f"Style must be one of: {','.join(_STYLES)}")
    text = kwargs.pop("format", _STYLES[style][1])
    formatter = kwargs.pop("formatter", None) or Formatter(text, date_format, style)
    for handler in handlers:
        if handler.formatter is None:
            handler.setFormatter(formatter)
        root.addHandler(handler)
    level = kwargs.pop("level", None)
    if level is not None:
        root.setLevel(level)
    if kwargs:
        raise ValueError(f"Unrecognised argument(s): {', '.join(kwargs)}")


def _ready():
    if not root.handlers:
        basicConfig()


def critical(msg, *args, **kwargs):
    """A message of level CRITICAL."""
    _ready()
    root.critical(msg, *args, **kwargs)


fatal = critical


def error(msg, *args, **kwargs):
    """A message of level ERROR."""
    _ready()
    root.error(msg, *args, **kwargs)


def exception(msg, *args, exc_info=True, **kwargs):
    """A message of level ERROR, with the exception that is handled now."""
    error(msg, *args, exc_info=exc_info, **kwargs)


def warning(msg, *args, **kwargs):
    """A message of level WARNING."""
    _ready()
    root.warning(msg, *args, **kwargs)


def warn(msg, *args, **kwargs):
    """The same; deprecated."""
    warnings.warn("The 'warn' function is deprecated, use 'warning' instead", DeprecationWarning, 2)
    warning(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """A message of level INFO."""
    _ready()
    root.info(msg, *args, **kwargs)


def debug(msg, *args, **kwargs):
    """A message of level DEBUG."""
    _ready()
    root.debug(msg, *args, **kwargs)


def log(level, msg, *args, **kwargs):
    """A message of any level."""
    _ready()
    root.log(level, msg, *args, **kwargs)


def disable(level=CRITICAL):
    """Leaves out all messages up to this level."""
    root.manager.disable = logging._check_level(level)


def getHandlerByName(name):
    """The handler of a name, or None."""
    return logging._handlers.get(name)


def getHandlerNames():
    """The names of all handlers that have one."""
    return frozenset(logging._handlers)


def shutdown(handlerList=None):
    """Writes what waits."""
    for logger in (root, *root.manager.loggerDict.values()):
        for handler in logger.handlers:
            handler.flush()


class LoggerAdapter:
    """A logger that adds something to each message."""

    def __init__(self, logger, extra=None, merge_extra=False):
        self.logger = logger
        self.extra = extra
        self.merge_extra = merge_extra

    def process(self, msg, kwargs):
        """The message and keywords that the logger gets."""
        if self.merge_extra and "extra" in kwargs:
            kwargs["extra"] = {**(self.extra or {}), **kwargs["extra"]}
        else:
            kwargs["extra"] = self.extra
        return msg, kwargs

    def log(self, level, msg, *args, **kwargs):
        """A message of any level."""
        if self.isEnabledFor(level):
            msg, kwargs = self.process(msg, kwargs)
            self.logger.log(level, msg, *args, **kwargs)

    def debug(self, msg, *args, **kwargs):
        """A message of level DEBUG."""
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        """A message of level INFO."""
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        """A message of level WARNING."""
        self.log(WARNING, msg, *args, **kwargs)

    def error(self, msg, *args, **kwargs):
        """A message of level ERROR."""
        self.log(ERROR, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        """A message of level ERROR, with the exception that is handled now."""
        self.log(ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def critical(self, msg, *args, **kwargs):
        """A message of level CRITICAL."""
        self.log(CRITICAL, msg, *args, **kwargs)

    def __getattr__(self, name):
        if name == "logger":
            raise AttributeError(name)
        return getattr(self.logger, name)

    def __repr__(self):
        return f"<{type(self).__name__} {self.logger.name} ({logging.getLevelName(self.logger.getEffectiveLevel())})>"


_showwarning = None


def captureWarnings(capture):
    """Lets warnings come as messages of the logger py.warnings, or no longer."""
    global _showwarning
    if capture and _showwarning is None:
        _showwarning = warnings.showwarning

        def show(message, category, filename, lineno, file=None, line=None):
            if file is not None:
                _showwarning(message, category, filename, lineno, file, line)
                return
            logger = logging.getLogger("py.warnings")
            if not logger.handlers:
                logger.addHandler(NullHandler())
            logger.warning(str(warnings.formatwarning(message, category, filename, lineno, line)))

        warnings.showwarning = show
    elif not capture and _showwarning is not None:
        warnings.showwarning = _showwarning
        _showwarning = None


LoggerAdapter.__module__ = "logging"
