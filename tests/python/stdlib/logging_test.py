import io
import logging
import sys


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


out = io.StringIO()
logging.basicConfig(stream=out, level=logging.INFO)
logging.info("hello %s", "you")
logging.debug("not shown")
log = logging.getLogger("a.b")
log.warning("%d%% of %s", 5, "x")
log.error("dict %(k)s", {"k": 1})
print(out.getvalue(), end="")
print(log, log.parent, logging.getLogger("a"), log.parent, logging.getLogger(), log.getEffectiveLevel(), log.name, logging.getLogger("a.b") is log)
print(logging.getLogger("a").getChild("c").name, log.isEnabledFor(logging.DEBUG), log.hasHandlers(), logging.getLevelName(20), logging.getLevelName("ERROR"), logging.getLevelName(15))
handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(logging.Formatter("[{levelname:>8}] {name} {funcName} {lineno}: {message}", style="{"))
own = logging.getLogger("own")
own.propagate = False
own.addHandler(handler)
own.setLevel("DEBUG")


def work():
    own.debug("from work")


work()
own.critical("bad %s", [1])
try:
    raise ZeroDivisionError("division by zero")
except ZeroDivisionError:
    handler.setFormatter(logging.Formatter("%(levelname)s %(filename)s %(module)s %(message)s"))
    own.exception("failed")
own.addFilter(lambda record: "secret" not in record.getMessage())
own.info("secret")
own.info("open")
own.removeHandler(handler)
logging.LoggerAdapter(log, {"q": 1}).info("adapted")
print(out.getvalue().splitlines()[-1], handler.level, handler, repr(logging.NullHandler()))
logging.disable(logging.CRITICAL)
log.critical("disabled")
logging.disable(logging.NOTSET)
shown(lambda: log.setLevel("LOUD"))
shown(lambda: log.setLevel(1.5))
shown(lambda: logging.Formatter("x", style="?"))
shown(lambda: logging.Formatter("no fields"))
shown(lambda: logging.basicConfig(force=True, nonsense=1))
logging.addLevelName(25, "NOTICE")
record = logging.makeLogRecord({"msg": "m %s", "args": ("x",), "levelno": 25, "levelname": "NOTICE", "name": "n"})
print(logging.Formatter(logging.BASIC_FORMAT).format(record), logging.getLevelName(25), logging.INFO, logging.WARN)
