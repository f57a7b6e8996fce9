"""Tests: cases, suites, and a runner that tells how they went."""

__all__ = ["TestResult", "TestCase", "TestSuite", "TextTestRunner", "TestLoader", "FunctionTestCase", "main", "TestProgram",
           "defaultTestLoader", "SkipTest", "skip", "skipIf", "skipUnless", "expectedFailure", "TextTestResult",
           "addModuleCleanup", "enterModuleContext", "IsolatedAsyncioTestCase"]

from unittest.case import (FunctionTestCase, SkipTest, TestCase, addModuleCleanup, enterModuleContext, expectedFailure, skip,
                           skipIf, skipUnless)
from unittest.runner import TestLoader, TestProgram, TestResult, TestSuite, TextTestResult, TextTestRunner, defaultTestLoader

main = TestProgram


def __getattr__(name):
    # asyncio is loaded where it is asked for only.
    if name == "IsolatedAsyncioTestCase":
        from unittest.async_case import IsolatedAsyncioTestCase
        return IsolatedAsyncioTestCase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
