"""Stand-in for torch.testing._internal.common_utils."""
import contextlib
import dataclasses
import functools
import gc
import io
import itertools
import os
import random
import re
import tempfile
import unittest
import unittest.mock
import warnings
from collections.abc import Sequence

import expecttest
import numpy as np
import torch
from torch.testing import make_tensor  # noqa: F401

from upstream_internal.matrices import *  # noqa: F401,F403

IS_WINDOWS = IS_MACOS = IS_FBCODE = IS_SANDCASTLE = IS_CI = IS_PPC = IS_ARM64 = IS_JETSON = IS_REMOTE_GPU = IS_S390X = False
IS_LINUX = IS_X86 = True
IS_FILESYSTEM_UTF8_ENCODING = True
TEST_WITH_ROCM = TEST_WITH_TORCHDYNAMO = TEST_WITH_TORCHINDUCTOR = TEST_WITH_CROSSREF = TEST_WITH_ASAN = TEST_WITH_TSAN = False
TEST_WITH_UBSAN = TEST_WITH_SLOW = TEST_WITH_AOT_EAGER = TEST_WITH_HPU = TEST_XPU = TEST_HPU = False
TEST_WITH_SLOW_GRADCHECK = TEST_SKIP_FAST = TEST_SKIP_NOARCH = False
TEST_CUDA = TEST_CUDA_GRAPH = TEST_MULTIGPU = TEST_MPS = TEST_PRIVATEUSE1 = TEST_SCIPY = TEST_DILL = TEST_Z3 = False
TEST_LIBROSA = TEST_OPT_EINSUM = TEST_TRANSFORMERS = TEST_MKL = TEST_ACL = TEST_FAIRSEQ = TEST_CUDA_MEM_LEAK_CHECK = False
TEST_NUMPY = True
TEST_PRIVATEUSE1_DEVICE_TYPE = "privateuseone"
NO_MULTIPROCESSING_SPAWN = True
GRADCHECK_NONDET_TOL = 0.0
HAS_CUDA = False
MAX_JOBS = 1
SEED = 1234
gradcheck = torch.autograd.gradcheck
gradgradcheck = torch.autograd.gradgradcheck
numpy_to_torch_dtype_dict = {
    np.bool_: torch.bool, np.uint8: torch.uint8, np.int8: torch.int8, np.int16: torch.int16, np.int32: torch.int32,
    np.int64: torch.int64, np.float16: torch.float16, np.float32: torch.float32, np.float64: torch.float64,
    np.complex64: torch.complex64, np.complex128: torch.complex128}
torch_to_numpy_dtype_dict = {value: key for key, value in numpy_to_torch_dtype_dict.items()}
torch_to_numpy_dtype_dict[torch.bfloat16] = np.float32
dtype2prec_DONTUSE = {torch.float: 1e-5, torch.double: 1e-5, torch.half: 1e-2, torch.bfloat16: 1e-1}
load_tests = None


def run_tests(*args, **kwargs):
    """The harness runs them."""


def set_rng_seed(seed=SEED):
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def _is_number(value):
    return isinstance(value, (int, float, complex)) and not isinstance(value, bool)


# Compared item by item.
_SEQUENCES = (Sequence, torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ParameterList, torch.utils.data.Subset)
_MAPPINGS = (dict, torch.nn.ModuleDict, torch.nn.ParameterDict)


class TestCase(expecttest.TestCase):
    precision = 0
    rel_tol = 0
    maxDiff = None

    def setUp(self):
        set_rng_seed(SEED)

    @property
    def precision_override(self):
        return None

    def _tolerances(self, rtol, atol):
        if rtol is None and atol is None and (self.precision or self.rel_tol):
            return {"rtol": self.rel_tol or 1.3e-6, "atol": self.precision or 1e-5}
        if rtol is None and atol is not None:
            return {"rtol": 0, "atol": atol}
        return {} if rtol is None else {"rtol": rtol, "atol": atol}

    def assertEqual(self, first, second, msg=None, *, rtol=None, atol=None, equal_nan=True, exact_dtype=True, exact_device=False,
                    exact_layout=False, exact_stride=False, exact_is_coalesced=False):
        options = {"equal_nan": equal_nan, **self._tolerances(rtol, atol)}
        text = msg(str) if callable(msg) else msg
        if isinstance(first, torch.TypedStorage) and isinstance(second, torch.TypedStorage):
            self._equal(first.dtype == second.dtype, f"{first.dtype} is not {second.dtype}", text)
            first, second = first.tolist(), second.tolist()
        if isinstance(first, np.ndarray) and isinstance(second, torch.Tensor):
            first = torch.from_numpy(first)
        if isinstance(second, np.ndarray) and isinstance(first, torch.Tensor):
            second = torch.from_numpy(second)
        if isinstance(first, torch.Tensor) and (_is_number(second) or isinstance(second, (bool, list, tuple))):
            second = torch.as_tensor(second, dtype=first.dtype)
            exact_dtype = False
            if second.dim() == 0 and first.numel() == 1:
                second = second.reshape(first.shape)
        elif isinstance(second, torch.Tensor) and (_is_number(first) or isinstance(first, (bool, list, tuple))):
            return self.assertEqual(second, first, msg, rtol=rtol, atol=atol, equal_nan=equal_nan, exact_dtype=False)
        if isinstance(first, (torch.Tensor, np.ndarray, np.generic)) and isinstance(second, (torch.Tensor, np.ndarray, np.generic)):
            if not isinstance(first, torch.Tensor):
                first, second = torch.as_tensor(np.asarray(first)), torch.as_tensor(np.asarray(second))
            if not isinstance(second, torch.Tensor):
                second = torch.as_tensor(np.asarray(second))
            if first.dtype is not second.dtype and not exact_dtype and options.get("rtol") is None:
                options.update(rtol=1.6e-2 if torch.bfloat16 in (first.dtype, second.dtype) else 1e-3, atol=1e-5)
            try:
                torch.testing.assert_close(first, second, check_dtype=exact_dtype, check_device=exact_device,
                                           check_stride=exact_stride, check_layout=exact_layout, **options)
            except AssertionError as error:
                raise self.failureException(f"{error}\n{text}" if text else str(error)) from None
            return None
        if isinstance(first, _MAPPINGS) and isinstance(second, _MAPPINGS):
            self._equal(set(first) == set(second), f"keys differ: {list(first)} and {list(second)}", text)
            for key in first:
                self.assertEqual(first[key], second[key], msg, rtol=rtol, atol=atol, equal_nan=equal_nan, exact_dtype=exact_dtype)
            return None
        is_sequence = isinstance(first, _SEQUENCES) and isinstance(second, _SEQUENCES)
        if is_sequence and not isinstance(first, (str, bytes)) and not isinstance(second, (str, bytes)):
            self._equal(len(first) == len(second), f"lengths differ: {len(first)} and {len(second)}: {first!r}, {second!r}", text)
            for one, other in zip(first, second):
                self.assertEqual(one, other, msg, rtol=rtol, atol=atol, equal_nan=equal_nan, exact_dtype=exact_dtype)
            return None
        if _is_number(first) and _is_number(second):
            if isinstance(first, float) or isinstance(second, float) or isinstance(first, complex) or options.get("rtol") is not None:
                if first == second or (equal_nan and first != first and second != second):
                    return None
                limit = options.get("atol", 1e-5) + options.get("rtol", 1.3e-6) * abs(second)
                return self._equal(abs(first - second) <= limit, f"{first!r} is not {second!r}", text)
        return super().assertEqual(first, second, text)

    def _equal(self, holds, told, text):
        if not holds:
            raise self.failureException(f"{told}\n{text}" if text else told)

    def assertNotEqual(self, first, second, msg=None, **options):
        try:
            self.assertEqual(first, second, msg, **options)
        except AssertionError:
            return
        raise self.failureException(f"{first!r} is equal to {second!r}")

    def assertEqualIgnoreType(self, *args, **kwargs):
        return self.assertEqual(*args, **{**kwargs, "exact_dtype": False})

    def assertEqualTypeString(self, first, second):
        self.assertEqual(first, second)
        self.assertEqual(first.type(), second.type())

    def assertEqualBroadcasting(self, first, second, *args, **kwargs):
        if not isinstance(second, torch.Tensor):
            second = torch.as_tensor(second, dtype=first.dtype, device=first.device).expand_as(first)
        self.assertEqual(first, second, *args, **kwargs)

    def assertLeafOrEqual(self, *args):
        raise unittest.SkipTest("not here")

    def assertObjectIn(self, obj, iterable):
        if not any(obj is one for one in iterable):
            raise self.failureException("object not found in iterable")

    def assertExpected(self, s, subname=None):
        raise unittest.SkipTest("recorded files are not here")

    def assertAtenOp(self, *args):
        raise unittest.SkipTest("ONNX is not here")

    @contextlib.contextmanager
    def assertWarnsOnceRegex(self, category, regex=""):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            yield
        if not any(issubclass(one.category, category) and re.match(regex, str(one.message)) for one in seen):
            self.fail(f"no warning like {regex}")

    def assertNotWarn(self, callable, msg=""):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            callable()
        self._equal(len(seen) == 0, f"warned: {[str(one.message) for one in seen]}", msg)

    @contextlib.contextmanager
    def maybeWarnsRegex(self, category, regex=""):
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            yield

    @contextlib.contextmanager
    def assertRaisesRegexIgnoreType(self, *args):
        with self.assertRaisesRegex(Exception, args[-1]):
            yield

    def wrap_with_cuda_policy(self, name, policy):
        pass

    def genSparseTensor(self, *args, **kwargs):
        raise unittest.SkipTest("random sparse tensors are not here")

    def safeToDense(self, t):
        return t.to_dense()

    def run_process_no_exception(self, *args, **kwargs):
        raise unittest.SkipTest("no processes here")

    def runWithPytorchAPIUsageStderr(self, code):
        raise unittest.SkipTest("no processes here")

    def compare_with_numpy(self, torch_fn, np_fn, tensor_like, device=None, dtype=None, **kwargs):
        given = tensor_like if isinstance(tensor_like, torch.Tensor) else torch.tensor(tensor_like, device=device, dtype=dtype)
        self.assertEqual(torch.as_tensor(np.asarray(np_fn(given.numpy()))), torch_fn(given), exact_dtype=False, **kwargs)


def _flag_decorator(name):
    def decorator(*args, **kwargs):
        if len(args) == 1 and callable(args[0]) and not kwargs:
            return args[0]
        return lambda fn: fn
    decorator.__name__ = name
    return decorator


for _name in ("skipIfRocm", "skipIfNoLapack", "skipIfTorchDynamo", "xfailIfTorchDynamo", "skipIfTorchInductor", "skipIfCrossRef",
              "skipIfMps", "skipIfNNModuleInlined", "skipIfRocmVersionLessThan", "skipIfNotMiopenSuggestNHWC", "skipIfNotRegistered",
              "skipCUDAMemoryLeakCheckIf", "skipRocmIfTorchInductor", "serialTest", "gcIfJetson", "markDynamoStrictTest",
              "unMarkDynamoStrictTest", "skipIfSlowGradcheckEnv", "suppress_warnings", "setBlasBackendsToDefaultFinally",
              "setLinalgBackendsToDefaultFinally", "disable_translation_validation_if_dynamic_shapes", "requires_mkl", "skipIfXpu",
              "skipIfHpu", "skipIfTorchDynamoXfail", "skipIfCompiledAutograd", "skipIfLegacyJitExecutor"):
    globals()[_name] = _flag_decorator(_name)


def _skipping(reason):
    def decorator(*args, **kwargs):
        if len(args) == 1 and callable(args[0]) and not kwargs:
            return unittest.skip(reason)(args[0])
        return lambda fn: unittest.skip(reason)(fn)
    return decorator


slowTest = _skipping("slow")
skipIfNoSciPy = _skipping("needs scipy")
skipIfNoDill = _skipping("needs dill")
skipIf = unittest.skipIf


def slowTestIf(condition):
    return slowTest if condition else (lambda fn: fn)


def wrapDeterministicFlagAPITest(fn):
    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        with DeterministicGuard(False):
            return fn(*args, **kwargs)
    return wrapped


class DeterministicGuard:
    def __init__(self, deterministic, *, warn_only=False, fill_uninitialized_memory=True):
        self.deterministic, self.warn_only = deterministic, warn_only

    def __enter__(self):
        self.before = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(self.deterministic, warn_only=self.warn_only)

    def __exit__(self, *error):
        torch.use_deterministic_algorithms(self.before)


class CudaSyncGuard:
    def __init__(self, mode):
        raise unittest.SkipTest("needs a GPU")


CudaMemoryLeakCheck = CudaSyncGuard
NoTest = int


@contextlib.contextmanager
def freeze_rng_state():
    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)


@contextlib.contextmanager
def set_default_dtype(dtype):
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(dtype)
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def set_default_tensor_type(tensor_type):
    before = torch.get_default_dtype()
    try:
        torch.set_default_tensor_type(tensor_type)
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def set_warn_always_context(new_val):
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(new_val)
    try:
        yield
    finally:
        torch.set_warn_always(before)


@contextlib.contextmanager
def disable_gc():
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextlib.contextmanager
def TemporaryFileName(*args, **kwargs):
    with tempfile.NamedTemporaryFile(*args, delete=False, **kwargs) as file:
        name = file.name
    try:
        yield name
    finally:
        os.unlink(name)


@contextlib.contextmanager
def TemporaryDirectoryName(suffix=None):
    with tempfile.TemporaryDirectory(suffix=suffix) as name:
        yield name


class BytesIOContext(io.BytesIO):
    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass


@contextlib.contextmanager
def swap(*args):
    yield


def is_iterable(obj):
    try:
        iter(obj)
        return True
    except TypeError:
        return False


def is_iterable_of_tensors(iterable, include_empty=False):
    if isinstance(iterable, torch.Tensor):
        return False
    try:
        items = list(iterable)
    except TypeError:
        return False
    return (bool(items) or include_empty) and all(isinstance(one, torch.Tensor) for one in items)


def mock_wrapper(method):
    """The method, which tells its attribute `mock` of each call."""
    mock = unittest.mock.MagicMock()

    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        mock(*args, **kwargs)
        return method(self, *args, **kwargs)

    wrapper.mock = mock
    return wrapper


def clone_input_helper(input):
    if isinstance(input, torch.Tensor):
        return torch.clone(input)
    if isinstance(input, Sequence) and not isinstance(input, str):
        return tuple(map(clone_input_helper, input))
    return input


def iter_indices(tensor):
    if tensor.dim() == 0:
        return range(0)
    if tensor.dim() == 1:
        return range(tensor.size(0))
    return itertools.product(*(range(size) for size in tensor.size()))


def noncontiguous_like(t):
    if not t.is_contiguous():
        return t
    result = torch.empty(t.shape + (2,), dtype=t.dtype, device=t.device)
    result[..., 0] = float("nan") if t.dtype.is_floating_point else 12
    result = result[..., 1]
    result.copy_(t.detach())
    return result.requires_grad_(t.requires_grad)


def munge_exc(e, *, suppress_suffix=True, suppress_prefix=True, file=None, skip=0):
    text = str(e)
    text = re.sub(r'File "[^"]*/([^/"]+)", line \d+', r'File "\1", line N', text)
    text = re.sub(r"\bat [^ \n]*/([\w.]+):\d+", r"at \1:N", text)
    text = re.sub(r"\([^ \n]*/([\w.]+):\d+\)", r"(\1:N)", text)
    text = re.sub(r"\([^ \n]*/([\w.]+) line \d+\)", r"(\1 line N)", text)
    text = re.sub(r"# [^ \n]*/([\w.]+):\d+", r"# \1:N", text)
    text = re.sub(r"\n *[~^]+ *(?=\n|$)", "", text)
    if suppress_suffix:
        text = re.sub(r"\n*Set TORCH_LOGS.+", "", text, flags=re.DOTALL)
        text = re.sub(r"\n*Set TORCHDYNAMO_VERBOSE=1.+", "", text, flags=re.DOTALL)
        text = re.sub(r"\n*You can suppress this exception.+", "", text, flags=re.DOTALL)
    return text


def compare_equal_outs_and_grads(test, m1, m2, inps):
    r1, r2 = m1(*inps), m2(*inps)
    test.assertEqual(r1, r2)


class subtest:
    def __init__(self, arg_values, name=None, decorators=None):
        self.arg_values, self.name, self.decorators = arg_values, name, decorators or []


class decorateIf:
    def __init__(self, decorator, predicate):
        self.decorator, self.predicate = decorator, predicate

    def __call__(self, fn):
        fn.decorators_if = [*getattr(fn, "decorators_if", []), self]
        return fn


class parametrize:
    """A test for each value; instantiate_parametrized_tests() makes them."""

    def __init__(self, arg_str, arg_values, name_fn=None):
        self.names = [name.strip() for name in arg_str.split(",") if name.strip()]
        self.values, self.name_fn = arg_values, name_fn

    def __call__(self, fn):
        fn.parameters = [self, *getattr(fn, "parameters", [])]
        return fn

    def _shown(self, at, name, value):
        if isinstance(value, torch.dtype):
            return str(value).split(".")[1]
        if isinstance(value, torch.device):
            return str(value)
        if isinstance(value, (int, float, str)):
            return f"{name}_{str(value).replace('.', '_')}"
        return f"{name}{at}"

    def cases(self):
        for at, values in enumerate(self.values):
            decorators, name = [], None
            if isinstance(values, subtest):
                decorators, name, values = values.decorators, values.name, values.arg_values
            values = [values] if len(self.names) == 1 else list(values)
            if name is None and self.name_fn is not None:
                name = self.name_fn(*values)
            if name is None:
                name = "_".join(self._shown(at, one, value) for one, value in zip(self.names, values))
            yield name, dict(zip(self.names, values)), decorators


def parametrized(fn, extra=()):
    """(suffix, keywords, decorators) of each case of a test."""
    lists = [list(one.cases()) for one in [*getattr(fn, "parameters", []), *extra]]
    for combination in itertools.product(*lists):
        keywords = {}
        for _, given, _ in combination:
            keywords.update(given)
        yield "_".join(name for name, _, _ in combination), keywords, [d for _, _, found in combination for d in found]


class _TestParametrizer:
    """Base of what makes tests of a database: _parametrize_test() gives (function, suffix, keywords, function to its decorators)."""

    def __call__(self, fn):
        fn.parametrizer = self
        return fn


def case_of(fn, keywords, decorators):
    @functools.wraps(fn)
    def test(self, *args, **kwargs):
        return fn(self, *args, **keywords, **kwargs)
    for one in getattr(fn, "decorators_if", []):
        if one.predicate(keywords):
            test = one.decorator(test)
    for one in decorators:
        test = one(test)
    return test


def instantiate_parametrized_tests(generic_cls):
    for name in list(vars(generic_cls)):
        fn = vars(generic_cls)[name]
        if not name.startswith("test") or not getattr(fn, "parameters", None):
            continue
        delattr(generic_cls, name)
        for suffix, keywords, decorators in parametrized(fn):
            setattr(generic_cls, f"{name}_{suffix}", case_of(fn, keywords, decorators))
    return generic_cls


def dtype_name(dtype):
    return str(dtype).split(".")[1]


def bytes_to_scalar(byte_list, dtype, device):
    return torch.tensor(byte_list, dtype=torch.uint8).view(dtype)[0]


def first_sample(test, samples):
    return next(iter(samples))


def get_function_arglist(func):
    import inspect
    return list(inspect.signature(func).parameters)


def do_test_dtypes(self, dtypes, layout, device):
    for dtype in dtypes:
        if dtype != torch.float16:
            out = torch.zeros((2, 3), dtype=dtype, layout=layout, device=device)
            self.assertIs(dtype, out.dtype)
            self.assertIs(layout, out.layout)


def _assertGradAndGradgradChecks(test_case, apply_fn, inputs, **kwargs):
    test_case.assertTrue(gradcheck(apply_fn, inputs))
    test_case.assertTrue(gradgradcheck(apply_fn, inputs))


def find_free_port():
    raise unittest.SkipTest("no sockets here")


def find_library_location(name):
    raise unittest.SkipTest("no libraries here")


def download_file(url, binary=True):
    raise unittest.SkipTest("nothing is downloaded")


class AlwaysWarnTypedStorageRemoval:
    def __init__(self, always_warn):
        self.always_warn = always_warn

    def __enter__(self):
        self.before = torch.storage._get_always_warn_typed_storage_removal()
        torch.storage._set_always_warn_typed_storage_removal(self.always_warn)

    def __exit__(self, *error):
        torch.storage._set_always_warn_typed_storage_removal(self.before)


@dataclasses.dataclass
class TrackedInput:
    index: int
    val: object
    type_desc: str


class TrackedInputIter:
    """Goes through samples; the test that fails tells at which."""

    def __init__(self, child_iter, input_type_desc, callback=lambda x: x, set_seed=True, restrict_to_index=None):
        self.child_iter = enumerate(child_iter)
        self.input_type_desc, self.callback, self.set_seed = input_type_desc, callback, set_seed

    def __iter__(self):
        return self

    def __next__(self):
        if self.set_seed:
            set_rng_seed(SEED)
        index, value = next(self.child_iter)
        self.at = TrackedInput(index, self.callback(value), self.input_type_desc)
        return value


__all__ = [name for name in globals() if not name.startswith("_")] + ["_assertGradAndGradgradChecks"]
