import io
import logging
import logging.config
import sys

stream = io.StringIO()


class Only(logging.Filter):
    def __init__(self, word):
        super().__init__()
        self.word = word

    def filter(self, record):
        return self.word in record.getMessage()


def make_handler(prefix, stream):
    handler = logging.StreamHandler(stream)
    handler.prefix = prefix
    return handler


logging.getLogger("old").addHandler(logging.NullHandler())
logging.getLogger("app.child").setLevel(logging.ERROR)
logging.config.dictConfig({
    "version": 1,
    "formatters": {"brief": {"format": "%(levelname)s:%(name)s:%(message)s"}, "braces": {"format": "{levelname} {message}", "style": "{"},
                   "own": {"()": logging.Formatter, "fmt": "own %(message)s"}},
    "filters": {"only": {"()": Only, "word": "loss"}, "app": {"name": "app"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "brief", "level": "INFO", "stream": "ext://sys.stdout"},
                 "text": {"class": "logging.StreamHandler", "formatter": "braces", "filters": ["only"], "stream": stream},
                 "made": {"()": make_handler, "prefix": "p", "stream": "cfg://handlers.text.stream", "formatter": "own", ".": {"note": "set"}},
                 "memory": {"class": "logging.handlers.MemoryHandler", "capacity": 2, "target": "text"}},
    "loggers": {"app": {"level": "DEBUG", "handlers": ["text", "memory"], "propagate": True}, "quiet": {"propagate": False, "handlers": ["made"]}},
    "root": {"level": "WARNING", "handlers": ["console"]},
})
app = logging.getLogger("app")
app.debug("loss %.2f", 0.25)
app.info("nothing")
app.child = logging.getLogger("app.child")
app.child.warning("loss of child")
logging.getLogger("quiet").error("quiet loss")
logging.getLogger("old").error("is disabled")
logging.getLogger().info("below the level")
print(stream.getvalue().splitlines())
print(logging.getLogger("old").disabled, app.child.disabled, app.child.level, logging.getLogger("quiet").handlers[0].note)
logging.config.dictConfig({"version": 1, "incremental": True, "handlers": {"console": {"level": "ERROR"}}, "loggers": {"app": {"level": "ERROR"}}})
print(app.level, logging.getHandlerByName("console").level if sys.version_info >= (3, 12) else 40)
for wrong in ({}, {"version": 2}, {"version": 1, "handlers": {"a": {"class": "logging.StreamHandler", "formatter": "none"}}},
              {"version": 1, "handlers": {"a": {"class": "no.such.Handler"}}}, {"version": 1, "loggers": {"a": {"handlers": ["none"]}}},
              {"version": 1, "root": {"level": "LOUD"}}, {"version": 1, "formatters": {"f": {"format": "%(x", "style": "!"}}},
              {"version": 1, "incremental": True, "handlers": {"none": {"level": 10}}}):
    try:
        logging.config.dictConfig(wrong)
    except ValueError as error:
        print(error, "|", type(error.__cause__).__name__, error.__cause__)
text = """[loggers]
keys=root,net

[handlers]
keys=out

[formatters]
keys=form

[logger_root]
level=NOTSET
handlers=

[logger_net]
level=DEBUG
handlers=out
propagate=0
qualname=net.conv

[handler_out]
class=StreamHandler
level=INFO
formatter=form
args=(sys.stdout,)

[formatter_form]
format=F %(name)s %(message)s
"""
logging.config.fileConfig(io.StringIO(text), disable_existing_loggers=False)
logging.getLogger("net.conv").info("from a file")
logging.getLogger("net.conv").debug("too low")
try:
    logging.config.fileConfig("no_such_file.ini")
except FileNotFoundError as error:
    print(error)
