"""Loggers from a dictionary or a file. Behaviour: CPython 3.14, Lib/logging/config.py. What listens to the network is refused."""
import logging
import logging.handlers
import re as _re

DEFAULT_LOGGING_CONFIG_PORT = 9030
_PROTOCOL = _re.compile(r"(?P<prefix>[a-z]+)://(?P<suffix>.*)")
_STEP = _re.compile(r"\.(\w+)|\[([^\]]+)\]")


def _import(name):
    """The object behind a dotted name. Errors: ValueError."""
    parts = name.split(".")
    used = parts[0]
    try:
        found = __import__(used)
        for part in parts[1:]:
            used += "." + part
            try:
                found = getattr(found, part)
            except AttributeError:
                __import__(used)
                found = getattr(found, part)
        return found
    except ImportError as error:
        raise ValueError(f"Cannot resolve {name!r}: {error}") from error


def _clear_handlers():
    """What waits in the old handlers is written; their names are free again."""
    logging.shutdown()
    logging._handlers.clear()


class BaseConfigurator:
    """Values of a configuration: `ext://module.name` is that object, `cfg://a.b[0]` that part of the configuration."""

    importer = staticmethod(__import__)

    def __init__(self, config):
        self.config = config

    def resolve(self, s):
        return _import(s)

    def cfg_convert(self, value):
        found = _re.match(r"\w+", value)
        if found is None:
            raise ValueError(f"Unable to convert {value!r}")
        made, at = self.config[found.group()], found.end()
        while at < len(value):
            step = _STEP.match(value, at)
            if step is None:
                raise ValueError(f"Unable to convert {value!r} at {value[at:]!r}")
            key = step[1] or step[2]
            made = made[int(key)] if step[2] and key.isdecimal() and not isinstance(made, dict) else made[key]
            at = step.end()
        return self.convert(made)

    def convert(self, value):
        if isinstance(value, str):
            found = _PROTOCOL.fullmatch(value)
            if found and found["prefix"] == "ext":
                return self.resolve(found["suffix"])
            if found and found["prefix"] == "cfg":
                return self.cfg_convert(found["suffix"])
            return value
        if isinstance(value, dict):
            return {key: self.convert(one) for key, one in value.items()}
        if isinstance(value, list) or type(value) is tuple:
            return type(value)(self.convert(one) for one in value)
        return value

    def configure_custom(self, config):
        """What a factory, named by "()", makes of the other entries; "." has attributes to be set."""
        config = dict(config)
        factory = config.pop("()")
        if not callable(factory):
            factory = self.resolve(factory)
        attributes = config.pop(".", None) or {}
        made = factory(**{key: self.convert(value) for key, value in config.items() if key.isidentifier()})
        for name, value in attributes.items():
            setattr(made, name, self.convert(value))
        return made


class DictConfigurator(BaseConfigurator):
    """Carries out a dictionary of version 1."""

    def configure(self):
        config = self.config
        if "version" not in config:
            raise ValueError("dictionary doesn't specify a version")
        if config["version"] != 1:
            raise ValueError("Unsupported version: %s" % config["version"])
        if config.get("incremental", False):
            self._change(config)
        else:
            self._make(config)

    def _change(self, config):
        """Levels and propagation of what is there already."""
        for name, given in config.get("handlers", {}).items():
            if name not in logging._handlers:
                raise ValueError("No handler found with name %r" % name)
            if given.get("level"):
                self._try(lambda: logging._handlers[name].setLevel(given["level"]),
                          "Unable to configure handler %r" % name)
        for name, given in config.get("loggers", {}).items():
            self._try(lambda: self.configure_logger(name, given, True), "Unable to configure logger %r" % name)
        if config.get("root"):
            self._try(lambda: self.configure_root(config["root"], True), "Unable to configure root logger")

    @staticmethod
    def _try(do, message):
        try:
            return do()
        except Exception as error:
            raise ValueError(message) from error

    def _make(self, config):
        _clear_handlers()
        self.formatters = {name: self._try(lambda: self.configure_formatter(given), "Unable to configure formatter %r" % name)
                           for name, given in config.get("formatters", {}).items()}
        self.filters = {name: self._try(lambda: self.configure_filter(given), "Unable to configure filter %r" % name)
                        for name, given in config.get("filters", {}).items()}
        self.handlers, waiting = {}, sorted(config.get("handlers", {}))
        while waiting:
            # A handler that names one which is not made yet comes later.
            later = []
            for name in waiting:
                given = config["handlers"][name]
                named = [given.get("target"), *given.get("handlers", ())] if isinstance(given, dict) else []
                if any(isinstance(one, str) and one in waiting and one not in self.handlers for one in named):
                    later.append(name)
                    continue
                made = self._try(lambda: self.configure_handler(given), "Unable to configure handler %r" % name)
                made.name = name
                self.handlers[name] = made
            if len(later) == len(waiting):
                raise ValueError("Unable to configure handler %r" % later[0])
            waiting = later
        self._configure_loggers(config)

    def _configure_loggers(self, config):
        disables = config.get("disable_existing_loggers", True)
        manager = logging.root.manager
        existing = [name for name in manager.loggerDict]
        given = config.get("loggers", {})
        for name, one in given.items():
            self._try(lambda: self.configure_logger(name, one), "Unable to configure logger %r" % name)
        _leave_others(existing, set(given), disables)
        if config.get("root"):
            self._try(lambda: self.configure_root(config["root"]), "Unable to configure root logger")

    def configure_formatter(self, config):
        if "()" in config:
            try:
                return self.configure_custom(config)
            except TypeError as error:
                if "'format'" not in str(error):
                    raise
                # Factories that take `fmt`, as logging.Formatter does.
                config = dict(config)
                config["fmt"] = config.pop("format")
                return self.configure_custom(config)
        cls = _import(config["class"]) if config.get("class") else logging.Formatter
        more = {"defaults": config["defaults"]} if config.get("defaults") is not None else {}
        texts = config.get("format"), config.get("datefmt"), config.get("style", "%")
        if "validate" in config:
            return cls(*texts, config["validate"], **more)
        return cls(*texts, **more)

    def configure_filter(self, config):
        return self.configure_custom(config) if "()" in config else logging.Filter(config.get("name", ""))

    def add_filters(self, filterer, filters):
        for one in filters:
            try:
                found = one if callable(one) or callable(getattr(one, "filter", None)) else self.filters[one]
                filterer.addFilter(found)
            except Exception as error:
                raise ValueError("Unable to add filter %r" % one) from error

    def configure_handler(self, config):
        config = dict(config)
        formatter, level, filters = config.pop("formatter", None), config.pop("level", None), config.pop("filters", None)
        if formatter:
            try:
                formatter = self.formatters[formatter]
            except Exception as error:
                raise ValueError("Unable to set formatter %r" % formatter) from error
        if "()" in config:
            factory = config.pop("()")
            factory = factory if callable(factory) else self.resolve(factory)
        else:
            named = config.pop("class")
            factory = named if callable(named) else self.resolve(named)
            self._prepare(factory, config)
        attributes = config.pop(".", None)
        given = {key: self.configure_custom(value) if isinstance(value, dict) and "()" in value else self.convert(value)
                 for key, value in config.items() if key.isidentifier()}
        made = factory(**given)
        if formatter:
            made.setFormatter(formatter)
        if level is not None:
            made.setLevel(level)
        if filters:
            self.add_filters(made, filters)
        for name, value in (attributes or {}).items():
            setattr(made, name, self.convert(value))
        return made

    def _prepare(self, factory, config):
        """What names other handlers has them instead; a queue that is not given is made."""
        if not isinstance(factory, type):
            return
        if issubclass(factory, logging.handlers.MemoryHandler):
            if "target" in config:
                try:
                    config["target"] = self.handlers[config["target"]]
                except Exception as error:
                    raise ValueError("Unable to set target handler %r" % config["target"]) from error
        elif issubclass(factory, logging.handlers.QueueHandler):
            import queue
            waiting = config.get("queue", {})
            if isinstance(waiting, dict):
                waiting = self.configure_custom(waiting) if "()" in waiting else queue.Queue(-1)
            elif isinstance(waiting, str):
                waiting = self.resolve(waiting)()
            listener = self.convert(config.pop("listener", logging.handlers.QueueListener))
            listener = self.resolve(listener) if isinstance(listener, str) else listener
            named = [self.handlers[name] for name in config.pop("handlers", ())]
            respects = config.pop("respect_handler_level", False)
            config["queue"] = waiting

            def make(queue, **given):
                handler = factory(queue, **given)
                handler.listener = listener(queue, *named, respect_handler_level=respects)
                return handler

            config["()"] = make

    def add_handlers(self, logger, handlers):
        for name in handlers:
            try:
                logger.addHandler(self.handlers[name])
            except Exception as error:
                raise ValueError("Unable to add handler %r" % name) from error

    def common_logger_config(self, logger, config, incremental=False):
        level = config.get("level")
        if level is not None:
            logger.setLevel(level)
        if not incremental:
            for one in logger.handlers[:]:
                logger.removeHandler(one)
            if config.get("handlers"):
                self.add_handlers(logger, config["handlers"])
            if config.get("filters"):
                self.add_filters(logger, config["filters"])

    def configure_logger(self, name, config, incremental=False):
        logger = logging.getLogger(name)
        self.common_logger_config(logger, config, incremental)
        logger.disabled = False
        if config.get("propagate") is not None:
            logger.propagate = config["propagate"]

    def configure_root(self, config, incremental=False):
        self.common_logger_config(logging.getLogger(), config, incremental)


def _leave_others(existing, named, disables):
    """Loggers that were there and are not named are disabled; those below a named one begin anew."""
    manager = logging.root.manager
    for name in existing:
        logger = manager.loggerDict[name]
        if name in named or not isinstance(logger, logging.Logger):
            continue
        if any(name.startswith(one + ".") for one in named):
            logger.setLevel(logging.NOTSET)
            logger.handlers = []
            logger.propagate = True
        else:
            logger.disabled = bool(disables)


dictConfigClass = DictConfigurator


def dictConfig(config):
    """Carries out a configuration. Errors: ValueError."""
    dictConfigClass(config).configure()


def _keys(text):
    return [one.strip() for one in text.split(",")] if text else []


def fileConfig(fname, defaults=None, disable_existing_loggers=True, encoding=None):
    """That of a file for configparser. Errors: FileNotFoundError, RuntimeError, and those of what it names."""
    import configparser
    import os
    if isinstance(fname, configparser.RawConfigParser):
        parser = fname
    else:
        if isinstance(fname, str):
            if not os.path.exists(fname):
                raise FileNotFoundError(f"{fname} doesn't exist")
            if not os.path.getsize(fname):
                raise RuntimeError(f"{fname} is an empty file")
        try:
            parser = configparser.ConfigParser(defaults)
            if hasattr(fname, "readline"):
                parser.read_file(fname)
            else:
                parser.read(fname, encoding=encoding)
        except configparser.ParsingError as error:
            raise RuntimeError(f"{fname} is invalid: {error}") from error
    formatters = _file_formatters(parser)
    _clear_handlers()
    handlers = _file_handlers(parser, formatters)
    _file_loggers(parser, handlers, disable_existing_loggers)


def _file_formatters(parser):
    made = {}
    for name in _keys(parser["formatters"]["keys"]):
        section = f"formatter_{name}"
        given = {key: parser.get(section, key, raw=True, fallback=None) for key in ("format", "datefmt")}
        style = parser.get(section, "style", raw=True, fallback="%")
        named = parser[section].get("class")
        defaults = parser.get(section, "defaults", raw=True, fallback=None)
        defaults = eval(defaults, vars(logging)) if defaults is not None else None
        cls = _import(named) if named else logging.Formatter
        made[name] = cls(given["format"], given["datefmt"], style, defaults=defaults)
    return made


def _evaluated(text):
    try:
        return eval(text, vars(logging))
    except (AttributeError, NameError):
        return _import(text)


def _file_handlers(parser, formatters):
    made, targets = {}, []
    for name in _keys(parser["handlers"]["keys"]):
        section = parser[f"handler_{name}"]
        cls = _evaluated(section["class"])
        handler = cls(*eval(section.get("args", "()"), vars(logging)), **eval(section.get("kwargs", "{}"), vars(logging)))
        handler.name = name
        if "level" in section:
            handler.setLevel(section["level"])
        if section.get("formatter", ""):
            handler.setFormatter(formatters[section["formatter"]])
        if isinstance(cls, type) and issubclass(cls, logging.handlers.MemoryHandler) and section.get("target", ""):
            targets.append((handler, section["target"]))
        made[name] = handler
    for handler, target in targets:
        handler.setTarget(made[target])
    return made


def _file_loggers(parser, handlers, disables):
    names = _keys(parser["loggers"]["keys"])
    names.remove("root")
    existing = list(logging.root.manager.loggerDict)
    configured = set()
    for name in ["root", *names]:
        section = parser[f"logger_{name}"]
        logger = logging.root if name == "root" else logging.getLogger(section["qualname"])
        if "level" in section:
            logger.setLevel(section["level"])
        for one in logger.handlers[:]:
            logger.removeHandler(one)
        if name != "root":
            configured.add(section["qualname"])
            logger.propagate = section.getint("propagate", fallback=1)
            logger.disabled = False
        for one in _keys(section["handlers"]):
            logger.addHandler(handlers[one])
    _leave_others(existing, configured, disables)


def valid_ident(s):
    """Whether a text is a name. Errors: ValueError."""
    if not _re.match(r"[a-z_][a-z0-9_]*$", s, _re.IGNORECASE):
        raise ValueError("Not a valid Python identifier: %r" % s)
    return True


def listen(port=DEFAULT_LOGGING_CONFIG_PORT, verify=None):
    raise NotImplementedError("logging.config.listen: nnscope opens no network")


def stopListening():
    """Nothing listens."""
