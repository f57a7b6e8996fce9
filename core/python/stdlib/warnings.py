"""Warnings: issued, filtered, shown and recorded.

The core's own warnings come one statement later: the evaluator hands them to _show_of_core().
"""

__all__ = ["warn", "warn_explicit", "showwarning", "formatwarning", "filterwarnings", "simplefilter", "resetwarnings",
           "catch_warnings", "deprecated"]

import sys

import _warnings

_take = getattr(_warnings, "take", tuple)
_ACTIONS = ("error", "ignore", "always", "all", "default", "module", "once")

# (action, pattern of the text or None, category, pattern of the module or None, line), the first that fits counts.
filters = [("default", None, DeprecationWarning, "__main__", 0), ("ignore", None, DeprecationWarning, None, 0),
           ("ignore", None, PendingDeprecationWarning, None, 0), ("ignore", None, ImportWarning, None, 0),
           ("ignore", None, ResourceWarning, None, 0)]
defaultaction = "default"
onceregistry = {}
# What was shown by the default filter: forgotten when the filters change.
_shown = set()


class WarningMessage:
    """A warning, where it was issued."""

    _WARNING_DETAILS = ("message", "category", "filename", "lineno", "file", "line", "source")

    def __init__(self, message, category, filename, lineno, file=None, line=None, source=None):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.file = file
        self.line = line
        self.source = source
        self._category_name = category.__name__ if category else None

    def __str__(self):
        return (f"{{message : {self.message!r}, category : {self._category_name!r}, filename : {self.filename!r}, "
                f"lineno : {self.lineno}, line : {self.line!r}}}")


def formatwarning(message, category, filename, lineno, line=None):
    """The text of a warning: place, category, message, and the line of the source."""
    text = f"{filename}:{lineno}: {category.__name__}: {message}\n"
    if line is None:
        from linecache import getline
        line = getline(filename, lineno)
    line = line.strip() if line else ""
    return f"{text}  {line}\n" if line else text


def showwarning(message, category, filename, lineno, file=None, line=None):
    """Writes a warning to a file, sys.stderr if there is none."""
    file = file or sys.stderr
    if file is not None:
        # A program may have put a function of its own in its place.
        file.write(sys.modules[__name__].formatwarning(message, category, filename, lineno, line))


_original_showwarning = showwarning
_recorders = []


def _show(message):
    module = sys.modules[__name__]
    if module.showwarning is not _original_showwarning:
        module.showwarning(message.message, message.category, message.filename, message.lineno, message.file, message.line)
    elif _recorders and _recorders[-1] is not None:
        list.append(_recorders[-1], message)
    else:
        _original_showwarning(message.message, message.category, message.filename, message.lineno, message.file, message.line)


def _check_filter(action, category, lineno):
    if action not in _ACTIONS:
        raise ValueError(f"invalid action: {action!r}")
    if not isinstance(category, type) or not issubclass(category, Warning):
        raise TypeError(f"category must be a Warning subclass, not {type(category).__name__!r}")
    if not isinstance(lineno, int):
        raise TypeError("lineno must be an int")
    if lineno < 0:
        raise ValueError("lineno must be an int >= 0")


def _add(item, append):
    _pass_on()
    current = sys.modules[__name__].filters
    if append:
        if item not in current:
            current.append(item)
    else:
        if item in current:
            current.remove(item)
        current.insert(0, item)
    _shown.clear()


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    """Says what becomes of warnings whose text and module begin with a match of these patterns."""
    _check_filter(action, category, lineno)
    if not isinstance(message, str):
        raise TypeError("message must be a string")
    if not isinstance(module, str):
        raise TypeError("module must be a string")
    import re
    _add((action, re.compile(message, re.I) if message else None, category, re.compile(module) if module else None, lineno),
         append)


def simplefilter(action, category=Warning, lineno=0, append=False):
    """Says what becomes of warnings of a category."""
    _check_filter(action, category, lineno)
    _add((action, None, category, None, lineno), append)


def resetwarnings():
    """Removes all filters."""
    _pass_on()
    sys.modules[__name__].filters[:] = []
    _shown.clear()


def _matches(pattern, text):
    if pattern is None:
        return True
    return pattern == text if isinstance(pattern, str) else pattern.match(text) is not None


def _caller(stacklevel):
    """(globals, file name, line) of a frame above who called warn()."""
    try:
        frame = sys._getframe(stacklevel + 1)
        return frame.f_globals, frame.f_code.co_filename, frame.f_lineno
    except (AttributeError, ValueError):
        return sys.__dict__, "<sys>", 0


def warn(message, category=None, stacklevel=1, source=None, *, skip_file_prefixes=()):
    """Issues a warning at the place of the caller, or above it with a larger `stacklevel`."""
    _pass_on()
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    elif not isinstance(category, type) or not issubclass(category, Warning):
        raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
    if skip_file_prefixes:
        while _caller(stacklevel)[1].startswith(tuple(skip_file_prefixes)):
            stacklevel += 1
    names, filename, lineno = _caller(max(stacklevel, 1))
    warn_explicit(message, category, filename, lineno, names.get("__name__", "<string>"),
                  names.setdefault("__warningregistry__", {}), None, source)


def warn_explicit(message, category, filename, lineno, module=None, registry=None, module_globals=None, source=None):
    """Issues a warning at a place that is given."""
    lineno = int(lineno)
    if module is None:
        module = filename or "<unknown>"
        if module[-3:].lower() == ".py":
            module = module[:-3]
    if isinstance(message, Warning):
        text = str(message)
        category = type(message)
    else:
        text = message
        message = category(message)
    key = (text, category, lineno)
    if (filename, module, *key) in _shown:
        return
    for action, pattern, one, of_module, at in sys.modules[__name__].filters:
        if _matches(pattern, text) and issubclass(category, one) and _matches(of_module, module) and at in (0, lineno):
            break
    else:
        action = sys.modules[__name__].defaultaction
    if action == "ignore":
        return
    if action == "error":
        raise message
    if action == "once":
        if onceregistry.get((text, category)):
            return
        onceregistry[text, category] = 1
    elif action == "module":
        if (filename, module, text, category, 0) in _shown:
            return
        _shown.add((filename, module, text, category, 0))
    elif action == "default":
        _shown.add((filename, module, *key))
    elif action not in ("always", "all"):
        raise RuntimeError(f"Unrecognized action ({action!r}) in warnings.filters:\n {(action, pattern, one, of_module, at)}")
    _show(WarningMessage(message, category, filename, lineno, source=source))


def _show_of_core(waiting):
    """Issues what the core has to say, each at the place where the program was."""
    for category, text, filename, lineno, module in waiting:
        warn_explicit(text, category, filename, lineno, module)


def _pass_on():
    """The same for what still waits: what was said before is not for filters that come now."""
    _show_of_core(_take())


class catch_warnings:
    """Keeps filters and showwarning() as they are, and with record=True what is issued meanwhile in a list."""

    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        self._record = record
        self._filter = None if action is None else (action, category, lineno, append)
        self._entered = False

    def __repr__(self):
        return f"{type(self).__name__}({'record=True' if self._record else ''})"

    def __enter__(self):
        if self._entered:
            raise RuntimeError(f"Cannot enter {self!r} twice")
        self._entered = True
        _pass_on()
        module = sys.modules[__name__]
        self._filters = module.filters
        self._showwarning = module.showwarning
        module.filters = self._filters[:]
        _shown.clear()
        log = None
        if self._record:
            log = []
            module.showwarning = _original_showwarning
            _recorders.append(log)
        if self._filter is not None:
            simplefilter(*self._filter)
        return log

    def __exit__(self, *exc_info):
        if not self._entered:
            raise RuntimeError(f"Cannot exit {self!r} without entering first")
        _pass_on()
        module = sys.modules[__name__]
        module.filters = self._filters
        module.showwarning = self._showwarning
        _shown.clear()
        if self._record:
            _recorders.pop()


class deprecated:
    """Marks a class or function: using it issues a DeprecationWarning."""

    def __init__(self, message, /, *, category=DeprecationWarning, stacklevel=1):
        if not isinstance(message, str):
            raise TypeError(f"Expected an object of type str for 'message', not {type(message).__name__!r}")
        self.message = message
        self.category = category
        self.stacklevel = stacklevel

    def __call__(self, arg, /):
        message, category, stacklevel = self.message, self.category, self.stacklevel
        arg.__deprecated__ = message
        if category is None:
            return arg
        if isinstance(arg, type):
            original = arg.__new__

            def __new__(cls, /, *args, **kwargs):
                if cls is arg:
                    warn(message, category=category, stacklevel=stacklevel + 1)
                if original is not object.__new__:
                    return original(cls, *args, **kwargs)
                if cls.__init__ is object.__init__ and (args or kwargs):
                    raise TypeError(f"{cls.__name__}() takes no arguments")
                return original(cls)

            arg.__new__ = staticmethod(__new__)
            return arg
        from functools import wraps

        @wraps(arg)
        def wrapper(*args, **kwargs):
            warn(message, category=category, stacklevel=stacklevel + 1)
            return arg(*args, **kwargs)

        arg.__deprecated__ = wrapper.__deprecated__ = message
        return wrapper
