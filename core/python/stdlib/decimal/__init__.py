"""Decimal numbers of any precision. Behaviour: CPython 3.14, Modules/_decimal; General Decimal Arithmetic Specification 1.70.

Results are rounded correctly, those of power() too, where CPython's are almost always."""
from decimal._context import (MAX_EMAX, MAX_PREC, MIN_EMIN, MIN_ETINY, ROUND_05UP, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR,
                              ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, getcontext, localcontext,
                              setcontext)
from decimal._operations import Context
from decimal._number import Decimal, DecimalTuple
from decimal._signals import (Clamped, ConversionSyntax, DecimalException, DivisionByZero, DivisionImpossible,
                              DivisionUndefined, FloatOperation, Inexact, InvalidContext, InvalidOperation, Overflow,
                              Rounded, Subnormal, Underflow)

HAVE_THREADS = HAVE_CONTEXTVAR = True
DefaultContext = Context()
BasicContext = Context(prec=9, rounding=ROUND_HALF_UP, flags=[],
                       traps=[Clamped, DivisionByZero, InvalidOperation, Overflow, Underflow])
ExtendedContext = Context(prec=9, rounding=ROUND_HALF_EVEN, flags=[], traps=[])


def IEEEContext(bits, /):
    """The context of an interchange format of so many bits. Errors: ValueError."""
    if bits <= 0 or bits > 512 or bits % 32:
        raise ValueError("argument must be a multiple of 32, with a maximum of 512")
    most = 3 * 2 ** (bits // 16 + 3)
    return Context(prec=9 * (bits // 32) - 2, rounding=ROUND_HALF_EVEN, Emin=1 - most, Emax=most, capitals=1, clamp=1,
                   flags=[], traps=[])


IEEE_CONTEXT_MAX_BITS = 512
__version__ = "1.70"
__libmpdec_version__ = "2.5.1"
__all__ = ["BasicContext", "Clamped", "Context", "ConversionSyntax", "Decimal", "DecimalException", "DecimalTuple",
           "DefaultContext", "DivisionByZero", "DivisionImpossible", "DivisionUndefined", "ExtendedContext",
           "FloatOperation", "HAVE_CONTEXTVAR", "HAVE_THREADS", "IEEEContext", "IEEE_CONTEXT_MAX_BITS", "Inexact",
           "InvalidContext", "InvalidOperation", "MAX_EMAX", "MAX_PREC", "MIN_EMIN", "MIN_ETINY", "Overflow",
           "ROUND_05UP", "ROUND_CEILING", "ROUND_DOWN", "ROUND_FLOOR", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN",
           "ROUND_HALF_UP", "ROUND_UP", "Rounded", "Subnormal", "Underflow", "getcontext", "localcontext", "setcontext"]
