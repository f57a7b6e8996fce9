"""Stand-in for torch.testing._internal.common_device_type: tests for the CPU, one a dtype."""
import enum
import functools
import unittest
from collections import namedtuple

import torch

from upstream_internal.common_utils import _flag_decorator, _TestParametrizer, case_of, dtype_name, parametrized

PYTORCH_CUDA_MEMCHECK = TEST_WITH_ROCM = False
tol = namedtuple("tol", ["atol", "rtol"])


class dtypes:
    """The dtypes that a test runs with."""

    def __init__(self, *args, device_type="all"):
        self.dtypes = list(args)
        self.device_type = device_type

    def __call__(self, fn):
        if self.device_type in ("all", "cpu"):
            known = getattr(fn, "of_dtypes", None)
            if known is None or self.device_type == "cpu":
                fn.of_dtypes = self.dtypes
        return fn


class dtypesIfCPU(dtypes):
    def __init__(self, *args):
        super().__init__(*args, device_type="cpu")


class dtypesIfCUDA(dtypes):
    def __init__(self, *args):
        super().__init__(*args, device_type="cuda")


class dtypesIfMPS(dtypes):
    def __init__(self, *args):
        super().__init__(*args, device_type="mps")


dtypesIfPRIVATEUSE1 = dtypesIfXPU = dtypesIfHPU = dtypesIfMPS


def _skipping(reason):
    def decorator(*args, **kwargs):
        if len(args) == 1 and callable(args[0]) and not kwargs:
            return unittest.skip(reason)(args[0])
        return lambda fn: unittest.skip(reason)(fn)
    return decorator


onlyCUDA = onlyMPS = onlyXPU = onlyCUDAAndPRIVATEUSE1 = onlyPRIVATEUSE1 = _skipping("needs a GPU")
deviceCountAtLeast = lambda count: _skipping("needs GPUs")  # noqa: E731
onlyOn = lambda device: (lambda fn: fn) if device == "cpu" else _skipping("needs a GPU")  # noqa: E731
largeTensorTest = lambda *args, **kwargs: _skipping("large")  # noqa: E731
for _name in ("onlyCPU", "onlyNativeDeviceTypes", "disableMkldnn", "disablecuDNN", "expectedFailureMeta", "expectedFailureXLA",
              "expectedFailureMPS", "expectedFailureCUDA", "skipCUDAIf", "skipCUDAIfCudnnVersionLessThan", "skipCUDAIfMiopen",
              "skipCUDAIfNoCudnn", "skipCUDAIfNoCusolver", "skipCUDAIfNoMagma", "skipCUDAIfNoMagmaAndNoCusolver",
              "skipCUDAIfNoMiopen", "skipCUDAIfNotMiopenSuggestNHWC", "skipCUDAIfNotRocm", "skipCUDAIfRocm",
              "skipCUDAIfRocmVersionLessThan", "skipCUDAVersionIn", "skipLazy", "skipMPS", "skipMeta", "skipXLA", "skipMPSIf",
              "skipCPUIfNoFFT", "skipCPUIfNoLapack", "skipCPUIfNoLapack", "skipPRIVATEUSE1", "skipXPU", "skipHPU", "skipXLAIf",
              "skipCUDAIfNoCusolver", "skipCUDAIfNoCusparseGeneric", "skipGPUIf", "skipMetaIf"):
    globals()[_name] = _flag_decorator(_name)
skipCPUIfNoMkl = skipCPUIfNoMklSparse = skipCPUIfNoMkldnn = _skipping("needs MKL")
has_cusolver = has_hipsolver = lambda: False  # noqa: E731


def skipCPUIf(condition, reason):
    return unittest.skip(reason) if condition is True else (lambda fn: fn)


def skipIf(condition, reason, *args):
    return unittest.skipIf(condition is True, reason)


class precisionOverride:
    def __init__(self, values):
        self.values = values

    def __call__(self, fn):
        fn.precision_of = self.values
        return fn


class toleranceOverride:
    def __init__(self, values):
        self.values = values

    def __call__(self, fn):
        fn.tolerance_of = self.values
        return fn


class OpDTypes(enum.Enum):
    supported, unsupported, supported_backward, unsupported_backward, any_one, none, any_common_cpu_cuda_one = range(7)


ANY_DTYPE_ORDER = (torch.float32, torch.float64, torch.complex64, torch.complex128, torch.float16, torch.bfloat16, torch.long, torch.int32,
                   torch.int16, torch.int8, torch.uint8, torch.bool)


class ops(_TestParametrizer):
    """Tests of each op of a database, one a dtype."""

    def __init__(self, op_list, *, dtypes=OpDTypes.supported, allowed_dtypes=None, skip_if_dynamo=True):
        self.op_list, self.dtypes = list(op_list), dtypes
        self.allowed = None if allowed_dtypes is None else set(allowed_dtypes)

    def _dtypes_of(self, op):
        if not isinstance(self.dtypes, OpDTypes):
            return list(self.dtypes)
        if self.dtypes is OpDTypes.none:
            return [None]
        supported, with_backward = set(op.supported_dtypes("cpu")), set(op.supported_backward_dtypes("cpu"))
        every = set(ANY_DTYPE_ORDER)
        if self.dtypes in (OpDTypes.any_one, OpDTypes.any_common_cpu_cuda_one):
            both = supported & with_backward if self.dtypes is OpDTypes.any_one else set(op.dtypes) & set(op.dtypesIfCUDA)
            wanted = both or supported
            return [one for one in ANY_DTYPE_ORDER if one in wanted][:1]
        wanted = {OpDTypes.supported: supported, OpDTypes.unsupported: every - supported, OpDTypes.supported_backward: with_backward,
                  OpDTypes.unsupported_backward: every - with_backward}[self.dtypes]
        return [one for one in ANY_DTYPE_ORDER if one in wanted]

    def _parametrize_test(self, test, generic_cls, device_cls):
        for op in self.op_list:
            # A reference or an op that nnscope has not.
            is_missing = type(op.op).__name__ == "Missing"
            for dtype in self._dtypes_of(op):
                if self.allowed is not None and dtype not in self.allowed:
                    continue
                keywords = {"op": op} if dtype is None else {"op": op, "dtype": dtype}
                if is_missing:
                    yield unittest.skip(f"needs {op.name}")(_named(test)), op.formatted_name, keywords, lambda given: []
                    continue
                yield test, op.formatted_name, keywords, functools.partial(
                    op.get_decorators, generic_cls.__name__, test.__name__, "cpu", dtype)


def _named(test):
    """A copy: what skips marks it."""
    @functools.wraps(test)
    def copy(*args, **kwargs):
        return test(*args, **kwargs)
    return copy


def _update_param_kwargs(keywords, name, value):
    keywords.pop(name, None), keywords.pop(f"{name}s", None)
    if value is not None:
        keywords[f"{name}s" if isinstance(value, (list, tuple)) else name] = value


def get_all_device_types():
    return ["cpu"]


def _tolerant(dtype):
    return lambda fn: _with_tolerance(fn, dtype)


def _with_tolerance(fn, dtype):
    precision = getattr(fn, "precision_of", {}).get(dtype)
    tolerance = getattr(fn, "tolerance_of", {}).get(dtype)
    if precision is None and tolerance is None:
        return fn

    @functools.wraps(fn)
    def test(self, *args, **kwargs):
        before = self.precision, self.rel_tol
        self.precision, self.rel_tol = (tolerance.atol, tolerance.rtol) if tolerance is not None else (precision, 0)
        try:
            return fn(self, *args, **kwargs)
        finally:
            self.precision, self.rel_tol = before
    return test


def instantiate_device_type_tests(generic_test_class, scope, except_for=None, only_for=None, include_lazy=False, allow_mps=False,
                                  allow_xpu=False):
    del scope[generic_test_class.__name__]
    if only_for is not None and "cpu" not in only_for or except_for is not None and "cpu" in except_for:
        return
    made = {name: value for name, value in vars(generic_test_class).items() if not name.startswith("test")}
    made.pop("__dict__", None), made.pop("__weakref__", None)
    made["device_type"] = "cpu"
    made["get_primary_device"] = classmethod(lambda cls: "cpu")
    made["get_all_devices"] = classmethod(lambda cls: ["cpu"])
    name = f"{generic_test_class.__name__}CPU"
    cls = type(name, generic_test_class.__bases__, made)
    for test, fn in vars(generic_test_class).items():
        if not test.startswith("test"):
            continue
        if hasattr(fn, "parametrizer"):
            for of_base, base, base_keywords, decorators_of in fn.parametrizer._parametrize_test(fn, generic_test_class, cls):
                for suffix, keywords, decorators in parametrized(fn):
                    dtype = base_keywords.get("dtype")
                    shown = "_".join(one for one in (test, base, suffix, "cpu", dtype and dtype_name(dtype)) if one)
                    given = {**base_keywords, **keywords, "device": "cpu"}
                    setattr(cls, shown, case_of(of_base, _taken(fn, given), [*decorators_of(given), *decorators, _tolerant(dtype)]))
            continue
        for dtype in getattr(fn, "of_dtypes", None) or [None]:
            for suffix, keywords, decorators in parametrized(fn):
                given = {**keywords, "device": "cpu"}
                shown = f"{test}_{suffix}_cpu" if suffix else f"{test}_cpu"
                if dtype is not None:
                    is_tuple = isinstance(dtype, (list, tuple))
                    given["dtypes" if is_tuple else "dtype"] = dtype
                    shown += "_" + ("_".join(map(dtype_name, dtype)) if is_tuple else dtype_name(dtype))
                setattr(cls, shown, case_of(_with_tolerance(fn, dtype), _taken(fn, given), decorators))
    cls.__module__, cls.__qualname__ = generic_test_class.__module__, name
    scope[name] = cls


def _taken(fn, given):
    """What the test has parameters for: a skipped one has none."""
    import inspect
    parameters = inspect.signature(fn).parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return given
    return {name: value for name, value in given.items() if name in parameters}
