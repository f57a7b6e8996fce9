"""Real and imaginary parts. Behaviour: numpy/lib/_type_check_impl.py, _function_base_impl.py."""
import math

import torch

from numpy import _reduce
from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, dtype, real_for
from numpy._scalars import complexfloating, finfo, generic
from numpy._ufunc import UFUNCS, wrap


def real(val):
    return val.real if hasattr(val, "real") and not callable(val.real) else asarray(val).real


def imag(val):
    return val.imag if hasattr(val, "imag") and not callable(val.imag) else asarray(val).imag


def angle(z, deg=False):
    """The angle of each number with the positive real axis."""
    z = asarray(z)
    parts = (z.imag, z.real) if z.dtype.kind == "c" else (0, z)
    made = UFUNCS["arctan2"](*parts)
    return UFUNCS["multiply"](made, 180 / math.pi) if deg else made


def _has_complex_type(x):
    found = getattr(x, "dtype", None)
    return found.kind == "c" if isinstance(found, dtype) else asarray(x).dtype.kind == "c"


def iscomplexobj(x):
    return _has_complex_type(x)


def isrealobj(x):
    return not _has_complex_type(x)


def iscomplex(x):
    x = asarray(x)
    if x.dtype.kind != "c":
        return wrap(torch.zeros(x.shape, dtype=torch.bool), BOOL)
    return UFUNCS["not_equal"](x.imag, 0)


def isreal(x):
    x = asarray(x)
    return UFUNCS["equal"](x.imag, 0)


def real_if_close(a, tol=100):
    """The real parts where every imaginary part is near 0: within `tol`, or that many machine epsilons where it is above 1."""
    a = asarray(a)
    if not issubclass(a.dtype.type, complexfloating):
        return a
    if tol > 1:
        tol = finfo(a.dtype).eps * tol
    return a.real if bool(_reduce.all(UFUNCS["less"](UFUNCS["absolute"](a.imag), tol))) else a


def conjugate_of(a):
    """ndarray.conj(): the array itself where there is nothing to turn."""
    return UFUNCS["conjugate"](a) if a.dtype.kind == "c" else a


def common_type(*arrays):
    """The class of inexact scalars that all arrays fit in. Errors: TypeError."""
    width, is_complex = 2, False
    for one in arrays:
        found = one.dtype
        if found.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        is_complex = is_complex or found.kind == "c"
        width = max(width, 8 if found.kind in "iu" else real_for(found).itemsize)
    return dtype._made[f"c{2 * max(width, 4)}" if is_complex else f"f{width}"].type


def sort_complex(a):
    made = asarray(a).copy()
    made.sort()
    if made.dtype.kind == "c":
        return made
    return made.astype("F" if made.dtype.itemsize <= 2 and made.dtype.kind in "iu" else "D")


ndarray.conj = ndarray.conjugate = conjugate_of
generic.conj = generic.conjugate = lambda self: self if self.dtype is BOOL else UFUNCS["conjugate"](self)
