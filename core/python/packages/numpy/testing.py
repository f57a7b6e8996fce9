"""Assertions about arrays. Behaviour: numpy/testing/_private/utils.py."""
import contextlib
import math
import re
import warnings

from numpy import _reduce
from numpy._array import asarray, ndarray
from numpy._dtypes import BOOL, no_attribute
from numpy._functions import broadcast_arrays, zeros
from numpy._more import isclose, isscalar
from numpy._scalars import generic
from numpy._searching import argwhere
from numpy._text import array2string, array_repr
from numpy._ufunc import UFUNCS, errstate


def assert_(val, msg=""):
    if not val:
        raise AssertionError(msg() if callable(msg) else msg)


def build_err_msg(arrays, err_msg, header="Items are not equal:", verbose=True, names=("ACTUAL", "DESIRED"), precision=8):
    lines = ["\n" + header]
    err_msg = str(err_msg)
    if err_msg:
        if "\n" not in err_msg and len(err_msg) < 79 - len(header):
            lines[0] += " " + err_msg
        else:
            lines.append(err_msg)
    if verbose:
        for name, one in zip(names, arrays):
            text = array_repr(one, precision=precision) if isinstance(one, ndarray) else repr(one)
            if text.count("\n") > 3:
                text = "\n".join(text.splitlines()[:3]) + "..."
            lines.append(f" {name}: {text}")
    return "\n".join(lines)


def _remarks(x, y, shown_x, shown_y, wrong, flagged):
    """How many items differ, where, and by how much."""
    count, size = int(_reduce.count_nonzero(wrong)), flagged.size
    lines = [f"Mismatched elements: {count} / {size} ({100 * count / size:.3g}%)"]
    if flagged.ndim:
        places = argwhere(wrong)
        told = "\n".join(f" {place.tolist()}: {shown_x if shown_x.ndim == 0 else shown_x[tuple(place)]} (ACTUAL), "
                         f"{shown_y if shown_y.ndim == 0 else shown_y[tuple(place)]} (DESIRED)" for place in places[:5])
        head = "Mismatch at index:" if len(places) == 1 else "Mismatch at indices:" if len(places) <= 5 else \
            "First 5 mismatches are at indices:"
        lines.append(f"{head}\n{told}")
    with errstate(all="ignore"):
        if x.dtype is BOOL or y.dtype is BOOL:
            return lines
        apart = asarray(UFUNCS["absolute"](x - y))
        if y.dtype.kind == "u":
            apart = asarray(UFUNCS["minimum"](apart, UFUNCS["absolute"](y - x)))
        apart, y = broadcast_arrays(apart, y)
        lines.append(f"Max absolute difference among violations: {array2string(asarray(apart[wrong].max()))}")
        known = wrong & (y != 0)
        share = (apart[known] / UFUNCS["absolute"](y[known])).max() if bool(known.any()) else math.inf
        lines.append(f"Max relative difference among violations: {array2string(asarray(share))}")
    return lines


def assert_array_compare(comparison, x, y, err_msg="", verbose=True, header="", precision=6, equal_nan=True, equal_inf=True, *,
                         strict=False, names=("ACTUAL", "DESIRED")):
    """Raises unless the comparison holds for all items that are numbers, and the others are at the same places."""
    x, y = asarray(x), asarray(y)
    shown = x, y

    def fail(text):
        raise AssertionError(build_err_msg(shown, f"{err_msg}\n{text}", header, verbose, names, precision))

    fits = x.shape == y.shape or (not strict and (x.ndim == 0 or y.ndim == 0))
    if not fits or (strict and x.dtype != y.dtype):
        fail(f"(shapes {x.shape}, {y.shape} mismatch)" if not fits else f"(dtypes {x.dtype}, {y.dtype} mismatch)")
    first, second = broadcast_arrays(x, y)
    flagged = zeros(first.shape, bool)
    with errstate(all="ignore"):
        tests = []
        if equal_nan:
            tests.append(("nan", lambda one: UFUNCS["isnan"](one)))
        if equal_inf and x.dtype.kind != "c" and y.dtype.kind != "c":
            tests.append(("+inf", lambda one: one == math.inf))
            tests.append(("-inf", lambda one: one == -math.inf))
        elif equal_inf:
            tests.append(("inf", lambda one: UFUNCS["isinf"](one)))
        for name, test in tests:
            here, there = asarray(test(first)), asarray(test(second))
            if bool((here != there).any()):
                fail(f"x and y {name} location mismatch:")
            if name == "inf" and bool((first[here] != second[here]).any()):
                fail("x and y inf location mismatch:")
            flagged = flagged | here
        held = asarray(comparison(first, second)).astype(bool)
    wrong = asarray(~held & ~flagged)
    if bool(wrong.any()):
        fail("\n".join(_remarks(x, y, *shown, wrong, flagged)))


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False):
    assert_array_compare(lambda x, y: isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan), actual, desired, str(err_msg),
                         verbose, f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}", equal_nan=equal_nan, strict=strict)


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    assert_array_compare(UFUNCS["equal"], actual, desired, err_msg, verbose, "Arrays are not equal", strict=strict)


def assert_array_almost_equal(actual, desired, decimal=6, err_msg="", verbose=True):
    assert_array_compare(lambda x, y: UFUNCS["absolute"](x - y) < 1.5 * 10.0 ** -decimal, actual, desired, err_msg, verbose,
                         f"Arrays are not almost equal to {decimal:d} decimals", precision=decimal)


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    assert_array_compare(UFUNCS["less"], x, y, err_msg, verbose, "Arrays are not strictly ordered `x < y`", equal_inf=False,
                         strict=strict, names=("x", "y"))


def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    """Raises unless both are equal: items of lists and dicts one by one, a NaN like another one."""
    if isinstance(desired, dict):
        if not isinstance(actual, dict):
            raise AssertionError(repr(type(actual)))
        assert_equal(len(actual), len(desired), err_msg, verbose)
        for key in desired:
            if key not in actual:
                raise AssertionError(repr(key))
            assert_equal(actual[key], desired[key], f"key={key!r}\n{err_msg}", verbose)
        return
    if isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        assert_equal(len(actual), len(desired), err_msg, verbose)
        for k, (one, other) in enumerate(zip(actual, desired)):
            assert_equal(one, other, f"item={k!r}\n{err_msg}", verbose)
        return
    if isinstance(actual, ndarray) or isinstance(desired, ndarray):
        assert_array_equal(actual, desired, err_msg, verbose, strict=strict)
        return
    message = build_err_msg([actual, desired], err_msg, verbose=verbose)
    if isinstance(actual, (int, float, complex, generic)) and isinstance(desired, (int, float, complex, generic)):
        is_nan, other_nan = (bool(UFUNCS["isnan"](one)) for one in (actual, desired))
        if is_nan and other_nan:
            return
        is_zero = actual == 0 and desired == 0 and not isinstance(actual, complex) and not isinstance(desired, complex)
        if is_zero and math.copysign(1.0, float(actual)) != math.copysign(1.0, float(desired)):
            raise AssertionError(message)
    if isscalar(desired) != isscalar(actual) or not desired == actual:
        raise AssertionError(message)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    if isinstance(actual, (ndarray, tuple, list)) or isinstance(desired, (ndarray, tuple, list)):
        assert_array_almost_equal(actual, desired, decimal, err_msg)
        return
    message = build_err_msg([actual, desired], err_msg, verbose=verbose,
                            header=f"Arrays are not almost equal to {decimal:d} decimals")
    if not bool(UFUNCS["isfinite"](actual)) or not bool(UFUNCS["isfinite"](desired)):
        same = bool(UFUNCS["isnan"](actual)) and bool(UFUNCS["isnan"](desired)) or bool(actual == desired)
        if not same:
            raise AssertionError(message)
        return
    if abs(desired - actual) >= 1.5 * 10.0 ** -decimal:
        raise AssertionError(message)


def assert_approx_equal(actual, desired, significant=7, err_msg="", verbose=True):
    """Raises unless the first digits are equal."""
    if actual == desired:
        return
    with errstate(all="ignore"):
        scale = 10.0 ** math.floor(math.log10(0.5 * (abs(actual) + abs(desired))))
    if abs(desired / scale - actual / scale) >= 10.0 ** -(significant - 1):
        raise AssertionError(build_err_msg([actual, desired], err_msg, verbose=verbose,
                                           header=f"Items are not equal to {significant:d} significant digits:"))


def assert_string_equal(actual, desired):
    if not isinstance(actual, str) or not isinstance(desired, str):
        raise AssertionError(repr(type(actual if not isinstance(actual, str) else desired)))
    if actual != desired:
        raise AssertionError(f"Differences in strings:\n- {actual}+ {desired}")


def _spacings(x):
    return UFUNCS["absolute"](UFUNCS["spacing"](UFUNCS["absolute"](x)))


def assert_array_almost_equal_nulp(x, y, nulp=1):
    """Raises unless the items are `nulp` or fewer neighbours apart."""
    x, y = asarray(x), asarray(y)
    limit = nulp * asarray(_spacings(UFUNCS["maximum"](UFUNCS["absolute"](x), UFUNCS["absolute"](y))))
    if not bool((asarray(UFUNCS["absolute"](x - y)) <= limit).all()):
        raise AssertionError(f"Arrays are not equal to {nulp} ULP")


# Errors and warnings.

class _Raises:
    def __init__(self, expected, pattern=None):
        self.expected, self.pattern, self.exception = expected, pattern, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            names = self.expected if isinstance(self.expected, tuple) else (self.expected,)
            raise AssertionError(f"{' or '.join(one.__name__ for one in names)} not raised")
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if self.pattern is not None and not re.search(self.pattern, str(error)):
            raise AssertionError(f'"{self.pattern}" does not match "{error}"')
        return True


def assert_raises(exception_class, *args, **kwargs):
    if not args:
        return _Raises(exception_class)
    with _Raises(exception_class):
        args[0](*args[1:], **kwargs)
    return None


def assert_raises_regex(exception_class, expected_regexp, *args, **kwargs):
    if not args:
        return _Raises(exception_class, expected_regexp)
    with _Raises(exception_class, expected_regexp):
        args[0](*args[1:], **kwargs)
    return None


@contextlib.contextmanager
def _warned(category, name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    of = "" if name is None else f" when calling {name}"
    if category is None:
        if caught:
            raise AssertionError(f"Got warnings{of}: {caught}")
    elif not any(issubclass(one.category, category) for one in caught):
        raise AssertionError("No warning raised" + of)


def assert_warns(warning_class, *args, **kwargs):
    if not args:
        return _warned(warning_class, None)
    with _warned(warning_class, args[0].__name__):
        return args[0](*args[1:], **kwargs)


def assert_no_warnings(*args, **kwargs):
    if not args:
        return _warned(None, None)
    with _warned(None, args[0].__name__):
        return args[0](*args[1:], **kwargs)


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(f"module 'numpy.testing' has no attribute {name!r}")
    raise no_attribute("module 'numpy.testing'", name)
