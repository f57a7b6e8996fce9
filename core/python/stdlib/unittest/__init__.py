"""Tests: cases, suites, and a runner that tells how they went."""

__all__ = ["TestResult", "TestCase", "TestSuite", "TextTestRunner", "TestLoader", "FunctionTestCase", "main", "TestProgram",
           "defaultTestLoader", "SkipTest", "skip", "skipIf", "skipUnless", "expectedFailure", "TextTestResult",
           "addModuleCleanup", "enterModuleContext"]

from unittest.case import (FunctionTestCase, SkipTest, TestCase, addModuleCleanup, enterModuleContext, expectedFailure, skip,
                           skipIf, skipUnless)
from unittest.runner import TestLoader, TestProgram, TestResult, TestSuite, TextTestResult, TextTestRunner, defaultTestLoader

main = TestProgram
