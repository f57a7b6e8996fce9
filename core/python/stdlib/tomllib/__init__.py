"""Settings in TOML. Behaviour: CPython 3.14, Lib/tomllib."""
from tomllib._parser import TOMLDecodeError, load, loads

__all__ = ("loads", "load", "TOMLDecodeError")
