"""Contexts: precision, rounding, limits, and which signals raise. Behaviour: CPython Modules/_decimal/_decimal.c."""
import contextvars as _contextvars
from collections.abc import MutableMapping as _MutableMapping

from decimal import _signals
from decimal._signals import BITS, DivisionByZero, InvalidOperation, Overflow, SIGNALS

ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR = "ROUND_UP", "ROUND_DOWN", "ROUND_CEILING", "ROUND_FLOOR"
ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP = ("ROUND_HALF_UP", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN",
                                                               "ROUND_05UP")
ROUNDINGS = (ROUND_UP, ROUND_DOWN, ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_05UP)
MAX_PREC = MAX_EMAX = 999999999999999999
MIN_EMIN = -MAX_EMAX
MIN_ETINY = MIN_EMIN - (MAX_PREC - 1)


class SignalDict(_MutableMapping):
    """Signals as keys; the values are kept as bits of a context."""

    def __init__(self, context, name):
        self._context, self._name = context, name

    def __getitem__(self, signal):
        return bool(getattr(self._context, self._name) & BITS[signal])

    def __setitem__(self, signal, value):
        bits = getattr(self._context, self._name)
        setattr(self._context, self._name, bits | BITS[signal] if value else bits & ~BITS[signal])

    def __delitem__(self, signal):
        raise ValueError("signal keys cannot be deleted")

    def __iter__(self):
        return iter(SIGNALS)

    def __len__(self):
        return len(SIGNALS)

    def __eq__(self, other):
        if isinstance(other, SignalDict):
            return getattr(self._context, self._name) == getattr(other._context, other._name)
        return dict(self) == other if isinstance(other, dict) else NotImplemented

    __hash__ = None

    def copy(self):
        return dict(self)

    def __repr__(self):
        return "{" + ", ".join(f"{signal!r}:{self[signal]}" for signal in SIGNALS) + "}"


def _bits(given, name):
    if isinstance(given, (dict, SignalDict)):
        if set(given) != set(SIGNALS):
            raise KeyError("invalid signal dict")
        return _signals.bits_of([signal for signal, is_set in given.items() if is_set])
    if isinstance(given, (list, tuple)):
        return _signals.bits_of(given)
    raise TypeError("argument must be a signal dict")


_LIMITS = {"prec": (1, MAX_PREC, "valid range for prec is [1, MAX_PREC]"),
           "Emin": (MIN_EMIN, 0, "valid range for Emin is [MIN_EMIN, 0]"),
           "Emax": (0, MAX_EMAX, "valid range for Emax is [0, MAX_EMAX]"),
           "capitals": (0, 1, "valid values for capitals are 0 or 1"),
           "clamp": (0, 1, "valid values for clamp are 0 or 1")}


class ContextBase:
    """A context without its operations."""

    __module__ = "decimal"

    def __init__(self, prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, flags=None, traps=None):
        given = {"prec": prec, "rounding": rounding, "Emin": Emin, "Emax": Emax, "capitals": capitals, "clamp": clamp}
        default = _DEFAULTS
        for name, value in given.items():
            setattr(self, name, default[name] if value is None else value)
        self._traps = default["traps"] if traps is None else _bits(traps, "traps")
        self._flags = 0 if flags is None else _bits(flags, "flags")

    def __setattr__(self, name, value):
        if name in _LIMITS:
            least, most, text = _LIMITS[name]
            if not isinstance(value, int):
                raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
            if not least <= value <= most:
                raise ValueError(text)
        elif name == "rounding":
            if value not in ROUNDINGS:
                raise TypeError("valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n   "
                                "ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]")
        elif name in ("flags", "traps"):
            value = _bits(value, name)
            name = "_" + name
        elif name not in ("_flags", "_traps"):
            raise AttributeError(f"'decimal.Context' object has no attribute '{name}'")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        raise AttributeError("context attributes cannot be deleted")

    flags = property(lambda self: SignalDict(self, "_flags"))
    traps = property(lambda self: SignalDict(self, "_traps"))

    def report(self, bits):
        """Notes what was signalled. Errors: that of a signal which is trapped."""
        object.__setattr__(self, "_flags", self._flags | bits & 0x1FF)
        if bits & self._traps:
            kept = bits & self._traps
            raise _signals.exception_of(kept | (bits & ~0x1FF if kept & 1 else 0))

    def clear_flags(self):
        self._flags = 0

    def clear_traps(self):
        self._traps = 0

    def Etiny(self):
        return self.Emin - self.prec + 1

    def Etop(self):
        return self.Emax - self.prec + 1

    def radix(self):
        from decimal import Decimal
        return Decimal(10)

    def copy(self):
        made = object.__new__(type(self))
        for name in ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "_flags", "_traps"):
            object.__setattr__(made, name, getattr(self, name))
        return made

    __copy__ = copy

    def __reduce__(self):
        listed = [[signal for signal in SIGNALS if bits & BITS[signal]] for bits in (self._flags, self._traps)]
        return (type(self), (self.prec, self.rounding, self.Emin, self.Emax, self.capitals, self.clamp, *listed))

    def __repr__(self):
        flags, traps = (", ".join(signal.__name__ for signal in _IN_REPR if bits & BITS[signal])
                        for bits in (self._flags, self._traps))
        return (f"Context(prec={self.prec}, rounding={self.rounding}, Emin={self.Emin}, Emax={self.Emax}, "
                f"capitals={self.capitals}, clamp={self.clamp}, flags=[{flags}], traps=[{traps}])")


_DEFAULTS = {"prec": 28, "rounding": ROUND_HALF_EVEN, "Emin": -999999, "Emax": 999999, "capitals": 1, "clamp": 0,
             "traps": _signals.bits_of([InvalidOperation, DivisionByZero, Overflow])}
_IN_REPR = (_signals.Clamped, InvalidOperation, DivisionByZero, _signals.Inexact, _signals.FloatOperation, Overflow,
            _signals.Rounded, _signals.Subnormal, _signals.Underflow)
_current = _contextvars.ContextVar("decimal_context")


def getcontext():
    """The context of this thread, which is made from DefaultContext."""
    found = _current.get(None)
    if found is None:
        import decimal
        found = decimal.DefaultContext.copy()
        found.clear_flags()
        _current.set(found)
    return found


def setcontext(context, /):
    """Makes a context that of this thread; the ready-made ones are copied."""
    import decimal
    if not isinstance(context, ContextBase):
        raise TypeError("argument must be a context")
    if context in (decimal.DefaultContext, decimal.BasicContext, decimal.ExtendedContext):
        context = context.copy()
        context.clear_flags()
    _current.set(context)


class _ContextManager:
    """What localcontext() gives."""

    def __init__(self, context):
        self._new = context

    def __enter__(self):
        self._saved = getcontext()
        setcontext(self._new)
        return self._new

    def __exit__(self, *exception):
        setcontext(self._saved)


def localcontext(ctx=None, **kwargs):
    """A copy of a context (of the current one), with some settings, for the time of a `with`."""
    context = getcontext() if ctx is None else ctx
    if not isinstance(context, ContextBase):
        raise TypeError("optional argument must be a context")
    context = context.copy()
    for name, value in kwargs.items():
        if name not in (*_LIMITS, "rounding", "flags", "traps"):
            raise TypeError(f"localcontext() got an unexpected keyword argument '{name}'")
        if value is not None:
            setattr(context, name, value)
    return _ContextManager(context)
