"""Waiting for many files. Behaviour: CPython Lib/selectors.py; what would wait is refused by name."""
from collections import namedtuple as _namedtuple

EVENT_READ, EVENT_WRITE = 1, 2
SelectorKey = _namedtuple("SelectorKey", "fileobj fd events data")


class BaseSelector:
    def __init__(self):
        raise NotImplementedError(f"selectors.{type(self).__name__}: nnscope opens no network")


class SelectSelector(BaseSelector):
    pass


class PollSelector(BaseSelector):
    pass


class EpollSelector(BaseSelector):
    pass


DefaultSelector = EpollSelector
