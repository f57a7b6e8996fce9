"""Functions that give complex numbers where the real ones end: numpy.emath. Behaviour: numpy/lib/_scimath_impl.py."""
from numpy._array import asarray
from numpy._dtypes import complex_for
from numpy._ufunc import UFUNCS


def _complex_where(x, test):
    """The argument, as complex numbers where the test holds for any of its items."""
    a = asarray(x)
    if a.dtype.kind == "c" or not bool(asarray(test(a)).any()):
        return x if hasattr(x, "dtype") else a[()]
    small = a.dtype.kind in "iub" and a.dtype.itemsize <= 2 and a.dtype.kind != "b"
    return a.astype("complex64" if small else complex_for(a.dtype))[()]


def _is_negative(a):
    return a < 0


def _is_beyond_one(a):
    return UFUNCS["absolute"](a) > 1


def sqrt(x):
    return UFUNCS["sqrt"](_complex_where(x, _is_negative))


def log(x):
    return UFUNCS["log"](_complex_where(x, _is_negative))


def log10(x):
    return UFUNCS["log10"](_complex_where(x, _is_negative))


def log2(x):
    return UFUNCS["log2"](_complex_where(x, _is_negative))


def logn(n, x):
    n, x = _complex_where(n, _is_negative), _complex_where(x, _is_negative)
    return UFUNCS["divide"](UFUNCS["log"](x), UFUNCS["log"](n))


def power(x, p):
    a = asarray(p)
    exponent = a.astype(float)[()] if a.dtype.kind in "iu" and bool((a < 0).any()) else p
    return UFUNCS["power"](_complex_where(x, _is_negative), exponent)


def arccos(x):
    return UFUNCS["arccos"](_complex_where(x, _is_beyond_one))


def arcsin(x):
    return UFUNCS["arcsin"](_complex_where(x, _is_beyond_one))


def arctanh(x):
    return UFUNCS["arctanh"](_complex_where(x, _is_beyond_one))
