"""What a rank that fails leaves behind. Behaviour: torch/distributed/elastic/multiprocessing/errors/__init__.py.

Where TORCHELASTIC_ERROR_FILE names a file the exception is written there as JSON, as torchrun reads it."""
import functools
import json
import os
import time
import traceback

__all__ = ["ChildFailedError", "ProcessFailure", "get_error_handler", "record"]


class ProcessFailure:
    """A rank that failed: local_rank, pid, exitcode, error_file."""

    def __init__(self, local_rank, pid, exitcode, error_file):
        self.local_rank, self.pid, self.exitcode, self.error_file = local_rank, pid, exitcode, error_file
        self.timestamp = int(time.time())
        self.message = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"


class ChildFailedError(Exception):
    """A function that ran as several ranks failed in some."""

    def __init__(self, name, failures):
        if not failures:
            raise AssertionError
        self.name, self.failures = name, failures
        super().__init__(f"{name} FAILED")


class ErrorHandler:
    """Writes an exception to the file that the environment names."""

    def initialize(self):
        """Nothing has to be done."""

    def record_exception(self, e):
        path = os.getenv("TORCHELASTIC_ERROR_FILE", None)
        if path:
            told = {"message": {"message": f"{type(e).__name__}: {e}",
                                "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}}}
            with open(path, "w") as file:
                json.dump(told, file)


def get_error_handler():
    return ErrorHandler()


def record(fn, error_handler=None):
    """The function; what it raises is written down, and goes on. One that is not of the program as a whole returns as it does."""
    error_handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        error_handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit:
            raise
        except Exception as e:
            error_handler.record_exception(e)
            raise

    return wrapper
