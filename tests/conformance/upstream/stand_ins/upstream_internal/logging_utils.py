"""Stand-in for torch.testing._internal.logging_utils: tests of what torch._logging shows."""
import contextlib
import functools
import io
import logging
import os
import unittest.mock

import torch
import torch._dynamo
import torch._logging
import torch._logging._internal as internal

from upstream_internal.common_utils import TestCase


class LazyString:
    def __init__(self, func, *args, **kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs

    def __str__(self):
        return self.func(*self.args, **self.kwargs)


@contextlib.contextmanager
def preserve_log_state():
    before = internal._get_log_state()
    internal._set_log_state(internal.LogState())
    try:
        yield
    finally:
        internal._set_log_state(before)
        internal._init_logs()


@contextlib.contextmanager
def log_settings(settings):
    with preserve_log_state(), unittest.mock.patch.dict(os.environ, {"TORCH_LOGS": settings}):
        internal._init_logs()
        yield


@contextlib.contextmanager
def log_api(**kwargs):
    with preserve_log_state():
        torch._logging.set_logs(**kwargs)
        yield


def kwargs_to_settings(**kwargs):
    made = []
    for name, value in kwargs.items():
        if isinstance(value, bool):
            made.append(name)
        elif isinstance(value, dict):
            made += [{10: "+", 20: "", 40: "-"}[level] + key for key, level in value.items()]
        else:
            made.append({10: "+", 20: "", 40: "-"}[value] + name)
    return ",".join(made)


@contextlib.contextmanager
def _records(names):
    """The records that the loggers' handlers are given."""
    seen = []
    with contextlib.ExitStack() as stack:
        for name in names:
            for handler in logging.getLogger(name).handlers:
                if internal._is_torch_handler(handler):
                    stack.enter_context(unittest.mock.patch.object(handler, "emit", seen.append))
        yield seen


def make_logging_test(**kwargs):
    def decorator(fn):
        @functools.wraps(fn)
        def test(self):
            torch._dynamo.reset()
            settings = kwargs_to_settings(**kwargs)
            context = log_settings(settings) if settings else preserve_log_state()
            with context:
                if not settings:
                    internal._init_logs()
                with _records(internal.log_registry.get_log_qnames()) as seen:
                    fn(self, seen)
        return test
    return decorator


def make_settings_test(settings):
    def decorator(fn):
        @functools.wraps(fn)
        def test(self):
            torch._dynamo.reset()
            with log_settings(settings), _records(internal.log_registry.get_log_qnames()) as seen:
                fn(self, seen)
        return test
    return decorator


class LoggingTestCase(TestCase):
    def hasRecord(self, records, m):
        return any(m in record.getMessage() for record in records)

    def getRecord(self, records, m):
        found = [record for record in records if m in record.getMessage()]
        self.assertEqual(len(found), 1)
        return found[0]

    @contextlib.contextmanager
    def _handler_watcher(self, record_list):
        yield


def logs_to_string(module, log_option):
    text = io.StringIO()
    handler = logging.StreamHandler(text)

    @contextlib.contextmanager
    def context():
        logger = logging.getLogger(module)
        torch._logging.set_logs(**{log_option: True})
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            torch._logging.set_logs()
    return text, context


def multiple_logs_to_string(module, *options):
    texts, contexts = zip(*[logs_to_string(module, one) for one in options])

    @contextlib.contextmanager
    def context():
        with contextlib.ExitStack() as stack:
            for one in contexts:
                stack.enter_context(one())
            yield
    return list(texts), context
