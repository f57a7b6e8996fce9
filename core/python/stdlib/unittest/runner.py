"""Suites of tests, finding them, running them, and telling how they went."""

import sys
import time
import traceback

from unittest.case import SkipTest, TestCase, _SubTest, doModuleCleanups

_HEAVY = "=" * 70
_LIGHT = "-" * 70


class TestResult:
    """How the tests went: (test, text) of what failed."""

    def __init__(self, stream=None, descriptions=None, verbosity=None):
        self.failfast = False
        self.failures, self.errors, self.skipped, self.expectedFailures, self.unexpectedSuccesses = [], [], [], [], []
        self.testsRun = 0
        self.shouldStop = False
        self.buffer = False
        self.tb_locals = False
        self.collectedDurations = []

    def startTestRun(self):
        """Called before all."""

    def stopTestRun(self):
        """Called after all."""

    def startTest(self, test):
        """Called before a test."""
        self.testsRun += 1

    def stopTest(self, test):
        """Called after a test."""

    def addSuccess(self, test):
        """It went well."""

    def addFailure(self, test, err):
        """An assertion did not hold."""
        self.failures.append((test, self._text(err, test)))
        self._stop_if_wanted()

    def addError(self, test, err):
        """Something else was raised."""
        self.errors.append((test, self._text(err, test)))
        self._stop_if_wanted()

    def addSkip(self, test, reason):
        """It was skipped."""
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test, err):
        """It failed, as it was to."""
        self.expectedFailures.append((test, self._text(err, test)))

    def addUnexpectedSuccess(self, test):
        """It went well, and was to fail."""
        self.unexpectedSuccesses.append(test)
        self._stop_if_wanted()

    def addSubTest(self, test, subtest, err):
        """A part of it failed."""
        if err is not None:
            kept = self.failures if issubclass(err[0], test.failureException) else self.errors
            kept.append((subtest, self._text(err, test)))
            self._stop_if_wanted()

    def _stop_if_wanted(self):
        if self.failfast:
            self.stop()

    def stop(self):
        """No more tests."""
        self.shouldStop = True

    def wasSuccessful(self):
        """Whether nothing failed."""
        return not self.failures and not self.errors and not self.unexpectedSuccesses

    @staticmethod
    def _text(err, test):
        kind, error, tb = err
        # The steps inside of this package tell nothing about the test.
        while tb is not None and tb.tb_frame.f_globals.get("__name__", "").startswith("unittest"):
            tb = tb.tb_next
        last = tb
        count = 0
        length = 0
        while last is not None:
            count += 1
            if not last.tb_frame.f_globals.get("__name__", "").startswith("unittest"):
                length = count
            last = last.tb_next
        is_failure = isinstance(error, getattr(test, "failureException", AssertionError))
        return "".join(traceback.format_exception(kind, error, tb, limit=length if is_failure and length else None))

    def printErrors(self):
        """Writes what failed."""

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} run={self.testsRun} errors={len(self.errors)} " \
               f"failures={len(self.failures)}>"


class TextTestResult(TestResult):
    """Writes a letter, or with verbosity a line, for each test."""

    separator1, separator2 = _HEAVY, _LIGHT

    def __init__(self, stream, descriptions, verbosity, *, durations=None):
        super().__init__(stream, descriptions, verbosity)
        self.stream = stream
        self.showAll = verbosity > 1
        self.dots = verbosity == 1
        self.descriptions = descriptions
        self._was_part = False

    def getDescription(self, test):
        """How a test reads."""
        doc = test.shortDescription()
        return f"{test}\n{doc}" if self.descriptions and doc else str(test)

    def startTest(self, test):
        super().startTest(test)
        self._was_part = False
        if self.showAll:
            self.stream.write(f"{self.getDescription(test)} ... ")

    def _tell(self, test, word, letter):
        if self.showAll:
            if isinstance(test, _SubTest) or self._was_part:
                if not self._was_part:
                    self.stream.write("\n")
                self._was_part = True
                self.stream.write(f"  {self.getDescription(test)} ... ")
            self.stream.write(word + "\n")
        elif self.dots:
            self.stream.write(letter)
        if hasattr(self.stream, "flush"):
            self.stream.flush()

    def addSuccess(self, test):
        self._tell(test, "ok", ".")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._tell(test, "FAIL", "F")

    def addError(self, test, err):
        super().addError(test, err)
        self._tell(test, "ERROR", "E")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._tell(test, f"skipped {reason!r}", "s")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self._tell(test, "expected failure", "x")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._tell(test, "unexpected success", "u")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            is_failure = issubclass(err[0], subtest.failureException)
            self._tell(subtest, "FAIL" if is_failure else "ERROR", "F" if is_failure else "E")

    def printErrors(self):
        if self.dots or self.showAll:
            self.stream.write("\n")
        for word, found in (("ERROR", self.errors), ("FAIL", self.failures)):
            for test, text in found:
                self.stream.write(f"{_HEAVY}\n{word}: {self.getDescription(test)}\n{_LIGHT}\n{text}\n")
        if self.unexpectedSuccesses:
            self.stream.write(_HEAVY + "\n")
            for test in self.unexpectedSuccesses:
                self.stream.write(f"UNEXPECTED SUCCESS: {self.getDescription(test)}\n")


class _ErrorHolder:
    """Stands for the set-up of a class that failed."""

    failureException = None

    def __init__(self, description):
        self.description = description

    def id(self):
        return self.description

    __str__ = id

    def shortDescription(self):
        return None


class TestSuite:
    """Several tests and suites."""

    def __init__(self, tests=()):
        self._tests = list(tests)

    def __iter__(self):
        return iter(self._tests)

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, TestSuite) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return f"<{type(self).__module__}.{type(self).__qualname__} tests={list(self)!r}>"

    def countTestCases(self):
        """How many tests there are."""
        return sum(test.countTestCases() for test in self)

    def addTest(self, test):
        """Adds a test or suite."""
        if not callable(test):
            raise TypeError(f"{test!r} is not callable")
        self._tests.append(test)

    def addTests(self, tests):
        """Adds tests and suites."""
        for test in tests:
            self.addTest(test)

    def _cases(self):
        for test in self:
            if isinstance(test, TestSuite):
                yield from test._cases()
            else:
                yield test

    def run(self, result, debug=False):
        """Runs all; the set-up of a class runs before its first test, its tear-down after the last."""
        current = None
        has_set_up = False
        for test in self._cases():
            if result.shouldStop:
                break
            cls = type(test)
            if cls is not current:
                if has_set_up:
                    self._end(current, result)
                current = cls
                has_set_up = not getattr(cls, "__unittest_skip__", False) and self._begin(cls, result)
            if has_set_up or getattr(cls, "__unittest_skip__", False):
                test(result)
        if has_set_up:
            self._end(current, result)
        doModuleCleanups()
        return result

    __call__ = run

    @staticmethod
    def _tell(cls, name, result):
        error = sys.exc_info()
        holder = _ErrorHolder(f"{name} ({cls.__module__}.{cls.__qualname__})")
        if isinstance(error[1], SkipTest):
            result.addSkip(holder, str(error[1]))
        else:
            result.addError(holder, error)

    def _begin(self, cls, result):
        try:
            getattr(cls, "setUpClass", lambda: None)()
        except Exception:
            self._tell(cls, "setUpClass", result)
            return False
        return True

    def _end(self, cls, result):
        for name in ("tearDownClass", "doClassCleanups"):
            try:
                getattr(cls, name, lambda: None)()
            except Exception:
                self._tell(cls, name, result)


class TestLoader:
    """Finds tests."""

    testMethodPrefix = "test"
    suiteClass = TestSuite

    def getTestCaseNames(self, testCaseClass):
        """The methods that are tests, sorted."""
        return sorted(name for name in dir(testCaseClass)
                      if name.startswith(self.testMethodPrefix) and callable(getattr(testCaseClass, name)))

    def loadTestsFromTestCase(self, testCaseClass):
        """The tests of a class."""
        names = self.getTestCaseNames(testCaseClass)
        if not names and hasattr(testCaseClass, "runTest"):
            names = ["runTest"]
        return self.suiteClass(map(testCaseClass, names))

    def loadTestsFromModule(self, module, *, pattern=None):
        """The tests of a module."""
        suites = []
        for name in dir(module):
            one = getattr(module, name)
            if isinstance(one, type) and issubclass(one, TestCase) and one.__module__ != "unittest.case":
                suites.append(self.loadTestsFromTestCase(one))
        load = getattr(module, "load_tests", None)
        suite = self.suiteClass(suites)
        return load(self, suite, pattern) if load is not None else suite

    def loadTestsFromName(self, name, module=None):
        """The tests of Class or Class.method. Errors: AttributeError."""
        found = module
        parent = None
        if module is None:
            first, *rest = name.split(".")
            found = __import__(first)
        else:
            rest = name.split(".")
        for part in rest:
            parent, found = found, getattr(found, part)
        if isinstance(found, type) and issubclass(found, TestCase):
            return self.loadTestsFromTestCase(found)
        if isinstance(parent, type) and issubclass(parent, TestCase):
            return self.suiteClass([parent(rest[-1])])
        if isinstance(found, TestSuite):
            return found
        if isinstance(found, type(sys)):
            return self.loadTestsFromModule(found)
        raise TypeError(f"don't know how to make test from: {found}")

    def loadTestsFromNames(self, names, module=None):
        """The tests of several names."""
        return self.suiteClass([self.loadTestsFromName(name, module) for name in names])


defaultTestLoader = TestLoader()


class TextTestRunner:
    """Runs tests and writes how they went, on sys.stderr without a stream."""

    resultclass = TextTestResult

    def __init__(self, stream=None, descriptions=True, verbosity=1, failfast=False, buffer=False, resultclass=None,
                 warnings=None, *, tb_locals=False, durations=None):
        self.stream = sys.stderr if stream is None else stream
        self.descriptions = descriptions
        self.verbosity = verbosity
        self.failfast = failfast
        if resultclass is not None:
            self.resultclass = resultclass

    def _makeResult(self):
        return self.resultclass(self.stream, self.descriptions, self.verbosity)

    def run(self, test):
        """Runs a test or suite."""
        result = self._makeResult()
        result.failfast = self.failfast
        start = time.perf_counter()
        result.startTestRun()
        test(result)
        result.stopTestRun()
        taken = time.perf_counter() - start
        result.printErrors()
        write = self.stream.write
        count = result.testsRun
        write(f"{_LIGHT}\nRan {count} test{'' if count == 1 else 's'} in {taken:.3f}s\n\n")
        told = [f"{word}={len(found)}" for word, found in (
            ("failures", result.failures), ("errors", result.errors), ("skipped", result.skipped),
            ("expected failures", result.expectedFailures), ("unexpected successes", result.unexpectedSuccesses)) if found]
        if not result.wasSuccessful():
            word = "FAILED"
        elif count == 0 and not result.skipped:
            word = "NO TESTS RAN"
        else:
            word = "OK"
        write(f"{word} ({', '.join(told)})\n" if told else word + "\n")
        return result


class TestProgram:
    """Runs the tests of a module as a program; the arguments may name some."""

    def __init__(self, module="__main__", defaultTest=None, argv=None, testRunner=None, testLoader=defaultTestLoader,
                 exit=True, verbosity=1, failfast=None, catchbreak=None, buffer=None, warnings=None, *, tb_locals=False,
                 durations=None):
        self.module = __import__(module) if isinstance(module, str) else module
        names = []
        for text in (sys.argv if argv is None else argv)[1:]:
            if text in ("-v", "--verbose"):
                verbosity = 2
            elif text in ("-q", "--quiet"):
                verbosity = 0
            elif text in ("-f", "--failfast"):
                failfast = True
            elif not text.startswith("-"):
                names.append(text)
        if not names and defaultTest is not None:
            names = [defaultTest] if isinstance(defaultTest, str) else list(defaultTest)
        self.test = testLoader.loadTestsFromNames(names, self.module) if names else testLoader.loadTestsFromModule(self.module)
        if testRunner is None:
            testRunner = TextTestRunner
        if isinstance(testRunner, type):
            testRunner = testRunner(verbosity=verbosity, failfast=bool(failfast))
        self.result = testRunner.run(self.test)
        if exit:
            if self.result.testsRun == 0 and not self.result.skipped:
                sys.exit(5)
            sys.exit(not self.result.wasSuccessful())
