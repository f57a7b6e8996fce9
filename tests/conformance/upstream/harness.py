"""Runs the tests of one file of PyTorch's under nnscope: `nnscope run harness.py FILE NAMES_FILE CHECKOUT`, a line of JSON for each test.

FILE: the test file. NAMES_FILE: ids of tests to run, a line each, or "-" to list all of them. CHECKOUT: the folder that holds `test` and `torch`.
"""
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
import traceback
import types
import unittest
import warnings

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(_HERE, "stand_ins"))
# The tests were written when torch.load() read all that pickle reads.
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
warnings.filterwarnings("ignore", message="Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")


class Missing:
    """What stands for a name that is not there: a decorator that skips, a base without anything, and a skip in all other uses."""

    __signature__ = inspect.signature(lambda *args, **kwargs: None)

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return unittest.skip(f"needs {self.__name__}")(args[0])
        return Missing(self.__name__)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.__name__}.{name}")

    def __mro_entries__(self, bases):
        return (object,)

    def _skip(self, *args):
        raise unittest.SkipTest(f"needs {self.__name__}")

    __enter__ = __getitem__ = __setitem__ = __iter__ = __len__ = __contains__ = _skip
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __lt__ = __gt__ = __le__ = __ge__ = _skip
    __neg__ = __int__ = __float__ = __index__ = _skip

    def __eq__(self, other):
        return self is other or self._skip()

    def __ne__(self, other):
        return self is not other and self._skip()

    def __bool__(self):
        return False

    def __hash__(self):
        return hash(self.__name__)

    def __exit__(self, *args):
        pass


class MissingModule(types.ModuleType):
    __path__ = []
    __all__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # A database that is not there has no entries.
        return [] if name.endswith("_db") else Missing(f"{self.__name__}.{name}")


_INTERNAL = "torch.testing._internal."


def module_of(name):
    """The module of that name: ours, a stand-in, the checkout's, or one of which every name is missing."""
    known = sys.modules.get(name)
    if known is not None:
        return known
    module = of_checkout(name) if name.startswith(_INTERNAL) else None
    if module is not None:
        return module
    prepare_beside(name)
    try:
        return knowing_fewer_ops(importlib.import_module(name))
    except (ImportError, AttributeError):
        pass
    module = sys.modules[name] = MissingModule(name)
    if "." in name:
        above, last = name.rsplit(".", 1)
        setattr(module_of(above), last, module)
    return module


_prepared_files = set()


def prepare_beside(name):
    """Of a file that lies beside the tests what it imports is found first, as for the tests themselves."""
    for folder in _FOLDERS:
        file = os.path.join(folder, *name.split(".")) + ".py"
        if file not in _prepared_files and os.path.exists(file):
            _prepared_files.add(file)
            with open(file) as source:
                prepare(source.read())


def knowing_fewer_ops(module):
    """functorch's common_utils: its tables of what fails may name ops that the checkout's database has not."""
    if module.__name__ != "common_utils" or not hasattr(module, "skipOps"):
        return module
    whole = module.skipOps

    def skipOps(test_case_name, base_test_name, to_skip):
        known = {(op.name, op.variant_test_name) for op in (*module.op_db, *module.additional_op_db, *module.autograd_function_db)}
        return whole(test_case_name, base_test_name, {one for one in to_skip if (one[0], one[1]) in known})

    module.skipOps = skipOps
    return module


def of_checkout(name):
    """The module of torch.testing._internal that the checkout has: its databases of ops, layers and optimizers are what many tests walk."""
    path = os.path.join(_CHECKOUT, *name.split("."))
    folder = os.path.join(path, "__init__.py")
    file = folder if os.path.exists(folder) else path + ".py"
    if not os.path.exists(file):
        return None
    above, last = name.rsplit(".", 1)
    module_of(above)
    if name in sys.modules:
        return sys.modules[name]
    with open(file) as source:
        text = source.read()
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    if file == folder:
        module.__path__ = [path]
    prepare(text)
    name_what_it_reads(text)
    try:
        spec.loader.exec_module(module)
    except Exception:
        print(f"{file} does not load:", file=sys.stderr)
        traceback.print_exc()
        module = sys.modules[name] = MissingModule(name)
    setattr(sys.modules[above], last, module)
    if name == _INTERNAL + "common_methods_invocations" and isinstance(getattr(module, "op_db", None), list):
        # A fork of PyTorch leaves out ops that the tests still name.
        known = {(op.name, op.variant_test_name) for op in module.op_db}
        module.op_db += [op for op in module.opinfo.definitions.op_db if (op.name, op.variant_test_name) not in known]
    if hasattr(module, "_getattr_qual"):
        module._getattr_qual = _attribute
    return module


def name_what_it_reads(text):
    """Gives numpy and torch what a database reads of them as it loads."""
    import numpy
    import torch
    for chain in set(re.findall(r"\b(?:np|torch)(?:\.\w+)+", text)):
        value = numpy if chain.startswith("np.") else torch
        for one in chain.split(".")[1:]:
            try:
                value = getattr(value, one)
                continue
            except (AttributeError, NotImplementedError, RuntimeError):
                pass
            try:
                setattr(value, one, Missing(chain))
            except (AttributeError, TypeError):
                pass
            break


def _attribute(value, name, default=None):
    """An op by its name below torch: a database holds what nnscope has not."""
    for one in name.split("."):
        try:
            value = getattr(value, one)
        except (AttributeError, NotImplementedError):
            return Missing(name) if default is None else default
    return value


_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*)", re.M)
_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n(\\]*(?:\\\n[^\n\\]*)*)", re.M)


def prepare(text):
    """Makes sure that each import of the file finds something."""
    for names in _IMPORT.findall(text):
        for name in names.split(","):
            module_of(name.strip())
    for name, wanted in _FROM.findall(text):
        if name.startswith((".", "__future__")):
            continue
        module = module_of(name)
        prepare_beside(name)
        wanted = re.sub(r"#[^\n]*", "", wanted).strip("()").replace("\\\n", " ")
        for one in wanted.split(","):
            one = one.split(" as ")[0].strip()
            if not one or one == "*" or hasattr(module, one):
                continue
            if name.startswith(_INTERNAL) and of_checkout(f"{name}.{one}") is not None:
                continue
            try:
                importlib.import_module(f"{name}.{one}")
            except (ImportError, AttributeError):
                try:
                    # A database that is not there has no entries.
                    setattr(module, one, [] if one.endswith("_db") else Missing(f"{name}.{one}"))
                except AttributeError:
                    pass


def install():
    """torch.testing._internal and torch._dynamo.test_case as the stand-ins have them."""
    import torch
    import torch._dynamo
    import torch.testing
    import upstream_internal
    for name in ("torch.testing._internal",):
        sys.modules[name] = upstream_internal
    torch.testing._internal = upstream_internal
    for name in upstream_internal.MODULES:
        if name in upstream_internal.BY_CHECKOUT and os.path.exists(os.path.join(_CHECKOUT, *_INTERNAL.split("."), name + ".py")):
            continue
        module = importlib.import_module(f"upstream_internal.{name}")
        sys.modules[_INTERNAL + name] = module
        setattr(upstream_internal, name, module)
    from upstream_internal import gradient_tests
    upstream_internal.common_utils.TestGradients = gradient_tests.TestGradients
    for name, module in upstream_internal.test_cases().items():
        sys.modules[name] = module
        above, last = name.rsplit(".", 1)
        setattr(module_of(above), last, module)


# What PyTorch has loaded as soon as torch is, and tests read without an import.
_LOADED = ("torch.fx.experimental._config", "torch._inductor.config", "torch._functorch.config", "torch._subclasses.fake_tensor",
           "torch._functorch._aot_autograd", "torch._higher_order_ops", "torch._C._functorch", "torch._dynamo.compiled_autograd",
           "torch.ao.nn.qat.modules", "torch.ao.nn.quantizable.modules", "torch.ao.nn.quantized.modules",
           "torch._refs.fft", "torch._refs.linalg", "torch._refs.special", "torch._refs.nn.functional", "torch._refs._conversions")


def tests_of(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests_of(one)
        else:
            yield one


class Result(unittest.TestResult):
    """Writes what becomes of each test."""

    def startTest(self, test):
        super().startTest(test)
        print(json.dumps({"begin": name_of(test)}), flush=True)

    def _tell(self, test, state, error=None):
        row = {"test": name_of(test), "state": state}
        if error is not None:
            row["error"] = "".join(traceback.format_exception(*error))[-4000:] if isinstance(error, tuple) else str(error)
        print(json.dumps(row), flush=True)

    def addSuccess(self, test):
        self._tell(test, "passed")

    def addFailure(self, test, err):
        self._tell(test, "failed", err)

    def addError(self, test, err):
        self._tell(test, "failed", err)

    def addSkip(self, test, reason):
        self._tell(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self._tell(test, "passed")

    def addUnexpectedSuccess(self, test):
        self._tell(test, "failed", "an expected failure did not fail")

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._tell(test, "failed", err)


def name_of(test):
    return f"{type(test).__name__}.{test._testMethodName}"


def main():
    global _CHECKOUT, _FOLDERS
    file, names_file, _CHECKOUT = sys.argv[1:4]
    _FOLDERS = [os.path.dirname(os.path.abspath(file)), os.path.join(_CHECKOUT, "test")]
    sys.path.insert(0, _FOLDERS[0])
    warnings.simplefilter("default")
    install()
    with open(file) as source:
        text = source.read()
    for one in _LOADED:
        module_of(one)
    prepare(text)
    name = os.path.splitext(os.path.basename(file))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = {name_of(test): test for test in tests_of(unittest.defaultTestLoader.loadTestsFromModule(module))}
    if names_file == "-":
        for one in found:
            print(json.dumps({"found": one}))
        return
    with open(names_file) as wanted:
        names = wanted.read().split()
    result = Result()
    for one in names:
        if one in found:
            found[one].run(result)


main()
