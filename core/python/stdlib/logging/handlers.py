"""More handlers. Behaviour: CPython Lib/logging/handlers.py. Those that use the network are refused by their names."""
import logging
import os
import time

DEFAULT_TCP_LOGGING_PORT, SYSLOG_UDP_PORT = 9020, 514


class BaseRotatingHandler(logging.FileHandler):
    """A file that is set aside now and then for a new one."""

    namer = rotator = None

    def __init__(self, filename, mode, encoding=None, delay=False, errors=None):
        super().__init__(filename, mode=mode, encoding=encoding, delay=delay, errors=errors)
        self.mode, self.encoding, self.errors, self.delay = mode, encoding, errors, delay

    def emit(self, record):
        try:
            if self.shouldRollover(record):
                self.doRollover()
            super().emit(record)
        except Exception:
            self.handleError(record)

    def rotation_filename(self, default_name):
        return self.namer(default_name) if callable(self.namer) else default_name

    def rotate(self, source, dest):
        if callable(self.rotator):
            self.rotator(source, dest)
        elif os.path.exists(source):
            os.replace(source, dest)


class RotatingFileHandler(BaseRotatingHandler):
    """A new file where the old one would grow beyond `maxBytes`; `backupCount` old ones stay."""

    def __init__(self, filename, mode="a", maxBytes=0, backupCount=0, encoding=None, delay=False, errors=None):
        if maxBytes > 0:
            mode = "a"
        super().__init__(filename, mode, encoding=encoding, delay=delay, errors=errors)
        self.maxBytes, self.backupCount = maxBytes, backupCount

    def doRollover(self):
        if self.stream:
            self.stream.close()
            self.stream = None
        for number in range(self.backupCount - 1, 0, -1):
            source = self.rotation_filename(f"{self.baseFilename}.{number}")
            if os.path.exists(source):
                os.replace(source, self.rotation_filename(f"{self.baseFilename}.{number + 1}"))
        if self.backupCount > 0:
            self.rotate(self.baseFilename, self.rotation_filename(f"{self.baseFilename}.1"))
        else:
            self.mode = "w"
        if not self.delay:
            self.stream = self._open()

    def shouldRollover(self, record):
        if self.maxBytes <= 0:
            return False
        if self.stream is None:
            self.stream = self._open()
        self.stream.flush()
        size = os.path.getsize(self.baseFilename) if os.path.exists(self.baseFilename) else 0
        return bool(size) and size + len(f"{self.format(record)}\n".encode()) >= self.maxBytes


class TimedRotatingFileHandler(BaseRotatingHandler):
    """A new file each so often: `when` is S, M, H, D or midnight."""

    _UNITS = {"S": (1, "%Y-%m-%d_%H-%M-%S"), "M": (60, "%Y-%m-%d_%H-%M"), "H": (3600, "%Y-%m-%d_%H"),
              "D": (86400, "%Y-%m-%d"), "MIDNIGHT": (86400, "%Y-%m-%d")}

    def __init__(self, filename, when="h", interval=1, backupCount=0, encoding=None, delay=False, utc=False, atTime=None,
                 errors=None):
        super().__init__(filename, "a", encoding=encoding, delay=delay, errors=errors)
        self.when, self.backupCount, self.utc, self.atTime = when.upper(), backupCount, utc, atTime
        if self.when not in self._UNITS:
            if self.when[:1] == "W":
                raise NotImplementedError("TimedRotatingFileHandler: nnscope has no weekly files")
            raise ValueError(f"Invalid rollover interval specified: {self.when}")
        unit, self.suffix = self._UNITS[self.when]
        self.interval = unit * interval
        self.rolloverAt = self.computeRollover(int(time.time()))

    def computeRollover(self, currentTime):
        if self.when != "MIDNIGHT":
            return currentTime + self.interval
        parts = time.gmtime(currentTime) if self.utc else time.localtime(currentTime)
        return currentTime + 86400 - (parts[3] * 3600 + parts[4] * 60 + parts[5])

    def shouldRollover(self, record):
        return int(time.time()) >= self.rolloverAt

    def doRollover(self):
        begun = self.rolloverAt - self.interval
        parts = time.gmtime(begun) if self.utc else time.localtime(begun)
        dest = self.rotation_filename(f"{self.baseFilename}.{time.strftime(self.suffix, parts)}")
        if self.stream:
            self.stream.close()
            self.stream = None
        self.rotate(self.baseFilename, dest)
        if self.backupCount > 0:
            folder, name = os.path.split(self.baseFilename)
            old = sorted(one for one in os.listdir(folder or ".") if one.startswith(name + "."))
            for one in old[:-self.backupCount]:
                os.remove(os.path.join(folder, one))
        if not self.delay:
            self.stream = self._open()
        self.rolloverAt = self.computeRollover(int(time.time()))


class WatchedFileHandler(logging.FileHandler):
    """A file, which nobody else sets aside here."""


class BufferingHandler(logging.Handler):
    """Keeps records until there are `capacity`."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity, self.buffer = capacity, []

    def shouldFlush(self, record):
        return len(self.buffer) >= self.capacity

    def emit(self, record):
        self.buffer.append(record)
        if self.shouldFlush(record):
            self.flush()

    def flush(self):
        self.buffer.clear()

    def close(self):
        self.flush()
        super().close()


class MemoryHandler(BufferingHandler):
    """Keeps records, then gives them to another handler."""

    def __init__(self, capacity, flushLevel=logging.ERROR, target=None, flushOnClose=True):
        super().__init__(capacity)
        self.flushLevel, self.target, self.flushOnClose = flushLevel, target, flushOnClose

    def shouldFlush(self, record):
        return len(self.buffer) >= self.capacity or record.levelno >= self.flushLevel

    def setTarget(self, target):
        self.target = target

    def flush(self):
        if self.target:
            for record in self.buffer:
                self.target.handle(record)
            self.buffer.clear()

    def close(self):
        if self.flushOnClose:
            self.flush()
        self.target = None
        self.buffer.clear()
        logging.Handler.close(self)


class QueueHandler(logging.Handler):
    """Puts records into a queue."""

    listener = None

    def __init__(self, queue):
        super().__init__()
        self.queue = queue

    def enqueue(self, record):
        self.queue.put_nowait(record)

    def prepare(self, record):
        import copy
        message = self.format(record)
        record = copy.copy(record)
        record.message = record.msg = message
        record.args = record.exc_info = record.exc_text = record.stack_info = None
        return record

    def emit(self, record):
        try:
            self.enqueue(self.prepare(record))
        except Exception:
            self.handleError(record)


class QueueListener:
    """Gives what comes out of a queue to handlers, in a thread."""

    _sentinel = None

    def __init__(self, queue, *handlers, respect_handler_level=False):
        self.queue, self.handlers, self.respect_handler_level, self._thread = queue, handlers, respect_handler_level, None

    def start(self):
        import threading
        if self._thread is not None:
            raise RuntimeError("Listener already started")
        self._thread = threading.Thread(target=self._monitor, daemon=True)
        self._thread.start()

    def handle(self, record):
        for handler in self.handlers:
            if not self.respect_handler_level or record.levelno >= handler.level:
                handler.handle(record)

    def _monitor(self):
        while True:
            record = self.queue.get()
            if record is self._sentinel:
                return
            self.handle(record)

    def stop(self):
        if self._thread:
            self.queue.put_nowait(self._sentinel)
            self._thread.join()
            self._thread = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *given):
        self.stop()


def _refused(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"logging.handlers.{name}: nnscope opens no network")

    return type(name, (logging.Handler,), {"__init__": refuse, "__doc__": "Refused: it would use the network."})


SocketHandler, DatagramHandler, SysLogHandler, SMTPHandler, HTTPHandler = map(
    _refused, ("SocketHandler", "DatagramHandler", "SysLogHandler", "SMTPHandler", "HTTPHandler"))
