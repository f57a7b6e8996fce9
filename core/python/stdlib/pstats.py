"""Statistics of profiles, which there are none of: see profile. Behaviour: CPython Lib/pstats.py."""
from enum import Enum

__all__ = ["Stats", "SortKey"]


class SortKey(str, Enum):
    CALLS = "calls"
    CUMULATIVE = "cumulative"
    FILENAME = "filename"
    LINE = "line"
    NAME = "name"
    NFL = "nfl"
    PCALLS = "pcalls"
    STDNAME = "stdname"
    TIME = "time"


class Stats:
    def __init__(self, *args, stream=None):
        from profile import _refused
        raise _refused("pstats.Stats")
