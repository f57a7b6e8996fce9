"""Files of records. Format: TensorFlow's TFRecord, of which each has its length and two checksums (CRC-32C)."""
import itertools
import os
import socket
import struct
import time

from _zlib import crc32c
from torch.utils.tensorboard import _messages

_number = itertools.count()


def _masked(contents):
    crc = crc32c(contents)
    return (crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF


class RecordWriter:
    """Writes records into a file of that path."""

    def __init__(self, path):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        self.path = path
        self._file = open(path, "wb")

    def write(self, data):
        head = struct.pack("<Q", len(data))
        self._file.write(head + struct.pack("<I", _masked(head)) + data + struct.pack("<I", _masked(data)))

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()


class EventFile:
    """The events of one run, or of one curve of it."""

    def __init__(self, log_dir, filename_suffix=""):
        self._log_dir = str(log_dir)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_number)}"
        self._records = RecordWriter(os.path.join(self._log_dir, name + filename_suffix))
        self._is_closed = False
        self._records.write(_messages.event(time.time(), file_version="brain.Event:2"))
        self.flush()

    def add(self, event):
        if not self._is_closed:
            self._records.write(event)

    def flush(self):
        if not self._is_closed:
            self._records.flush()

    def close(self):
        if not self._is_closed:
            self._records.close()
            self._is_closed = True
