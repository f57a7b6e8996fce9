"""Differences between sequences. Behaviour: CPython 3.14, Lib/difflib.py. HtmlDiff is refused by its name."""
from difflib._differ import Differ, IS_CHARACTER_JUNK, IS_LINE_JUNK, ndiff, restore
from difflib._formats import context_diff, diff_bytes, unified_diff
from difflib._matcher import Match, SequenceMatcher, get_close_matches

__all__ = ["Differ", "IS_CHARACTER_JUNK", "IS_LINE_JUNK", "Match", "SequenceMatcher", "context_diff", "diff_bytes",
           "get_close_matches", "ndiff", "restore", "unified_diff"]


def __getattr__(name):
    if name == "HtmlDiff":
        raise NotImplementedError("difflib.HtmlDiff is not in nnscope: unified_diff and ndiff tell differences as text")
    raise AttributeError(f"module 'difflib' has no attribute {name!r}")
