"""The names of package typing_extensions: all of them are typing's by now."""

import typing
from collections.abc import Buffer
from types import get_original_bases
from typing import *  # noqa: F403
from typing import IO, BinaryIO, TextIO, TYPE_CHECKING

from warnings import deprecated


def __getattr__(name):
    return getattr(typing, name)
