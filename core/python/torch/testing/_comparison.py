"""torch.testing.assert_close. Behaviour: torch/testing/_comparison.py."""
import collections.abc
import math
import numbers
import warnings

import torch

# (relative, absolute)
_TOLERANCES = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5),
               torch.float64: (1e-7, 1e-7), torch.complex32: (1e-3, 1e-5), torch.complex64: (1.3e-6, 1e-5),
               torch.complex128: (1e-7, 1e-7)}
_PYTHON_DTYPES = {int: torch.int64, float: torch.float64, complex: torch.complex128}


class _Difference(Exception):
    """Two leaves differ, at a place in their containers."""

    def __init__(self, kind, text, place):
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place

    def error(self, msg):
        if isinstance(msg, str):
            return self.kind(msg)
        text = self.text
        if self.place:
            text += "\n\nThe failure occurred for item " + "".join(str([one]) for one in self.place)
        return self.kind(msg(text) if callable(msg) else text)


def default_tolerances(*inputs, dtype_precisions=None):
    """(rtol, atol): the greatest of those of the dtypes."""
    dtypes = [one if isinstance(one, torch.dtype) else one.dtype for one in inputs]
    pairs = [(dtype_precisions or _TOLERANCES).get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(rtol for rtol, _ in pairs), max(atol for _, atol in pairs)


def _tolerances(given, dtypes):
    rtol, atol = given
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.")
    return default_tolerances(*dtypes) if rtol is None else (rtol, atol)


class _Comparison:
    def __init__(self, rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses):
        self.given = (rtol, atol)
        self.equal_nan = equal_nan
        self.check_device, self.check_dtype, self.check_layout = check_device, check_dtype, check_layout
        self.check_stride, self.allow_subclasses = check_stride, allow_subclasses

    def compare(self, actual, expected, place=()):
        if isinstance(actual, torch.Tensor) or isinstance(expected, torch.Tensor):
            return self.compare_tensors(actual, expected, place)
        if type(actual).__name__ == "ndarray" and type(expected).__name__ == "ndarray":
            return self.compare_tensors(torch.from_numpy(actual), torch.from_numpy(expected), place)
        sequences, mappings = collections.abc.Sequence, collections.abc.Mapping
        if self.is_sequence(actual, sequences) and self.is_sequence(expected, sequences):
            if len(actual) != len(expected):
                raise _Difference(AssertionError, "The length of the sequences mismatch: "
                                  f"{len(actual)} != {len(expected)}", place)
            for i, (left, right) in enumerate(zip(actual, expected)):
                self.compare(left, right, (*place, i))
            return None
        if isinstance(actual, mappings) and isinstance(expected, mappings):
            left, right = set(actual), set(expected)
            if left != right:
                missing, more = sorted(right - left, key=repr), sorted(left - right, key=repr)
                raise _Difference(AssertionError, "The keys of the mappings do not match:\n"
                                  f"Missing keys in the actual mapping: {missing}\n"
                                  f"Additional keys in the actual mapping: {more}", place)
            keys = list(actual)
            try:
                keys.sort()
            except Exception:
                pass
            for key in keys:
                self.compare(actual[key], expected[key], (*place, key))
            return None
        if isinstance(actual, bool) and isinstance(expected, bool):
            if actual is not expected:
                raise _Difference(AssertionError, f"Booleans mismatch: {actual} is not {expected}", place)
            return None
        if isinstance(actual, numbers.Number) and isinstance(expected, numbers.Number):
            return self.compare_numbers(actual, expected, place)
        if actual is None or expected is None:
            if actual is not expected:
                raise _Difference(AssertionError, f"None mismatch: {actual} is not {expected}", place)
            return None
        raise _Difference(TypeError, "No comparison pair was able to handle inputs of type "
                          f"{type(actual)} and {type(expected)}.", place)

    @staticmethod
    def is_sequence(value, sequences):
        return isinstance(value, sequences) and not isinstance(value, str)

    def compare_numbers(self, actual, expected, place):
        if self.check_dtype and type(actual) is not type(expected):
            raise _Difference(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}", place)
        rtol, atol = _tolerances(self.given, [_PYTHON_DTYPES.get(type(actual), torch.float64),
                                              _PYTHON_DTYPES.get(type(expected), torch.float64)])
        if actual == expected or (self.equal_nan and actual != actual and expected != expected):
            return
        difference = abs(actual - expected)
        tolerance = atol + rtol * abs(expected)
        if math.isfinite(difference) and difference <= tolerance:
            return
        if rtol == 0 and atol == 0:
            text = f"Scalars are not equal!\n\nExpected {expected} but got {actual}.\n" \
                   f"Absolute difference: {difference}\n" \
                   f"Relative difference: {difference / abs(expected) if expected != 0 else float('inf')}"
        else:
            text = f"Scalars are not close!\n\nExpected {expected} but got {actual}.\n" \
                   f"Absolute difference: {difference} (up to {atol} allowed)\n" \
                   f"Relative difference: {difference / abs(expected) if expected != 0 else float('inf')} " \
                   f"(up to {rtol} allowed)"
        raise _Difference(AssertionError, text, place)

    def compare_tensors(self, actual, expected, place):
        for one in (actual, expected):
            if not isinstance(one, torch.Tensor) and not isinstance(one, (numbers.Number, list, tuple)):
                raise _Difference(TypeError, "No comparison pair was able to handle inputs of type "
                                  f"{type(actual)} and {type(expected)}.", place)
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if not related or (not self.allow_subclasses and type(actual) is not type(expected)):
            raise _Difference(TypeError, "No comparison pair was able to handle inputs of type "
                              f"{type(actual)} and {type(expected)}.", place)
        self.compare_attributes(actual, expected, place)
        dtypes = [actual.dtype, expected.dtype]
        rtol, atol = _tolerances(self.given, dtypes)
        if actual.is_meta:
            return
        if actual.device != expected.device:
            actual, expected = actual.cpu(), expected.cpu()
        if dtypes[0] != dtypes[1]:
            both = torch.promote_types(*dtypes)
            actual, expected = actual.to(both), expected.to(both)
        actual, expected = actual.detach(), expected.detach()
        matches = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
        if bool(matches.all()):
            return
        text = self.scalar_text(actual, expected, rtol, atol) if actual.ndim == 0 else \
            self.tensor_text(actual, expected, matches, rtol, atol)
        raise _Difference(AssertionError, text, place)

    def compare_attributes(self, actual, expected, place):
        def check(holds, name, left, right):
            if holds and left != right:
                raise _Difference(AssertionError, f"The values for attribute '{name}' do not match: {left} != {right}.",
                                  place)
        check(True, "shape", actual.shape, expected.shape)
        check(self.check_layout, "layout", actual.layout, expected.layout)
        check(self.check_stride, "stride()", actual.stride(), expected.stride())
        check(self.check_device, "device", actual.device, expected.device)
        check(self.check_dtype, "dtype", actual.dtype, expected.dtype)

    @staticmethod
    def scalar_text(actual, expected, rtol, atol):
        left, right = actual.item(), expected.item()
        difference = abs(left - right)
        relative = difference / abs(right) if right != 0 else float("inf")
        equal = rtol == 0 and atol == 0
        allowed = ("", "") if equal else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
        return f"Scalars are not {'equal' if equal else 'close'}!\n\nExpected {right} but got {left}.\n" \
               f"Absolute difference: {difference}{allowed[0]}\nRelative difference: {relative}{allowed[1]}"

    @staticmethod
    def tensor_text(actual, expected, matches, rtol, atol):
        flat_matches = matches.flatten()
        left, right = actual.flatten(), expected.flatten()
        if not (left.dtype.is_floating_point or left.dtype.is_complex):
            left, right = left.to(torch.int64), right.to(torch.int64)
        total = flat_matches.numel()
        wrong = total - int(flat_matches.sum())
        absolute = (left - right).abs()
        absolute = torch.where(flat_matches, torch.zeros_like(absolute), absolute)
        relative = absolute / right.abs()
        relative = torch.where(flat_matches, torch.zeros_like(relative), relative)

        def greatest(differences):
            at = int(differences.argmax())
            index = []
            rest = at
            for size in reversed(matches.shape):
                index.append(rest % size)
                rest //= size
            return differences[at].item(), tuple(reversed(index))
        equal = rtol == 0 and atol == 0
        allowed = ("", "") if equal else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
        most, where = greatest(absolute)
        most_relative, where_relative = greatest(relative)
        return f"Tensor-likes are not {'equal' if equal else 'close'}!\n\n" \
               f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})\n" \
               f"Greatest absolute difference: {most} at index {where}{allowed[0]}\n" \
               f"Greatest relative difference: {most_relative} at index {where_relative}{allowed[1]}"


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raises AssertionError unless |actual - expected| <= atol + rtol * |expected| for all items, in containers too."""
    comparison = _Comparison(rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses)
    try:
        comparison.compare(actual, expected)
    except _Difference as difference:
        error = difference.error(msg)
    else:
        return
    raise error


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    warnings.warn("`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
                  "Please use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
                  "https://github.com/pytorch/pytorch/issues/61844.", FutureWarning, stacklevel=2)
    if not isinstance(actual, torch.Tensor):
        actual = torch.tensor(actual)
    if not isinstance(expected, torch.Tensor):
        expected = torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = default_tolerances(actual, expected)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
                 check_stride=False, msg=msg or None)
