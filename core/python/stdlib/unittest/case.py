"""A test case: what it asserts, and how one of its methods is run."""

import contextlib
import sys

from unittest._asserts import Asserts


class SkipTest(Exception):
    """Raised where a test is skipped."""


class _ExpectedFailure(Exception):
    """A test failed that was to fail."""


def skip(reason):
    """Skips a test or a class of tests."""

    def decorate(item):
        if not isinstance(item, type):
            from functools import wraps

            @wraps(item)
            def wrapper(*args, **kwargs):
                raise SkipTest(reason)

            item = wrapper
        item.__unittest_skip__ = True
        item.__unittest_skip_why__ = reason
        return item

    if callable(reason) and hasattr(reason, "__code__"):
        item, reason = reason, ""
        return decorate(item)
    return decorate


def skipIf(condition, reason):
    """Skips if the condition holds."""
    return skip(reason) if condition else lambda item: item


def skipUnless(condition, reason):
    """Skips if the condition does not hold."""
    return lambda item: item if condition else skip(reason)(item)


def expectedFailure(test_item):
    """Says that the test is to fail."""
    test_item.__unittest_expecting_failure__ = True
    return test_item


_module_cleanups = []


def addModuleCleanup(function, /, *args, **kwargs):
    """What is to be called when the tests of the module are done."""
    _module_cleanups.append((function, args, kwargs))


def enterModuleContext(cm):
    """Enters a context manager that is left when the tests of the module are done."""
    result = cm.__enter__()
    addModuleCleanup(cm.__exit__, None, None, None)
    return result


def doModuleCleanups():
    """Calls what waits, last first."""
    while _module_cleanups:
        function, args, kwargs = _module_cleanups.pop()
        function(*args, **kwargs)


class _SubTest:
    """One part of a test, told apart by its parameters."""

    def __init__(self, test, message, params):
        self.test_case = test
        self._message = message
        self.params = params
        self.failureException = test.failureException

    def _description(self):
        parts = [] if self._message is _no_message else [f"[{self._message}]"]
        if self.params:
            parts.append(f"({', '.join(f'{name}={value!r}' for name, value in self.params.items())})")
        return " ".join(parts) or "(<subtest>)"

    def id(self):
        """The name of the test and the part."""
        return f"{self.test_case.id()} {self._description()}"

    def shortDescription(self):
        """The first line of the test's docstring, or None."""
        return self.test_case.shortDescription()

    def __str__(self):
        return f"{self.test_case} {self._description()}"


_no_message = object()


class TestCase(Asserts):
    """Tests: each method whose name begins with test is one, on an instance of its own."""

    failureException = AssertionError
    longMessage = True
    maxDiff = 640

    def __init__(self, methodName="runTest"):
        self._testMethodName = methodName
        self._cleanups = []
        self._subtest_params = []
        self._result = None
        self._type_equality_funcs = {}
        method = getattr(self, methodName, None)
        if method is None:
            if methodName != "runTest":
                raise ValueError(f"no such test method in {type(self)}: {methodName}")
            self._testMethodDoc = "No test"
        else:
            self._testMethodDoc = method.__doc__

    def setUp(self):
        """Called before each test."""

    def tearDown(self):
        """Called after each test."""

    @classmethod
    def setUpClass(cls):
        """Called before the first test of the class."""

    @classmethod
    def tearDownClass(cls):
        """Called after the last test of the class."""

    def addCleanup(self, function, /, *args, **kwargs):
        """What is to be called after the test."""
        self._cleanups.append((function, args, kwargs))

    @classmethod
    def addClassCleanup(cls, function, /, *args, **kwargs):
        """What is to be called after the tests of the class."""
        if "_class_cleanups" not in cls.__dict__:
            cls._class_cleanups = []
        cls._class_cleanups.append((function, args, kwargs))

    @classmethod
    def doClassCleanups(cls):
        """Calls what waits for the class, last first."""
        waiting = cls.__dict__.get("_class_cleanups", [])
        while waiting:
            function, args, kwargs = waiting.pop()
            function(*args, **kwargs)

    def enterContext(self, cm):
        """Enters a context manager that is left after the test."""
        result = cm.__enter__()
        self.addCleanup(cm.__exit__, None, None, None)
        return result

    def skipTest(self, reason):
        """Skips the test from here on."""
        raise SkipTest(reason)

    def countTestCases(self):
        """One."""
        return 1

    def defaultTestResult(self):
        """A result to run without a runner."""
        from unittest.runner import TestResult
        return TestResult()

    def shortDescription(self):
        """The first line of the test's docstring, or None."""
        doc = self._testMethodDoc
        return doc.strip().split("\n")[0].strip() if doc else None

    def id(self):
        """module.class.method"""
        return f"{type(self).__module__}.{type(self).__qualname__}.{self._testMethodName}"

    def __eq__(self, other):
        return self._testMethodName == other._testMethodName if type(self) is type(other) else NotImplemented

    def __hash__(self):
        return hash((type(self), self._testMethodName))

    def __str__(self):
        cls = type(self)
        return f"{self._testMethodName} ({cls.__module__}.{cls.__qualname__}.{self._testMethodName})"

    def __repr__(self):
        cls = type(self)
        return f"<{cls.__module__}.{cls.__qualname__} testMethod={self._testMethodName}>"

    @contextlib.contextmanager
    def subTest(self, msg=_no_message, **params):
        """A part of the test that may fail while the others go on."""
        outer = self._subtest_params[-1][1] if self._subtest_params else {}
        params = {**outer, **params}
        self._subtest_params.append((msg, params))
        try:
            yield
        except (KeyboardInterrupt, SkipTest, _ExpectedFailure):
            raise
        except Exception:
            if self._result is None or self._is_expecting_failure:
                raise
            self._has_failed = True
            self._result.addSubTest(self, _SubTest(self, msg, params), sys.exc_info())
        finally:
            self._subtest_params.pop()

    def _attempt(self, function, result):
        """Calls a part of the test; says whether it went well."""
        try:
            function()
        except KeyboardInterrupt:
            raise
        except SkipTest as error:
            result.addSkip(self, str(error))
            self._has_ended = True
            return False
        except Exception as error:
            if self._is_expecting_failure:
                self._expected = sys.exc_info()
            else:
                self._has_failed = True
                self._has_ended = True
                kind = sys.exc_info()
                (result.addFailure if isinstance(error, self.failureException) else result.addError)(self, kind)
            return False
        return True

    def run(self, result=None):
        """Runs the test and tells the result."""
        if result is None:
            result = self.defaultTestResult()
        result.startTest(self)
        try:
            method = getattr(self, self._testMethodName)
            if getattr(type(self), "__unittest_skip__", False) or getattr(method, "__unittest_skip__", False):
                result.addSkip(self, getattr(type(self), "__unittest_skip_why__", "") or
                               getattr(method, "__unittest_skip_why__", ""))
                return result
            self._result = result
            self._expected = None
            self._has_failed = self._has_ended = False
            self._is_expecting_failure = getattr(self, "__unittest_expecting_failure__", False) or \
                getattr(method, "__unittest_expecting_failure__", False)
            if self._attempt(self.setUp, result):
                went_well = self._attempt(method, result)
                self._attempt(self.tearDown, result)
            else:
                went_well = False
            self.doCleanups(result)
            if self._expected is not None:
                result.addExpectedFailure(self, self._expected)
            elif self._is_expecting_failure and went_well and not self._has_failed:
                result.addUnexpectedSuccess(self)
            elif went_well and not self._has_failed and not self._has_ended:
                result.addSuccess(self)
            return result
        finally:
            self._result = None
            result.stopTest(self)

    def doCleanups(self, result=None):
        """Calls what waits, last first."""
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            self._attempt(lambda: function(*args, **kwargs), result or self.defaultTestResult())

    __call__ = run

    def debug(self):
        """Runs the test and lets exceptions through."""
        self.setUp()
        getattr(self, self._testMethodName)()
        self.tearDown()
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            function(*args, **kwargs)


class FunctionTestCase(TestCase):
    """A function as a test."""

    def __init__(self, testFunc, setUp=None, tearDown=None, description=None):
        super().__init__()
        self._function, self._set_up, self._tear_down, self._description = testFunc, setUp, tearDown, description

    def setUp(self):
        if self._set_up is not None:
            self._set_up()

    def tearDown(self):
        if self._tear_down is not None:
            self._tear_down()

    def runTest(self):
        """Calls the function."""
        self._function()

    def id(self):
        return self._function.__name__

    def __str__(self):
        return f"{type(self).__module__}.{type(self).__qualname__} ({self._function.__name__})"
